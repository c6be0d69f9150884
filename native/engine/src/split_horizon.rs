//! A query under a bypass rule, and where its aliases lead.
//!
//! ```text
//! rule's resolvers ─▶ alias within the rule's names ─▶ as they sent it
//!                 └▶ alias to a name of another rule ─▶ its resolvers, in the same way
//!                 └▶ alias to a public name ─▶ cache, upstreams, response policy: never back into a rule
//! ```

use std::sync::Arc;

use crate::aliases::{Composing, Walk, walk};
use crate::cache::failures::is_failure;
use crate::cache::key::Key;
use crate::cache::store::{Cut, Fresh, Known};
use crate::cleartext::{Cleartext, NotHeard, hear};
use crate::events::event::Noted;
use crate::outcome::Outcome;
use crate::pending_response::PendingResponse;
use crate::pipeline::Pipeline;
use crate::policy::conditions::Audience;
use crate::policy::local_response;
use crate::policy::response_policy::Refused;
use crate::query::Query;
use crate::response::Response;
use crate::route::Route;
use crate::snapshot::Snapshot;
use crate::wire::Malformed;
use crate::wire::edns::ExtendedError;
use crate::wire::header::rcode;

/// Queries in cleartext for one client's query.
const MOST_QUERIES: usize = 8;

/// Why there is no response.
enum Nothing {
    NotHeard(NotHeard),
    Refused(Refused),
}

impl Nothing {
    fn astray(why: impl std::fmt::Display) -> Self {
        let error =
            ExtendedError::new(ExtendedError::OTHER, format!("an internal alias can't be followed: {why}"));
        Self::NotHeard(NotHeard { outcome: Outcome::Failed, error })
    }
}

impl From<Malformed> for Nothing {
    fn from(malformed: Malformed) -> Self {
        Self::astray(malformed)
    }
}

impl Pipeline {
    pub async fn ask_bypass(
        &self,
        mut pending: PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        rule: usize,
    ) -> Noted {
        match self.resolve_internal(&mut pending, snapshot, rule).await {
            Ok(response) => pending.plain(Outcome::Bypassed, &response),
            Err(Nothing::NotHeard(NotHeard { outcome, error })) => {
                pending.error(outcome, rcode::SERVFAIL, &[error])
            }
            Err(Nothing::Refused(refused)) => pending.refused(&refused),
        }
    }

    async fn resolve_internal(
        &self,
        pending: &mut PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        rule: usize,
    ) -> Result<Response, Nothing> {
        let question = pending.query.question;
        let mut composing = Composing::of(question);
        let mut query = pending.query.clone();
        let mut passed = vec![];
        let mut rule = rule;
        for round in 0..MOST_QUERIES {
            let response = self.hear_of_rule(pending, snapshot, rule, &query).await?;
            let (walk, is_direct) = {
                let mut fit = self.fit(snapshot, &mut pending.draft);
                let is_its_own = |name: &_| snapshot.rule_of(name, &mut fit) == Some(rule);
                let walk = walk(&response.message, &query.question, is_its_own).map_err(Nothing::astray)?;
                (walk, snapshot.direct.is_some() && !snapshot.conditions.refuse(&mut fit))
            };
            if is_direct || (round == 0 && is_whole(&walk)) {
                return Ok(response);
            }
            if is_whole(&walk) {
                return finished(composing, &response, 0);
            }
            composing.aliases(&response.message, &walk)?;
            passed.extend_from_slice(&walk.passed);
            if passed.contains(&walk.end) {
                return Err(Nothing::astray("it goes round in circles"));
            }
            query = query.about(walk.end);
            let (route, audience) = {
                let mut fit = self.fit(snapshot, &mut pending.draft);
                let route = snapshot.route(&query.question, &mut fit);
                (route, snapshot.audience(&query.question.name, &mut fit))
            };
            match route {
                Route::Bypass(next) => rule = next,
                Route::Local(local) => {
                    let message = query.question.query(0, 0);
                    return finished(composing, &local_response::compose(&message, message.len(), &local), 0);
                }
                Route::Forward(_) | Route::Portal | Route::Direct(_) => {
                    return self.follow_privately(pending, snapshot, composing, audience, &query).await;
                }
            }
        }
        Err(Nothing::astray(format!("it takes more than {MOST_QUERIES} queries")))
    }

