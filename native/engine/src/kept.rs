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

    /// Asks for a new response before the old one expires, for the same audience. Not in cleartext, because nobody waits for it.
    fn refresh(&self, snapshot: &Arc<Snapshot>, query: &Query, audience: Audience, entry: &Entry) {
        let Ok(permit) = self.refreshes.clone().try_acquire_owned() else { return };
        let group = snapshot.group(&query.question.name, audience);
        if !group.is_private() || group.is_cut_off() || !entry.claim_refresh() {
            return;
        }
        let key = Key::of(query.parts(snapshot.partition(audience)));
        let Seat::Leader(lead) = self.in_flight.join(&key) else { return };
        snapshot.cache.count_prefetched();
        let (snapshot, resolver) = (snapshot.clone(), self.resolver.clone());
        let outgoing = Arc::new(query.outgoing().of_ours());
        tokio::spawn(async move {
            let asking = resolver.resolve(&snapshot, &key, audience, outgoing, Reach::PrivateOnly);
            lead.finish(Arc::new(asking.await));
            drop(permit);
        });
    }
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
