//! The end of a question's life: the answer policy, the reply's octets, the closed account.

use crate::account::Account;
use crate::answer::Answer;
use crate::events::event::Event;
use crate::intern;
use crate::outcome::Outcome;
use crate::policy::answer_policy::AnswerPolicy;
use crate::query::Query;
use crate::reply::Envelope;
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, rcode};

/// RFC 8767 section 4.
const STALE_TTL: u32 = 30;

/// One question about to be answered; each way to answer consumes it, so there is exactly one event.
pub struct Telling<'a> {
    pub query: &'a Query,
    pub account: Account,
    pub reply: &'a mut Vec<u8>,
}

/// An upstream's words.
pub struct Said<'a> {
    pub answer: &'a Answer,
    /// seconds it was kept
    pub age: u32,
    /// it came over authenticated TLS, so its AD may be passed on
    pub authenticated: bool,
    /// a policy may object to it
    pub delicate: bool,
}

impl Telling<'_> {
    /// What an upstream said, unless it may not be believed.
    pub fn public(self, policy: &AnswerPolicy, outcome: Outcome, said: Said<'_>) -> Event {
        let Said { answer, age, authenticated, delicate } = said;
        if delicate && let Err(refused) = policy.judge(answer, &self.query.question) {
            let error = refused.extended_error();
            let mut refusing = self;
            refusing.account.rule = intern::word(&refused.rule);
            return refusing.error(Outcome::Refused, rcode::SERVFAIL, &[error]);
        }
        let believed = authenticated && self.query.wants_authentic();
        let flags = if believed { header::AD } else { 0 };
        if outcome != Outcome::Stale {
            return self.records(outcome, Passed { answer, age, ttl: None, flags }, &answer.extended_errors);
        }
        let stale = ExtendedError::new(ExtendedError::STALE_ANSWER, "the upstream can't be reached");
        let errors: Vec<_> = std::iter::once(stale).chain(answer.extended_errors.iter().cloned()).collect();
        self.records(outcome, Passed { answer, age: 0, ttl: Some(STALE_TTL), flags }, &errors)
    }

    /// What a plain resolver said: never called authentic.
    pub fn plain(self, outcome: Outcome, answer: &Answer) -> Event {
        self.records(outcome, Passed { answer, age: 0, ttl: None, flags: 0 }, &answer.extended_errors)
    }

    /// What this program says itself, as the authority it is for such names.
    pub fn local(self, answer: &Answer) -> Event {
        let passed = Passed { answer, age: 0, ttl: None, flags: header::AA };
        self.records(Outcome::Local, passed, &answer.extended_errors)
    }

    /// A code and why, no records.
    pub fn error(self, outcome: Outcome, code: u16, errors: &[ExtendedError]) -> Event {
        envelope(self.query, &self.account, errors, 0).error(code, self.reply);
        self.account.close(self.query, outcome, code, errors.first(), self.reply)
    }

    fn records(self, outcome: Outcome, passed: Passed<'_>, errors: &[ExtendedError]) -> Event {
        let Passed { answer, age, ttl, flags } = passed;
        let envelope = envelope(self.query, &self.account, errors, flags);
        envelope.answer(answer, age, ttl, self.reply);
        self.account.close(self.query, outcome, answer.rcode(), errors.first(), self.reply)
    }
}

/// An answer as it is passed on.
struct Passed<'a> {
    answer: &'a Answer,
    age: u32,
    ttl: Option<u32>,
    flags: u16,
}

fn envelope<'a>(
    query: &'a Query,
    account: &Account,
    extended_errors: &'a [ExtendedError],
    passed_on: u16,
) -> Envelope<'a> {
    Envelope { query, protocol: account.client.protocol, extended_errors, passed_on }
}
