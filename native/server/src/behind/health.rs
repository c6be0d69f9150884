//! Whether a server responds. One that does not rests, and is asked for a sign of life before people's queries go there again.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::failure::Failure;

/// Queries in a row without a response: then it is down. One may have been lost.
const MOST_FAILURES: u32 = 3;
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub struct Health {
    is_examined: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    down: Option<Down>,
}

#[derive(Debug)]
struct Down {
    until: Instant,
    rest: Duration,
    why: Failure,
}

impl Health {
    pub fn is_up(&self) -> bool {
        self.state().down.is_none()
    }

    /// Until when a server rests that is down.
    pub fn rests_until(&self) -> Option<Instant> {
        self.state().down.as_ref().map(|down| down.until)
    }

    pub fn why_down(&self) -> Option<Failure> {
        self.state().down.as_ref().map(|down| down.why.clone())
    }

    pub fn responded(&self) {
        *self.state() = State::default();
    }

    /// One that cannot be reached is down at once. To be told of what is the server's alone.
    pub fn failed(&self, why: &Failure, now: Instant) {
        let at_once = why.is_final();
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        if !at_once && state.failures < MOST_FAILURES {
            return;
        }
        let rest = match &state.down {
            None => FIRST_REST,
            // queries that were under way tell nothing new
            Some(down) if now < down.until => return,
            Some(down) => (2 * down.rest).min(LONGEST_REST),
        };
        state.down = Some(Down { until: now + rest, rest, why: why.clone() });
    }

    /// Whether it is time to ask for a sign of life, and nobody does.
    pub fn begin_examination(&self, now: Instant) -> bool {
        self.rests_until().is_some_and(|until| now >= until) && !self.is_examined.swap(true, Relaxed)
    }

    pub fn end_examination(&self) {
        self.is_examined.store(false, Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOST: Failure = Failure::Silent("UDP");

    #[test]
    fn three_lost_queries_or_one_refusal_make_it_rest_longer_each_time() {
        let (health, start) = (Health::default(), Instant::now());
        let refused = Failure::NotReached("connection refused".into());
        health.failed(&LOST, start);
        health.failed(&LOST, start);
        health.responded();
        health.failed(&LOST, start);
        health.failed(&LOST, start);
        assert!(health.is_up(), "not in a row");
        health.failed(&LOST, start);
        assert_eq!(health.rests_until(), Some(start + FIRST_REST));
        health.failed(&refused, start);
        assert_eq!(health.rests_until(), Some(start + FIRST_REST), "it was down already");
        let mut now = start + FIRST_REST;
        for rest in [2, 4, 8, 16, 32, 60, 60] {
            assert!(health.begin_examination(now) && !health.begin_examination(now), "one at a time");
            health.end_examination();
            health.failed(&refused, now);
            assert_eq!(health.rests_until(), Some(now + Duration::from_secs(rest)));
            now += Duration::from_secs(rest);
        }
        health.responded();
        assert!(health.is_up());
        health.failed(&refused, now);
        assert_eq!(health.why_down(), Some(refused), "at once");
    }
}
