//! The end of a query's life: the response policy, the octets of the response, the closed draft.

use crate::cache::failures::{Failed, How};
use crate::draft::Draft;
use crate::envelope::Envelope;
use crate::events::courier::Events;
use crate::events::event::Noted;
use crate::intern;
use crate::outcome::{ClientProtocol, Outcome};
use crate::policy::response_policy::{Refused, ResponsePolicy};
use crate::query::Query;
use crate::response::{Body, Response};
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, rcode};
use crate::wire::tsig;

/// RFC 8767 section 4.
const STALE_TTL: u32 = 30;

const CUT_SHORT: &str = "the resolver sent only a part of its answer, and the whole by no other way";

/// A query that is about to be answered. Each method that responds consumes it, so there is exactly one event.
pub struct PendingResponse<'a> {
    pub query: &'a Query,
    pub draft: Draft,
    pub octets: &'a mut Vec<u8>,
    pub events: &'a Events,
}

/// The response of an upstream.
pub struct Said<'a> {
    pub body: Body<'a>,
    pub errors: Vec<ExtendedError>,
    /// seconds it was kept
    pub age: u32,
    /// it came over authenticated TLS, so its AD may be passed on
    pub authenticated: bool,
    /// a policy may object to it
    pub delicate: bool,
}

impl PendingResponse<'_> {
    /// Responds with what an upstream sent, unless the response policy refuses it.
    pub fn public(self, policy: &ResponsePolicy, outcome: Outcome, said: Said<'_>) -> Noted {
        if let Err(refused) = self.judge(policy, &said) {
            return self.refused(&refused);
        }
        let believed = said.authenticated && self.query.wants_authentic();
        let flags = if believed { header::AD } else { 0 };
        self.records(outcome, Passed { body: said.body, age: said.age, ttl: None, flags }, &said.errors)
    }

    /// Responds with an expired response (RFC 8767). AD is not set: its signatures may have expired, too.
    pub fn stale(self, policy: &ResponsePolicy, said: Said<'_>, why: &str) -> Noted {
        if let Err(refused) = self.judge(policy, &said) {
            return self.refused(&refused);
        }
        let code = match said.body.rcode() {
            rcode::NXDOMAIN => ExtendedError::STALE_NXDOMAIN,
            _ => ExtendedError::STALE_ANSWER,
        };
        let errors: Vec<_> = std::iter::once(ExtendedError::new(code, why)).chain(said.errors).collect();
        let passed = Passed { body: said.body, age: 0, ttl: Some(STALE_TTL), flags: 0 };
        self.records(Outcome::Stale, passed, &errors)
    }

    fn judge(&self, policy: &ResponsePolicy, said: &Said<'_>) -> Result<(), Refused> {
        if said.delicate {
            policy.judge(said.body.message, &self.query.question, &said.errors)
        } else {
            Ok(())
        }
    }

    /// Responds that the response policy has refused what the upstream sent.
    pub fn refused(mut self, refused: &Refused) -> Noted {
        self.draft.rule = intern::word(&refused.rule);
        self.error(Outcome::Refused, rcode::SERVFAIL, &[refused.extended_error()])
    }

    /// Responds with the failure of a moment ago (RFC 9520). A response of the upstream comes from the cache; the upstream's
    /// silence is our own finding, and is still a failure.
    pub fn failed_before(mut self, failed: &Failed) -> Noted {
        let cached =
            || ExtendedError::new(ExtendedError::CACHED_ERROR, "it failed a moment ago; asked again soon");
        match &failed.how {
            How::Said { response, said_by } => {
                self.draft.upstream = said_by.upstream;
                let errors: Vec<_> = response.extended_errors.iter().cloned().chain([cached()]).collect();
                let passed = Passed { body: response.body(), age: 0, ttl: None, flags: 0 };
                self.records(Outcome::Cached, passed, &errors)
            }
            How::Silent(error) => self.error(Outcome::Failed, rcode::SERVFAIL, &[error.clone(), cached()]),
        }
    }

    /// Responds with what a plain resolver sent. AD is never set.
    pub fn plain(self, outcome: Outcome, response: &Response) -> Noted {
        self.records(
            outcome,
            Passed { body: response.body(), age: 0, ttl: None, flags: 0 },
            &response.extended_errors,
        )
    }

    /// Responds on this program's own authority, with AA.
    pub fn local(self, response: &Response) -> Noted {
        let passed = Passed { body: response.body(), age: 0, ttl: None, flags: header::AA };
        self.records(Outcome::Local, passed, &response.extended_errors)
    }

    /// Responds with a code and the reason, without records.
    pub fn error(self, outcome: Outcome, code: u16, errors: &[ExtendedError]) -> Noted {
        envelope(self.query, &self.draft, errors, 0).error(code, self.octets);
        self.draft.close(self.events, self.query, outcome, code, errors.first(), self.octets)
    }

    /// Responds that the query has to come by TCP, which proves who asks: over UDP a program writes any address into its datagrams.
    pub fn by_tcp(self) -> Noted {
        let why = ExtendedError::new(ExtendedError::OTHER, "who asks decides, and only TCP proves who asks");
        let errors = [why];
        envelope(self.query, &self.draft, &errors, header::TC).error(rcode::NOERROR, self.octets);
        self.draft.close(self.events, self.query, Outcome::Local, rcode::NOERROR, errors.first(), self.octets)
    }

    /// Responds to a query that is signed with a key we do not have; `refusal` is [`tsig::refusal`]'s.
    pub fn unknown_key(self, refusal: &[u8]) -> Noted {
        envelope(self.query, &self.draft, &[], 0).error(rcode::NOTAUTH, self.octets);
        tsig::append(refusal, self.octets, 0);
        self.draft.close(self.events, self.query, Outcome::Dropped, rcode::NOTAUTH, None, self.octets)
    }

    fn records(self, outcome: Outcome, passed: Passed<'_>, errors: &[ExtendedError]) -> Noted {
        let Passed { body, age, ttl, flags } = passed;
        if body.flags() & header::TC != 0 && self.draft.client.protocol != ClientProtocol::Udp {
            // there is no other way by which it would get the rest
            let why = ExtendedError::new(ExtendedError::NETWORK_ERROR, CUT_SHORT);
            return self.error(Outcome::Failed, rcode::SERVFAIL, &[why]);
        }
        let envelope = envelope(self.query, &self.draft, errors, flags);
        envelope.records(body, age, ttl, self.octets);
        self.draft.close(self.events, self.query, outcome, body.rcode(), errors.first(), self.octets)
    }
}

struct Passed<'a> {
    body: Body<'a>,
    age: u32,
    ttl: Option<u32>,
    flags: u16,
}

fn envelope<'a>(
    query: &'a Query,
    draft: &Draft,
    extended_errors: &'a [ExtendedError],
    passed_on: u16,
) -> Envelope<'a> {
    Envelope { query, protocol: draft.client.protocol, extended_errors, passed_on }
}
