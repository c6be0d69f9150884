//! A response of an upstream, taken apart as far as the cache and the client need it.

use std::ops::Range;

use crate::policy::response_policy::private_address;
use crate::wire::edns::{Edns, ExtendedError};
use crate::wire::header::{self, Header, rcode};
use crate::wire::question::Question;
use crate::wire::record::{Records, Section};
use crate::wire::{Malformed, expand, name, removal, types, u32_at, validity};

/// A checked response without its OPT: every record lies inside the message, the question is the one that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// id as upstream sent it, flags and records untouched, OPT removed
    pub message: Box<[u8]>,
    /// offset behind the question
    pub question_end: usize,
    /// where each TTL stands
    pub ttls_at: Box<[Offset]>,
    /// seconds this answer may be kept: the least TTL, or the negative one (RFC 2308 section 5); `None`: not at all
    pub lifetime: Option<u32>,
    pub extended_errors: Vec<ExtendedError>,
}

/// No response is kept for longer (RFC 8767 section 4 allows a limit; stubs commonly use a day).
pub const LONGEST_TTL: u32 = 24 * 3600;

/// A TTL, shortened to the limit. With its top bit set it counts as zero (RFC 2181 section 8).
pub fn believed(ttl: u32) -> u32 {
    if ttl > i32::MAX as u32 { 0 } else { ttl.min(LONGEST_TTL) }
}

/// A position in a message, big-endian, so that it can be stored among octets.
pub type Offset = [u8; 2];

/// The octets of a response and the positions of its TTLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Body<'a> {
    pub message: &'a [u8],
    pub ttls_at: &'a [Offset],
}

/// The part of a response that belongs to the connection over which it came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HopOptions {
    /// the server's edns-tcp-keepalive, in units of 100 ms
    pub keepalive: Option<u16>,
}

/// Why a message is no response to the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoResponse {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("it has another question")]
    OtherQuestion,
    #[error("it is not a response to a standard query")]
    NotAResponse,
    /// A stub that ignores classes would take a Chaosnet record for an address, and no resolver has a reason to send one.
    #[error("it holds a record of another class than was asked for")]
    OtherClass,
    #[error("the upstream answered with extended response code {0}")]
    ExtendedCode(u16),
    /// Nothing was too long for a stream.
    #[error("it is truncated, although it came over a stream")]
    Truncated,
    /// A client would take it for "there is no such data" (RFC 2308 section 2.2.1).
    #[error("it refers to other servers: it does not resolve this name itself")]
    Referral,
}

impl Response {
    /// Checks a response of an upstream and takes it apart. The caller compares the id.
    pub fn read(mut message: Vec<u8>, asked: &Question) -> Result<(Self, HopOptions), NoResponse> {
        let header = Header::read(&message)?;
        // one that was put together from parts may be longer than any that comes by itself
        if !header.is_response() || header.opcode() != 0 || message.len() > usize::from(u16::MAX) {
            return Err(NoResponse::NotAResponse);
        }
        if is_bare_error(&header) {
            repeat_question(&mut message, asked);
        } else if header.counts[0] != 1 {
            return Err(NoResponse::OtherQuestion);
        }
        let (question, question_end) = Question::read(&message)?;
        if question != *asked {
            return Err(NoResponse::OtherQuestion);
        }
        let mut hop = HopOptions::default();
        let mut extended_errors = Vec::new();
        if let Some((edns, opt)) = Edns::find(&message)? {
            if edns.extended_rcode != 0 {
                return Err(NoResponse::ExtendedCode(u16::from(edns.extended_rcode) << 4 | header.rcode()));
            }
            hop.keepalive = edns.keepalive.flatten();
            extended_errors = edns.extended_errors;
            removal::remove(&mut message, &opt)?;
        }
        if Header::read(&message)?.counts[3] > 0 {
            cut_private_additions(&mut message)?;
        }
        let walked = walk(&message)?;
        if walked.classes.is_some_and(|(least, most)| (least, most) != (asked.class, asked.class)) {
            return Err(NoResponse::OtherClass);
        }
        if is_referral(&header, &walked) {
            return Err(NoResponse::Referral);
        }
        message.truncate(walked.end);
        validity::check(&message)?;
        if let Some(negative) = &walked.negative {
            // a cache that counts the SOA's TTL down must not keep it longer than its MINIMUM (RFC 2308 section 5)
            message[negative.ttl_at..negative.ttl_at + 4].copy_from_slice(&negative.ttl.to_be_bytes());
        }
        let lifetime = lifetime(header.rcode(), &walked);
        let response = Self {
            message: message.into_boxed_slice(),
            question_end,
            ttls_at: walked.ttls_at.into_boxed_slice(),
            lifetime,
            extended_errors,
        };
        Ok((response, hop))
    }

    pub fn body(&self) -> Body<'_> {
        Body { message: &self.message, ttls_at: &self.ttls_at }
    }

    pub fn rcode(&self) -> u16 {
        self.body().rcode()
    }

    /// Whether the answer section is empty.
    pub fn is_empty(&self) -> bool {
        self.body().answers() == 0
    }

    pub fn truncated(&self) -> bool {
        self.body().flags() & header::TC != 0
    }
}

impl Body<'_> {
    pub fn flags(&self) -> u16 {
        u16::from_be_bytes([self.message[2], self.message[3]])
    }

    pub fn rcode(&self) -> u16 {
        self.flags() & header::RCODE
    }

    /// Records in the answer section.
    pub fn answers(&self) -> u16 {
        u16::from_be_bytes([self.message[6], self.message[7]])
    }
}

