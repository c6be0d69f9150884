//! The question of a message; there is one (RFC 1035 section 4.1.2, RFC 9619).

use crate::header::{self, Header};
use crate::name::{self, Name};
use crate::{Malformed, u16_at};

/// The owner of a record, if it is the question's name: a pointer to it.
pub const NAME: [u8; 2] = name::pointer_to(header::LENGTH);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// in lower case; the message keeps the case in which it came
    pub name: Name,
    pub kind: u16,
    pub class: u16,
}

impl Question {
    /// Reads the question behind the header and returns it with the offset behind it. A compressed name is malformed here, because
    /// nothing stands before it to which a pointer could lead.
    #[inline]
    pub fn read(message: &[u8]) -> Result<(Self, usize), Malformed> {
        let (name, at) = Name::read(message, header::LENGTH)?;
        let question = Self { name, kind: u16_at(message, at)?, class: u16_at(message, at + 2)? };
        Ok((question, at + 4))
    }

    #[inline]
    pub fn is(&self, kind: u16, class: u16) -> bool {
        (self.kind, self.class) == (kind, class)
    }

    /// A query with this question: header and question, nothing else.
    pub fn query(&self, id: u16, flags: u16) -> Vec<u8> {
        let mut message = vec![0; header::LENGTH];
        Header { id, flags, counts: [1, 0, 0, 0] }.write(&mut message);
        message.extend_from_slice(self.name.as_wire());
        message.extend_from_slice(&self.kind.to_be_bytes());
        message.extend_from_slice(&self.class.to_be_bytes());
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types;

    #[test]
    fn what_is_asked_is_read_in_lower_case() {
        let asked = Question { name: Name::parse("www.example").unwrap(), kind: types::A, class: types::IN };
        let mut message = asked.query(7, header::RD);
        message[13].make_ascii_uppercase();
        assert_eq!(Question::read(&message), Ok((asked, message.len())));
        for end in 0..message.len() {
            assert!(Question::read(&message[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn a_compressed_question_is_malformed() {
        for target in 0..32 {
            let message = [&[0; header::LENGTH][..], &[1, b'a', 0xc0, target, 0, 1, 0, 1]].concat();
            assert!(Question::read(&message).is_err(), "to {target}");
        }
    }
}
