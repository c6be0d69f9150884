//! The twelve octets in front (RFC 1035 section 4.1.1).

use super::{Malformed, put_u16};

pub const LENGTH: usize = 12;

pub const QR: u16 = 0x8000;
pub const AA: u16 = 0x0400;
pub const TC: u16 = 0x0200;
pub const RD: u16 = 0x0100;
pub const RA: u16 = 0x0080;
pub const AD: u16 = 0x0020;
pub const CD: u16 = 0x0010;
const OPCODE: u16 = 0x7800;
const RCODE: u16 = 0x000f;

/// Response codes, the lower four bits and the extended ones (RFC 1035, 6891).
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
    pub fn read(message: &[u8]) -> Result<Self, Malformed> {
        let Some(octets) = message.get(..LENGTH) else {
            return Err(Malformed("shorter than a header"));
        };
        let field = |index: usize| u16::from_be_bytes([octets[index * 2], octets[index * 2 + 1]]);
        Ok(Self { id: field(0), flags: field(1), counts: [field(2), field(3), field(4), field(5)] })
    }

    pub fn write(&self, message: &mut [u8]) {
        put_u16(message, 0, self.id);
        put_u16(message, 2, self.flags);
        for (index, count) in self.counts.iter().enumerate() {
            put_u16(message, 4 + index * 2, *count);
        }
    }

    pub fn is_response(&self) -> bool {
        self.flags & QR != 0
    }

    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub fn opcode(&self) -> u8 {
        ((self.flags & OPCODE) >> 11) as u8
    }

    /// The four bits here; OPT holds the upper eight.
    pub fn rcode(&self) -> u16 {
        self.flags & RCODE
    }
}
