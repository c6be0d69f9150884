//! The sockets for queries, as one value: the system's, or a script in a test.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UdpSocket;

use crate::upstream::dial::open;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::running::BoxFuture;

pub trait Sockets: Send + Sync {
    /// A socket for one query, on a random port (RFC 5452).
    fn datagrams(&self, server: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Datagrams>>>;

    fn stream(&self, server: SocketAddr) -> BoxFuture<'_, Result<Box<dyn Stream>, DialReason>>;
}

pub trait Datagrams: Send + Sync {
    fn send<'a>(&'a self, message: &'a [u8], to: SocketAddr) -> BoxFuture<'a, io::Result<()>>;

    /// Receives any datagram, whoever sent it.
    fn receive<'a>(&'a self, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<(usize, SocketAddr)>>;

    fn local(&self) -> IpAddr;
}

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The operating system's.
pub struct System;

impl Sockets for System {
    fn datagrams(&self, server: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Datagrams>>> {
        Box::pin(async move {
            let socket = Socket::towards(server).await?;
            Ok(Box::new(socket) as Box<dyn Datagrams>)
        })
    }

    fn stream(&self, server: SocketAddr) -> BoxFuture<'_, Result<Box<dyn Stream>, DialReason>> {
        Box::pin(async move {
            let stream = open::connect(server).await?;
            open::leave_nothing_behind(&stream);
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }
}

struct Socket {
    socket: UdpSocket,
    local: IpAddr,
}

impl Socket {
    /// Not connected, so that datagrams of others can be counted; bound to the address from which packets to `server` leave, so
    /// that a cookie can depend on it.
    async fn towards(server: SocketAddr) -> io::Result<Self> {
        let any: SocketAddr = match server {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let route = UdpSocket::bind(any).await?;
        route.connect(server).await?;
        let mut own = route.local_addr()?;
        own.set_port(0);
        let socket = UdpSocket::bind(own).await?;
        report_errors(&socket, server)?;
        Ok(Self { socket, local: own.ip() })
    }
}

impl Datagrams for Socket {
    fn send<'a>(&'a self, message: &'a [u8], to: SocketAddr) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move { self.socket.send_to(message, to).await.map(|_| ()) })
    }

    fn receive<'a>(&'a self, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<(usize, SocketAddr)>> {
        Box::pin(self.socket.recv_from(buffer))
    }

    fn local(&self) -> IpAddr {
        self.local
    }
}

/// Reports at once that no program listens on the port, and not after a silence. Sockets that are not connected must ask for this.
#[cfg(target_os = "linux")]
fn report_errors(socket: &UdpSocket, server: SocketAddr) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    let (level, name) = match server {
        SocketAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_RECVERR),
        SocketAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_RECVERR),
    };
    let on: libc::c_int = 1;
    // SAFETY: the value lives until the call returns, and its length is right
    let result = unsafe {
        let length = size_of_val(&on) as libc::socklen_t;
        libc::setsockopt(socket.as_raw_fd(), level, name, (&raw const on).cast(), length)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
fn report_errors(_: &UdpSocket, _: SocketAddr) -> io::Result<()> {
    Ok(())
}
