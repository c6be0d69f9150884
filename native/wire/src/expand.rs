//! Copies records out of their message: with names in full, and otherwise unchanged, so that they can stand in another message.

use crate::name::{self, Name};
use crate::record::Record;
use crate::{Malformed, question, types};

/// Appends the record with this TTL. `asked` is the question's name: an owner name that is equal becomes a pointer to it.
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

/// Appends a CNAME that follows from a DNAME and was not sent (RFC 6672 section 3.1).
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
    let mut at = record.data.start;
    for name_at in record.names(message)? {
        to.extend_from_slice(message.get(at..name_at).ok_or(ENDS)?);
        append_name(message, name_at, to)?;
        at = name::skip(message, name_at)?;
    }
    to.extend_from_slice(message.get(at..record.data.end).ok_or(ENDS)?);
    Ok(())
}

const ENDS: Malformed = Malformed("a name runs out of its record");

/// Keeps the case in which the name was sent.
fn append_name(message: &[u8], at: usize, to: &mut Vec<u8>) -> Result<(), Malformed> {
    name::follow(message, at, |piece| {
        if message[piece.start] < 0x40 {
            to.extend_from_slice(&message[piece]);
        }
        Ok(())
    })
}
