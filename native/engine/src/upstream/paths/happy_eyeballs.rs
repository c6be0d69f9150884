//! Which of an upstream's addresses is tried when (RFC 8305). Families take turns. The next address is tried when those under way
//! gave no sign for long enough, or at once when one failed. The first that proves itself is taken.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::endpoint::Endpoint;

/// RFC 8305 section 8.
const DELAY: Duration = Duration::from_millis(250);
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);

pub struct Schedule {
    waiting: VecDeque<Endpoint>,
    delay: Duration,
    due: Instant,
}

impl Schedule {
    /// The first is due at once. `round_trip` is the path's, where it is known; `patience` is the dialer's.
    pub fn new(order: Vec<Endpoint>, round_trip: Option<Duration>, patience: u32, now: Instant) -> Self {
        let delay = round_trip.map_or(DELAY, |round_trip| round_trip * 2) * patience;
        let delay = delay.clamp(SHORTEST, LONGEST);
        Self { waiting: order.into(), delay, due: now }
    }

    /// When the next is tried, if there is one.
    pub fn due(&self) -> Option<Instant> {
        (!self.waiting.is_empty()).then_some(self.due)
    }

    /// The next address, if its time has come.
    pub fn next(&mut self, now: Instant) -> Option<Endpoint> {
        if now < self.due {
            return None;
        }
        let next = self.waiting.pop_front();
        self.due = now + self.delay;
        next
    }

    /// One of those under way has sent something: it gets its time anew.
    pub fn sign(&mut self, at: Instant) {
        self.due = self.due.max(at + self.delay);
    }

    pub fn failed(&mut self, now: Instant) {
        self.due = now;
    }
}

/// `best`, which was taken last time, comes first; then families take turns, each in its own order.
pub fn order(addresses: &[Endpoint], best: Option<Endpoint>) -> Vec<Endpoint> {
    let first = best.or(addresses.first().copied());
    let best = best.filter(|best| addresses.contains(best));
    let others = || addresses.iter().copied().filter(|address| Some(*address) != best);
    let same = |endpoint: &Endpoint| Some(endpoint.is_ipv6()) == first.map(Endpoint::is_ipv6);
    let mut ours: VecDeque<_> = best.into_iter().chain(others().filter(same)).collect();
    let mut theirs: VecDeque<_> = others().filter(|address| !same(address)).collect();
    let mut order = Vec::with_capacity(addresses.len());
    while !ours.is_empty() || !theirs.is_empty() {
        order.extend(ours.pop_front());
        order.extend(theirs.pop_front());
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(words: &str) -> Vec<Endpoint> {
        let address = |word: &str| match word.strip_prefix("six") {
            Some(last) => format!("[2001:db8::{last}]:853").parse().unwrap(),
            None => format!("192.0.2.{}:853", word.strip_prefix("four").unwrap()).parse().unwrap(),
        };
        words.split_whitespace().map(address).collect()
    }

    #[test]
    fn families_take_turns_and_the_first_stays_first() {
        for (given, best, expected) in [
            ("four1", "", "four1"),
            ("four1 four2 six1 six2", "", "four1 six1 four2 six2"),
            ("six1 four1 four2 four3", "", "six1 four1 four2 four3"),
            ("four1 four2 six1", "six1", "six1 four1 four2"),
            ("four1 four2 six1", "four2", "four2 six1 four1"),
            ("four1 six1", "four9", "four1 six1"),
        ] {
            let best = addresses(best).first().copied();
            assert_eq!(order(&addresses(given), best), addresses(expected), "{given}, best {best:?}");
        }
    }

    /// What happens at which millisecond, and which address is tried then.
    #[tokio::test(start_paused = true)]
    async fn the_next_is_tried_after_silence_or_a_failure() {
        for (round_trip, events) in [
            (
                None,
                vec![
                    (0, "", Some(1)),
                    (249, "", None),
                    (250, "", Some(2)),
                    (500, "", Some(3)),
                    (900, "", None),
                ],
            ),
            (
                None,
                vec![
                    (0, "", Some(1)),
                    (10, "failed", Some(2)),
                    (20, "failed", Some(3)),
                    (30, "failed", None),
                ],
            ),
            (None, vec![(0, "", Some(1)), (200, "sign", None), (250, "", None), (450, "", Some(2))]),
            (Some(10), vec![(0, "", Some(1)), (99, "", None), (100, "", Some(2))]),
            (Some(300), vec![(0, "", Some(1)), (599, "", None), (600, "", Some(2))]),
            (Some(5000), vec![(0, "", Some(1)), (1999, "", None), (2000, "", Some(2))]),
        ] {
            let start = Instant::now();
            let all = addresses("four1 four2 four3");
            let mut schedule = Schedule::new(all.clone(), round_trip.map(Duration::from_millis), 1, start);
            for (ms, event, expected) in events {
                let now = start + Duration::from_millis(ms);
                match event {
                    "failed" => schedule.failed(now),
                    "sign" => schedule.sign(now),
                    _ => {}
                }
                let expected = expected.map(|nth: usize| all[nth - 1]);
                assert_eq!(schedule.next(now), expected, "{round_trip:?} at {ms} ms");
            }
        }
    }
}
