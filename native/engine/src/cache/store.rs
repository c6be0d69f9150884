//! The table of the cache. Its size is bounded in octets, the threads share it, and entries age by the clock that is passed in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync::{self, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use serde::Serialize;

use super::cut;
use super::entry::{ByQuestion, Entry, SaidBy};
use super::failures::{Failed, Failures};
use super::key::{Key, Parts};
use crate::clock::Moment;
use crate::response::Response;
use crate::wire::header::rcode;

/// RFC 2308 section 5.
const LONGEST_NEGATIVE: u32 = 3 * 3600;

/// Memory set aside for each entry of the setting; what one of 100 to 200 octets takes, with room to spare
/// (docs/measurements/cache-memory.md).
const OCTETS_PER_ENTRY: u64 = 384;
/// What even the smallest response counts for, so that tiny ones do not fill the memory that the table around them takes.
const LEAST_OCTETS: u64 = 320;
/// Each shard has a lock of its own, which flushing and listing hold for that shard only, so that queries wait for a short time.
const SHARDS: usize = 16;
const SMALLEST_SHARD: usize = 512;

pub struct Cache {
    entries: sync::Cache<ByQuestion, Entry, Octets>,
    pub failures: Failures,
    /// how long an expired response may still serve where nothing better is to be had (RFC 8767 section 5)
    stale_seconds: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    stale: AtomicU64,
    prefetched: AtomicU64,
    sent_ahead: AtomicU64,
}

/// What the cache knows, so that no upstream has to be asked.
pub enum Known {
    Fresh(Fresh),
    Cut(Cut),
    /// It could not be resolved a moment ago; `stale` is what was known before.
    Failed {
        failed: Arc<Failed>,
        stale: Option<Entry>,
    },
}

/// A name above does not exist (RFC 8020); this is its denial, told for the name that was asked for.
pub struct Cut {
    pub denial: Response,
    pub said_by: SaidBy,
    pub age_seconds: u32,
}

enum Found {
    Fresh(Fresh),
    Cut(Cut),
    /// expired, and good enough where nothing better is to be had
    Stale(Entry),
    Miss,
}

pub struct Fresh {
    pub entry: Entry,
    pub age_seconds: u32,
    /// it is asked for often and about to expire
    pub wants_refresh: bool,
}

/// How the cache was used, ever since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    pub hits: u64,
    pub misses: u64,
    /// responses given although they had expired
    pub stale: u64,
    /// queries asked before anyone missed the response
    pub prefetched: u64,
    /// queries for names of the hot set, without anyone asking
    pub sent_ahead: u64,
}

