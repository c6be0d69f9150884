//! Responses from the cache, and their renewal before they expire.

use std::sync::Arc;

use crate::cache::entry::{Entry, SaidBy};
use crate::cache::in_flight::Seat;
use crate::cache::key::Key;
use crate::cache::store::{Cut, Fresh, Known};
use crate::events::event::Noted;
use crate::outcome::Outcome;
use crate::pending_response::{PendingResponse, Said};
use crate::pipeline::Pipeline;
use crate::policy::conditions::Audience;
use crate::query::Query;
use crate::snapshot::Snapshot;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::selection::group::Reach;

impl Pipeline {
    pub(crate) fn respond_known(
        &self,
        pending: PendingResponse<'_>,
        snapshot: &Arc<Snapshot>,
        audience: Audience,
        known: Known,
    ) -> Noted {
        match known {
            Known::Fresh(Fresh { entry, age_seconds, wants_refresh }) => {
                if wants_refresh {
                    self.refresh(snapshot, pending.query, audience, &entry);
                }
                respond_cached(pending, snapshot, entry.said_by(), said(&entry, age_seconds))
            }
            Known::Cut(Cut { denial, said_by, age_seconds }) => {
                let said = Said {
                    body: denial.body(),
                    errors: vec![],
                    age: age_seconds,
                    authenticated: said_by.authenticated,
                    delicate: false,
                };
                respond_cached(pending, snapshot, said_by, said)
            }
            Known::Failed { failed, stale: Some(stale) } if !failed.found_bogus() => {
                respond_stale(pending, snapshot, &stale, "asking for it failed lately")
            }
            Known::Failed { failed, .. } => pending.failed_before(&failed),
        }
    }

    /// An expired response that is given at once, while a new one is asked for from now on. `None`: the client has to wait.
    pub(crate) fn stale_at_once(
        &self,
        snapshot: &Arc<Snapshot>,
        query: &Query,
        audience: Audience,
    ) -> Option<Entry> {
        let stale = self.expired_at_once(snapshot, query, audience)?;
        let key = Key::of(query.parts(snapshot.partition(audience)));
        self.renew(snapshot, key, audience, query.outgoing()).then_some(stale)
    }

    pub(crate) fn respond_expired(
        &self,
        pending: PendingResponse<'_>,
        snapshot: &Snapshot,
        stale: &Entry,
    ) -> Noted {
        respond_stale(pending, snapshot, stale, "it is asked for anew")
    }

    /// An expired response, where the settings let it serve at once and a new one can be had. Whoever validates (DO, CD) wants what the
    /// signatures say now.
    pub(crate) fn expired_at_once(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        audience: Audience,
    ) -> Option<Entry> {
        if !snapshot.config.cache.stale_at_once || query.dnssec_ok() || query.checking_disabled() {
            return None;
        }
        let key = Key::of(query.parts(snapshot.partition(audience)));
        let stale = snapshot.cache.stale(&key, self.clock.now())?;
        can_renew(snapshot, query, audience).then_some(stale)
    }

    /// Asks for a new response before the old one expires, for the same audience.
    fn refresh(&self, snapshot: &Arc<Snapshot>, query: &Query, audience: Audience, entry: &Entry) {
        if can_renew(snapshot, query, audience) && entry.claim_refresh() {
            let key = Key::of(query.parts(snapshot.partition(audience)));
            self.renew(snapshot, key, audience, query.outgoing().of_ours());
        }
    }

    /// Asks for what is in the cache, unless it is being asked for. False: as many as may be are under way.
    fn renew(&self, snapshot: &Arc<Snapshot>, key: Key, audience: Audience, outgoing: Outgoing) -> bool {
        let Ok(permit) = self.refreshes.clone().try_acquire_owned() else { return false };
        let Seat::Leader(lead) = self.in_flight.join(&key) else { return true };
        snapshot.cache.count_prefetched();
        let (snapshot, resolver) = (snapshot.clone(), self.resolver.clone());
        tokio::spawn(async move {
            let asking = resolver.resolve(&snapshot, &key, audience, Arc::new(outgoing), Reach::PrivateOnly);
            lead.finish(Arc::new(asking.await));
            drop(permit);
        });
        true
    }
}

/// Not in cleartext, because nobody waits for it.
fn can_renew(snapshot: &Snapshot, query: &Query, audience: Audience) -> bool {
    let group = snapshot.group(&query.question.name, audience);
    group.is_private() && !group.is_cut_off()
}

fn said(entry: &Entry, age: u32) -> Said<'_> {
    Said {
        body: entry.body(),
        errors: entry.extended_errors(),
        age,
        authenticated: entry.said_by().authenticated,
        delicate: entry.is_delicate(),
    }
}

fn respond_cached(
    mut pending: PendingResponse<'_>,
    snapshot: &Snapshot,
    said_by: SaidBy,
    said: Said<'_>,
) -> Noted {
    pending.draft.upstream = said_by.upstream;
    pending.public(&snapshot.response_policy, Outcome::Cached, said)
}

/// `why` says what kept the upstream from responding.
pub(crate) fn respond_stale(
    mut pending: PendingResponse<'_>,
    snapshot: &Snapshot,
    entry: &Entry,
    why: &str,
) -> Noted {
    snapshot.cache.count_stale();
    pending.draft.upstream = entry.said_by().upstream;
    pending.stale(&snapshot.response_policy, said(entry, 0), why)
}
