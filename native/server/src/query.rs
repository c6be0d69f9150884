//! A question as it came off the wire: checked to the last octet, not copied.

use crate::edns::{self, Edns};
use crate::tsig::{self, Tsig};

pub const HEADER: usize = 12;
pub const MAX_NAME: usize = 255;

pub const QR: u16 = 0x8000;
pub const RD: u16 = 0x0100;
pub const OPCODE: u16 = 0x7800;
const OPT: u16 = 41;

pub const FORMERR: u16 = 1;
pub const NOTIMP: u16 = 4;
pub const BADVERS: u16 = 16;

#[derive(Debug)]
pub struct Query<'a> {
    pub id: u16,
    /// The flags word as received.
    pub flags: u16,
    /// Name, type and class exactly as received: a reply repeats these octets.
    pub question: &'a [u8],
    pub rtype: u16,
    pub class: u16,
    pub edns: Option<Edns>,
    /// It is signed with a key, and we share none.
    pub tsig: Option<Tsig<'a>>,
}

/// Why a message is not a question to answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// Shorter than a header, or a response: answering could start a loop (RFC 8906 section 3.1.4).
    Silence,
    /// Answered with a header that carries this code, and with an OPT where one came.
    Code { id: u16, flags: u16, rcode: u16, edns: Option<Edns> },
}

impl<'a> Query<'a> {
    pub fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        if message.len() < HEADER {
            return Err(Fault::Silence);
        }
        let word = |at: usize| u16::from_be_bytes([message[at], message[at + 1]]);
        let (id, flags) = (word(0), word(2));
        let fault = |rcode| {
            let edns = opt_of_wrong(message);
            let is_too_new = edns.is_some_and(|edns| edns.version > 0);
            Fault::Code { id, flags, rcode: if is_too_new { BADVERS } else { rcode }, edns }
        };
        if flags & QR != 0 {
            return Err(Fault::Silence);
        }
        if flags & OPCODE != 0 {
            return Err(fault(NOTIMP));
        }
        if word(4) != 1 {
            return Err(fault(FORMERR));
        }
        Self::parse_body(message, id, flags).ok_or_else(|| fault(FORMERR))
    }

    /// The name in wire form, case as received.
    pub fn name(&self) -> &'a [u8] {
        &self.question[..self.question.len() - 4]
    }

    pub fn is(&self, class: u16, rtype: u16) -> bool {
        self.class == class && self.rtype == rtype
    }

    pub fn dnssec_ok(&self) -> bool {
        self.edns.as_ref().is_some_and(|edns| edns.dnssec_ok)
    }

    fn parse_body(message: &'a [u8], id: u16, flags: u16) -> Option<Self> {
        let mut cursor = Cursor { message, at: HEADER };
        cursor.uncompressed_name()?;
        let (rtype, class) = (cursor.word()?, cursor.word()?);
        let question = &message[HEADER..cursor.at];
        let before_additional = count(message, 6) + count(message, 8);
        for _ in 0..before_additional {
            cursor.record()?;
        }
        let (mut edns, mut tsig) = (None, None);
        for _ in 0..count(message, 10) {
            let record = cursor.record()?;
            if tsig.is_some() {
                return None; // RFC 8945 section 5.1: it is the last record
            }
            if record.rtype == tsig::TYPE {
                tsig = Some(tsig::read(message, &record, HEADER..HEADER + question.len())?);
            }
            if record.rtype == OPT {
                if edns.is_some() || !record.owner_is_root {
                    return None;
                }
                edns = Some(edns::read(record.class, record.ttl, record.data)?);
            }
        }
        (cursor.at == message.len()).then_some(Query { id, flags, question, rtype, class, edns, tsig })
    }
}

/// The first OPT of a message that can't be answered, as far as it can be read: without one in the error its sender would
/// believe that we know no EDNS (RFC 6891 sections 6.1.1 and 7).
fn opt_of_wrong(message: &[u8]) -> Option<Edns> {
    let mut cursor = Cursor { message, at: HEADER };
    for _ in 0..count(message, 4) {
        cursor.name()?;
        cursor.at += 4;
    }
    let records = count(message, 6) + count(message, 8) + count(message, 10);
    let opt = (0..records).map_while(|_| cursor.record()).find(|record| record.rtype == OPT)?;
    edns::read(opt.class, opt.ttl, opt.data).or_else(|| edns::read(opt.class, opt.ttl, &[]))
}

