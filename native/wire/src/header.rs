//! The first twelve octets of a message (RFC 1035 section 4.1.1).

use crate::{Malformed, put_u16};

pub const LENGTH: usize = 12;

pub const QR: u16 = 0x8000;
pub const AA: u16 = 0x0400;
pub const TC: u16 = 0x0200;
pub const RD: u16 = 0x0100;
pub const RA: u16 = 0x0080;
pub const AD: u16 = 0x0020;
pub const CD: u16 = 0x0010;
pub const OPCODE: u16 = 0x7800;
pub const RCODE: u16 = 0x000f;

/// Response codes, the lower four bits and the extended ones (RFC 1035 section 4.1.1, RFC 6891 section 9, RFC 7873 section 8).
pub mod rcode {
    pub const NOERROR: u16 = 0;
    pub const FORMERR: u16 = 1;
    pub const SERVFAIL: u16 = 2;
    pub const NXDOMAIN: u16 = 3;
    pub const NOTIMP: u16 = 4;
    pub const REFUSED: u16 = 5;
    pub const NOTAUTH: u16 = 9;
    pub const BADVERS: u16 = 16;
    pub const BADCOOKIE: u16 = 23;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub id: u16,
    pub flags: u16,
    /// questions, answers, authorities, additionals
    pub counts: [u16; 4],
}

impl Header {
    #[inline]
    pub fn read(message: &[u8]) -> Result<Self, Malformed> {
        let Some(octets) = message.get(..LENGTH) else {
            return Err(Malformed("shorter than a header"));
        };
        let field = |index: usize| u16::from_be_bytes([octets[index * 2], octets[index * 2 + 1]]);
        Ok(Self { id: field(0), flags: field(1), counts: [field(2), field(3), field(4), field(5)] })
    }

    /// Overwrites the header of this message.
    #[inline]
    pub fn write(&self, message: &mut [u8]) {
        put_u16(message, 0, self.id);
        put_u16(message, 2, self.flags);
        for (index, count) in self.counts.iter().enumerate() {
            put_u16(message, 4 + index * 2, *count);
        }
    }

    /// The header of a response without sections: its id, opcode and RD are the query's.
    #[inline]
    pub fn response(&self, code: u16) -> Self {
        Self { id: self.id, flags: QR | self.flags & (OPCODE | RD) | code & RCODE, counts: [0; 4] }
    }

    #[inline]
    pub fn is_response(&self) -> bool {
        self.flags & QR != 0
    }

    #[inline]
    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    #[inline]
    pub fn opcode(&self) -> u8 {
        ((self.flags & OPCODE) >> 11) as u8
    }

    /// The four bits in the header; OPT holds the upper eight.
    #[inline]
    pub fn rcode(&self) -> u16 {
        self.flags & RCODE
    }
}

/// Counts one more record in the additional section, which was written behind all others.
#[inline]
pub fn count_additional(message: &mut [u8]) {
    let count = u16::from_be_bytes([message[LENGTH - 2], message[LENGTH - 1]]);
    put_u16(message, LENGTH - 2, count + 1);
}
