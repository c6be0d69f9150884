//! Records taken out of their message: names in full, octet for octet otherwise, so that they can stand in another one.

use crate::name::{self, Name};
use crate::record::Record;
use crate::{Malformed, question, types};

/// What stands in a record's data, as far as compression can reach into it (RFC 1035 section 3.3, RFC 3597 section 4).
enum Data {
    /// so many octets, then so many names, then the rest
    Names {
        before: usize,
        names: usize,
    },
    Octets,
}

fn layout(kind: u16) -> Data {
    const AFSDB: u16 = 18;
    const RT: u16 = 21;
    const SIG: u16 = 24;
    const PX: u16 = 26;
    const KX: u16 = 36;
    let (before, names) = match kind {
        // MD, MF, MB, MG and MR, too, are a name
        types::NS | 3 | 4 | types::CNAME | 7..=9 | types::PTR | types::DNAME => (0, 1),
        // MINFO, RP
        types::SOA | 14 | 17 => (0, 2),
        types::MX | AFSDB | RT | KX => (2, 1),
        PX => (2, 2),
        types::SRV => (6, 1),
        types::RRSIG | SIG => (18, 1),
        types::NSEC => (0, 1),
        _ => return Data::Octets,
    };
    Data::Names { before, names }
}

/// Appends the record with this TTL. `asked`: the question's name, to which a pointer leads.
pub fn append(
    message: &[u8],
    record: &Record,
    ttl: u32,
    asked: &Name,
    to: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let (owner, _) = Name::read(message, record.start)?;
    if owner == *asked {
        to.extend_from_slice(&question::NAME);
    } else {
        append_name(message, record.start, to)?;
    }
    head(record.kind, record.class, ttl, to);
    let length_at = to.len();
    to.extend_from_slice(&[0, 0]);
    append_data(message, record, to)?;
    let length = u16::try_from(to.len() - length_at - 2).map_err(|_| Malformed("a record is too long"))?;
    crate::put_u16(to, length_at, length);
    Ok(())
}

/// Appends a CNAME that nobody sent (RFC 6672 section 3.1).
pub fn append_alias(owner: &Name, target: &Name, ttl: u32, to: &mut Vec<u8>) {
    to.extend_from_slice(owner.as_wire());
    head(types::CNAME, types::IN, ttl, to);
    to.extend_from_slice(&(target.as_wire().len() as u16).to_be_bytes());
    to.extend_from_slice(target.as_wire());
}

fn head(kind: u16, class: u16, ttl: u32, to: &mut Vec<u8>) {
    to.extend_from_slice(&kind.to_be_bytes());
    to.extend_from_slice(&class.to_be_bytes());
    to.extend_from_slice(&ttl.to_be_bytes());
}

fn append_data(message: &[u8], record: &Record, to: &mut Vec<u8>) -> Result<(), Malformed> {
    let (mut at, end) = (record.data.start, record.data.end);
    if let Data::Names { before, names } = layout(record.kind) {
        to.extend_from_slice(message.get(at..at + before).ok_or(ENDS)?);
        at += before;
        for _ in 0..names {
            append_name(message, at, to)?;
            at = name::skip(message, at)?;
        }
    }
    to.extend_from_slice(message.get(at..end).ok_or(ENDS)?);
    Ok(())
}

const ENDS: Malformed = Malformed("a name runs out of its record");

/// In the case it was sent in.
fn append_name(message: &[u8], at: usize, to: &mut Vec<u8>) -> Result<(), Malformed> {
    name::follow(message, at, |piece| {
        if message[piece.start] < 0x40 {
            to.extend_from_slice(&message[piece]);
        }
        Ok(())
    })
}
