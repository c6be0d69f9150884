//! A reply being put together behind whatever an output buffer already holds.

use crate::edns::{Edns, ReplyOpt};
use crate::query::{BADVERS, HEADER, QR, Query, RD};
use crate::transport::Terms;

const TC: u16 = 0x0200;
pub const AA: u16 = 0x0400;
pub const BADCOOKIE: u16 = 23;

/// Whose name a record carries, as it is written.
#[derive(Debug, Clone, Copy)]
pub enum Owner {
    /// A pointer to this offset in the message.
    At(usize),
    Root,
}

#[derive(Debug, Clone, Copy)]
pub enum Section {
    Answer,
    Authority,
}

pub struct Reply<'a, 'q> {
    query: &'a Query<'q>,
    terms: Terms,
    out: &'a mut Vec<u8>,
    start: usize,
    flags: u16,
    counts: [u16; 2],
}

impl<'a, 'q> Reply<'a, 'q> {
    pub fn new(query: &'a Query<'q>, terms: Terms, out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        out.extend(query.id.to_be_bytes());
        out.extend([0; HEADER - 2]);
        out.extend(query.question);
        Reply { query, terms, out, start, flags: QR | query.flags & RD, counts: [0, 0] }
    }

    pub fn set(&mut self, flag: u16) {
        self.flags |= flag;
    }

    /// `body` is type, class, TTL, length and data. Returns the offset of the data in the message.
    pub fn record(&mut self, section: Section, owner: Owner, body: &[u8]) -> usize {
        match owner {
            Owner::At(offset) => self.out.extend((0xc000 | offset as u16).to_be_bytes()),
            Owner::Root => self.out.push(0),
        }
        let body_at = self.out.len() - self.start;
        self.out.extend(body);
        self.counts[section as usize] += 1;
        body_at + 10
    }

    pub fn finish(self, rcode: u16, extended_errors: &[u8]) {
        let opt = self.terms.reply_opt(self.query.edns.unwrap_or_default(), extended_errors);
        self.finish_with(rcode, opt);
    }

    /// With an OPT of the caller's; it is left out where the client sent none.
    pub fn finish_with(mut self, rcode: u16, opt: ReplyOpt) {
        let mut opt = self.query.edns.map(|_| ReplyOpt { extended_rcode: (rcode >> 4) as u8, ..opt });
        let opt_octets = opt.map_or(0, |opt| opt.len());
        if self.out.len() - self.start + opt_octets > self.terms.limit(self.query) {
            self.out.truncate(self.start + HEADER + self.query.question.len());
            self.counts = [0, 0];
            self.flags |= TC;
            // an explanation goes before anything else (RFC 8914 section 3)
            opt = opt.map(|opt| ReplyOpt { extended_errors: &[], ..opt });
        }
        if let Some(opt) = opt {
            opt.write(self.out, self.start);
        }
        let words = [self.flags | rcode & 0xf, 1, self.counts[0], self.counts[1], u16::from(opt.is_some())];
        for (index, word) in words.into_iter().enumerate() {
            let at = self.start + 2 + 2 * index;
            self.out[at..at + 2].copy_from_slice(&word.to_be_bytes());
        }
    }
}

/// A reply without records.
pub fn refuse(query: &Query, terms: Terms, rcode: u16, extended_errors: &[u8], out: &mut Vec<u8>) {
    Reply::new(query, terms, out).finish(rcode, extended_errors);
}

pub fn bad_version(query: &Query, terms: Terms, out: &mut Vec<u8>) {
    refuse(query, terms, BADVERS, &[], out);
}

/// What a message gets whose question cannot be repeated: its header, turned round, and an OPT where one came.
pub fn bare_header((id, flags): (u16, u16), rcode: u16, edns: Option<Edns>, terms: Terms, out: &mut Vec<u8>) {
    const OPCODE_AND_RD: u16 = 0x7900;
    let start = out.len();
    out.extend(id.to_be_bytes());
    out.extend((QR | flags & OPCODE_AND_RD | rcode & 0xf).to_be_bytes());
    out.extend([0, 0, 0, 0, 0, 0, 0, u8::from(edns.is_some())]);
    if let Some(edns) = edns {
        let opt = ReplyOpt { extended_rcode: (rcode >> 4) as u8, ..terms.reply_opt(edns, &[]) };
        opt.write(out, start);
    }
}