    async fn hear_of_rule(
        &self,
        pending: &mut PendingResponse<'_>,
        snapshot: &Snapshot,
        index: usize,
        query: &Query,
    ) -> Result<Response, Nothing> {
        let rule = &snapshot.config.bypass[index];
        let lease = snapshot.bypass_leases[index].as_ref();
        if let Some(lease) = lease {
            let listed = snapshot.bypass.in_list(index, &query.question.name);
            let below = listed.unwrap_or_else(|| rule.a_name());
            self.loops.examine(below, &rule.to, lease).await;
        }
        let clear = Cleartext {
            servers: self.loops.sound(&rule.to),
            known: !rule.to.is_empty(),
            lease: lease.map(AsRef::as_ref),
            class: rule.class,
            outcome: Outcome::Bypassed,
        };
        let outgoing = query.outgoing().in_slot(&pending.draft.slot).for_one(&pending.draft.presence);
        let heard = hear(&self.plain, &mut pending.draft, clear, &outgoing).await;
        if matches!(&heard, Err(NotHeard { outcome: Outcome::Failed, .. })) {
            self.loops.doubt(&rule.to);
        }
        heard.map_err(Nothing::NotHeard)
    }

    /// Resolves a public name for which an internal one is an alias, as if a client had asked for it.
    async fn follow_privately(
        &self,
        pending: &mut PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        composing: Composing,
        audience: Audience,
        query: &Query,
    ) -> Result<Response, Nothing> {
        let judge = |message: &[u8], errors: &[ExtendedError]| {
            snapshot.response_policy.judge(message, &query.question, errors).map_err(Nothing::Refused)
        };
        match snapshot.cache.get(query.parts(snapshot.partition(audience)), self.clock.now()) {
            Some(Known::Fresh(Fresh { entry, age_seconds, .. })) => {
                let body = entry.body();
                let extended_errors = entry.extended_errors();
                judge(body.message, &extended_errors)?;
                Ok(Response { extended_errors, ..composing.finish(body, age_seconds)? })
            }
            Some(Known::Cut(Cut { denial, age_seconds, .. })) => finished(composing, &denial, age_seconds),
            Some(Known::Failed { .. }) => Err(Nothing::astray("the name it leads to failed a moment ago")),
            None => {
                let response = self.ask_for_alias(pending, snapshot, audience, query).await?;
                judge(&response.message, &response.extended_errors)?;
                finished(composing, &response, 0)
            }
        }
    }

    async fn ask_for_alias(
        &self,
        pending: &mut PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        audience: Audience,
        query: &Query,
    ) -> Result<Response, Nothing> {
        let key = Key::of(query.parts(snapshot.partition(audience)));
        let outgoing = Arc::new(query.outgoing().in_slot(&pending.draft.slot));
        let seat = self.in_flight.join(&key);
        let resolution = self.ask(seat, snapshot, &key, audience, outgoing.clone()).await;
        pending.draft.waited();
        pending.draft.traffic = pending.draft.traffic.with(outgoing.traffic());
        match resolution.as_deref() {
            Some(Ok(answered)) if !is_failure(&answered.response) => {
                let draft = &mut pending.draft;
                draft.connected(answered.connect);
                draft.round_trips = draft.round_trips.saturating_add(answered.round_trips);
                Ok(answered.response.clone())
            }
            Some(Err(nobody)) => {
                let outcome = if nobody.is_refusal() { Outcome::Refused } else { Outcome::Failed };
                Err(Nothing::NotHeard(NotHeard { outcome, error: nobody.extended_error() }))
            }
            _ => Err(Nothing::astray("the upstream can't resolve the name it leads to")),
        }
    }
}

/// Nothing is left to ask: the aliases stayed among the sender's names, and it said something about the last one.
fn is_whole(walk: &Walk) -> bool {
    !walk.left && (walk.told || walk.passed.is_empty())
}

fn finished(composing: Composing, last: &Response, age: u32) -> Result<Response, Nothing> {
    let composed = composing.finish(last.body(), age)?;
    Ok(Response { extended_errors: last.extended_errors.clone(), ..composed })
}
