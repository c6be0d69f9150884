//! The names that are asked often during one stay on one network, and when each is due to be asked for again
//! (docs/decisions/0075-hot-set.md). It exists in memory alone, and ends with the stay.
//!
//! A query counts while it passes and never waits: where the list is in use, the query is not counted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, watch};

use super::key::{Key, Parts};
use super::store::Known;
use crate::clock::Moment;
use crate::policy::conditions::Audience;

/// A name is hot after three queries, and for a quarter of an hour if no more follow.
const OFTEN: f32 = 2.5;
/// After so long, a query counts for half.
const HALF_LIFE: Duration = Duration::from_secs(3600);
/// So often in a row a name is asked for ahead while no client asks for it. Then it has to be asked for again.
const UNASKED: u8 = 2;
/// After so long without any query of a client, nothing is asked ahead.
const REST: Duration = Duration::from_secs(600);
/// How long after a query the cache has its response, or none comes: longer than a query may take.
const RESPONDED: Duration = Duration::from_secs(5);
/// How often it is decided anew which names are hot, at most and at least.
const SOONEST: Duration = Duration::from_secs(1);
const LATEST: Duration = Duration::from_secs(60);
/// Names that are counted, for each that may be hot.
const COUNTED_PER_NAME: usize = 4;

pub struct HotSet {
    /// how many names may be hot
    names: usize,
    counted: Mutex<Counted>,
    hot: AtomicUsize,
    wake: Notify,
    over: watch::Sender<()>,
}

#[derive(Default)]
struct Counted {
    tallies: HashMap<Box<[u8]>, Tally>,
    /// when a client asked last, whatever the name was
    asked: Option<Moment>,
    chosen: Option<Moment>,
    /// it is to be decided anew which names are hot
    outdated: bool,
}

struct Tally {
    audience: Audience,
    score: f32,
    asked: Moment,
    /// queries sent ahead since a client asked
    unasked: u8,
    /// when the cache is to be looked at; `None`: not before a client has asked
    due: Option<Moment>,
    hot: bool,
}

impl HotSet {
    pub fn new(names: usize) -> Self {
        Self {
            names,
            counted: Mutex::default(),
            hot: AtomicUsize::new(0),
            wake: Notify::new(),
            over: watch::Sender::new(()),
        }
    }

    pub fn names(&self) -> usize {
        self.names
    }

    /// How many names are hot.
    pub fn len(&self) -> usize {
        self.hot.load(Ordering::Relaxed)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Counts a client's query. `known`: what the cache gave for it; `None`: an upstream is asked. What is denied or failed stays
    /// out: there is no response of its own to be renewed.
    pub fn note(&self, asked: Parts<'_>, audience: Audience, now: Moment, known: Option<&Known>) {
        let expires = match known {
            None => None,
            Some(Known::Fresh(fresh)) => Some(fresh.entry.expires()),
            Some(Known::Cut(_) | Known::Failed { .. }) => return,
        };
        let Ok(mut counted) = self.counted.try_lock() else { return };
        if counted.note(&Key::of(asked), audience, now, expires, self.names * COUNTED_PER_NAME) {
            self.wake.notify_one();
        }
    }

    /// Whether its response is asked for anew when it expires.
    pub fn holds(&self, asked: Parts<'_>) -> bool {
        let counted = self.counted.try_lock();
        counted.is_ok_and(|counted| {
            counted.tallies.get(Key::of(asked).as_octets()).is_some_and(|tally| tally.hot)
        })
    }

    /// The hot names whose responses are to be looked at now, those in most demand first.
    pub fn due(&self, now: Moment) -> Vec<(Key, Audience)> {
        let mut counted = self.list();
        if counted.rests(now) {
            return vec![];
        }
        if counted.next_choice(now).is_zero() {
            self.hot.store(counted.choose(self.names, now), Ordering::Relaxed);
        }
        let mut due: Vec<_> =
            counted.hot().filter(|(_, tally)| tally.due.is_some_and(|due| due <= now)).collect();
        due.sort_by(|(_, one), (_, other)| other.score_at(now).total_cmp(&one.score_at(now)));
        due.into_iter().map(|(key, tally)| (Key::of(Parts::of(key)), tally.audience)).collect()
    }

    /// How long until [`HotSet::due`] has something to do; `None`: not before there is news.
    pub fn wait(&self, now: Moment) -> Option<Duration> {
        let counted = self.list();
        if counted.rests(now) || (self.is_empty() && !counted.outdated) {
            return None;
        }
        let next = counted.hot().filter_map(|(_, tally)| tally.due).min();
        Some(counted.next_choice(now).min(next.map_or(LATEST, |next| next.since(now))))
    }

    /// Looks at the cache again then; `None`: after a client has asked.
    pub fn put_off(&self, key: &Key, until: Option<Moment>) {
        if let Some(tally) = self.list().tallies.get_mut(key.as_octets()) {
            tally.due = until;
        }
    }

    /// Notes that it was asked for ahead.
    pub fn sent(&self, key: &Key, now: Moment) {
        let mut counted = self.list();
        let Some(tally) = counted.tallies.get_mut(key.as_octets()) else { return };
        tally.unasked += 1;
        tally.due = Some(now + RESPONDED);
        if tally.unasked >= UNASKED {
            tally.due = None;
            counted.outdated = true;
        }
    }

    /// Forgets every name: the machine may have left the network, or a person wants it.
    pub fn clear(&self) {
        *self.list() = Counted::default();
        self.hot.store(0, Ordering::Relaxed);
        self.over.send_replace(());
        self.look_again();
    }

    /// Until names are forgotten, seen from now.
    pub fn end_of_stay(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut over = self.over.subscribe();
        async move {
            // an error says that there is no set any more
            let _ = over.changed().await;
        }
    }

    /// Waits until [`HotSet::due`] may have something to do earlier than was said.
    pub async fn news(&self) {
        self.wake.notified().await;
    }

    pub fn look_again(&self) {
        self.wake.notify_one();
    }

    fn list(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().expect("nothing panics while counting")
    }
}

impl Counted {
    /// Returns whether there is something new to do.
    fn note(
        &mut self,
        key: &Key,
        audience: Audience,
        now: Moment,
        expires: Option<Moment>,
        room: usize,
    ) -> bool {
        let rested = self.rests(now);
        self.asked = Some(now);
        let is_full = self.tallies.len() >= room;
        let (news, outdated) = match self.tallies.get_mut(key.as_octets()) {
            Some(tally) => tally.note(now, expires),
            None if is_full => (false, true),
            None => {
                let due = expires.unwrap_or(now + RESPONDED);
                let tally =
                    Tally { audience, score: 1.0, asked: now, unasked: 0, due: Some(due), hot: false };
                self.tallies.insert(key.as_octets().into(), tally);
                (false, false)
            }
        };
        let newly_outdated = outdated && !self.outdated;
        self.outdated |= outdated;
        news || newly_outdated || rested
    }

