//! How soon an upstream has responded of late. The smoothed time loses weight as it ages, so that an upstream that was slow is
//! asked again some day.
//!
//! Every [`HALF_LIFE`] without a sample halves it. So an upstream twice as slow as the fastest gets one query a minute, and one
//! that is sixteen times as slow gets one in four minutes.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

const HALF_LIFE: Duration = Duration::from_secs(60);
/// RFC 6298's weight, for samples that follow each other closely.
const LEAST_WEIGHT: f64 = 0.125;

#[derive(Debug, Default)]
pub struct Pace {
    measured: Mutex<Option<Measured>>,
}

#[derive(Debug, Clone, Copy)]
struct Measured {
    /// seconds
    smoothed: f64,
    at: Instant,
    /// a query is under way that will measure it; until then no other is sent along
    exploring: bool,
}

impl Pace {
    /// In seconds, for comparing upstreams; zero for one that was never asked.
    pub fn expected(&self, now: Instant) -> f64 {
        self.measured().map_or(0.0, |measured| match measured.exploring {
            true => f64::INFINITY,
            false => measured.smoothed * kept(measured, now),
        })
    }

    /// It is about to be asked because its time has decayed; one query measures for all.
    pub fn explore(&self, now: Instant) {
        let mut measured = self.measured();
        match &mut *measured {
            Some(measured) if kept(*measured, now) > 0.5 => {}
            Some(measured) => measured.exploring = true,
            none => *none = Some(Measured { smoothed: 0.0, at: now, exploring: true }),
        }
    }

    /// It responded, or did not, after so long.
    pub fn note(&self, took: Duration, now: Instant) {
        let mut measured = self.measured();
        let took = took.as_secs_f64();
        let smoothed = measured.filter(|measured| measured.smoothed > 0.0).map_or(took, |measured| {
            let weight = LEAST_WEIGHT.max(1.0 - kept(measured, now));
            measured.smoothed * (1.0 - weight) + took * weight
        });
        *measured = Some(Measured { smoothed, at: now, exploring: false });
    }

    fn measured(&self) -> MutexGuard<'_, Option<Measured>> {
        self.measured.lock().expect("nothing panics while measuring")
    }
}

/// What age leaves of it: 1 when new, towards 0.
fn kept(measured: Measured, now: Instant) -> f64 {
    0.5_f64.powf(now.saturating_duration_since(measured.at).as_secs_f64() / HALF_LIFE.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_slow_one_becomes_worth_a_try_and_is_judged_anew() {
        let (slow, quick, start) = (Pace::default(), Pace::default(), Instant::now());
        slow.note(200 * MS, start);
        quick.note(20 * MS, start);
        assert!(quick.expected(start) < slow.expected(start));
        let later = start + 4 * HALF_LIFE;
        quick.note(20 * MS, later);
        assert!(slow.expected(later) < quick.expected(later));
        slow.explore(later);
        assert!(slow.expected(later) > quick.expected(later), "one query is enough to find out");
        slow.note(200 * MS, later);
        assert!((slow.expected(later) - 0.2).abs() < 0.001, "{}", slow.expected(later));
    }

    #[test]
    fn what_was_never_asked_is_asked_once() {
        let (new, start) = (Pace::default(), Instant::now());
        assert!(new.expected(start) < f64::EPSILON);
        new.explore(start);
        assert!(new.expected(start).is_infinite());
        new.note(20 * MS, start);
        assert!((new.expected(start) - 0.02).abs() < 0.001, "{}", new.expected(start));
    }

    #[test]
    fn single_samples_do_not_decide() {
        let (pace, start) = (Pace::default(), Instant::now());
        pace.note(20 * MS, start);
        pace.note(100 * MS, start);
        assert!((pace.expected(start) - 0.03).abs() < 0.001, "{}", pace.expected(start));
    }
}
