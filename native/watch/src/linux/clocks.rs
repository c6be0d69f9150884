//! A timer that never expires. The kernel cancels it when the wall clock jumps, and when the machine wakes up.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};

use crate::Event;
use crate::clock::{Offsets, jumps};

pub struct Clocks {
    timer: OwnedFd,
    known: Offsets,
}

impl Clocks {
    pub fn watch() -> io::Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        arm(&timer)?;
        Ok(Self { timer, known: offsets() })
    }

    /// Reads the cancellation, so that the next jump cancels again.
    pub fn read(&mut self) -> Vec<Event> {
        // It fails with ECANCELED, or there is nothing to read because the jump was read already.
        let _ = rustix::io::read(&self.timer, &mut [0; 8]);
        let _ = arm(&self.timer);
        jumps(&mut self.known, offsets())
    }
}

impl AsFd for Clocks {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }
}

fn arm(timer: &OwnedFd) -> io::Result<()> {
    let never = Itimerspec {
        it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
        it_value: Timespec { tv_sec: i64::MAX, tv_nsec: 0 },
    };
    timerfd_settime(timer, TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET, &never)?;
    Ok(())
}

/// Three clocks can't be read at once. The quickest of a few tries counts, so that an interruption in between is not taken for a
/// jump.
fn offsets() -> Offsets {
    let tries = (0..5).map(|_| {
        let before = nanoseconds(ClockId::Monotonic);
        let boot = nanoseconds(ClockId::Boottime);
        let wall = nanoseconds(ClockId::Realtime);
        let after = nanoseconds(ClockId::Monotonic);
        (after - before, Offsets { slept: boot - before, wall: wall - boot })
    });
    let (_, quickest) = tries.min_by_key(|(took, _)| *took).expect("there are five tries");
    quickest
}

fn nanoseconds(clock: ClockId) -> i64 {
    let time = clock_gettime(clock);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::time::clock_settime;

    use super::*;

    fn rings(clocks: &Clocks, within: Duration) -> bool {
        let within = Timespec { tv_sec: within.as_secs().cast_signed(), tv_nsec: 0 };
        poll(&mut [PollFd::new(clocks, PollFlags::IN)], Some(&within)).unwrap() > 0
    }

    /// Sets the clock to the time that it shows, which moves it back by less than a microsecond.
    fn set_clock() -> Result<(), Errno> {
        clock_settime(ClockId::Realtime, clock_gettime(ClockId::Realtime))
    }

    #[test]
    fn setting_the_clock_is_noticed_every_time() {
        let mut clocks = Clocks::watch().unwrap();
        assert!(!rings(&clocks, Duration::ZERO));
        for _ in 0..2 {
            if set_clock() == Err(Errno::PERM) {
                return sotto_skip::skip("this user may not set the clock (CAP_SYS_TIME): run as root");
            }
            assert!(rings(&clocks, Duration::from_secs(20)));
            assert_eq!(clocks.read(), [], "less than a second is not worth telling");
            assert!(!rings(&clocks, Duration::ZERO));
        }
    }
}
