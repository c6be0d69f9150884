//! An artificial wait before each response, as a distant server would cause. Queries behind it do not wait.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::pending;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Each response waits for a time between the two, chosen anew: responses then leave in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delay {
    pub shortest: Duration,
    pub longest: Duration,
}

impl Delay {
    pub fn is_none(self) -> bool {
        self.longest.is_zero()
    }

    pub fn choose(self) -> Duration {
        let spread = (self.longest - self.shortest).as_micros() as u64;
        // a fresh hasher is keyed at random: evenness is all that is needed here
        let random = RandomState::new().build_hasher().finish();
        self.shortest + Duration::from_micros(random % (spread + 1))
    }
}

impl From<Duration> for Delay {
    fn from(constant: Duration) -> Self {
        Delay { shortest: constant, longest: constant }
    }
}

impl FromStr for Delay {
    type Err = String;

    /// `20ms`, `1s`, or a range `5ms-40ms`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (shortest, longest) = text.split_once('-').unwrap_or((text, text));
        let delay = Delay { shortest: duration(shortest)?, longest: duration(longest)? };
        if delay.shortest > delay.longest {
            return Err(format!("{shortest} is more than {longest}: write the shorter one first"));
        }
        Ok(delay)
    }
}

/// `250ms`, `60s`, `2m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let milliseconds_each = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        _ => {
            return Err(format!(
                "{text:?} is not a time: write a number with ms, s or m, such as 20ms or 60s"
            ));
        }
    };
    let number: u64 = number.parse().map_err(|_| format!("{text:?} has no number, or one too large"))?;
    number
        .checked_mul(milliseconds_each)
        .map(Duration::from_millis)
        .filter(|duration| *duration <= Duration::from_secs(86_400))
        .ok_or_else(|| format!("{text} is more than a day"))
}

/// Things that are due at some time, soonest first.
#[derive(Debug)]
pub(crate) struct Delayed<T> {
    heap: BinaryHeap<Reverse<Item<T>>>,
    sequence: u64,
}

#[derive(Debug)]
struct Item<T> {
    due: Instant,
    sequence: u64,
    value: T,
}

impl<T> Delayed<T> {
    pub fn new() -> Self {
        Delayed { heap: BinaryHeap::new(), sequence: 0 }
    }

    pub fn push(&mut self, due: Instant, value: T) {
        self.sequence += 1;
        self.heap.push(Reverse(Item { due, sequence: self.sequence, value }));
    }

    pub fn len(&self) -> usize {
        self.heap.len()
    }

    fn next_due(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse(item)| item.due)
    }

    /// Until something is due, which is never where nothing waits.
    pub fn due(&self) -> impl Future<Output = ()> + use<T> {
        let next = self.next_due();
        async move {
            match next {
                Some(due) => sleep_until(due).await,
                None => pending().await,
            }
        }
    }

    pub fn pop_due(&mut self, now: Instant) -> Option<T> {
        self.next_due().filter(|due| *due <= now)?;
        self.heap.pop().map(|Reverse(item)| item.value)
    }
}

impl<T> Ord for Item<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.sequence).cmp(&(other.due, other.sequence))
    }
}

impl<T> PartialOrd for Item<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Item<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Item<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!("20ms".parse(), Ok(Delay::from(Duration::from_millis(20))));
        let range: Delay = "5ms-1s".parse().unwrap();
        assert_eq!((range.shortest, range.longest), (Duration::from_millis(5), Duration::from_secs(1)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "20", "ms", "20 ms", "-5ms", "40ms-5ms", "99999999999999999999s", "2d", "48000m"] {
            assert!(wrong.parse::<Delay>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_chosen_delay_lies_in_its_range() {
        let range: Delay = "5ms-6ms".parse().unwrap();
        let chosen: Vec<_> = (0..200).map(|_| range.choose()).collect();
        assert!(chosen.iter().all(|delay| *delay >= range.shortest && *delay <= range.longest));
        assert!(chosen.iter().any(|delay| *delay != chosen[0]));
    }

    #[test]
    fn what_is_due_first_leaves_first_and_ties_keep_their_order() {
        let now = Instant::now();
        let mut delayed = Delayed::new();
        delayed.push(now + Duration::from_secs(2), 'c');
        delayed.push(now, 'a');
        delayed.push(now, 'b');
        assert_eq!(delayed.pop_due(now), Some('a'));
        assert_eq!(delayed.pop_due(now), Some('b'));
        assert_eq!(delayed.pop_due(now), None);
        assert_eq!(delayed.next_due(), Some(now + Duration::from_secs(2)));
    }
}
