//! Asks anew for names of the hot set at the moment their responses expire, before a client does (docs/decisions/0075-hot-set.md).

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::cache::hot_set::HotSet;
use crate::cache::key::Key;
use crate::cache::store::Cache;
use crate::clock::Moment;
use crate::kept::can_renew;
use crate::pace::Pace;
use crate::pipeline::Pipeline;
use crate::policy::conditions::Audience;
use crate::snapshot::Snapshot;
use crate::upstream::outgoing::Outgoing;
use crate::wire::name::Name;
use crate::wire::question::Question;

/// When there is no room for a query now.
const LATER: Duration = Duration::from_millis(250);
/// A response that expired longer ago is left to whoever asks next.
const TOO_LATE: Duration = Duration::from_secs(4);
/// So many more queries of ours must be possible: those behind expired responses go first.
const LEAST_ROOM: usize = 16;

/// Runs as long as the set is the one in force.
pub(crate) async fn ask_ahead(pipeline: Weak<Pipeline>, hot_set: Arc<HotSet>) {
    // in no minute more than there may be names: half of them at once, and half of them in the course of it
    let names = hot_set.names() as f64;
    let mut pace = Pace::new(names / 120.0, (names / 2.0).max(1.0), Instant::now().into_std());
    loop {
        let Some(pipeline) = pipeline.upgrade() else { return };
        let snapshot = pipeline.snapshot.load_full();
        if !snapshot.hot_set.as_ref().is_some_and(|current| Arc::ptr_eq(current, &hot_set)) {
            return;
        }
        let wait = pipeline.ask_what_is_due(&snapshot, &hot_set, &mut pace);
        drop((pipeline, snapshot));
        match wait {
            Some(wait) => drop(timeout(wait, hot_set.news()).await),
            None => hot_set.news().await,
        }
    }
}

enum Next {
    Sent,
    LookAt(Moment),
    /// after a client has asked
    WhenAsked,
}

impl Pipeline {
    /// Returns how long until there is something to do. `None`: not before there is news.
    fn ask_what_is_due(
        &self,
        snapshot: &Arc<Snapshot>,
        hot_set: &HotSet,
        pace: &mut Pace,
    ) -> Option<Duration> {
        for (key, audience) in hot_set.due(self.clock.now()) {
            let now = self.clock.now();
            match self.ask_if_expired(snapshot, hot_set, &key, audience, pace, now) {
                Next::Sent => hot_set.sent(&key, now),
                Next::LookAt(moment) => hot_set.put_off(&key, Some(moment)),
                Next::WhenAsked => hot_set.put_off(&key, None),
            }
        }
        hot_set.wait(self.clock.now())
    }

    fn ask_if_expired(
        &self,
        snapshot: &Arc<Snapshot>,
        hot_set: &HotSet,
        key: &Key,
        audience: Audience,
        pace: &mut Pace,
        now: Moment,
    ) -> Next {
        let Some(entry) = snapshot.cache.kept(key.parts()) else { return Next::WhenAsked };
        if now < entry.expires() {
            return Next::LookAt(entry.expires());
        }
        let is_in_time = now.since(entry.expires()) < TOO_LATE;
        let Some(question) = question_of(key).filter(|_| is_in_time && entry.is_worth_refreshing()) else {
            return Next::WhenAsked;
        };
        if !may_be_asked(snapshot, &question.name, key, audience, now) {
            return Next::WhenAsked;
        }
        let has_room = self.refreshes.available_permits() > LEAST_ROOM;
        if !has_room || pace.grant(1, Instant::now().into_std()) == 0 {
            return Next::LookAt(now + LATER);
        }
        let partition = key.parts().partition;
        let (disabled, dnssec_ok) = (partition.checking_disabled, partition.dnssec_ok);
        let outgoing = Outgoing::new(question, key.question_octets(), disabled, dnssec_ok).of_ours();
        self.renew(snapshot, key.clone(), audience, outgoing, Cache::count_sent_ahead, hot_set.end_of_stay());
        Next::Sent
    }
}

/// Not where it would fail or go elsewhere, as to a login page, and not while nothing is heard of the upstreams.
fn may_be_asked(snapshot: &Snapshot, name: &Name, key: &Key, audience: Audience, now: Moment) -> bool {
    let failures = &snapshot.cache.failures;
    snapshot.partition(audience) == key.parts().partition.generation
        && can_renew(snapshot, name, audience)
        && !failures.is_outage()
        && failures.standing(key, now).is_none()
        && snapshot.portal_lease(Some(name)).is_none()
}

fn question_of(key: &Key) -> Option<Question> {
    let parts = key.parts();
    let (name, _) = Name::read(parts.name, 0).ok()?;
    Some(Question { name, kind: parts.kind, class: parts.class })
}
