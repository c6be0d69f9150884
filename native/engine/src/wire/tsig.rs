//! Messages signed with a key (TSIG, RFC 8945). No key is shared with any client, and a message is never passed on as it came, so
//! a signed one is refused as by a server that does not know the key.

use super::header::{self, Header};
use super::name::Name;
use super::record::{Record, Records, Section};
use super::{Malformed, put_u16, types, u16_at};

/// RFC 8945 section 3.
const BADKEY: u16 = 17;
const ANY: u16 = 255;
/// Time signed and fudge.
const MOMENT: usize = 6 + 2;
/// Length of the signature, of which none follows; original id, error, length of other data.
const BEHIND: usize = 2 + 2 + 2 + 2;

/// The record that tells the sender so (RFC 8945 section 5.3.2); `None` where the message is not signed. Malformed where a TSIG is
/// not the last record (section 5.1).
pub fn refusal(message: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
    let mut tsig: Option<Record> = None;
    for record in Records::of(message)? {
        let record = record?;
        if tsig.is_some() || (record.kind == types::TSIG && record.section != Section::Additional) {
            return Err(Malformed("a TSIG that is not the last record"));
        }
        tsig = Some(record).filter(|record| record.kind == types::TSIG);
    }
    tsig.map(|record| compose(message, &record)).transpose()
}

fn compose(message: &[u8], tsig: &Record) -> Result<Vec<u8>, Malformed> {
    let (key, _) = Name::read(message, tsig.start)?;
    let (algorithm, at) = Name::read(message, tsig.data.start)?;
    let signature = usize::from(u16_at(message, at + MOMENT)?);
    if at + MOMENT + signature + BEHIND > tsig.data.end {
        return Err(Malformed("ends inside a TSIG"));
    }
    let length = algorithm.as_wire().len() + MOMENT + BEHIND;
    let mut record = key.as_wire().to_vec();
    for field in [types::TSIG, ANY, 0, 0, length as u16] {
        record.extend_from_slice(&field.to_be_bytes());
    }
    record.extend_from_slice(algorithm.as_wire());
    record.extend_from_slice(&message[at..at + MOMENT]);
    for field in [0, Header::read(message)?.id, BADKEY, 0] {
        record.extend_from_slice(&field.to_be_bytes());
    }
    Ok(record)
}

/// Puts the record behind all others, where a TSIG belongs. With three names at most in it, the reply stays below the 1232 octets
/// that cross any path.
pub fn append(refusal: &[u8], reply: &mut Vec<u8>) {
    reply.extend_from_slice(refusal);
    let additionals = u16::from_be_bytes([reply[header::LENGTH - 2], reply[header::LENGTH - 1]]) + 1;
    put_u16(reply, header::LENGTH - 2, additionals);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::question::Question;

    const ALGORITHM: &[u8] = b"\x0bhmac-sha256\0";

    fn query() -> Vec<u8> {
        let name = Name::parse("www.example").unwrap();
        Question { name, kind: types::A, class: types::IN }.query(0x4711, header::RD)
    }

    /// Owner `key.example`, compressed; a signature of four octets.
    fn signed() -> Vec<u8> {
        let mut message = query();
        let data = [ALGORITHM, b"\0\0\x65\x53\xf1\0\x01\x2c", b"\0\x04abcd", b"\x47\x11\0\0\0\0"].concat();
        message.extend_from_slice(b"\x03key\xc0\x10\0\xfa\0\xff\0\0\0\0");
        message.extend_from_slice(&(data.len() as u16).to_be_bytes());
        message.extend_from_slice(&data);
        message[11] = 1;
        message
    }

    #[test]
    fn a_signature_is_refused_with_its_key_named_and_unsigned() {
        assert_eq!(refusal(&query()), Ok(None));
        let record = refusal(&signed()).unwrap().unwrap();
        let data = [ALGORITHM, b"\0\0\x65\x53\xf1\0\x01\x2c", b"\0\0", b"\x47\x11\0\x11\0\0"].concat();
        let head = b"\x03key\x07example\0\0\xfa\0\xff\0\0\0\0";
        assert_eq!(record, [&head[..], &(data.len() as u16).to_be_bytes(), &data].concat());
        let mut reply = query();
        append(&record, &mut reply);
        let last = Records::of(&reply).unwrap().last().unwrap().unwrap();
        assert_eq!((last.kind, last.end()), (types::TSIG, reply.len()));
    }

    #[test]
    fn a_signature_in_the_wrong_place_or_cut_short_is_malformed() {
        let mut twice = signed();
        let again = twice[query().len()..].to_vec();
        twice.extend(again);
        twice[11] = 2;
        assert_eq!(refusal(&twice), Err(Malformed("a TSIG that is not the last record")));
        let mut answer = signed();
        (answer[7], answer[11]) = (1, 0);
        assert!(refusal(&answer).is_err());
        let mut long = signed();
        let length_at = long.len() - 12;
        assert_eq!(long[length_at..length_at + 2], [0, 4]);
        long[length_at + 1] = 5;
        assert_eq!(refusal(&long), Err(Malformed("ends inside a TSIG")));
    }
}
