//! TCP Fast Open (RFC 7413): a client that was here before sends its first octets with the SYN.

use std::io;

use socket2::Socket;

/// Connections whose handshake is not finished and whose octets were taken already. A forged SYN takes one place; if none is left,
/// the next connection opens without Fast Open (section 5.1).
#[cfg(target_os = "linux")]
const QUEUE: libc::c_int = 256;

/// Does not fail if the kernel's own switch is off: the kernel reads it at each SYN.
#[cfg(target_os = "linux")]
pub fn allow(listener: &Socket) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let (queue, octets) = (QUEUE, size_of::<libc::c_int>() as libc::socklen_t);
    // SAFETY: the descriptor is open, and the value is an integer of the given size
    let outcome = unsafe {
        libc::setsockopt(
            listener.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_FASTOPEN,
            (&raw const queue).cast(),
            octets,
        )
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
pub fn allow(_listener: &Socket) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Why Fast Open will not work for clients, and what to do about it.
pub fn obstacle() -> Option<&'static str> {
    const SWITCH: &str = "/proc/sys/net/ipv4/tcp_fastopen";
    const SERVER: u32 = 2;
    let allowed = std::fs::read_to_string(SWITCH).ok().and_then(|text| text.trim().parse::<u32>().ok());
    match allowed {
        Some(flags) if flags & SERVER != 0 => None,
        Some(_) => Some("the kernel allows it to clients only: sysctl net.ipv4.tcp_fastopen=3 allows it"),
        None => Some("this system does not offer it"),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    fn queue(listener: &impl AsRawFd) -> libc::c_int {
        let mut places: libc::c_int = -1;
        let mut octets = size_of_val(&places) as libc::socklen_t;
        // SAFETY: the descriptor is open, and the kernel writes one integer at most
        let outcome = unsafe {
            libc::getsockopt(
                listener.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_FASTOPEN,
                (&raw mut places).cast(),
                &raw mut octets,
            )
        };
        assert_eq!(outcome, 0, "{}", io::Error::last_os_error());
        places
    }

    #[tokio::test]
    async fn listeners_have_a_bounded_queue_of_them() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = crate::listen::tcp(address.parse().unwrap()).unwrap();
            assert_eq!(queue(&listener), QUEUE, "{address}");
        }
    }
}
