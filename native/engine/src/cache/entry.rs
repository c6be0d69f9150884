//! One response as it is kept: a single allocation.
//!
//! ```text
//! count ‖ length ‖ Head ‖ where the TTLs stand ‖ message, its question in lower case ‖ extended errors
//! ```

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use quick_cache::Equivalent;
use triomphe::ThinArc;

use super::key::{Partition, Parts};
use crate::clock::Moment;
use crate::policy::response_policy::ResponsePolicy;
use crate::response::{Body, Response};
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, rcode};
use crate::wire::{types, u16_at};

/// What the table takes for an entry besides its own octets: its slot, its place in the index, and half of both again for the
/// memory of names that were dropped.
const BOOKKEEPING: usize = 64;
/// Two counters in front of what is shared.
const COUNTS: usize = 16;

/// Octets of an extended error's text; explanations are short.
const LONGEST_TEXT: usize = 512;

/// A response that is asked for so often in its lifetime is refreshed before it expires.
const WANTED: u8 = 2;
/// Responses with a shorter lifetime (seconds) are not refreshed: that would double the queries.
const WORTH_REFRESHING: u32 = 10;

/// Cloning shares it.
#[derive(Clone)]
pub struct Entry(ThinArc<Head, u8>);

struct Head {
    stored: Moment,
    /// id of the upstream that said it
    upstream: &'static str,
    /// seconds
    lifetime: u32,
    generation: u32,
    /// zero where it denies the whole name
    kind: u16,
    question_length: u16,
    ttls: u16,
    message_length: u16,
    flags: u8,
    hits: AtomicU8,
    refreshed: AtomicBool,
}

const DNSSEC_OK: u8 = 1;
const CHECKING_DISABLED: u8 = 2;
const AUTHENTICATED: u8 = 4;
const DELICATE: u8 = 8;

/// Who said it, and whether over authenticated TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidBy {
    pub upstream: &'static str,
    pub authenticated: bool,
}

impl Entry {
    /// `parts`: what it answers; `lifetime`: seconds.
    pub fn new(parts: Parts<'_>, response: &Response, said_by: SaidBy, lifetime: u32, now: Moment) -> Self {
        let set = |condition, flag| if condition { flag } else { 0 };
        let head = Head {
            stored: now,
            upstream: said_by.upstream,
            lifetime,
            generation: parts.partition.generation,
            kind: parts.kind,
            question_length: (response.question_end - header::LENGTH) as u16,
            ttls: response.ttls_at.len() as u16,
            message_length: response.message.len() as u16,
            flags: set(parts.partition.dnssec_ok, DNSSEC_OK)
                | set(parts.partition.checking_disabled, CHECKING_DISABLED)
                | set(said_by.authenticated, AUTHENTICATED)
                | set(ResponsePolicy::concerns(&response.message), DELICATE),
            hits: AtomicU8::new(0),
            refreshed: AtomicBool::new(false),
        };
        let mut octets = response.ttls_at.as_flattened().to_vec();
        let question = octets.len() + header::LENGTH;
        octets.extend_from_slice(&response.message);
        octets[question..question + parts.name.len()].copy_from_slice(parts.name);
        append_errors(&mut octets, &response.extended_errors);
        Self(ThinArc::from_header_and_slice(head, &octets))
    }

