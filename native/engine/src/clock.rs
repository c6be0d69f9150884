//! The time by which responses age. It goes on while the machine sleeps, and nobody can set it.
//!
//! `Instant` stands still during sleep on Linux, and the wall clock jumps. A [`Moment`] is therefore the `Instant` (which tests can
//! pause) plus the time that the machine has slept since the start.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Milliseconds since the clock was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

pub struct Clock {
    start: Instant,
    slept_before: Duration,
    slept: Box<dyn Fn() -> Duration + Send + Sync>,
    /// milliseconds, as read last
    asleep: AtomicU64,
    /// the millisecond of waking time at which they were read
    read_at: AtomicU64,
}

impl Moment {
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl std::ops::Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, duration: Duration) -> Moment {
        Moment(self.0.saturating_add(duration.as_millis() as u64))
    }
}

/// How long the machine has slept, since any moment.
pub fn slept() -> Duration {
    system::slept()
}

impl Clock {
    pub fn system() -> Self {
        Self::with_sleep(system::slept)
    }

    /// `slept` returns how long the machine has slept so far, counted from any moment.
    pub fn with_sleep(slept: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self {
            start: Instant::now(),
            slept_before: slept(),
            slept: Box::new(slept),
            asleep: AtomicU64::new(0),
            read_at: AtomicU64::new(u64::MAX),
        }
    }

    pub fn now(&self) -> Moment {
        self.at(Instant::now())
    }

    /// The present moment, for a caller that has just read the time.
    pub fn at(&self, now: Instant) -> Moment {
        let awake = now.saturating_duration_since(self.start).as_millis() as u64;
        Moment(awake + self.asleep(awake))
    }

    /// Read once in a millisecond: no machine falls asleep and wakes in less, and reading takes a third of the time of a cache
    /// lookup.
    fn asleep(&self, awake: u64) -> u64 {
        if self.read_at.load(Ordering::Acquire) == awake {
            return self.asleep.load(Ordering::Relaxed);
        }
        let asleep = (self.slept)().saturating_sub(self.slept_before).as_millis() as u64;
        self.asleep.store(asleep, Ordering::Relaxed);
        self.read_at.store(awake, Ordering::Release);
        asleep
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use super::Duration;

    pub fn slept() -> Duration {
        // in this order, so that the difference is never below zero
        let awake = read(libc::CLOCK_MONOTONIC);
        read(libc::CLOCK_BOOTTIME).saturating_sub(awake)
    }

    fn read(clock: libc::clockid_t) -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the kernel writes one timespec there; these two clocks exist since Linux 2.6.39
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}

#[cfg(target_vendor = "apple")]
mod system {
    use super::Duration;

    pub fn slept() -> Duration {
        // `CLOCK_MONOTONIC` goes on during sleep there, and `Instant` uses the other clock
        let awake = read(libc::CLOCK_UPTIME_RAW);
        read(libc::CLOCK_MONOTONIC_RAW).saturating_sub(awake)
    }

    fn read(clock: libc::clockid_t) -> Duration {
        // SAFETY: it takes a number and returns one
        Duration::from_nanos(unsafe { libc::clock_gettime_nsec_np(clock) })
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod system {
    use super::Duration;

    /// The performance counter behind `Instant` on Windows goes on during sleep.
    pub fn slept() -> Duration {
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn sleep_counts_as_time_that_has_passed() {
        let asleep = Arc::new(AtomicU64::new(7200));
        let reading = asleep.clone();
        let clock = Clock::with_sleep(move || Duration::from_secs(reading.load(Ordering::Relaxed)));
        let before = clock.now();
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(clock.now().since(before), Duration::from_secs(10));
        asleep.fetch_add(3600, Ordering::Relaxed);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(clock.now().since(before), Duration::from_millis(3_610_001));
    }

    #[test]
    fn the_system_knows_how_long_it_slept() {
        let (one, other) = (system::slept(), system::slept());
        assert!(other.abs_diff(one) < Duration::from_secs(1), "{one:?} {other:?}");
        let clock = Clock::system();
        assert!(clock.now().since(clock.now()) < Duration::from_secs(1));
    }
}
