//! Sends a query to its group's upstreams. Where they take too long or fail, an expired response is used instead.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout_at;

use crate::cache::failures::{found_bogus, is_failure};
use crate::cache::in_flight::Seat;
use crate::cache::key::Key;
use crate::events::event::Noted;
use crate::kept::respond_stale;
use crate::outcome::{ClearClass, Cost, Outcome};
use crate::pending_response::{PendingResponse, Said};
use crate::pipeline::Pipeline;
use crate::policy::conditions::Audience;
use crate::resolution::{Answered, Resolution};
use crate::snapshot::Snapshot;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::selection::group::Reach;
use crate::upstream::selection::none_responded::NoneResponded;
use crate::wire::edns::ExtendedError;
use crate::wire::header::rcode;

/// After this time an expired response is better than none (RFC 8767 section 5, the client response timer).
const CLIENT_PATIENCE: Duration = Duration::from_millis(1800);

impl Pipeline {
    pub(crate) async fn ask_upstreams(
        &self,
        mut pending: PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        key: Key,
        audience: Audience,
        outgoing: Arc<Outgoing>,
    ) -> Noted {
        let seat = self.in_flight.join(&key);
        if matches!(seat, Seat::Follower(_)) {
            pending.draft.cost = Cost::Queued;
        }
        let asking = self.ask(seat, snapshot, &key, audience, outgoing.clone());
        let patience = pending.draft.client.arrived + CLIENT_PATIENCE;
        let resolution = match snapshot.cache.stale(&key, self.clock.now()) {
            None => asking.await,
            Some(stale) => match timeout_at(patience, asking).await {
                Ok(resolution) => resolution,
                Err(_) => {
                    pending.draft.waited();
                    pending.draft.traffic = outgoing.traffic();
                    return respond_stale(pending, snapshot, &stale, "the upstream takes its time");
                }
            },
        };
        pending.draft.waited();
        pending.draft.traffic = outgoing.traffic();
        match resolution.as_deref() {
            Some(Ok(answered)) => self.respond_with(answered, pending, snapshot, &key),
            Some(Err(nobody)) => self.respond_without(nobody, pending, snapshot, &key),
            None => {
                let error = ExtendedError::new(ExtendedError::OTHER, "asking broke off; this is a defect");
                pending.error(Outcome::Failed, rcode::SERVFAIL, &[error])
            }
        }
    }

    /// An upstream has responded.
    fn respond_with(
        &self,
        answered: &Answered,
        mut pending: PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        key: &Key,
    ) -> Noted {
        if answered.in_cleartext {
            pending.draft.clear = ClearClass::Policy;
        }
        if is_failure(&answered.response)
            && !found_bogus(&answered.response)
            && let Some(stale) = snapshot.cache.stale(key, self.clock.now())
        {
            return respond_stale(pending, snapshot, &stale, "the upstream can't resolve it now");
        }
        pending.draft.spent(answered);
        let said = Said {
            body: answered.response.body(),
            errors: answered.response.extended_errors.clone(),
            age: 0,
            authenticated: answered.source.is_private(),
            delicate: true,
        };
        pending.public(&snapshot.response_policy, Outcome::Forwarded, said)
    }

    /// No upstream has responded.
    fn respond_without(
        &self,
        nobody: &NoneResponded,
        mut pending: PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        key: &Key,
    ) -> Noted {
        if nobody.in_cleartext {
            pending.draft.clear = ClearClass::Policy;
        }
        for upstream in nobody.silent(&snapshot.upstreams.all) {
            tokio::spawn(self.loops.clone().probe_upstream(upstream));
        }
        if let Some(stale) = snapshot.cache.stale(key, self.clock.now()) {
            return respond_stale(pending, snapshot, &stale, "the upstream can't be reached");
        }
        if pending.draft.traffic.sent == 0 && pending.draft.cost != Cost::Queued {
            pending.draft.connected(Duration::MAX);
        }
        let outcome = if nobody.is_refusal() { Outcome::Refused } else { Outcome::Failed };
        pending.error(outcome, rcode::SERVFAIL, &[nobody.extended_error()])
    }

    /// Returns the resolution that the leader gets. The leader asks on a task of its own: if this client goes away, the others
    /// and the cache still get the response.
    pub(crate) async fn ask(
        &self,
        seat: Seat<Resolution>,
        snapshot: &Arc<Snapshot>,
        key: &Key,
        audience: Audience,
        outgoing: Arc<Outgoing>,
    ) -> Option<Arc<Resolution>> {
        match seat {
            Seat::Leader(lead) => {
                let (snapshot, resolver, key) = (snapshot.clone(), self.resolver.clone(), key.clone());
                let reach = if audience.private_only { Reach::Private } else { Reach::Ladder };
                let asking = tokio::spawn(async move {
                    let resolving = resolver.resolve(&snapshot, &key, audience, outgoing, reach);
                    let resolution = Arc::new(resolving.await);
                    lead.finish(resolution.clone());
                    resolution
                });
                asking.await.ok()
            }
            Seat::Follower(follow) => follow.wait().await,
        }
    }
}
