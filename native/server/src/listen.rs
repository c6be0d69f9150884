//! Binds sockets, or says which address could not be bound and what to do about it. An address that is none of this machine yet is bound
//! all the same (decision 0096).

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use socket2::{Domain, Protocol, Socket, Type};
use sotto_engine::listen::here::{is_elsewhere, is_here};
use tokio::net::{TcpListener, UdpSocket};

use crate::fast_open;

const BACKLOG: i32 = 4096;
/// Octets in each direction of a connection. The kernel would let them grow to megabytes, which a client that reads nothing makes them
/// do; a path of a tenth of a second still carries hundreds of thousands of octets a second.
const IN_THE_KERNEL: usize = 64 * 1024;
/// How many free TCP ports are tried until one is free over UDP, too.
const ATTEMPTS: usize = 16;

#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {error}{}", remedy(.error))]
pub struct ListenError {
    pub address: SocketAddr,
    pub error: io::Error,
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::AddrInUse => "; something else has this port: choose another, or 0 for any free one",
        ErrorKind::PermissionDenied => {
            "; ports below 1024 need root or CAP_NET_BIND_SERVICE: choose a higher one, such as 5353"
        }
        ErrorKind::AddrNotAvailable => "; this machine has no such address: see `ip address`",
        _ => "",
    }
}

/// An address at which nobody can ask now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elsewhere {
    pub address: SocketAddr,
    /// Whoever has it will be served. Otherwise the kernel knows neither such addresses nor their link, and only another start may help.
    pub is_bound: bool,
}

/// What `bind` makes of each address, in their order; what cannot be asked there is noted.
pub fn all<T>(
    addresses: &[SocketAddr],
    bind: impl Fn(SocketAddr) -> Result<T, ListenError>,
    elsewhere: &mut Vec<Elsewhere>,
) -> Result<Vec<T>, ListenError> {
    let mut bound = Vec::new();
    for address in addresses.iter().copied() {
        let made = match bind(address) {
            Err(ListenError { error, .. }) if is_elsewhere(&error) => None,
            made => Some(made?),
        };
        if made.is_none() || !is_here(address) {
            elsewhere.push(Elsewhere { address, is_bound: made.is_some() });
        }
        bound.extend(made);
    }
    Ok(bound)
}

/// `elsewhere`: of all doors. It is more likely a mistake than a wish if that is each of them.
pub fn one_is_here(doors: usize, elsewhere: &[Elsewhere]) -> Result<(), ListenError> {
    match elsewhere.first() {
        Some(first) if elsewhere.len() == doors => {
            Err(ListenError { address: first.address, error: ErrorKind::AddrNotAvailable.into() })
        }
        _ => Ok(()),
    }
}

pub fn tcp(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let listen = || {
        let socket = socket(address, Type::STREAM, Protocol::TCP)?;
        // elsewhere the option would let another program take the port from us
        #[cfg(unix)]
        socket.set_reuse_address(true)?;
        bound_buffers(&socket);
        bind(&socket, address)?;
        socket.listen(BACKLOG)?;
        // where Fast Open is impossible, connections open without it
        let _ = fast_open::allow(&socket);
        TcpListener::from_std(socket.into())
    };
    listen().map_err(|error| ListenError { address, error })
}

/// Of connections, which inherit them; the kernel makes each twice as large.
pub fn bound_buffers(listener: &Socket) {
    let _ = listener.set_send_buffer_size(IN_THE_KERNEL);
    let _ = listener.set_recv_buffer_size(IN_THE_KERNEL);
}

/// One port for both; port 0 is chosen by the system for TCP and tried for UDP.
pub fn tcp_and_udp(address: SocketAddr) -> Result<(TcpListener, UdpSocket), ListenError> {
    let mut attempt = 1;
    loop {
        let listener = tcp(address)?;
        let chosen = listener.local_addr().map_err(|error| ListenError { address, error })?;
        match udp(chosen) {
            Ok(socket) => return Ok((listener, socket)),
            Err(error)
                if address.port() == 0 && attempt < ATTEMPTS && error.kind() == ErrorKind::AddrInUse =>
            {
                attempt += 1
            }
            Err(error) => return Err(ListenError { address: chosen, error }),
        }
    }
}

fn udp(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = socket(address, Type::DGRAM, Protocol::UDP)?;
    enlarge_buffers(&socket);
    bind(&socket, address)?;
    UdpSocket::from_std(socket.into())
}

/// A burst of queries waits in the kernel, which decides how much of this size it grants.
pub fn enlarge_buffers(socket: &Socket) {
    let _ = socket.set_recv_buffer_size(4 << 20);
    let _ = socket.set_send_buffer_size(4 << 20);
}

fn socket(address: SocketAddr, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_nonblocking(true)?;
    Ok(socket)
}

fn bind(socket: &Socket, address: SocketAddr) -> io::Result<()> {
    match socket.bind(&address.into()) {
        Err(error) if error.kind() == ErrorKind::AddrNotAvailable => {
            bind_ahead(socket, address).map_err(|_| error)
        }
        bound => bound,
    }
}

#[cfg(target_os = "linux")]
fn bind_ahead(socket: &Socket, address: SocketAddr) -> io::Result<()> {
    match address {
        SocketAddr::V4(_) => socket.set_freebind_v4(true)?,
        SocketAddr::V6(_) => socket.set_freebind_v6(true)?,
    }
    socket.bind(&address.into())
}

#[cfg(not(target_os = "linux"))]
fn bind_ahead(_: &Socket, _: SocketAddr) -> io::Result<()> {
    Err(ErrorKind::AddrNotAvailable.into())
}