/// Servers send some errors with a header alone, and an OPT where they know EDNS. The id says which query is meant.
fn is_bare_error(header: &Header) -> bool {
    header.counts[..3] == [0; 3] && !matches!(header.rcode(), rcode::NOERROR | rcode::NXDOMAIN)
}

fn repeat_question(message: &mut Vec<u8>, asked: &Question) {
    let question = asked.query(0, 0);
    message.splice(header::LENGTH..header::LENGTH, question[header::LENGTH..].iter().copied());
    message[4..6].copy_from_slice(&1u16.to_be_bytes());
}

/// Some servers repeat no question in any response. The message with it, where the answer is about the name that was asked; to be
/// believed only where nobody else can respond. `None`: it has a question, or is about something else.
pub fn with_question(message: &[u8], asked: &Question) -> Option<Vec<u8>> {
    let header = Header::read(message).ok().filter(|header| header.counts[0] == 0)?;
    let mut whole = asked.query(0, 0);
    for (index, record) in Records::of(message).ok()?.enumerate() {
        let record = record.ok()?;
        let is_first_answer = index == 0 && record.section == Section::Answer;
        if is_first_answer && name::Name::read(message, record.start).ok()?.0 != asked.name {
            return None;
        }
        expand::append(message, &record, record.ttl, &asked.name, &mut whole).ok()?;
    }
    let [_, answers, authorities, additionals] = header.counts;
    Header { counts: [1, answers, authorities, additionals], ..header }.write(&mut whole);
    Some(whole)
}

/// The response only names other servers (RFC 2308 section 2.2.1). If it was truncated, the rest may have been an answer.
fn is_referral(header: &Header, walked: &Walked) -> bool {
    let says_nothing = header.rcode() == rcode::NOERROR && walked.answers == 0 && walked.negative.is_none();
    says_nothing && walked.refers && !header.has(header::AA) && !header.has(header::TC)
}

struct Walked {
    ttls_at: Vec<Offset>,
    least_ttl: Option<u32>,
    negative: Option<Negative>,
    answers: usize,
    /// name servers stand in the authority section
    refers: bool,
    /// the least and the greatest in answer and authority
    classes: Option<(u16, u16)>,
    end: usize,
}

struct Negative {
    /// the smaller of the SOA's own TTL and its MINIMUM
    ttl: u32,
    ttl_at: usize,
}

fn walk(message: &[u8]) -> Result<Walked, Malformed> {
    let mut records = Records::of(message)?;
    let mut walked = Walked {
        ttls_at: Vec::new(),
        least_ttl: None,
        negative: None,
        answers: 0,
        refers: false,
        classes: None,
        end: 0,
    };
    for record in records.by_ref() {
        let record = record?;
        name::follow(message, record.start, |piece| outside_of(&walked.ttls_at, piece))?;
        let at = u16::try_from(record.ttl_at).map_err(|_| Malformed("longer than 65535 octets"))?;
        walked.ttls_at.push(at.to_be_bytes());
        let ttl = believed(record.ttl);
        walked.least_ttl = Some(walked.least_ttl.map_or(ttl, |least| least.min(ttl)));
        walked.answers += usize::from(record.section == Section::Answer);
        walked.refers |= record.section == Section::Authority && record.kind == types::NS;
        if record.section != Section::Additional {
            let (least, most) = walked.classes.unwrap_or((record.class, record.class));
            walked.classes = Some((least.min(record.class), most.max(record.class)));
        }
        if record.section == Section::Authority && record.kind == types::SOA && record.data.len() >= 22 {
            let minimum = u32_at(message, record.data.end - 4)?;
            walked.negative = Some(Negative { ttl: ttl.min(minimum), ttl_at: record.ttl_at });
        }
    }
    walked.end = records.position();
    Ok(walked)
}

/// Nobody asked for additional records, but caches of clients keep them (systemd-resolved's does), where the response policy would
/// never see them again. If one of them is a private address, all are dropped: a client that needs them asks, and that response
/// is judged.
fn cut_private_additions(message: &mut Vec<u8>) -> Result<(), Malformed> {
    let (mut start, mut is_private) = (None, false);
    for record in Records::of(message)? {
        let record = record?;
        if record.section == Section::Additional {
            start = start.or(Some(record.start));
            is_private |= private_address(message, &record).is_some();
        }
    }
    if let (true, Some(start)) = (is_private, start) {
        message.truncate(start);
        message[10..header::LENGTH].fill(0);
    }
    Ok(())
}

/// A TTL changes with time. A name that a pointer continues inside a TTL would change with it.
fn outside_of(ttls_at: &[Offset], piece: Range<usize>) -> Result<(), Malformed> {
    let start = |at: &Offset| usize::from(u16::from_be_bytes(*at));
    let before = ttls_at.partition_point(|at| start(at) < piece.end);
    match ttls_at[..before].last() {
        Some(last) if start(last) + 4 > piece.start => Err(Malformed("a name reaches into a TTL")),
        _ => Ok(()),
    }
}

fn lifetime(code: u16, walked: &Walked) -> Option<u32> {
    let least = walked.least_ttl?;
    let seconds = match (code, &walked.negative) {
        // an SOA beside an answer means that a CNAME chain ends without data
        (rcode::NOERROR | rcode::NXDOMAIN, Some(negative)) => least.min(negative.ttl),
        (rcode::NOERROR, None) if walked.answers > 0 => least,
        _ => return None,
    };
    (seconds > 0).then_some(seconds)
}
