//! Responses from the cache, and their renewal before they expire.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;

use crate::cache::entry::{Entry, SaidBy};
use crate::cache::in_flight::Seat;
use crate::cache::key::Key;
use crate::cache::store::{Cache, Cut, Fresh, Known};
use crate::events::event::Noted;
use crate::outcome::Outcome;
use crate::pending_response::{PendingResponse, Said};
use crate::pipeline::Pipeline;
use crate::policy::conditions::Audience;
use crate::query::Query;
use crate::snapshot::Snapshot;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::selection::group::Reach;
use crate::wire::name::Name;

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
                    errors: denial.extended_errors.clone(),
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
        let begun = self.renew(snapshot, key, audience, query.outgoing(), Cache::count_prefetched, pending());
        begun.then_some(stale)
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
        can_renew(snapshot, &query.question.name, audience).then_some(stale)
    }

    /// Asks for a new response before the old one expires, for the same audience. A name of the hot set is asked for when it does:
    /// the upstream's cache would give the rest of the same lifetime now.
    fn refresh(&self, snapshot: &Arc<Snapshot>, query: &Query, audience: Audience, entry: &Entry) {
        let asked = query.parts(snapshot.partition(audience));
        if snapshot.hot_set.as_ref().is_some_and(|hot_set| hot_set.holds(asked)) {
            return;
        }
        if can_renew(snapshot, &query.question.name, audience) && entry.claim_refresh() {
            let key = Key::of(asked);
            self.renew(
                snapshot,
                key,
                audience,
                query.outgoing().of_ours(),
                Cache::count_prefetched,
                pending(),
            );
        }
    }

    /// Asks for what is in the cache, unless it is being asked for. False: as many as may be are under way. `over`: it is not wanted
    /// any more, except by clients that have asked for it meanwhile.
    pub(crate) fn renew(
        &self,
        snapshot: &Arc<Snapshot>,
        key: Key,
        audience: Audience,
        outgoing: Outgoing,
        count: impl FnOnce(&Cache),
        over: impl Future<Output = ()> + Send + 'static,
    ) -> bool {
        let Ok(permit) = self.refreshes.clone().try_acquire_owned() else { return false };
        let Seat::Leader(lead) = self.in_flight.join(&key) else { return true };
        count(&snapshot.cache);
        let (snapshot, resolver) = (snapshot.clone(), self.resolver.clone());
        tokio::spawn(async move {
            let outgoing = Arc::new(outgoing);
            let mut asking = pin!(resolver.resolve(&snapshot, &key, audience, outgoing, Reach::PrivateOnly));
            let (lead, resolution) = tokio::select! {
                biased;
                () = over => {
                    let Some(lead) = lead.leave() else { return };
                    (lead, asking.await)
                }
                resolution = &mut asking => (lead, resolution),
            };
            lead.finish(Arc::new(resolution));
            drop(permit);
        });
        true
    }
}

/// Not in cleartext, because nobody waits for it.
pub(crate) fn can_renew(snapshot: &Snapshot, name: &Name, audience: Audience) -> bool {
    let group = snapshot.group(name, audience);
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
