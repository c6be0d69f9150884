//! TCP Fast Open (RFC 7413): the first octets leave with the SYN, once a server has given this machine a cookie. Where the system
//! has no Fast Open, or does not allow it, connections open without.

use tokio::net::{TcpSocket, TcpStream};

use crate::upstream::dial::meter::Meter;
use crate::words::words;

words!(
    /// What happened to Fast Open on a connection.
    #[derive(Default)]
    FastOpen {
        /// not tried
        #[default]
        Off = "off",
        /// there was no cookie: the server was asked for one
        CookieAsked = "cookie-asked",
        /// octets left with the SYN, and were sent again after it
        NotUsed = "not-used",
        /// octets left with the SYN and were taken
        Accepted = "accepted",
    }
);

impl FastOpen {
    /// The state of a stream that was connected after [`request`]. With a cookie, connecting returns at once: the SYN leaves with
    /// the first write, and it is not known yet what the server does with it.
    pub fn begun(stream: &TcpStream) -> Self {
        match Meter::of(stream).is_some_and(|meter| meter.is_connecting()) {
            true => Self::NotUsed,
            false => Self::CookieAsked,
        }
    }

    /// The first octets wait for the SYN, or left with it.
    pub fn is_deferred(self) -> bool {
        matches!(self, Self::NotUsed | Self::Accepted)
    }

    /// The state once the server has sent something.
    pub fn settled(self, meter: Option<&Meter>) -> Self {
        match self.is_deferred() && meter.is_some_and(Meter::syn_data_taken) {
            true => Self::Accepted,
            false => self,
        }
    }
}

/// Whether this system allows it now; administrators may change that.
pub fn is_available() -> bool {
    TcpSocket::new_v4().is_ok_and(|socket| request(&socket))
}

/// To be called before connecting. `false`: this system does not do it.
#[cfg(target_os = "linux")]
pub fn request(socket: &TcpSocket) -> bool {
    use std::os::fd::AsRawFd;

    let on: libc::c_int = 1;
    // SAFETY: the value lives until the call returns, and its length is right
    let result = unsafe {
        let length = size_of_val(&on) as libc::socklen_t;
        let (level, name) = (libc::IPPROTO_TCP, libc::TCP_FASTOPEN_CONNECT);
        libc::setsockopt(socket.as_raw_fd(), level, name, (&raw const on).cast(), length)
    };
    result == 0
}

/// macOS has it in connectx, Windows in ConnectEx; neither is used.
#[cfg(not(target_os = "linux"))]
pub fn request(_: &TcpSocket) -> bool {
    false
}
