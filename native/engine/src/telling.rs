//! The end of a question's life: the answer policy, the reply's octets, the closed account.

use std::time::Instant;

use crate::account::Account;
use crate::answer::Answer;
use crate::events::event::Event;
use crate::outcome::Outcome;
use crate::policy::answer_policy::AnswerPolicy;
use crate::query::Query;
use crate::reply::Envelope;
use crate::wire::edns::ExtendedError;
use crate::wire::header::rcode;

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
}

impl Telling<'_> {
    /// What an upstream said, unless it may not be believed.
    pub fn public(self, policy: &AnswerPolicy, outcome: Outcome, said: Said<'_>) -> Event {
        let Said { answer, age, authenticated } = said;
        if let Err(refused) = policy.judge(answer, &self.query.question) {
            let error = refused.extended_error();
            let mut refusing = self;
            refusing.account.rule = refused.rule.into();
            return refusing.error(Outcome::Refused, rcode::SERVFAIL, &[error]);
        }
        if outcome != Outcome::Stale {
            return self.records(outcome, answer, age, None, authenticated, &answer.extended_errors);
        }
        let stale = ExtendedError::new(ExtendedError::STALE_ANSWER, "the upstream can't be reached");
        let errors: Vec<_> = std::iter::once(stale).chain(answer.extended_errors.iter().cloned()).collect();
        self.records(outcome, answer, 0, Some(STALE_TTL), authenticated, &errors)
    }

    /// What this program or a plain resolver said: never called authentic.
    pub fn plain(self, outcome: Outcome, answer: &Answer, errors: &[ExtendedError]) -> Event {
        self.records(outcome, answer, 0, None, false, errors)
    }

    /// A code and why, no records.
    pub fn error(self, outcome: Outcome, code: u16, errors: &[ExtendedError]) -> Event {
        envelope(self.query, &self.account, errors).error(code, self.reply);
        self.account.close(self.query, outcome, code, errors.first(), self.reply)
    }

    fn records(
        mut self,
        outcome: Outcome,
        answer: &Answer,
        age: u32,
        ttl: Option<u32>,
        authenticated: bool,
        errors: &[ExtendedError],
    ) -> Event {
        let composing = Instant::now();
        envelope(self.query, &self.account, errors).answer(answer, age, ttl, authenticated, self.reply);
        self.account.stages.reply = composing.elapsed();
        self.account.close(self.query, outcome, answer.rcode(), errors.first(), self.reply)
    }
}

fn envelope<'a>(query: &'a Query, account: &Account, extended_errors: &'a [ExtendedError]) -> Envelope<'a> {
    Envelope { query, protocol: account.client.protocol, extended_errors }
}
