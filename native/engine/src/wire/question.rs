//! The one question of a message (RFC 1035 section 4.1.2, RFC 9619).

use super::header::{self, Header};
use super::name::Name;
use super::{Malformed, u16_at};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// lower case; the message keeps the case that was asked in
    pub name: Name,
    pub kind: u16,
    pub class: u16,
}

impl Question {
    /// Reads the question behind the header and returns it with the offset behind it.
    pub fn read(message: &[u8]) -> Result<(Self, usize), Malformed> {
        let (name, at) = Name::read(message, header::LENGTH)?;
        let question = Self { name, kind: u16_at(message, at)?, class: u16_at(message, at + 2)? };
        Ok((question, at + 4))
    }

    /// A query for this question: header, question, nothing else.
    pub fn query(&self, id: u16, flags: u16) -> Vec<u8> {
        let mut message = vec![0; header::LENGTH];
        Header { id, flags, counts: [1, 0, 0, 0] }.write(&mut message);
        message.extend_from_slice(self.name.as_wire());
        message.extend_from_slice(&self.kind.to_be_bytes());
        message.extend_from_slice(&self.class.to_be_bytes());
        message
    }
}
