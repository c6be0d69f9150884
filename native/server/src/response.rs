//! Builds a response in an output buffer, behind what the buffer already holds.

use sotto_wire::edns::{Edns, ExtendedError};
use sotto_wire::header::{self, Header, rcode};
use sotto_wire::record::whole_within;
use sotto_wire::{name, tsig, types};

use crate::edns::ResponseOpt;
use crate::query::Query;
use crate::transport::Terms;

/// The owner of a record, as it is written.
#[derive(Debug, Clone, Copy)]
pub enum Owner {
    /// A pointer to this offset in the message.
    At(usize),
    Root,
}

impl Owner {
    pub const QUESTION: Owner = Owner::At(header::LENGTH);
}

#[derive(Debug, Clone, Copy)]
pub enum Section {
    Answer,
    Authority,
}

pub struct Response<'a, 'q> {
    query: &'a Query<'q>,
    terms: Terms,
    out: &'a mut Vec<u8>,
    start: usize,
    flags: u16,
    counts: [u16; 2],
}

impl<'a, 'q> Response<'a, 'q> {
    pub fn new(query: &'a Query<'q>, terms: Terms, out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        out.extend([0; header::LENGTH]);
        out.extend(query.octets);
        Response { query, terms, out, start, flags: 0, counts: [0, 0] }
    }

    pub fn set(&mut self, flag: u16) {
        self.flags |= flag;
    }

    /// `body` is type, class, TTL, length and data. Returns the offset of the data in the message.
    pub fn record(&mut self, section: Section, owner: Owner, body: &[u8]) -> usize {
        match owner {
            Owner::At(offset) => self.out.extend(name::pointer_to(offset)),
            Owner::Root => self.out.push(0),
        }
        let body_at = self.out.len() - self.start;
        self.out.extend(body);
        self.counts[section as usize] += 1;
        body_at + 10
    }

    pub fn finish(self, rcode: u16, extended_errors: &[ExtendedError]) {
        let edns = self.query.edns.as_ref();
        let opt = edns.map(|edns| self.terms.response_opt(edns, extended_errors));
        self.finish_with(rcode, opt);
    }

    /// With an OPT of the caller's.
    pub fn finish_with(mut self, rcode: u16, opt: Option<ResponseOpt>) {
        let mut opt = opt.map(|opt| ResponseOpt { extended_rcode: (rcode >> 4) as u8, ..opt });
        self.write_ends(rcode, opt);
        if self.is_too_long() {
            // explanations are dropped before anything else (RFC 8914 section 3)
            opt = opt.map(|opt| ResponseOpt { extended_errors: &[], ..opt });
            self.cut(rcode, opt);
        }
        if self.is_too_long() {
            self.cut(rcode, opt.map(ResponseOpt::without_cookie));
        }
    }

    fn is_too_long(&self) -> bool {
        self.out.len() - self.start > self.terms.limit(self.query)
    }

    /// Leaves what fits, and says so.
    fn cut(&mut self, rcode: u16, opt: Option<ResponseOpt>) {
        let (end, [_, answers, authorities, _]) = kept(&self.out[self.start..], self.query, self.terms);
        self.out.truncate(self.start + end);
        self.counts = [answers, authorities];
        self.flags |= header::TC;
        self.write_ends(rcode, opt);
    }

    /// Header and OPT.
    fn write_ends(&mut self, rcode: u16, opt: Option<ResponseOpt>) {
        let mut header = self.query.header.response(rcode);
        header.flags |= self.flags;
        header.counts = [1, self.counts[0], self.counts[1], 0];
        header.write(&mut self.out[self.start..]);
        if let Some(opt) = opt {
            opt.write(self.out, self.start);
        }
    }
}

/// What stays of a response that is too long: where it ends, and its counts. A client without EDNS may know no TCP either (musl before
/// 1.2.4), so that it gets the whole records that fit.
pub fn kept(response: &[u8], query: &Query, terms: Terms) -> (usize, [u16; 4]) {
    let question = (header::LENGTH + query.octets.len(), [1, 0, 0, 0]);
    match query.edns {
        Some(_) => question,
        None => whole_within(response, terms.limit(query)).unwrap_or(question),
    }
}

/// A response without records.
pub fn refuse(query: &Query, terms: Terms, rcode: u16, extended_errors: &[ExtendedError], out: &mut Vec<u8>) {
    Response::new(query, terms, out).finish(rcode, extended_errors);
}

/// Writes the response to what no backend is asked. False: a backend is to be asked.
pub fn refuse_unasked(query: &Query, terms: Terms, out: &mut Vec<u8>) -> bool {
    if query.is_of_later_version() {
        refuse(query, terms, rcode::BADVERS, &[], out);
    } else if let Some(key_refusal) = &query.key_refusal {
        refuse_key(query, key_refusal, terms, out);
    } else if matches!(query.question.kind, types::OPT | types::NXNAME) {
        refuse(query, terms, rcode::FORMERR, &[], out);
    } else if query.question.class != types::IN || matches!(query.question.kind, types::AXFR | types::IXFR) {
        refuse(query, terms, rcode::REFUSED, &[], out);
    } else {
        return false;
    }
    true
}

/// The error is not signed, because we have no key (RFC 8945 section 5.3.2).
pub fn refuse_key(query: &Query, key_refusal: &[u8], terms: Terms, out: &mut Vec<u8>) {
    let start = out.len();
    refuse(query, terms, rcode::NOTAUTH, &[], out);
    tsig::append(key_refusal, out, start);
}

/// The response to a message whose question cannot be repeated: its header with QR set, and an OPT where one came.
pub fn bare_header(header: Header, rcode: u16, edns: Option<&Edns>, terms: Terms, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0; header::LENGTH]);
    header.response(rcode).write(&mut out[start..]);
    if let Some(edns) = edns {
        let opt = ResponseOpt { extended_rcode: (rcode >> 4) as u8, ..terms.response_opt(edns, &[]) };
        let header_end = out.len();
        opt.write(out, start);
        if !terms.allows(out.len() - start) {
            out.truncate(header_end);
            header.response(rcode).write(&mut out[start..]);
            opt.without_cookie().write(out, start);
        }
    }
}
