//! systemd, or whoever else starts a service as it does: the sockets that it hands over (sd_listen_fds(3)), and where it wants to be
//! told how the service does (sd_notify(3)).

#[cfg(unix)]
pub use unix::{ServiceManager, sockets};

#[cfg(unix)]
mod unix {
    use std::os::fd::{FromRawFd, OwnedFd, RawFd};
    use std::os::unix::net::UnixDatagram;

    use sotto_server::Socket;

    const FIRST: RawFd = 3;
    /// No machine has so many addresses to listen on.
    const MOST: usize = 256;

    /// With their names, in the manager's order. None if LISTEN_PID names another process.
    ///
    /// # Safety
    /// To be called once, and before anything else opens a descriptor that stays open.
    pub unsafe fn sockets() -> Vec<(String, Socket)> {
        if number("LISTEN_PID") != Some(std::process::id() as usize) {
            return Vec::new();
        }
        let count = number("LISTEN_FDS").unwrap_or(0).min(MOST);
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        // what systemd calls a socket without a name
        let names = names.split(':').chain(std::iter::repeat("unknown"));
        let adopt = |(name, at): (&str, usize)| {
            // SAFETY: whoever started us says that it is ours
            let descriptor = unsafe { OwnedFd::from_raw_fd(FIRST + at as RawFd) };
            (name.to_owned(), Socket::from(descriptor))
        };
        names.zip(0..count).map(adopt).collect()
    }

    /// Reports go nowhere if it gave no address.
    pub struct ServiceManager {
        address: Option<String>,
    }

    impl ServiceManager {
        pub fn from_environment() -> Self {
            Self { address: std::env::var("NOTIFY_SOCKET").ok() }
        }

        pub fn ready(&self) {
            self.tell("READY=1");
        }

        /// The time tells this report from an earlier one (sd_notify(3)).
        pub fn reloading(&self) {
            self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={}", monotonic_microseconds()));
        }

        pub fn stopping(&self) {
            self.tell("STOPPING=1");
        }

        /// Never blocks. If the report is lost, the manager's own deadline decides.
        fn tell(&self, state: &str) {
            let Some(address) = &self.address else { return };
            let told = UnixDatagram::unbound().and_then(|socket| {
                socket.set_nonblocking(true)?;
                match address.strip_prefix('@') {
                    #[cfg(target_os = "linux")]
                    Some(name) => {
                        use std::os::linux::net::SocketAddrExt;
                        let abstract_address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
                        socket.send_to_addr(state.as_bytes(), &abstract_address)
                    }
                    _ => socket.send_to(state.as_bytes(), address),
                }
            });
            drop(told);
        }
    }

    fn monotonic_microseconds() -> i64 {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the kernel writes one timespec
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
        now.tv_sec * 1_000_000 + now.tv_nsec / 1000
    }

    fn number(variable: &str) -> Option<usize> {
        std::env::var(variable).ok()?.parse().ok()
    }
}

#[cfg(not(unix))]
pub struct ServiceManager;

#[cfg(not(unix))]
impl ServiceManager {
    pub fn from_environment() -> Self {
        ServiceManager
    }

    pub fn ready(&self) {}

    pub fn reloading(&self) {}

    pub fn stopping(&self) {}
}

/// # Safety
/// None is needed here.
#[cfg(not(unix))]
pub unsafe fn sockets() -> Vec<(String, sotto_server::Socket)> {
    Vec::new()
}
