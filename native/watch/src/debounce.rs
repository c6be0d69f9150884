//! A burst of events is one change: it is examined when events stop, and at the latest after a while.

use std::time::{Duration, Instant};

const QUIET: Duration = Duration::from_millis(50);
const AT_THE_LATEST: Duration = Duration::from_millis(200);

#[derive(Default)]
pub struct Debounce {
    burst: Option<Burst>,
}

struct Burst {
    first: Instant,
    last: Instant,
}

impl Debounce {
    pub fn note(&mut self, now: Instant) {
        let first = self.burst.as_ref().map_or(now, |burst| burst.first);
        self.burst = Some(Burst { first, last: now });
    }

    /// How long to wait for more; `None` while nothing happens.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        let burst = self.burst.as_ref()?;
        let due = (burst.last + QUIET).min(burst.first + AT_THE_LATEST);
        Some(due.saturating_duration_since(now))
    }

    /// Whether it is time to look. True once for each burst.
    pub fn take(&mut self, now: Instant) -> bool {
        let due = self.wait(now) == Some(Duration::ZERO);
        if due {
            self.burst = None;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn nothing_happens_without_an_event() {
        let mut debounce = Debounce::default();
        let now = Instant::now();
        assert_eq!(debounce.wait(now), None);
        assert!(!debounce.take(now));
    }

    #[test]
    fn a_burst_is_looked_at_once_when_it_is_over() {
        let start = Instant::now();
        let mut debounce = Debounce::default();
        debounce.note(start);
        debounce.note(start + ms(30));
        assert!(!debounce.take(start + ms(60)));
        assert_eq!(debounce.wait(start + ms(60)), Some(ms(20)));
        assert!(debounce.take(start + ms(80)));
        assert!(!debounce.take(start + ms(300)));
    }

    #[test]
    fn a_burst_without_end_is_looked_at_all_the_same() {
        let start = Instant::now();
        let mut debounce = Debounce::default();
        for at in (0..200).step_by(20) {
            debounce.note(start + ms(at));
            assert!(!debounce.take(start + ms(at)));
        }
        assert!(debounce.take(start + ms(200)));
    }
}
