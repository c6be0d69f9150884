//! What happened to the queries: to all, and to those of the last second.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use domain::base::iana::Rcode;
use serde::Serialize;

use super::asked::Match;
use crate::latency::{Latencies, Percentiles};
use crate::question::Verdict;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub sent: u64,
    /// in time, whatever the response says
    pub answered: u64,
    /// after the timeout
    pub late: u64,
    /// a second response to the same query
    pub duplicates: u64,
    /// responses to no query of ours
    pub strays: u64,
    pub truncated: u64,
    /// SERVFAIL without an extended error
    pub unexplained: u64,
    /// queries that could not be sent, or came back as unreachable; they are lost
    pub unsent: u64,
    pub rcodes: BTreeMap<String, u64>,
}

impl Counts {
    pub fn servfail(&self) -> u64 {
        self.rcodes.get("SERVFAIL").copied().unwrap_or(0)
    }

    /// Queries without any response so far.
    pub fn unanswered(&self) -> u64 {
        self.sent - self.answered - self.late
    }
}

#[derive(Debug)]
pub struct Tally {
    timeout: Duration,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    counts: Counts,
    latencies: Latencies,
    /// of responses since [`Tally::second`] was called last
    recent: Latencies,
    last: Counts,
}

/// What happened since the line before.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Second {
    pub sent: u64,
    pub answered: u64,
    pub servfail: u64,
    /// of all queries so far
    pub unanswered: u64,
    pub latency_ms: Option<Percentiles>,
}

impl Tally {
    pub fn new(timeout: Duration) -> Self {
        Tally { timeout, inner: Mutex::default() }
    }

    pub fn sent(&self) {
        self.inner().counts.sent += 1;
    }

    pub fn unsent(&self) {
        self.inner().counts.unsent += 1;
    }

    pub fn received(&self, matched: &Match, verdict: Option<Verdict>) {
        let mut inner = self.inner();
        let (Match::Answer(latency), Some(verdict)) = (matched, verdict) else {
            match matched {
                Match::Duplicate => inner.counts.duplicates += 1,
                _ => inner.counts.strays += 1,
            }
            return;
        };
        inner.latencies.record(*latency);
        inner.recent.record(*latency);
        let counts = &mut inner.counts;
        if *latency <= self.timeout {
            counts.answered += 1;
        } else {
            counts.late += 1;
        }
        counts.truncated += u64::from(verdict.truncated);
        counts.unexplained += u64::from(verdict.unexplained);
        *counts.rcodes.entry(Rcode::masked_from_int(verdict.rcode).to_string()).or_default() += 1;
    }

    pub fn second(&self) -> Second {
        let mut inner = self.inner();
        let now = inner.counts.clone();
        let second = Second {
            sent: now.sent - inner.last.sent,
            answered: now.answered + now.late - inner.last.answered - inner.last.late,
            servfail: now.servfail() - inner.last.servfail(),
            unanswered: now.unanswered(),
            latency_ms: inner.recent.percentiles(),
        };
        inner.recent.clear();
        inner.last = now;
        second
    }

    pub fn unanswered(&self) -> u64 {
        self.inner().counts.unanswered()
    }

    pub fn total(&self) -> (Counts, Option<Percentiles>) {
        let inner = self.inner();
        (inner.counts.clone(), inner.latencies.percentiles())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics while it counts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_counted_once() {
        let tally = Tally::new(Duration::from_secs(5));
        let answer = |rcode| Some(Verdict { rcode, truncated: false, unexplained: rcode == 2 });
        (0..4).for_each(|_| tally.sent());
        tally.received(&Match::Answer(Duration::from_millis(1)), answer(0));
        tally.received(&Match::Answer(Duration::from_millis(1)), answer(2));
        tally.received(&Match::Answer(Duration::from_secs(6)), answer(0));
        tally.received(&Match::Duplicate, answer(0));
        tally.received(&Match::Answer(Duration::ZERO), None);
        let (counts, latencies) = tally.total();
        assert_eq!(counts.rcodes, BTreeMap::from([("NOERROR".into(), 2), ("SERVFAIL".into(), 1)]));
        assert_eq!((counts.answered, counts.late, counts.duplicates, counts.strays), (2, 1, 1, 1));
        assert_eq!((counts.unexplained, counts.unanswered()), (1, 1));
        assert!(latencies.unwrap().max > 5_900.0);
    }

    #[test]
    fn a_second_holds_what_came_since_the_last() {
        let tally = Tally::new(Duration::from_secs(5));
        let answer = Some(Verdict { rcode: 2, truncated: false, unexplained: false });
        tally.sent();
        tally.received(&Match::Answer(Duration::from_millis(3)), answer);
        assert_eq!(tally.second().servfail, 1);
        tally.sent();
        let second = tally.second();
        assert_eq!((second.sent, second.answered, second.servfail, second.unanswered), (1, 0, 0, 1));
        assert_eq!(second.latency_ms, None);
    }
}