impl Cache {
    /// With room for about so many entries.
    pub fn new(entries: usize) -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity(entries)
            .weight_capacity(entries as u64 * OCTETS_PER_ENTRY)
            .shards((entries / SMALLEST_SHARD).clamp(1, SHARDS))
            .build()
            .expect("both capacities are set");
        Self {
            entries: sync::Cache::with_options(
                options,
                Octets,
                DefaultHashBuilder::default(),
                DefaultLifecycle::default(),
            ),
            failures: Failures::new(entries),
            stale_seconds: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            stale: AtomicU64::new(0),
            prefetched: AtomicU64::new(0),
            sent_ahead: AtomicU64::new(0),
        }
    }

    /// Expired answers serve for so long from now on; zero: not at all.
    pub fn serve_stale_for(&self, time: Duration) {
        self.stale_seconds.store(time.as_secs(), Ordering::Relaxed);
    }

    /// `None`: an upstream has to be asked.
    pub fn get(&self, asked: Parts<'_>, now: Moment) -> Option<Known> {
        let known = self.known(asked, now);
        let is_hit = matches!(known, Some(Known::Fresh(_) | Known::Cut(_)));
        let count = if is_hit { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        known
    }

    /// Like [`Cache::get`], but does not count as a hit or a miss.
    pub fn known(&self, asked: Parts<'_>, now: Moment) -> Option<Known> {
        let stale = match self.find(asked, now) {
            Found::Fresh(fresh) => return Some(Known::Fresh(fresh)),
            Found::Cut(cut) => return Some(Known::Cut(cut)),
            Found::Stale(entry) => Some(entry),
            Found::Miss => None,
        };
        let failed = self.failures.standing(&Key::of(asked), now)?;
        Some(Known::Failed { failed, stale })
    }

    /// An expired response, for when nothing better is to be had.
    pub fn stale(&self, key: &Key, now: Moment) -> Option<Entry> {
        if self.stale_seconds.load(Ordering::Relaxed) == 0 {
            return None;
        }
        match self.find(key.parts(), now) {
            Found::Stale(entry) => Some(entry),
            _ => None,
        }
    }

    /// What is kept for exactly this question, expired or not. Nobody has asked for it.
    pub fn kept(&self, asked: Parts<'_>) -> Option<Entry> {
        self.entries.get(&asked).or_else(|| self.entries.get(&asked.whole_name()))
    }

    fn find(&self, asked: Parts<'_>, now: Moment) -> Found {
        let exact = self.look(asked, now);
        if matches!(exact, Found::Fresh(_)) {
            return exact;
        }
        let denied = self.look(asked.whole_name(), now);
        if matches!(denied, Found::Fresh(_)) {
            return denied;
        }
        match (self.cut_above(asked, now), exact) {
            (Some(cut), _) => cut,
            (None, Found::Miss) => denied,
            (None, exact) => exact,
        }
    }

    fn look(&self, parts: Parts<'_>, now: Moment) -> Found {
        self.entries.get(&parts).map_or(Found::Miss, |entry| self.at(entry, now))
    }

    fn at(&self, entry: Entry, now: Moment) -> Found {
        let (age, lifetime) = (entry.age(now), entry.lifetime());
        if age < lifetime {
            let wants_refresh = entry.hit(now);
            Found::Fresh(Fresh { entry, age_seconds: age.as_secs() as u32, wants_refresh })
        } else if age < lifetime + Duration::from_secs(self.stale_seconds.load(Ordering::Relaxed)) {
            Found::Stale(entry)
        } else {
            Found::Miss
        }
    }

    fn cut_above(&self, asked: Parts<'_>, now: Moment) -> Option<Found> {
        let above = std::iter::successors(asked.parent(), |parts| parts.parent());
        above.map(|parts| self.look(parts, now)).find_map(|found| {
            let Found::Fresh(Fresh { entry, age_seconds, .. }) = found else { return None };
            let mut denial = cut::below(entry.body(), Key::of(asked).question_octets())?;
            // why the upper name is denied is why the lower one is: a filter says so here
            denial.extended_errors = entry.extended_errors();
            Some(Found::Cut(Cut { denial, said_by: entry.said_by(), age_seconds }))
        })
    }

    /// Keeps the response if it may be kept. If not, it still removes the old response, which must not be given after a newer one.
    pub fn insert(&self, key: &Key, response: &Response, said_by: SaidBy, now: Moment) {
        let parts = key.parts();
        let denies = cut::denies(response, parts.name);
        self.entries.remove(&if denies { parts } else { parts.whole_name() });
        let parts = if denies { parts.whole_name() } else { parts };
        let Some(seconds) = response.lifetime else {
            self.entries.remove(&parts);
            return;
        };
        let negative = response.rcode() == rcode::NXDOMAIN || response.is_empty();
        let seconds = if negative { seconds.min(LONGEST_NEGATIVE) } else { seconds };
        let entry = Entry::new(parts, response, said_by, seconds, now);
        self.entries.insert(ByQuestion(entry.clone()), entry);
    }

    /// Removes what `unwanted` says; returns how many entries that were.
    pub(super) fn remove(&self, unwanted: impl Fn(Parts<'_>) -> bool) -> usize {
        let removed = std::cell::Cell::new(0);
        self.entries.retain(|kept, _| {
            let keep = !unwanted(kept.0.parts());
            removed.set(removed.get() + usize::from(!keep));
            keep
        });
        self.failures.remove(unwanted);
        removed.get()
    }

    /// Removes what did not come over authenticated TLS and may therefore be forged.
    pub fn forget_unauthenticated(&self) {
        self.entries.retain(|_, entry| entry.said_by().authenticated);
        self.failures.clear();
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.entries.iter().map(|(_, entry)| entry)
    }

    pub fn clear(&self) -> usize {
        let removed = self.entries.len();
        self.entries.clear();
        self.failures.clear();
        removed
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Octets in use, of [`Cache::capacity`].
    pub fn octets(&self) -> u64 {
        self.entries.weight()
    }

    pub fn capacity(&self) -> u64 {
        self.entries.capacity()
    }

    pub fn usage(&self) -> Usage {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Usage {
            hits: read(&self.hits),
            misses: read(&self.misses),
            stale: read(&self.stale),
            prefetched: read(&self.prefetched),
            sent_ahead: read(&self.sent_ahead),
        }
    }

    pub fn count_stale(&self) {
        self.stale.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_prefetched(&self) {
        self.prefetched.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_sent_ahead(&self) {
        self.sent_ahead.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Clone, Copy)]
struct Octets;

impl Weighter<ByQuestion, Entry> for Octets {
    fn weight(&self, _: &ByQuestion, entry: &Entry) -> u64 {
        (entry.octets() as u64).max(LEAST_OCTETS)
    }
}

#[cfg(test)]
mod tests;
