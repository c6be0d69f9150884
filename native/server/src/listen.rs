//! Binds sockets, or says which address could not be bound and what to do about it.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use socket2::{Domain, Protocol, Socket, Type};
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

pub fn tcp(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let listen = || {
        let socket = socket(address, Type::STREAM, Protocol::TCP)?;
        // elsewhere the option would let another program take the port from us
        #[cfg(unix)]
        socket.set_reuse_address(true)?;
        bound_buffers(&socket);
        socket.bind(&address.into())?;
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

/// Listeners and sockets in the order of the addresses.
pub fn all_tcp_and_udp(addresses: &[SocketAddr]) -> Result<(Vec<TcpListener>, Vec<UdpSocket>), ListenError> {
    let both: Vec<_> = addresses.iter().copied().map(tcp_and_udp).collect::<Result<_, _>>()?;
    Ok(both.into_iter().unzip())
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
    socket.bind(&address.into())?;
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
