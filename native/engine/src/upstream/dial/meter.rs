//! What the kernel knows about a connection's path: round trips and acknowledgements (Linux's TCP_INFO). Elsewhere nothing is
//! known, and our own measurements have to do.

use std::net::IpAddr;
#[cfg(target_os = "linux")]
use std::os::fd::BorrowedFd;
use std::time::Duration;

#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::upstream::outgoing::Traffic;

/// Reads the kernel's figures of a connection. It does not own the descriptor: whoever holds it keeps the stream open meanwhile.
#[derive(Debug, Clone)]
pub struct Meter {
    #[cfg(target_os = "linux")]
    socket: std::os::fd::RawFd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// smoothed by the kernel (RFC 6298)
    pub round_trip: Duration,
    /// since the last segment with data came, whether or not TLS could use it
    pub since_data: Duration,
    /// since the last acknowledgement came
    pub since_acknowledgement: Duration,
    /// all that was sent has reached the other end's kernel
    pub acknowledged: bool,
}

/// The kernel's clock may be as coarse as this.
const TICK: Duration = Duration::from_millis(10);

impl Reading {
    /// Data came later than `since`.
    pub fn heard_after(&self, since: Instant, now: Instant) -> bool {
        now.checked_sub(self.since_data + TICK).is_some_and(|came| came > since)
    }

    /// What was written at `since` has reached the other end's kernel: either nothing is unsent or unacknowledged, or the last acknowledgement came
    /// more than a round trip after `since`.
    pub fn arrived(&self, since: Instant, now: Instant) -> bool {
        let acknowledged = now.checked_sub(self.since_acknowledgement);
        let round_trip = self.round_trip.saturating_sub(TICK);
        self.acknowledged || acknowledged.is_some_and(|at| at > since + round_trip)
    }
}

#[cfg(target_os = "linux")]
impl Meter {
    pub fn of(stream: &TcpStream) -> Option<Self> {
        use std::os::fd::AsRawFd;

        Some(Self { socket: stream.as_raw_fd() })
    }

    pub fn read(&self) -> Option<Reading> {
        self.info().map(|info| Reading {
            round_trip: Duration::from_micros(info.tcpi_rtt.into()),
            since_data: Duration::from_millis(info.tcpi_last_data_recv.into()),
            since_acknowledgement: Duration::from_millis(info.tcpi_last_ack_recv.into()),
            // what this machine itself drops on its way out (a firewall's output hook) was never sent, and so is not unacknowledged
            acknowledged: info.tcpi_unacked == 0 && info.tcpi_notsent_bytes == 0,
        })
    }

    /// Octets that reached either end's kernel; the end of the server's stream (FIN) counts as one octet.
    pub fn traffic(&self) -> Option<Traffic> {
        self.info().map(|info| Traffic {
            // our SYN counts as one
            sent: info.tcpi_bytes_acked.saturating_sub(1),
            received: info.tcpi_bytes_received,
        })
    }

    /// No SYN was acknowledged yet, or none has left.
    pub fn is_connecting(&self) -> bool {
        /// of the kernel's include/net/tcp_states.h
        const SYN_SENT: u8 = 2;
        self.info().is_some_and(|info| info.tcpi_state == SYN_SENT)
    }

    /// The server acknowledged octets together with the SYN that carried them.
    pub fn syn_data_taken(&self) -> bool {
        /// of the kernel's include/uapi/linux/tcp.h
        const TCPI_OPT_SYN_DATA: u8 = 32;
        self.info().is_some_and(|info| info.tcpi_options & TCPI_OPT_SYN_DATA != 0)
    }

    fn info(&self) -> Option<libc::tcp_info> {
        // SAFETY: all zeroes is a value of this plain struct
        let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
        let mut length = size_of_val(&info) as libc::socklen_t;
        // SAFETY: the buffer lives until the call returns, and its length is right
        let result = unsafe {
            let buffer = (&raw mut info).cast();
            libc::getsockopt(self.socket, libc::IPPROTO_TCP, libc::TCP_INFO, buffer, &raw mut length)
        };
        (result == 0).then_some(info)
    }

    /// Our own address on the path.
    pub fn local(&self) -> Option<IpAddr> {
        SockRef::from(&self.socket()).local_addr().ok()?.as_socket().map(|address| address.ip())
    }

    /// What was not acknowledged when the socket is closed is not sent again. Otherwise a path that comes back would carry
    /// queries to which others have responded since.
    pub fn forget_unacknowledged(&self) {
        let _ = SockRef::from(&self.socket()).set_linger(Some(Duration::ZERO));
    }

    /// Acknowledges what has come now, and not up to 40 ms later. A server that uses Nagle's algorithm (RFC 1122 section 4.2.3.4;
    /// unbound before 1.23) sends its next small segment once the last one is acknowledged. The kernel resets this soon. macOS
    /// has no such option; Windows' SIO_TCP_SET_ACK_FREQUENCY was never tried here.
    pub fn acknowledge_now(&self) {
        let _ = SockRef::from(&self.socket()).set_tcp_quickack(true);
    }

    fn socket(&self) -> BorrowedFd<'_> {
        // SAFETY: the stream beside us holds it open
        unsafe { BorrowedFd::borrow_raw(self.socket) }
    }
}

#[cfg(not(target_os = "linux"))]
impl Meter {
    pub fn of(_: &TcpStream) -> Option<Self> {
        None
    }

    pub fn read(&self) -> Option<Reading> {
        None
    }

    pub fn traffic(&self) -> Option<Traffic> {
        None
    }

    pub fn is_connecting(&self) -> bool {
        false
    }

    pub fn syn_data_taken(&self) -> bool {
        false
    }

    pub fn local(&self) -> Option<IpAddr> {
        None
    }

    pub fn forget_unacknowledged(&self) {}

    pub fn acknowledge_now(&self) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn the_kernel_tells_what_reached_the_other_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut ours = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut theirs, _) = listener.accept().await.unwrap();
        ours.write_all(b"query").await.unwrap();
        theirs.read_exact(&mut [0; 5]).await.unwrap();
        theirs.write_all(b"response").await.unwrap();
        ours.read_exact(&mut [0; 8]).await.unwrap();
        let reading = Meter::of(&ours).unwrap().read().unwrap();
        assert!(reading.acknowledged);
        assert!(reading.round_trip > Duration::ZERO);
    }

    #[tokio::test]
    async fn what_was_given_up_is_not_sent_after_all() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let ours = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut theirs, _) = listener.accept().await.unwrap();
        Meter::of(&ours).unwrap().forget_unacknowledged();
        drop(ours);
        let end = theirs.read(&mut [0; 8]).await;
        assert_eq!(end.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    }
}
