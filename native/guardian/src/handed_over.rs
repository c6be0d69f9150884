//! What systemd hands to the guardian when it starts it: the sockets of sotto.socket (sd_listen_fds(3)), and an address to which the
//! guardian reports that it is ready and alive (sd_notify(3)).

use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use rustix::io::FdFlags;
use tokio::time::sleep;

/// The first descriptor that a service is handed (sd_listen_fds(3)).
pub const FIRST: RawFd = 3;
/// No machine has so many addresses to listen on.
const MOST: RawFd = 256;
/// Signs of life in each watchdog interval, so that one may be late.
const SIGNS_IN_TIME: u32 = 4;

/// The sockets, in a row from [`FIRST`]. None if LISTEN_PID names another process.
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

/// Children must not inherit it by accident, and reading it must not block.
pub fn make_ours(descriptor: &OwnedFd) -> std::io::Result<()> {
    rustix::io::fcntl_setfd(descriptor, FdFlags::CLOEXEC)?;
    Ok(rustix::io::ioctl_fionbio(descriptor.as_fd(), true)?)
}

/// The process that started the guardian, usually systemd. If it gave no address, reports go nowhere.
#[derive(Clone)]
pub struct Superior {
    address: Option<SocketAddr>,
    watchdog: Option<Duration>,
}

impl Superior {
    /// Must be called before the environment is changed for the service.
    pub fn from_environment() -> Self {
        let mine = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        Self {
            address: std::env::var("NOTIFY_SOCKET").ok().and_then(|text| parse(&text)),
            watchdog: number("WATCHDOG_USEC").filter(|pause| mine && *pause > 0).map(Duration::from_micros),
        }
    }

    /// Sends assignments, one a line. Never blocks, so that a superior that does not read cannot stop the guardian.
    pub fn tell(&self, state: &str) {
        let Some(address) = &self.address else { return };
        let told = UnixDatagram::unbound().and_then(|socket| {
            socket.set_nonblocking(true)?;
            socket.send_to_addr(state.as_bytes(), address)
        });
        // if the report is lost, the superior's own deadline decides
        drop(told);
    }

    /// Reports that the guardian's only thread runs. Whether the service is alive is judged by the guardian itself.
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

    const WATCHDOG: Duration = Duration::from_secs(8);

    #[tokio::test(start_paused = true)]
    async fn it_says_that_it_lives_several_times_in_a_watchdog_s_time() {
        let name = format!("sotto-superior-{}", std::process::id());
        let address = parse(&format!("@{name}")).unwrap();
        let systemd = UnixDatagram::bind_addr(&address).unwrap();
        systemd.set_nonblocking(true).unwrap();
        let superior = Superior { address: Some(address), watchdog: Some(WATCHDOG) };
        let living = tokio::spawn(superior.clone().tell_that_we_live());
        sleep(WATCHDOG * 7 / 8).await;
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
