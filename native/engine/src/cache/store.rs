//! The cache proper: bounded by entries, shared without a lock of ours, aged by the clock it is given.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync;
use tokio::time::Instant;

use super::key::Key;
use crate::answer::Answer;
use crate::policy::answer_policy::AnswerPolicy;
use crate::wire::header::rcode;

/// Nothing is believed for longer, whatever its TTL says (RFC 8767 section 4 allows a cap; a day is a stub's habit).
const LONGEST: u32 = 24 * 3600;
/// RFC 2308 section 5.
const LONGEST_NEGATIVE: u32 = 3 * 3600;
/// How long an expired answer may still serve where nothing better is to be had (RFC 8767 section 5).
const STALE_FOR: Duration = Duration::from_secs(24 * 3600);

pub struct Cache {
    entries: sync::Cache<Box<[u8]>, Arc<Entry>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug)]
pub struct Entry {
    pub answer: Arc<Answer>,
    /// id of the upstream that said it
    pub upstream: &'static str,
    /// it came over authenticated TLS
    pub authenticated: bool,
    /// a policy may object to it: [`AnswerPolicy::concerns`]
    pub delicate: bool,
    stored: Instant,
    lifetime: Duration,
}

pub enum Lookup {
    Fresh { entry: Arc<Entry>, age_seconds: u32 },
    Stale { entry: Arc<Entry> },
    Miss,
}

impl Cache {
    pub fn new(entries: usize) -> Self {
        Self { entries: sync::Cache::new(entries), hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    pub fn get(&self, key: &Key, now: Instant) -> Lookup {
        let found = match self.entries.get(key.as_octets()) {
            Some(entry) => entry.at(now),
            None => Lookup::Miss,
        };
        let tally = if matches!(found, Lookup::Fresh { .. }) { &self.hits } else { &self.misses };
        tally.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Keeps what may be kept; an answer without a lifetime is passed over.
    pub fn insert(
        &self,
        key: &Key,
        answer: Arc<Answer>,
        (upstream, authenticated): (&'static str, bool),
        now: Instant,
    ) {
        let Some(seconds) = answer.lifetime else { return };
        let negative = answer.rcode() == rcode::NXDOMAIN || answer.is_empty();
        let seconds = seconds.min(if negative { LONGEST_NEGATIVE } else { LONGEST });
        let lifetime = Duration::from_secs(u64::from(seconds));
        let entry = Entry {
            delicate: AnswerPolicy::concerns(&answer),
            answer,
            upstream,
            authenticated,
            stored: now,
            lifetime,
        };
        self.entries.insert(key.as_octets().into(), Arc::new(entry));
    }

    pub fn clear(&self) {
        self.entries.clear();
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }
}

impl Entry {
    fn at(self: Arc<Self>, now: Instant) -> Lookup {
        let age = now.saturating_duration_since(self.stored);
        if age < self.lifetime {
            Lookup::Fresh { age_seconds: age.as_secs() as u32, entry: self }
        } else if age < self.lifetime + STALE_FOR {
            Lookup::Stale { entry: self }
        } else {
            Lookup::Miss
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::{self, Header};
    use crate::wire::name::Name;
    use crate::wire::question::Question;
    use crate::wire::types;

    fn question(name: &str) -> Question {
        Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN }
    }

    fn key(name: &str, dnssec_ok: bool, epoch: u32) -> Key {
        Key::new(&question(name).name, types::A, types::IN, dnssec_ok, false, epoch)
    }

    fn answer(code: u16, records: &[(&[u8], u16)]) -> Arc<Answer> {
        let asked = question("www.example");
        let mut message = asked.query(1, header::QR | code);
        let counts = [
            1,
            records.iter().filter(|(_, section)| *section == 1).count() as u16,
            records.iter().filter(|(_, section)| *section == 2).count() as u16,
            0,
        ];
        Header { id: 1, flags: header::QR | code, counts }.write(&mut message);
        records.iter().for_each(|(octets, _)| message.extend_from_slice(octets));
        Arc::new(Answer::read(message, &asked).unwrap().0)
    }

    const A_300: &[u8] = b"\xc0\x0c\0\x01\0\x01\0\0\x01\x2c\0\x04\xc6\x33\x64\x02";
    const SOA_60: &[u8] =
        b"\xc0\x10\0\x06\0\x01\0\0\x0e\x10\0\x16\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x3c";

    #[test]
    fn an_answer_lives_as_long_as_its_ttl_and_then_turns_stale() {
        let (cache, now) = (Cache::new(10), Instant::now());
        cache.insert(&key("www.example", false, 0), answer(0, &[(A_300, 1)]), ("up", true), now);
        let at = |seconds| cache.get(&key("www.example", false, 0), now + Duration::from_secs(seconds));
        assert!(matches!(at(299), Lookup::Fresh { age_seconds: 299, .. }));
        assert!(matches!(at(300), Lookup::Stale { .. }));
        assert!(matches!(at(300 + 24 * 3600), Lookup::Miss));
        assert_eq!((cache.hits(), cache.misses()), (1, 2));
    }

    #[test]
    fn a_negative_answer_lives_as_long_as_its_soa_says() {
        let (cache, now) = (Cache::new(10), Instant::now());
        cache.insert(&key("www.example", false, 0), answer(3, &[(SOA_60, 2)]), ("up", true), now);
        let at = |seconds| cache.get(&key("www.example", false, 0), now + Duration::from_secs(seconds));
        assert!(matches!(at(59), Lookup::Fresh { .. }));
        assert!(matches!(at(60), Lookup::Stale { .. }));
    }

    #[test]
    fn failures_and_negatives_without_soa_are_not_kept() {
        let (cache, now) = (Cache::new(10), Instant::now());
        for code in [2, 3] {
            cache.insert(&key("www.example", false, 0), answer(code, &[]), ("up", true), now);
        }
        assert!(cache.is_empty());
    }

    #[test]
    fn dnssec_and_networks_are_kept_apart() {
        let (cache, now) = (Cache::new(10), Instant::now());
        cache.insert(&key("www.example", true, 1), answer(0, &[(A_300, 1)]), ("up", true), now);
        assert!(matches!(cache.get(&key("www.example", false, 1), now), Lookup::Miss));
        assert!(matches!(cache.get(&key("www.example", true, 2), now), Lookup::Miss));
        assert!(matches!(cache.get(&key("WWW.example", true, 1), now), Lookup::Fresh { .. }));
        cache.clear();
        assert!(matches!(cache.get(&key("www.example", true, 1), now), Lookup::Miss));
    }

    #[test]
    fn it_stays_within_its_bound() {
        let (cache, now) = (Cache::new(100), Instant::now());
        let told = answer(0, &[(A_300, 1)]);
        for index in 0..1000 {
            cache.insert(&key(&format!("n{index}.example"), false, 0), told.clone(), ("up", true), now);
        }
        assert!(cache.len() <= 110, "{}", cache.len());
    }
}
