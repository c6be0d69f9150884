//! What an upstream said, taken apart just enough to be kept and told again.

use crate::wire::edns::{self, Edns, ExtendedError};
use crate::wire::header::{Header, rcode};
use crate::wire::question::Question;
use crate::wire::record::{Records, Section};
use crate::wire::{Malformed, header, types, u32_at};

/// A checked response without its OPT: every record lies inside the message, the question is the one that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// id as upstream sent it, flags and records untouched, OPT removed
    pub message: Box<[u8]>,
    /// offset behind the question
    pub question_end: usize,
    /// where each TTL stands
    pub ttls_at: Box<[u16]>,
    /// seconds this answer may be kept: the least TTL, or the negative one (RFC 2308 section 5); `None`: not at all
    pub lifetime: Option<u32>,
    pub extended_errors: Vec<ExtendedError>,
}

/// The part of an answer that belongs to the connection it came over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HopOptions {
    /// the server's edns-tcp-keepalive, in units of 100 ms
    pub keepalive: Option<u16>,
}

/// Why a message is no answer to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("it answers another question")]
    OtherQuestion,
    #[error("it is not a response to a standard query")]
    NotAResponse,
    #[error("the upstream answered with extended response code {0}")]
    ExtendedCode(u16),
}

impl Answer {
    /// Checks and takes apart a response from upstream. Its id is the caller's to match.
    pub fn read(mut message: Vec<u8>, asked: &Question) -> Result<(Self, HopOptions), NoAnswer> {
        let header = Header::read(&message)?;
        if !header.is_response() || header.opcode() != 0 {
            return Err(NoAnswer::NotAResponse);
        }
        if header.counts[0] != 1 {
            return Err(NoAnswer::OtherQuestion);
        }
        let (question, question_end) = Question::read(&message)?;
        if question != *asked {
            return Err(NoAnswer::OtherQuestion);
        }
        let mut hop = HopOptions::default();
        let mut extended_errors = Vec::new();
        if let Some((edns, opt)) = Edns::find(&message)? {
            if edns.extended_rcode != 0 {
                return Err(NoAnswer::ExtendedCode(u16::from(edns.extended_rcode) << 4 | header.rcode()));
            }
            hop.keepalive = edns.keepalive.flatten();
            extended_errors = edns.extended_errors;
            edns::remove(&mut message, &opt)?;
        }
        let walked = walk(&message)?;
        message.truncate(walked.end);
        let lifetime = lifetime(header.rcode(), &walked);
        let answer = Self {
            message: message.into_boxed_slice(),
            question_end,
            ttls_at: walked.ttls_at.into_boxed_slice(),
            lifetime,
            extended_errors,
        };
        Ok((answer, hop))
    }

    pub fn rcode(&self) -> u16 {
        u16::from(self.message[3] & 0x0f)
    }

    /// Whether the answer section holds nothing.
    pub fn is_empty(&self) -> bool {
        self.message[6..8] == [0, 0]
    }

    pub fn truncated(&self) -> bool {
        self.message[2] & (header::TC >> 8) as u8 != 0
    }
}

struct Walked {
    ttls_at: Vec<u16>,
    least_ttl: Option<u32>,
    /// the smaller of the SOA's own TTL and its MINIMUM
    negative_ttl: Option<u32>,
    answers: usize,
    end: usize,
}

fn walk(message: &[u8]) -> Result<Walked, Malformed> {
    let mut records = Records::of(message)?;
    let mut walked = Walked { ttls_at: Vec::new(), least_ttl: None, negative_ttl: None, answers: 0, end: 0 };
    for record in records.by_ref() {
        let record = record?;
        let at = u16::try_from(record.ttl_at).map_err(|_| Malformed("longer than 65535 octets"))?;
        walked.ttls_at.push(at);
        // a TTL with its top bit set counts as zero (RFC 2181 section 8)
        let ttl = if record.ttl > i32::MAX as u32 { 0 } else { record.ttl };
        walked.least_ttl = Some(walked.least_ttl.map_or(ttl, |least| least.min(ttl)));
        walked.answers += usize::from(record.section == Section::Answer);
        if record.section == Section::Authority && record.kind == types::SOA && record.data.len() >= 22 {
            let minimum = u32_at(message, record.data.end - 4)?;
            walked.negative_ttl = Some(ttl.min(minimum));
        }
    }
    walked.end = records.position();
    Ok(walked)
}

fn lifetime(code: u16, walked: &Walked) -> Option<u32> {
    let least = walked.least_ttl?;
    let seconds = match (code, walked.negative_ttl) {
        // an SOA beside an answer ends a CNAME chain in NODATA
        (rcode::NOERROR | rcode::NXDOMAIN, Some(negative)) => least.min(negative),
        (rcode::NOERROR, None) if walked.answers > 0 => least,
        _ => return None,
    };
    (seconds > 0).then_some(seconds)
}
