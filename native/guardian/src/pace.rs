//! When to start the service again, and when to say that it does not start.

use std::time::Duration;

use tokio::time::Instant;

/// Before the first restart, the second, … the last and all after it.
const PAUSES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
];
/// A service that ran for this long starts again with the first pause.
const HEALTHY: Duration = Duration::from_secs(60);
/// After so many deaths in a row without being ready, or after this time, the guardian responds to queries itself.
const FRUITLESS: u32 = 5;
const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN_TRIES: Duration = Duration::from_secs(10);

pub struct Pace {
    restarts: usize,
    fruitless: u32,
    /// since when there is a service, or since when there is none
    ready_since: Option<Instant>,
    down_since: Instant,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub struct Next {
    pub pause: Duration,
    /// it does not start, so the guardian responds in its place
    pub hopeless: bool,
}

impl Pace {
    pub fn new(now: Instant) -> Self {
        Self { restarts: 0, fruitless: 0, ready_since: None, down_since: now }
    }

    pub fn ready(&mut self, now: Instant) {
        self.fruitless = 0;
        self.ready_since = Some(now);
    }

    pub fn died(&mut self, now: Instant) -> Next {
        match self.ready_since.take() {
            Some(since) => {
                self.down_since = now;
                if now - since >= HEALTHY {
                    self.restarts = 0;
                }
            }
            None => self.fruitless += 1,
        }
        let hopeless = self.fruitless >= FRUITLESS || now - self.down_since >= PATIENCE;
        let pause = PAUSES[self.restarts.min(PAUSES.len() - 1)];
        self.restarts += 1;
        Next { pause: if hopeless { BETWEEN_TRIES } else { pause }, hopeless }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// milliseconds from the start, `r`eady or `d`ied
    type Event = (u64, char);

    /// The pause in milliseconds after the last death, and whether it is hopeless.
    fn after(events: &[Event]) -> (u128, bool) {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let mut next = None;
        for (at, what) in events {
            let now = start + Duration::from_millis(*at);
            match what {
                'r' => pace.ready(now),
                _ => next = Some(pace.died(now)),
            }
        }
        let next = next.expect("something died");
        (next.pause.as_millis(), next.hopeless)
    }

    #[test]
    fn the_first_restart_is_at_once_and_the_next_ones_wait_longer() {
        let rows: [(&str, &[Event], u128, bool); 9] = [
            ("a death in good health", &[(1, 'r'), (100_000, 'd')], 0, false),
            ("a death soon after", &[(1, 'r'), (2, 'd'), (3, 'r'), (4, 'd')], 100, false),
            ("the third", &[(0, 'r'), (1, 'd'), (2, 'r'), (3, 'd'), (4, 'r'), (5, 'd')], 250, false),
            ("a minute of health forgives", &[(0, 'r'), (1, 'd'), (2, 'r'), (60_002, 'd')], 0, false),
            ("less than a minute does not", &[(0, 'r'), (1, 'd'), (2, 'r'), (60_001, 'd')], 100, false),
            ("four starts in vain", &[(0, 'd'), (1, 'd'), (2, 'd'), (3, 'd')], 500, false),
            ("five", &[(0, 'd'), (1, 'd'), (2, 'd'), (3, 'd'), (4, 'd')], 10_000, true),
            ("one start that takes too long", &[(30_000, 'd')], 10_000, true),
            (
                "ready between them",
                &[(0, 'd'), (1, 'd'), (2, 'd'), (3, 'd'), (4, 'r'), (5, 'd')],
                1000,
                false,
            ),
        ];
        for (what, events, pause, hopeless) in rows {
            assert_eq!(after(events), (pause, hopeless), "{what}");
        }
    }

    #[test]
    fn a_service_that_is_ready_and_dies_is_never_hopeless() {
        let events: Vec<_> = (0..100).flat_map(|at| [(at * 2, 'r'), (at * 2 + 1, 'd')]).collect();
        assert_eq!(after(&events), (1000, false));
    }
}
