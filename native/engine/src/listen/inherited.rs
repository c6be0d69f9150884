//! Sockets that were bound before this process started, by a guardian or by systemd (sd_listen_fds(3)). They stay open for as
//! long as the process lives, so that no other program can take the address, whatever the configuration says.

use std::net::SocketAddr;
use std::sync::OnceLock;

use socket2::{Socket, Type};

/// Read from the environment once, at the first call; descriptors are marked so that no child of ours inherits them.
pub fn sockets() -> &'static Inherited {
    static INHERITED: OnceLock<Inherited> = OnceLock::new();
    INHERITED.get_or_init(|| Inherited { sockets: platform::take() })
}

#[derive(Default)]
pub struct Inherited {
    sockets: Vec<Socket>,
}

impl Inherited {
    pub fn of(sockets: Vec<Socket>) -> Self {
        Self { sockets }
    }

    /// A duplicate of the socket bound to this very address, without blocking. `None`: there is none, bind your own.
    pub fn datagrams(&self, address: SocketAddr) -> std::io::Result<Option<Socket>> {
        self.find(address, |socket| matches!(socket.r#type(), Ok(Type::DGRAM)))
    }

    pub fn streams(&self, address: SocketAddr) -> std::io::Result<Option<Socket>> {
        self.find(address, |socket| {
            matches!(socket.r#type(), Ok(Type::STREAM)) && matches!(socket.is_listener(), Ok(true))
        })
    }

    /// Of UDP and TCP, each once.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let mut all: Vec<_> = self.sockets.iter().filter_map(address_of).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Sorts them by what the kernel says of each; names and order depend on who bound them.
    fn find(&self, address: SocketAddr, fits: impl Fn(&Socket) -> bool) -> std::io::Result<Option<Socket>> {
        let found = self.sockets.iter().find(|socket| address_of(socket) == Some(address) && fits(socket));
        let Some(found) = found else { return Ok(None) };
        let own = found.try_clone()?;
        own.set_nonblocking(true)?;
        Ok(Some(own))
    }
}

fn address_of(socket: &Socket) -> Option<SocketAddr> {
    socket.local_addr().ok()?.as_socket()
}

#[cfg(unix)]
mod platform {
    use std::os::fd::{FromRawFd, RawFd};

    use socket2::Socket;

    const FIRST: RawFd = 3;
    /// No machine has so many addresses to listen on.
    const MOST: RawFd = 256;

    pub fn take() -> Vec<Socket> {
        let own = number("LISTEN_PID") == Some(std::process::id());
        let count = number("LISTEN_FDS").unwrap_or(0).min(MOST as u32) as RawFd;
        if !own {
            return Vec::new();
        }
        (FIRST..FIRST + count).filter_map(adopt).collect()
    }

    fn number(variable: &str) -> Option<u32> {
        std::env::var(variable).ok()?.parse().ok()
    }

    fn adopt(descriptor: RawFd) -> Option<Socket> {
        // SAFETY: whoever started us says that this descriptor is ours and nobody else's; the kernel checks that it is one
        unsafe {
            if libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) < 0 {
                return None;
            }
            Some(Socket::from_raw_fd(descriptor))
        }
    }
}

#[cfg(not(unix))]
mod platform {
    pub fn take() -> Vec<socket2::Socket> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use socket2::{Domain, Protocol};

    use super::*;

    fn bound(kind: Type, protocol: Protocol) -> (Socket, SocketAddr) {
        let socket = Socket::new(Domain::IPV4, kind, Some(protocol)).unwrap();
        socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        let address = address_of(&socket).unwrap();
        (socket, address)
    }

    #[test]
    fn a_socket_is_found_by_its_address_and_its_type() {
        let (datagrams, udp) = bound(Type::DGRAM, Protocol::UDP);
        let (streams, tcp) = bound(Type::STREAM, Protocol::TCP);
        let (idle, unheard) = bound(Type::STREAM, Protocol::TCP);
        streams.listen(1).unwrap();
        let inherited = Inherited::of(vec![datagrams, streams, idle]);
        let found = |socket: Option<Socket>| socket.and_then(|socket| address_of(&socket));

        assert_eq!(found(inherited.datagrams(udp).unwrap()), Some(udp));
        assert_eq!(found(inherited.streams(tcp).unwrap()), Some(tcp));
        assert_eq!(found(inherited.streams(udp).unwrap()), None);
        assert_eq!(found(inherited.datagrams(tcp).unwrap()), None);
        assert_eq!(found(inherited.streams(unheard).unwrap()), None, "nobody listens on it");
        let mut all = vec![udp, tcp, unheard];
        all.sort();
        assert_eq!(inherited.addresses(), all);
    }

    #[test]
    fn what_is_closed_here_is_still_bound_there() {
        let (datagrams, address) = bound(Type::DGRAM, Protocol::UDP);
        let inherited = Inherited::of(vec![datagrams]);
        drop(inherited.datagrams(address).unwrap());
        assert!(std::net::UdpSocket::bind(address).is_err());
        assert!(inherited.datagrams(address).unwrap().is_some());
    }
}
