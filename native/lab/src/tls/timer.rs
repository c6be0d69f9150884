//! A timer for moments that are nearer than the millisecond which tokio counts in.

#[cfg(target_os = "linux")]
pub use linux::Timer;
#[cfg(not(target_os = "linux"))]
pub use other::Timer;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;
    use tokio::time::Instant;

    const ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

    /// timerfd_create(2).
    pub struct Timer(AsyncFd<OwnedFd>);

    impl Timer {
        pub fn new() -> io::Result<Self> {
            let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            // SAFETY: what was registered owns its descriptor, which is open for as long.
            Ok(Timer(unsafe { AsyncFd::register(timer) }?))
        }

        pub async fn until(&mut self, moment: Instant) -> io::Result<()> {
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let it_value = left.try_into().map_err(io::Error::other)?;
            let timer = Itimerspec { it_interval: ONCE, it_value };
            timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &timer)?;
            loop {
                let mut ready = self.0.readable().await?;
                let mut times = [0; 8];
                if let Ok(read) = ready.try_io(|timer| Ok(rustix::io::read(timer, &mut times)?)) {
                    return read.map(drop);
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::io;

    use tokio::time::{Instant, sleep_until};

    pub struct Timer;

    impl Timer {
        pub fn new() -> io::Result<Self> {
            Ok(Timer)
        }

        pub async fn until(&mut self, moment: Instant) -> io::Result<()> {
            sleep_until(moment).await;
            Ok(())
        }
    }
}
