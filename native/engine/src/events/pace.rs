//! Limits the events a second: a household's busiest second is carried in full, a flood only in part.
//!
//! Writing an event down costs several times what answering from cache does. Without a bound a flood would take the second
//! core from everything else; with it the ring fills, and what does not fit is dropped where that costs next to nothing.

use std::time::{Duration, Instant};

const PER_SECOND: f64 = 5_000.0;
/// As many as the ring holds; no household asks so much at once.
const BURST: f64 = 8192.0;

pub struct Pace {
    allowance: f64,
    since: Instant,
}

impl Pace {
    pub fn new(now: Instant) -> Self {
        Self { allowance: BURST, since: now }
    }

    /// How many of `wanted` may go now.
    pub fn grant(&mut self, wanted: usize, now: Instant) -> usize {
        let passed = now.saturating_duration_since(self.since).as_secs_f64();
        self.since = now;
        self.allowance = (self.allowance + passed * PER_SECOND).min(BURST);
        let granted = wanted.min(self.allowance as usize);
        self.allowance -= granted as f64;
        granted
    }

    /// How long until `wanted` may go.
    pub fn wait_for(&self, wanted: usize) -> Duration {
        Duration::from_secs_f64(((wanted as f64 - self.allowance) / PER_SECOND).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_at_once_and_a_flood_at_its_pace() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        assert_eq!(pace.grant(40_000, start), 8192);
        assert_eq!(pace.grant(512, start), 0);
        let wait = pace.wait_for(512);
        assert_eq!(pace.grant(512, start + wait / 2), 256);
        assert_eq!(pace.grant(10_000, start + wait / 2 + Duration::from_secs(1)), 5_000);
    }

    #[test]
    fn rest_does_not_add_up_beyond_a_burst() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        assert_eq!(pace.grant(100_000, start + Duration::from_secs(3600)), 8192);
    }
}