    pub fn body(&self) -> Body<'_> {
        let (ttls, rest) = self.0.slice.split_at(2 * usize::from(self.head().ttls));
        Body { ttls_at: ttls.as_chunks().0, message: &rest[..usize::from(self.head().message_length)] }
    }

    /// Allocates only where there are any.
    pub fn extended_errors(&self) -> Vec<ExtendedError> {
        let head = self.head();
        read_errors(&self.0.slice[2 * usize::from(head.ttls) + usize::from(head.message_length)..])
    }

    pub fn parts(&self) -> Parts<'_> {
        let head = self.head();
        Parts {
            name: &self.question_octets()[..usize::from(head.question_length) - 4],
            kind: head.kind,
            class: types::IN,
            partition: Partition {
                dnssec_ok: head.flags & DNSSEC_OK != 0,
                checking_disabled: head.flags & CHECKING_DISABLED != 0,
                generation: head.generation,
            },
        }
    }

    /// As it was asked; [`Entry::parts`] has zero for it where the whole name is denied.
    pub fn asked_kind(&self) -> u16 {
        let question = self.question_octets();
        u16_at(question, question.len() - 4).unwrap_or_default()
    }

    pub fn said_by(&self) -> SaidBy {
        SaidBy { upstream: self.head().upstream, authenticated: self.head().flags & AUTHENTICATED != 0 }
    }

    /// A policy may object to it: [`ResponsePolicy::concerns`].
    pub fn is_delicate(&self) -> bool {
        self.head().flags & DELICATE != 0
    }

    /// It says that there is nothing (RFC 2308).
    pub fn is_negative(&self) -> bool {
        self.body().rcode() == rcode::NXDOMAIN || self.body().answers() == 0
    }

    pub fn age(&self, now: Moment) -> Duration {
        now.since(self.head().stored)
    }

    pub fn lifetime(&self) -> Duration {
        Duration::from_secs(u64::from(self.head().lifetime))
    }

    pub fn expires(&self) -> Moment {
        self.head().stored + self.lifetime()
    }

    /// Whether it lives so long that asking for it anew, without being asked, does not multiply queries.
    pub fn is_worth_refreshing(&self) -> bool {
        self.head().lifetime >= WORTH_REFRESHING
    }

    /// Notes that it was asked for, and returns whether it should be refreshed, because it is in demand and expires soon.
    pub fn hit(&self, now: Moment) -> bool {
        let head = self.head();
        let hits = head.hits.load(Ordering::Relaxed).saturating_add(1);
        if hits <= WANTED {
            head.hits.store(hits, Ordering::Relaxed);
        }
        if hits < WANTED || !self.is_worth_refreshing() {
            return false;
        }
        let nearly_over = self.age(now) * 10 > self.lifetime() * 9;
        nearly_over && !head.refreshed.load(Ordering::Relaxed)
    }

    /// Claims the one refresh that an entry gets. `false`: another query has claimed it.
    pub fn claim_refresh(&self) -> bool {
        !self.head().refreshed.swap(true, Ordering::Relaxed)
    }

    /// Octets of memory it takes, the allocator's rounding and the table's slot included.
    pub fn octets(&self) -> usize {
        let allocated = COUNTS + size_of::<Head>() + self.0.slice.len() + size_of::<usize>();
        allocated.next_multiple_of(16) + BOOKKEEPING
    }

    fn question_octets(&self) -> &[u8] {
        let start = 2 * usize::from(self.head().ttls) + header::LENGTH;
        &self.0.slice[start..start + usize::from(self.head().question_length)]
    }

    fn head(&self) -> &Head {
        &self.0.header.header
    }
}

/// An entry as the table's key: equal where it answers the same question.
#[derive(Clone)]
pub struct ByQuestion(pub Entry);

impl Hash for ByQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.parts().hash(state);
    }
}

impl PartialEq for ByQuestion {
    fn eq(&self, other: &Self) -> bool {
        self.0.parts() == other.0.parts()
    }
}

impl Eq for ByQuestion {}

impl Equivalent<ByQuestion> for Parts<'_> {
    fn equivalent(&self, kept: &ByQuestion) -> bool {
        *self == kept.0.parts()
    }
}

/// code ‖ length ‖ text, one behind the other
fn append_errors(octets: &mut Vec<u8>, errors: &[ExtendedError]) {
    for error in errors {
        let end = (0..=error.text.len().min(LONGEST_TEXT)).rfind(|end| error.text.is_char_boundary(*end));
        let text = &error.text.as_bytes()[..end.unwrap_or_default()];
        octets.extend_from_slice(&error.code.to_be_bytes());
        octets.extend_from_slice(&(text.len() as u16).to_be_bytes());
        octets.extend_from_slice(text);
    }
}

fn read_errors(mut octets: &[u8]) -> Vec<ExtendedError> {
    let mut errors = Vec::new();
    while let [code_high, code_low, high, low, rest @ ..] = octets {
        let (text, others) = rest.split_at(usize::from(u16::from_be_bytes([*high, *low])));
        errors.push(ExtendedError::new(
            u16::from_be_bytes([*code_high, *code_low]),
            String::from_utf8_lossy(text),
        ));
        octets = others;
    }
    errors
}
