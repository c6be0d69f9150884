//! The response to the client: the upstream's octets with the client's id, in the client's case and size.

use crate::outcome::ClientProtocol;
use crate::query::Query;
use crate::response::{Body, believed};
use crate::wire::edns::{Edns, ExtendedError, OptWriter, UDP_SIZE, option};
use crate::wire::header::{self, Header};
use crate::wire::record::whole_within;

/// Without EDNS a datagram holds no more (RFC 1035 section 4.2.1).
const CLASSIC_SIZE: usize = 512;
const LONGEST: usize = 65_535;

/// How long a client may keep its TCP connection idle, in units of 100 ms (RFC 7828).
pub const IDLE_TENTHS: u16 = 300;

/// Everything in a response but its records.
pub struct Envelope<'a> {
    pub query: &'a Query,
    pub protocol: ClientProtocol,
    pub extended_errors: &'a [ExtendedError],
    /// flags of the upstream's response that are passed on, and those that an error has of itself
    pub passed_on: u16,
}

impl Envelope<'_> {
    /// `age` is the number of seconds it was kept. With `ttl`, all records get this TTL, as stale ones do.
    pub fn records(&self, response: Body<'_>, age: u32, ttl: Option<u32>, message: &mut Vec<u8>) {
        message.clear();
        message.extend_from_slice(response.message);
        self.stamp(message, response.flags() & (self.passed_on | header::TC | header::RCODE));
        for at in response.ttls_at.iter().map(|at| usize::from(u16::from_be_bytes(*at))) {
            let original =
                u32::from_be_bytes([message[at], message[at + 1], message[at + 2], message[at + 3]]);
            let left = ttl.unwrap_or_else(|| believed(original).saturating_sub(age));
            message[at..at + 4].copy_from_slice(&left.to_be_bytes());
        }
        self.finish(message, 0);
    }

    /// Writes a code and the reason, without records.
    pub fn error(&self, code: u16, message: &mut Vec<u8>) {
        message.clear();
        message.resize(header::LENGTH, 0);
        message.extend_from_slice(self.query.question_octets());
        Header { id: 0, flags: 0, counts: [1, 0, 0, 0] }.write(message);
        self.stamp(message, code & header::RCODE | self.passed_on);
        self.finish(message, (code >> 4) as u8);
    }

    /// Sets id, question and the flags that are ours to set.
    fn stamp(&self, message: &mut [u8], flags: u16) {
        let query = &self.query.header;
        let copied = query.flags & (header::RD | header::CD);
        let flags = header::QR | header::RA | copied | flags;
        message[0..2].copy_from_slice(&query.id.to_be_bytes());
        message[2..4].copy_from_slice(&flags.to_be_bytes());
        let question = self.query.question_octets();
        message[header::LENGTH..header::LENGTH + question.len()].copy_from_slice(question);
    }

    fn finish(&self, message: &mut Vec<u8>, extended_rcode: u8) {
        let records_end = message.len();
        self.append_opt(message, extended_rcode, self.extended_errors);
        if message.len() <= self.limit() {
            return;
        }
        // first without its extended errors, which only explain; then without records, which TCP will bring
        message.truncate(records_end);
        self.uncount_opt(message);
        self.append_opt(message, extended_rcode, &[]);
        if message.len() > self.limit() {
            let (end, counts) = self.kept(message);
            message.truncate(end);
            let flags = u16::from_be_bytes([message[2], message[3]]) | header::TC;
            Header { id: self.query.header.id, flags, counts }.write(message);
            self.append_opt(message, extended_rcode, &[]);
        }
    }

    /// What stays of a response that is too long: where it ends, and its counts. A client without EDNS may know no TCP either (musl
    /// before 1.2.4), so that it gets the whole records that fit.
    fn kept(&self, message: &[u8]) -> (usize, [u16; 4]) {
        let question = (header::LENGTH + self.query.question_octets().len(), [1, 0, 0, 0]);
        match self.query.edns {
            Some(_) => question,
            None => whole_within(message, self.limit()).unwrap_or(question),
        }
    }

    fn append_opt(&self, message: &mut Vec<u8>, extended_rcode: u8, errors: &[ExtendedError]) {
        let Some(edns) = &self.query.edns else {
            return;
        };
        let mut opt = OptWriter::start(message, edns.dnssec_ok, extended_rcode);
        for error in errors {
            opt.extended_error(error);
        }
        if edns.keepalive.is_some() && self.protocol == ClientProtocol::Tcp {
            opt.option(option::KEEPALIVE, &IDLE_TENTHS.to_be_bytes());
        }
        opt.finish();
    }

    fn uncount_opt(&self, message: &mut [u8]) {
        if self.query.edns.is_some() {
            let additionals = u16::from_be_bytes([message[10], message[11]]) - 1;
            message[10..12].copy_from_slice(&additionals.to_be_bytes());
        }
    }

    fn limit(&self) -> usize {
        match (self.protocol, &self.query.edns) {
            (ClientProtocol::Udp, None) => CLASSIC_SIZE,
            (ClientProtocol::Udp, Some(edns)) => usize::from(edns.udp_size.min(UDP_SIZE)).max(CLASSIC_SIZE),
            _ => LONGEST,
        }
    }
}

/// For messages whose question can't be repeated: the header alone, and an OPT where one came.
pub fn bare(header: Header, edns: Option<&Edns>, code: u16, message: &mut Vec<u8>) {
    let bare = header.response(code);
    message.clear();
    message.resize(header::LENGTH, 0);
    Header { flags: bare.flags | header::RA | header.flags & header::CD, ..bare }.write(message);
    if let Some(edns) = edns {
        OptWriter::start(message, edns.dnssec_ok, (code >> 4) as u8).finish();
    }
}
