//! Limits something to so many a second, with bursts after a rest.

use std::time::{Duration, Instant};

pub struct Pace {
    per_second: f64,
    burst: f64,
    allowance: f64,
    since: Instant,
}

impl Pace {
    /// `burst`: how many may go at once after a rest.
    pub fn new(per_second: f64, burst: f64, now: Instant) -> Self {
        Self { per_second, burst, allowance: burst, since: now }
    }

    /// How many of `wanted` may go now.
    pub fn grant(&mut self, wanted: usize, now: Instant) -> usize {
        self.gain(now);
        let granted = wanted.min(self.allowance as usize);
        self.allowance -= granted as f64;
        granted
    }

    /// How long until `wanted` may go.
    pub fn wait_for(&mut self, wanted: usize, now: Instant) -> Duration {
        self.gain(now);
        Duration::from_secs_f64(((wanted as f64 - self.allowance) / self.per_second).max(0.0))
    }

    fn gain(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.since).as_secs_f64();
        self.since = self.since.max(now);
        self.allowance = (self.allowance + passed * self.per_second).min(self.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_at_once_and_a_flood_at_its_pace() {
        let start = Instant::now();
        let mut pace = Pace::new(5_000.0, 8192.0, start);
        assert_eq!(pace.grant(40_000, start), 8192);
        assert_eq!(pace.grant(512, start), 0);
        let wait = pace.wait_for(512, start);
        assert_eq!(pace.grant(512, start + wait / 2), 256);
        assert_eq!(pace.grant(10_000, start + wait / 2 + Duration::from_secs(1)), 5_000);
    }

    #[test]
    fn rest_does_not_add_up_beyond_a_burst() {
        let start = Instant::now();
        let mut pace = Pace::new(5_000.0, 8192.0, start);
        assert_eq!(pace.grant(100_000, start + Duration::from_secs(3600)), 8192);
    }
}
