//! The rest between dials that fail. It doubles each time, and stays short enough to notice soon that a network is back.

use std::time::Duration;

use tokio::time::Instant;

use crate::upstream::exchange::Gone;

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(5);
/// A server that has just gone usually restarts, and queries wait for it.
const RESTART: Duration = Duration::from_secs(5);
const LONGEST_IN_A_RESTART: Duration = Duration::from_millis(500);

#[derive(Debug, Default, Clone)]
pub struct Backoff {
    failures: u32,
    /// the last connection died, and no other was tried since
    died: bool,
    until: Option<Instant>,
    /// when the first dial since the last success found no server, if the latest one found none as well
    gone_since: Option<Instant>,
}

impl Backoff {
    /// `gone`: no server was there, although it was reached before. `chance` is another number each time.
    pub fn failed(&mut self, gone: bool, chance: u8) {
        let now = Instant::now();
        self.gone_since = gone.then(|| self.gone_since.unwrap_or(now));
        let longest = if self.gone_since.is_some_and(|since| now < since + RESTART) {
            LONGEST_IN_A_RESTART
        } else {
            LONGEST
        };
        let rest = FIRST.saturating_mul(1 << self.failures.min(8)).min(longest);
        self.failures = self.failures.saturating_add(1);
        // up to a fifth longer, so that many clients of one server do not return together
        let jitter = rest.mul_f64(f64::from(chance) / 1280.0);
        self.until = Some(now + rest + jitter);
    }

    /// A connection died: others are asked first, and a new one is dialled without a rest.
    pub fn died(&mut self) {
        self.died = true;
        self.until = None;
    }

    pub fn succeeded(&mut self) {
        *self = Self::default();
    }

    pub fn is_failing(&self) -> bool {
        self.died || self.is_cut_off()
    }

    /// Whether dials failed; a connection that fell silent does not count.
    pub fn is_cut_off(&self) -> bool {
        self.failures > 0
    }

    /// Since when no server answers dials, and when the next dial is. `None`: a server may be there.
    pub fn gone(&self) -> Option<Gone> {
        self.gone_since.zip(self.until).map(|(since, next_dial)| Gone { since, next_dial })
    }

    /// The time left to rest, if any.
    pub fn resting(&self) -> Option<Duration> {
        let left = self.until?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn rests_grow_to_a_limit_and_end_with_success() {
        let mut backoff = Backoff::default();
        let mut rests = Vec::new();
        for _ in 0..8 {
            backoff.failed(false, u8::MAX);
            rests.push(backoff.resting().unwrap());
            tokio::time::advance(rests[rests.len() - 1]).await;
            assert_eq!(backoff.resting(), None);
        }
        assert!(rests[0] >= FIRST && rests[0] < FIRST * 2);
        assert!(rests[7] >= LONGEST && rests[7] <= LONGEST.mul_f64(1.2));
        backoff.succeeded();
        assert!(!backoff.is_failing());
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_restarts_is_looked_for_often_and_not_for_ever() {
        let (mut backoff, began) = (Backoff::default(), Instant::now());
        let mut dials = 0;
        while backoff.resting().is_none_or(|rest| rest < FIRST * 4) {
            tokio::time::advance(backoff.resting().unwrap_or_default()).await;
            backoff.failed(true, 0);
            dials += 1;
        }
        assert!(dials > 8, "{dials} dials");
        assert_eq!(backoff.gone().unwrap().since, began);
        assert!(began.elapsed() >= RESTART);
    }
}