/// One record of a message, as far as a hop needs to know it.
pub struct Record<'a> {
    pub starts_at: usize,
    pub owner_is_root: bool,
    pub rtype: u16,
    pub class: u16,
    pub ttl: u32,
    pub data: &'a [u8],
}

pub struct Cursor<'a> {
    pub message: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn word(&mut self) -> Option<u16> {
        let octets = self.message.get(self.at..self.at + 2)?;
        self.at += 2;
        Some(u16::from_be_bytes([octets[0], octets[1]]))
    }

    /// Steps over a question's name; nothing precedes it that a pointer could mean.
    pub fn uncompressed_name(&mut self) -> Option<()> {
        let start = self.at;
        loop {
            let length = usize::from(*self.message.get(self.at)?);
            if length > 63 {
                return None;
            }
            self.at += 1 + length;
            if self.at - start > MAX_NAME {
                return None;
            }
            if length == 0 {
                return Some(());
            }
        }
    }

    pub fn record(&mut self) -> Option<Record<'a>> {
        let starts_at = self.at;
        self.name()?;
        let owner_is_root = self.message[starts_at] == 0;
        let (rtype, class) = (self.word()?, self.word()?);
        let ttl = u32::from(self.word()?) << 16 | u32::from(self.word()?);
        let length = usize::from(self.word()?);
        let data = self.message.get(self.at..self.at + length)?;
        self.at += length;
        Some(Record { starts_at, owner_is_root, rtype, class, ttl, data })
    }

    pub fn name(&mut self) -> Option<()> {
        loop {
            let length = usize::from(*self.message.get(self.at)?);
            match length {
                0 => {
                    self.at += 1;
                    return Some(());
                }
                1..=63 => self.at += 1 + length,
                0xc0.. => {
                    self.message.get(self.at + 1)?;
                    self.at += 2;
                    return Some(());
                }
                _ => return None,
            }
        }
    }
}

pub fn count(message: &[u8], at: usize) -> usize {
    usize::from(u16::from_be_bytes([message[at], message[at + 1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WWW_A: &[u8] = b"\x12\x34\x01\x00\0\x01\0\0\0\0\0\0\x03www\x04test\0\0\x01\0\x01";

    fn with(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut message = WWW_A.to_vec();
        change(&mut message);
        message
    }

    fn rcode(message: &[u8]) -> Option<u16> {
        match Query::parse(message) {
            Err(Fault::Code { rcode, .. }) => Some(rcode),
            _ => None,
        }
    }

    #[test]
    fn a_plain_question_is_read_without_copying() {
        let query = Query::parse(WWW_A).unwrap();
        assert_eq!((query.id, query.rtype, query.class), (0x1234, 1, 1));
        assert_eq!(query.name(), b"\x03www\x04test\0");
        assert!(query.edns.is_none());
    }

    #[test]
    fn responses_and_fragments_of_headers_are_met_with_silence() {
        assert_eq!(Query::parse(&WWW_A[..11]).unwrap_err(), Fault::Silence);
        assert_eq!(Query::parse(&with(|m| m[2] |= 0x80)).unwrap_err(), Fault::Silence);
    }

    #[test]
    fn malformed_questions_are_named_so() {
        assert_eq!(rcode(&with(|m| m[5] = 0)), Some(FORMERR));
        assert_eq!(rcode(&with(|m| m[5] = 2)), Some(FORMERR));
        assert_eq!(rcode(&with(|m| m.push(0))), Some(FORMERR), "trailing octet");
        assert_eq!(rcode(&with(|m| m[12] = 0xc0)), Some(FORMERR), "compressed question");
        assert_eq!(rcode(&WWW_A[..20]), Some(FORMERR), "cut short");
        assert_eq!(rcode(&with(|m| m[2] |= 0x28)), Some(NOTIMP), "UPDATE");
    }

    #[test]
    fn a_second_opt_is_malformed() {
        let opt = [0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0];
        let one = with(|m| {
            m[11] = 1;
            m.extend(opt);
        });
        assert_eq!(Query::parse(&one).unwrap().edns.unwrap().udp_size, 4096);
        let two = with(|m| {
            m[11] = 2;
            m.extend(opt);
            m.extend(opt);
        });
        assert_eq!(rcode(&two), Some(FORMERR));
        assert!(
            matches!(Query::parse(&two), Err(Fault::Code { edns: Some(edns), .. }) if edns.udp_size == 4096)
        );
    }
}
