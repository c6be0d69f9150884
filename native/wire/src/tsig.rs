//! Messages signed with a key (TSIG, RFC 8945). None of our programs shares a key with anybody, and none passes a message on
//! unchanged. So a signed message is refused as by a server that does not know the key.

use crate::header::{self, Header};
use crate::name::{self, Name};
use crate::question::Question;
use crate::record::{Record, Records, Section};
use crate::{Malformed, types, u16_at};

/// RFC 8945 section 3.
const BADKEY: u16 = 17;
/// Time signed and fudge.
const MOMENT: usize = 6 + 2;
/// Length of the signature, which is empty; original id, error, length of other data.
const BEHIND: usize = 2 + 2 + 2 + 2;

/// The record that tells the sender so (RFC 8945 section 5.3.2); `None` where the message is not signed. A TSIG that is not the
/// last record is malformed (section 5.1).
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
    let mut record = owner(message, tsig)?;
    let data = &message[tsig.data.clone()];
    // the algorithm, never compressed, so that it can be read from the data alone (RFC 8945 section 4.2)
    let kept = Name::read(data, 0)?.1 + MOMENT;
    let signature = usize::from(u16_at(data, kept)?);
    if kept + signature + BEHIND > data.len() {
        return Err(Malformed("ends inside a TSIG"));
    }
    for field in [types::TSIG, types::ANY, 0, 0, (kept + BEHIND) as u16] {
        record.extend_from_slice(&field.to_be_bytes());
    }
    record.extend_from_slice(&data[..kept]);
    for field in [0, Header::read(message)?.id, BADKEY, 0] {
        record.extend_from_slice(&field.to_be_bytes());
    }
    Ok(record)
}

/// The key's name for a response. A part of it that stands in the question is replaced by a pointer there: so a response without
/// other records is never longer than its query.
fn owner(message: &[u8], tsig: &Record) -> Result<Vec<u8>, Malformed> {
    let (_, question_end) = Question::read(message)?;
    let (mut owner, mut in_question) = (Vec::new(), false);
    name::follow(message, tsig.start, |piece| {
        let octets = &message[piece.clone()];
        if in_question && piece.end > question_end {
            return Err(Malformed("a name runs out of the question"));
        }
        let target = name::target(octets);
        if !in_question && target.is_none_or(|target| target < question_end) {
            owner.extend_from_slice(octets);
            in_question = target.is_some();
        }
        Ok(())
    })?;
    Ok(owner)
}

/// Appends the record behind all others, where a TSIG belongs. `message` is where the response starts in these octets. Whatever the
/// length of the names, it stays below the 1232 octets that cross any path.
pub fn append(refusal: &[u8], octets: &mut Vec<u8>, message: usize) {
    octets.extend_from_slice(refusal);
    header::count_additional(&mut octets[message..]);
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let head = b"\x03key\xc0\x10\0\xfa\0\xff\0\0\0\0";
        assert_eq!(record, [&head[..], &(data.len() as u16).to_be_bytes(), &data].concat());
        let mut reply = query();
        append(&record, &mut reply, 0);
        let last = Records::of(&reply).unwrap().last().unwrap().unwrap();
        assert_eq!((last.kind, last.end()), (types::TSIG, reply.len()));
    }

    #[test]
    fn a_keys_name_that_stands_in_another_record_is_written_out() {
        let mut message = query();
        let other = message.len() as u8;
        message.extend_from_slice(b"\x04here\0\0\x01\0\x01\0\0\0\0\0\0");
        message.extend_from_slice(&signed()[query().len()..]);
        message[11] = 2;
        let pointer_at = query().len() + 16 + 4;
        message[pointer_at + 1] = other;
        assert!(refusal(&message).unwrap().unwrap().starts_with(b"\x03key\x04here\0\0\xfa"));
        message[pointer_at + 1] = header::LENGTH as u8 + 14;
        assert_eq!(refusal(&message), Err(Malformed("a name runs out of the question")));
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
