//! What systemd hands to us where it starts us: the sockets of sotto.socket (sd_listen_fds(3)), and somebody who waits to hear that
//! we are ready and alive (sd_notify(3)).

use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use rustix::io::FdFlags;
use tokio::time::sleep;

/// The first descriptor that a service is handed (sd_listen_fds(3)).
pub const FIRST: RawFd = 3;
/// More than anybody has addresses.
const MOST: RawFd = 256;
/// A sign must arrive in time also when one is late.
const SIGNS_IN_TIME: u32 = 4;

/// In a row from [`FIRST`], none where they are another process's.
///
/// # Safety
/// To be called once, before anything else opens a descriptor.
pub unsafe fn sockets() -> Vec<OwnedFd> {
    if number("LISTEN_PID") != Some(std::process::id().into()) {
        return Vec::new();
    }
    let count = number("LISTEN_FDS").unwrap_or(0).min(MOST as u64) as RawFd;
    // SAFETY: whoever started us says that they are ours
    (FIRST..FIRST + count).map(|descriptor| unsafe { OwnedFd::from_raw_fd(descriptor) }).collect()
}

/// Children get descriptors one by one, and nobody here may wait on one.
pub fn make_ours(descriptor: &OwnedFd) -> std::io::Result<()> {
    rustix::io::fcntl_setfd(descriptor, FdFlags::CLOEXEC)?;
    Ok(rustix::io::ioctl_fionbio(descriptor.as_fd(), true)?)
}

/// Whoever started us; where nobody waits for a word of ours, saying one does nothing.
#[derive(Clone)]
pub struct Superior {
    address: Option<SocketAddr>,
    watchdog: Option<Duration>,
}

impl Superior {
    /// To be called before the environment is made the service's.
    pub fn from_environment() -> Self {
        let mine = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        Self {
            address: std::env::var("NOTIFY_SOCKET").ok().and_then(|text| parse(&text)),
            watchdog: number("WATCHDOG_USEC").filter(|pause| mine && *pause > 0).map(Duration::from_micros),
        }
    }

    /// Assignments, one a line. Never waits: a superior that reads nothing must not stop a guardian that works.
    pub fn tell(&self, state: &str) {
        let Some(address) = &self.address else { return };
        let told = UnixDatagram::unbound().and_then(|socket| {
            socket.set_nonblocking(true)?;
            socket.send_to_addr(state.as_bytes(), address)
        });
        // it has a deadline of its own
        drop(told);
    }

    /// For as long as the guardian's only thread turns; the service's silence is the guardian's business.
    pub async fn tell_that_we_live(self) {
        let Some(watchdog) = self.watchdog else { return };
        loop {
            self.tell("WATCHDOG=1");
            sleep(watchdog / SIGNS_IN_TIME).await;
        }
    }
}

fn parse(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name).ok(),
        None => SocketAddr::from_pathname(text).ok(),
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_says_that_it_lives_several_times_in_a_watchdog_s_time() {
        let name = format!("sotto-superior-{}", std::process::id());
        let address = parse(&format!("@{name}")).unwrap();
        let systemd = UnixDatagram::bind_addr(&address).unwrap();
        systemd.set_nonblocking(true).unwrap();
        let superior = Superior { address: Some(address), watchdog: Some(Duration::from_secs(8)) };
        let living = tokio::spawn(superior.clone().tell_that_we_live());
        sleep(Duration::from_secs(7)).await;
        living.abort();
        let mut heard = Vec::new();
        let mut octets = [0; 64];
        while let Ok(length) = systemd.recv(&mut octets) {
            heard.push(String::from_utf8(octets[..length].to_vec()).unwrap());
        }
        assert_eq!(heard, ["WATCHDOG=1"; 4]);
    }

    #[tokio::test]
    async fn without_anybody_who_waits_nothing_is_said() {
        let nobody = Superior { address: None, watchdog: None };
        nobody.tell("READY=1");
        nobody.tell_that_we_live().await;
        assert!(parse("\0x").is_none());
    }
}
