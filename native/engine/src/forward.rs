//! A query to its group's upstreams; an expired answer instead, where they take too long or fail.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout_at;

use crate::cache::failures::{found_bogus, is_failure};
use crate::cache::in_flight::Seat;
use crate::cache::key::Key;
use crate::events::event::Noted;
use crate::kept::tell_stale;
use crate::outcome::{ClearClass, Cost, Outcome};
use crate::pipeline::Pipeline;
use crate::resolution::Resolution;
use crate::snapshot::Snapshot;
use crate::telling::{Said, Telling};
use crate::upstream::outgoing::Outgoing;
use crate::upstream::selection::group::Reach;
use crate::wire::edns::ExtendedError;
use crate::wire::header::rcode;

/// After so long an expired answer is better than none (RFC 8767 section 5, the client response timer).
const CLIENT_PATIENCE: Duration = Duration::from_millis(1800);

impl Pipeline {
    pub(crate) async fn ask_upstreams(
        &self,
        mut telling: Telling<'_>,
        snapshot: &Arc<Snapshot>,
        key: Key,
        outgoing: Arc<Outgoing>,
    ) -> Noted {
        let seat = self.in_flight.join(&key);
        if matches!(seat, Seat::Follower(_)) {
            telling.draft.cost = Cost::Queued;
        }
        let asking = self.ask(seat, snapshot, &key, outgoing.clone());
        let patience = telling.draft.client.arrived + CLIENT_PATIENCE;
        let resolution = match self.stale(snapshot, &key) {
            None => asking.await,
            Some(stale) => match timeout_at(patience, asking).await {
                Ok(resolution) => resolution,
                Err(_) => {
                    telling.draft.waited();
                    telling.draft.traffic = outgoing.traffic();
                    return tell_stale(telling, snapshot, &stale, "the upstream takes its time");
                }
            },
        };
        telling.draft.waited();
        telling.draft.traffic = outgoing.traffic();
        let left_in_clear = match resolution.as_deref() {
            Some(Ok(answered)) => answered.in_clear,
            Some(Err(nobody)) => nobody.in_clear,
            None => false,
        };
        if left_in_clear {
            telling.draft.clear = ClearClass::Policy;
        }
        match resolution.as_deref() {
            Some(Ok(answered)) => {
                if is_failure(&answered.answer)
                    && !found_bogus(&answered.answer)
                    && let Some(stale) = self.stale(snapshot, &key)
                {
                    return tell_stale(telling, snapshot, &stale, "the upstream can't resolve it now");
                }
                telling.draft.spent(answered);
                let said = Said {
                    body: answered.answer.body(),
                    errors: answered.answer.extended_errors.clone(),
                    age: 0,
                    authenticated: answered.source.is_private(),
                    delicate: true,
                };
                telling.public(&snapshot.answer_policy, Outcome::Forwarded, said)
            }
            Some(Err(nobody)) => {
                for upstream in nobody.silent(&snapshot.upstreams.all) {
                    tokio::spawn(self.loops.clone().probe_upstream(upstream));
                }
                if let Some(stale) = self.stale(snapshot, &key) {
                    return tell_stale(telling, snapshot, &stale, "the upstream can't be reached");
                }
                if telling.draft.traffic.sent == 0 && telling.draft.cost != Cost::Queued {
                    telling.draft.connected(Duration::MAX);
                }
                let outcome = if nobody.is_refusal() { Outcome::Refused } else { Outcome::Failed };
                telling.error(outcome, rcode::SERVFAIL, &[nobody.extended_error()])
            }
            None => {
                let error = ExtendedError::new(ExtendedError::OTHER, "asking broke off; this is a defect");
                telling.error(Outcome::Failed, rcode::SERVFAIL, &[error])
            }
        }
    }

    /// What the leader hears. Dropping it stops nobody: the leader asks on a task of its own, so a client that goes away does
    /// not take the answer from the others, nor from the cache.
    pub(crate) async fn ask(
        &self,
        seat: Seat<Resolution>,
        snapshot: &Arc<Snapshot>,
        key: &Key,
        outgoing: Arc<Outgoing>,
    ) -> Option<Arc<Resolution>> {
        match seat {
            Seat::Leader(lead) => {
                let (snapshot, resolver, key) = (snapshot.clone(), self.resolver.clone(), key.clone());
                let asking = tokio::spawn(async move {
                    let resolution =
                        Arc::new(resolver.resolve(&snapshot, &key, outgoing, Reach::Ladder).await);
                    lead.finish(resolution.clone());
                    resolution
                });
                asking.await.ok()
            }
            Seat::Follower(follow) => follow.wait().await,
        }
    }
}
