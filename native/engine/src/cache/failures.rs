//! Queries that could not be resolved lately, so that they are not put to the upstream at every retry (RFC 9520).
//!
//! A failure stands for a second first, then for twice as long each time. A refusal because no private path works is not kept: it
//! costs the upstream nothing, and the network may come back at any moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use quick_cache::sync;

use super::entry::SaidBy;
use super::key::{Key, Parts};
use crate::clock::Moment;
use crate::response::Response;
use crate::wire::edns::ExtendedError;
use crate::wire::header::rcode;

/// RFC 9520 section 3.2: at least a second, at most five minutes.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// While an expired response serves, nobody waits for a new one (RFC 8767 section 5: thirty seconds between attempts).
const REST_WHILE_STALE: Duration = Duration::from_secs(30);
/// After so long without a failure, the next one counts as the first.
const FORGOTTEN: Duration = Duration::from_secs(300);
const MOST: usize = 4096;
/// After so many queries in a row without a response, the path is at fault and not the names.
const OUTAGE: u32 = 3;

pub struct Failures {
    by_question: sync::Cache<Box<[u8]>, Arc<Failed>>,
    silent_in_a_row: AtomicU32,
    outage: AtomicBool,
}

#[derive(Debug)]
pub struct Failed {
    pub how: How,
    times: u32,
    until: Moment,
}

#[derive(Debug)]
pub enum How {
    /// the upstream said that it can't (SERVFAIL, REFUSED, …)
    Said { response: Response, said_by: SaidBy },
    /// nothing usable was heard
    Silent(ExtendedError),
}

/// Whether the upstream could not say: to be asked again, but not at once.
pub fn is_failure(response: &Response) -> bool {
    matches!(response.rcode(), rcode::SERVFAIL | rcode::REFUSED | rcode::FORMERR | rcode::NOTIMP)
}

/// Whether the upstream found the data forged or broken, rather than out of reach (RFC 8914): what was known before must not
/// stand in for it.
pub fn found_bogus(response: &Response) -> bool {
    response.extended_errors.iter().any(|error| matches!(error.code, 1 | 2 | 5..=12 | 25 | 27))
}

impl Failed {
    pub fn found_bogus(&self) -> bool {
        matches!(&self.how, How::Said { response, .. } if found_bogus(response))
    }
}

impl Failures {
    pub fn new(entries: usize) -> Self {
        Self {
            by_question: sync::Cache::new(entries.clamp(1, MOST)),
            silent_in_a_row: AtomicU32::new(0),
            outage: AtomicBool::new(false),
        }
    }

    /// The failure that is reported instead of asking an upstream again.
    pub fn standing(&self, key: &Key, now: Moment) -> Option<Arc<Failed>> {
        self.by_question.get(key.as_octets()).filter(|failed| now < failed.until)
    }

    /// `stale`: an expired response serves meanwhile.
    pub fn note(&self, key: &Key, how: How, stale: bool, now: Moment) {
        if let How::Silent(_) = how
            && self.silent_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= OUTAGE
        {
            self.outage.store(true, Ordering::Relaxed);
        }
        let before = self.by_question.get(key.as_octets());
        let times =
            before.filter(|failed| now < failed.until + FORGOTTEN).map_or(0, |failed| failed.times + 1);
        let rest =
            if stale { REST_WHILE_STALE } else { FIRST.saturating_mul(1 << times.min(8)).min(LONGEST) };
        let failed = Failed { how, times, until: now + rest };
        self.by_question.insert(key.as_octets().into(), Arc::new(failed));
    }

    /// Notes that there was no private path. Earlier queries may have gone unanswered for the same reason: see [`Failures::answered`].
    pub fn no_path(&self) {
        self.outage.store(true, Ordering::Relaxed);
    }

    /// Notes that an upstream answered. After an outage, failures without a response are forgotten: the path caused them.
    pub fn answered(&self) {
        self.silent_in_a_row.store(0, Ordering::Relaxed);
        if self.outage.swap(false, Ordering::Relaxed) {
            self.by_question.retain(|_, failed| matches!(failed.how, How::Said { .. }));
        }
    }

    /// Several queries in a row went without a response, or there was no private path, and none has been answered since.
    pub fn is_outage(&self) -> bool {
        self.outage.load(Ordering::Relaxed)
    }

    pub fn forget(&self, key: &Key) {
        self.by_question.remove(key.as_octets());
    }

    pub(super) fn remove(&self, unwanted: impl Fn(Parts<'_>) -> bool) {
        self.by_question.retain(|key, _| !unwanted(Parts::of(key)));
    }

    pub fn clear(&self) {
        self.by_question.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::wire::name::Name;

    fn key(name: &str) -> Key {
        Key::new(&Name::parse(name).unwrap(), 1, 1, false, false, 0)
    }

    fn silent() -> How {
        How::Silent(ExtendedError::new(ExtendedError::NETWORK_ERROR, "no answer"))
    }

    fn rest_after(failures: &Failures, stale: bool, now: Moment) -> u64 {
        failures.note(&key("a.example"), silent(), stale, now);
        (0..=301)
            .find(|seconds| {
                failures.standing(&key("a.example"), now + Duration::from_secs(*seconds)).is_none()
            })
            .unwrap()
    }

    #[test]
    fn each_failure_rests_twice_as_long_as_the_one_before() {
        let failures = Failures::new(100);
        let mut now = Clock::system().now();
        let mut rests = vec![];
        for _ in 0..7 {
            rests.push(rest_after(&failures, false, now));
            now = now + Duration::from_secs(rests[rests.len() - 1]);
        }
        assert_eq!(rests, [1, 2, 4, 8, 16, 30, 30]);
        now = now + FORGOTTEN;
        assert_eq!(rest_after(&failures, false, now), 1, "long ago is forgotten");
        assert_eq!(rest_after(&failures, true, now), 30);
        assert!(failures.standing(&key("b.example"), now).is_none());
        failures.forget(&key("a.example"));
        assert!(failures.standing(&key("a.example"), now).is_none());
    }

    #[test]
    fn an_upstream_that_comes_back_is_asked_at_once() {
        let failures = Failures::new(100);
        let now = Clock::system().now();
        let stands = |name| failures.standing(&key(name), now).is_some();
        failures.note(&key("a.example"), silent(), false, now);
        failures.answered();
        assert!(stands("a.example"), "one silence among answers is that name's");
        for name in ["a.example", "b.example", "c.example"] {
            failures.note(&key(name), silent(), false, now);
        }
        failures.answered();
        assert!(!stands("a.example") && !stands("b.example"));
        failures.note(&key("a.example"), silent(), false, now);
        failures.no_path();
        failures.answered();
        assert!(!stands("a.example"));
    }
}