    fn rests(&self, now: Moment) -> bool {
        self.asked.is_none_or(|asked| now.since(asked) > REST)
    }

    fn hot(&self) -> impl Iterator<Item = (&Box<[u8]>, &Tally)> {
        self.tallies.iter().filter(|(_, tally)| tally.hot)
    }

    /// How long until it is decided again which names are hot.
    fn next_choice(&self, now: Moment) -> Duration {
        let pause = if self.outdated { SOONEST } else { LATEST };
        self.chosen.map_or(Duration::ZERO, |chosen| pause.saturating_sub(now.since(chosen)))
    }

    /// Keeps those in most demand, of which the first so many are hot; returns how many are.
    fn choose(&mut self, names: usize, now: Moment) -> usize {
        (self.chosen, self.outdated) = (Some(now), false);
        let mut scores: Vec<f32> = self.tallies.values().map(|tally| tally.score_at(now)).collect();
        let kept = names * COUNTED_PER_NAME / 2;
        if scores.len() > kept {
            scores.sort_by(|one, other| other.total_cmp(one));
            let least = scores[kept];
            self.tallies.retain(|_, tally| tally.score_at(now) > least);
        }
        let mut wanted: Vec<_> = self.tallies.values_mut().filter_map(|tally| tally.demand(now)).collect();
        wanted.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        wanted.into_iter().take(names).map(|(_, tally)| tally.hot = true).count()
    }
}

impl Tally {
    /// Returns whether it is due at another time, and whether it might have become hot.
    fn note(&mut self, now: Moment, expires: Option<Moment>) -> (bool, bool) {
        self.score = self.score_at(now) + 1.0;
        (self.asked, self.unasked) = (now, 0);
        let due = match expires {
            Some(expires) => self.due.unwrap_or(expires),
            None => now + RESPONDED,
        };
        let news = self.hot && self.due.is_none_or(|before| due < before);
        self.due = Some(due);
        (news, !self.hot && self.score >= OFTEN)
    }

    fn score_at(&self, now: Moment) -> f32 {
        self.score * (-now.since(self.asked).as_secs_f32() / HALF_LIFE.as_secs_f32()).exp2()
    }

    /// Its score, and itself, where it may be hot. No longer hot until then.
    fn demand(&mut self, now: Moment) -> Option<(f32, &mut Self)> {
        self.hot = false;
        let score = self.score_at(now);
        (score >= OFTEN && self.unasked < UNASKED).then_some((score, self))
    }
}

#[cfg(test)]
mod tests;
