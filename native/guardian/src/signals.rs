//! What the person or the service manager wants.

use std::os::fd::AsRawFd;

use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Wish {
    /// the signal that was received; the service gets the same one, because it knows what each means for the system's DNS
    Stop(i32),
    Reload,
}

pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    pub fn install() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    pub async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.terminate.recv() => Wish::Stop(libc::SIGTERM),
            _ = self.interrupt.recv() => Wish::Stop(libc::SIGINT),
            _ = self.hangup.recv() => Wish::Reload,
        }
    }
}

/// Whether this process is in the foreground of the terminal that it was started from, so that a Ctrl-C there reaches it.
pub fn is_at_terminal() -> bool {
    let Ok(terminal) = std::fs::File::open("/dev/tty") else { return false };
    // SAFETY: neither call touches memory
    unsafe { libc::tcgetpgrp(terminal.as_raw_fd()) == libc::getpgrp() }
}
