//! The sockets of an address, bound here so that they outlive the service, and placed where it looks for them.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, Type};

use crate::handed_over::{self, FIRST};

/// Queries wait in the sockets while there is no service to read them.
const RECEIVE_BUFFER: usize = 1 << 20;
const BACKLOG: i32 = 512;

/// In a row from [`FIRST`].
pub struct Held {
    descriptors: Vec<OwnedFd>,
}

impl Held {
    /// Takes the sockets that systemd bound. If there are none, binds them.
    ///
    /// # Safety
    /// To be called once, before anything else opens a descriptor.
    pub unsafe fn take(addresses: &[SocketAddr]) -> Result<Self, String> {
        // SAFETY: the caller keeps the same promise
        let descriptors = unsafe { handed_over::sockets() };
        if descriptors.is_empty() {
            return Self::bind(addresses);
        }
        for descriptor in &descriptors {
            handed_over::make_ours(descriptor)
                .map_err(|error| format!("a socket that was handed over is none: {error}"))?;
        }
        Ok(Self { descriptors })
    }

    /// Must be called before anything else opens a descriptor, because it closes what has those numbers.
    fn bind(addresses: &[SocketAddr]) -> Result<Self, String> {
        let (mut sockets, mut elsewhere) = (Vec::new(), Vec::new());
        for address in addresses {
            match bind_both(*address, Socket::bind) {
                Ok((datagrams, streams)) => sockets.extend([datagrams.into(), streams.into()]),
                Err(error) if is_elsewhere(&error) => elsewhere.push((*address, error)),
                Err(error) => return Err(words(*address, &error)),
            }
        }
        if let (true, Some((address, error))) = (sockets.is_empty(), elsewhere.first()) {
            return Err(words(*address, error));
        }
        for (address, _) in elsewhere {
            eprintln!("sotto-guardian: {address} is not an address of this machine now");
            // nobody else gets it, should it become one
            if let Ok((datagrams, streams)) = bind_both(address, bind_ahead) {
                sockets.extend([datagrams.into(), streams.into()]);
            }
        }
        let descriptors =
            place(sockets).map_err(|error| format!("can't place the sockets for the service: {error}"))?;
        Ok(Self { descriptors })
    }

    pub fn count(&self) -> usize {
        self.descriptors.len()
    }

    /// The value of LISTEN_FDNAMES.
    pub fn names(&self) -> String {
        let names =
            self.descriptors.iter().map(|held| if is(held, Type::DGRAM) { "dns-udp" } else { "dns-tcp" });
        names.collect::<Vec<_>>().join(":")
    }

    /// Duplicates, on which the guardian itself responds.
    pub fn datagrams(&self) -> io::Result<Vec<std::net::UdpSocket>> {
        self.duplicates(Type::DGRAM)
    }

    pub fn streams(&self) -> io::Result<Vec<std::net::TcpListener>> {
        self.duplicates(Type::STREAM)
    }

    fn duplicates<Kind: From<OwnedFd>>(&self, kind: Type) -> io::Result<Vec<Kind>> {
        let those = self.descriptors.iter().filter(|held| is(held, kind));
        those.map(|held| Ok(held.try_clone()?.into())).collect()
    }
}

fn is(descriptor: &OwnedFd, kind: Type) -> bool {
    SockRef::from(descriptor).r#type().is_ok_and(|found| found == kind)
}

/// Without SO_REUSEPORT, and without SO_REUSEADDR on UDP: nobody else can join. On a listening TCP socket the latter only
/// allows a restart while old connections linger.
fn bind_both(
    address: SocketAddr,
    bind: fn(&Socket, &SockAddr) -> io::Result<()>,
) -> io::Result<(Socket, Socket)> {
    let socket = |kind, protocol| -> io::Result<Socket> {
        let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        socket.set_nonblocking(true)?;
        Ok(socket)
    };
    let datagrams = socket(Type::DGRAM, Protocol::UDP)?;
    let _ = datagrams.set_recv_buffer_size(RECEIVE_BUFFER);
    bind(&datagrams, &address.into())?;
    let streams = socket(Type::STREAM, Protocol::TCP)?;
    streams.set_reuse_address(true)?;
    bind(&streams, &datagrams.local_addr()?)?;
    streams.listen(BACKLOG)?;
    Ok((datagrams, streams))
}

/// The address is none of this machine now, or its whole family is missing: IPv6 may be switched off.
fn is_elsewhere(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable
        || matches!(error.raw_os_error(), Some(libc::EAFNOSUPPORT | libc::ENODEV))
}

#[cfg(target_os = "linux")]
fn bind_ahead(socket: &Socket, address: &SockAddr) -> io::Result<()> {
    if address.is_ipv6() {
        socket.set_freebind_v6(true)?;
    } else {
        socket.set_freebind_v4(true)?;
    }
    socket.bind(address)
}

#[cfg(not(target_os = "linux"))]
fn bind_ahead(_: &Socket, _: &SockAddr) -> io::Result<()> {
    Err(io::ErrorKind::AddrNotAvailable.into())
}

/// Duplicates each socket to a number beyond the last one first, so that none is overwritten; then gives each its number.
fn place(sockets: Vec<OwnedFd>) -> io::Result<Vec<OwnedFd>> {
    let beyond = FIRST + sockets.len() as RawFd;
    let aside: Vec<OwnedFd> = sockets
        .iter()
        .map(|socket| {
            // SAFETY: fcntl makes a new descriptor, which nobody else owns
            let copy = unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_DUPFD_CLOEXEC, beyond) };
            if copy < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { OwnedFd::from_raw_fd(copy) }) }
        })
        .collect::<io::Result<_>>()?;
    drop(sockets);
    let numbers = FIRST..;
    aside
        .iter()
        .zip(numbers)
        .map(|(socket, number)| {
            // SAFETY: nothing of this process is open at these numbers, see `bind`
            let placed = unsafe { libc::dup3(socket.as_raw_fd(), number, libc::O_CLOEXEC) };
            if placed < 0 {
                Err(io::Error::last_os_error())
            } else {
                Ok(unsafe { OwnedFd::from_raw_fd(placed) })
            }
        })
        .collect()
}

fn words(address: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "{address} is taken by another program – stop that program, or choose another port in listen"
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!("listening on {address} is not permitted – choose a port above 1023 in listen")
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("{address} is not an address of this machine – choose another one in listen")
        }
        _ => format!("can't listen on {address}: {error}"),
    }
}
