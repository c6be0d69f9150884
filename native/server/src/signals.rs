//! The signals by which a person or a service manager speaks to a running server.

#[derive(Debug, PartialEq, Eq)]
pub enum Wish {
    Counters,
    Renewal,
    Stop,
}

#[cfg(unix)]
pub struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    counters: tokio::signal::unix::Signal,
    renewal: tokio::signal::unix::Signal,
}

impl Signals {
    /// Returns when somebody wants it to stop; other wishes come too late.
    pub async fn stop(&mut self) {
        while self.next().await != Wish::Stop {}
    }
}

#[cfg(unix)]
impl Signals {
    pub fn install() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            counters: signal(SignalKind::user_defined1())?,
            renewal: signal(SignalKind::hangup())?,
        })
    }

    pub async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.terminate.recv() => Wish::Stop,
            _ = self.interrupt.recv() => Wish::Stop,
            _ = self.counters.recv() => Wish::Counters,
            _ = self.renewal.recv() => Wish::Renewal,
        }
    }
}

#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub fn install() -> std::io::Result<Self> {
        Ok(Signals)
    }

    pub async fn next(&mut self) -> Wish {
        // an error means that Ctrl-C cannot be waited for: only a kill ends this process then
        match tokio::signal::ctrl_c().await {
            Ok(()) => Wish::Stop,
            Err(_) => std::future::pending().await,
        }
    }
}
