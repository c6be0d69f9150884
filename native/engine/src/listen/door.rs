//! One address, UDP and TCP. Both sockets are bound before either is served, and closing ends both. A socket that this process
//! inherited is used instead of binding a new one.

use std::net::SocketAddr;
use std::sync::Arc;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::watch;

use super::here::is_elsewhere;
use super::keeping::{Listener, keep_serving};
use super::seats::Seats;
use super::{inherited, tcp, udp};
use crate::config::ConfigError;
use crate::outcome::ClientProtocol;
use crate::pipeline::Pipeline;
use crate::zone;

/// Room for a burst that arrives while the engine's thread is busy.
const RECEIVE_BUFFER: usize = 1 << 20;
const BACKLOG: i32 = 512;
/// Attempts to find a port that is free for both, where any port will do.
const ATTEMPTS: usize = 16;

/// Why an address has no door.
pub enum Unbound {
    /// none of this machine, and nothing can be bound there ahead
    Elsewhere,
    Refused(ConfigError),
}

/// Bound, not yet served.
pub struct Bound {
    udp: UdpSocket,
    tcp: TcpListener,
    pub asked_for: SocketAddr,
    pub address: SocketAddr,
}

/// Served until dropped.
pub struct Door {
    pub asked_for: SocketAddr,
    pub address: SocketAddr,
    _open: watch::Sender<()>,
}

impl Bound {
    pub fn bind(asked_for: SocketAddr, index: usize) -> Result<Self, Unbound> {
        let attempts = if asked_for.port() == 0 { ATTEMPTS } else { 1 };
        let mut last = None;
        for _ in 0..attempts {
            match bind_both(asked_for) {
                Ok((udp, tcp)) => {
                    let address = udp.local_addr().unwrap_or(asked_for);
                    return Ok(Self { udp, tcp, asked_for, address });
                }
                Err(error) => last = Some(error),
            }
        }
        let error = last.expect("there was an attempt");
        if is_elsewhere(&error) {
            return Err(Unbound::Elsewhere);
        }
        Err(Unbound::Refused(refused(asked_for, index, &error)))
    }

    pub fn open(self, pipeline: &Arc<Pipeline>) -> Door {
        let Self { udp, tcp, asked_for, address } = self;
        let (open, closed) = watch::channel(());
        tokio::spawn(keep_udp(Arc::new(udp), address, pipeline.clone(), closed.clone()));
        tokio::spawn(keep_tcp(Arc::new(tcp), address, pipeline.clone(), closed));
        Door { asked_for, address, _open: open }
    }
}

async fn keep_udp(
    socket: Arc<UdpSocket>,
    address: SocketAddr,
    pipeline: Arc<Pipeline>,
    closed: watch::Receiver<()>,
) {
    let serve = || udp::serve(socket.clone(), pipeline.clone(), closed.clone());
    keep_serving(
        Listener { address, protocol: ClientProtocol::Udp },
        &pipeline.broken,
        closed.clone(),
        serve,
    )
    .await;
}

async fn keep_tcp(
    listener: Arc<TcpListener>,
    address: SocketAddr,
    pipeline: Arc<Pipeline>,
    closed: watch::Receiver<()>,
) {
    let seats = Arc::new(Seats::new(tcp::LIMITS));
    let serve = || tcp::serve(listener.clone(), seats.clone(), pipeline.clone(), closed.clone());
    keep_serving(
        Listener { address, protocol: ClientProtocol::Tcp },
        &pipeline.broken,
        closed.clone(),
        serve,
    )
    .await;
}

fn bind_both(address: SocketAddr) -> std::io::Result<(UdpSocket, TcpListener)> {
    let socket = |kind, protocol| -> std::io::Result<Socket> {
        let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        socket.set_nonblocking(true)?;
        Ok(socket)
    };
    let inherited = inherited::sockets();
    let datagrams = match inherited.datagrams(address)? {
        Some(bound) => bound,
        None => {
            let fresh = socket(Type::DGRAM, Protocol::UDP)?;
            bind(&fresh, address)?;
            fresh
        }
    };
    let _ = datagrams.set_recv_buffer_size(RECEIVE_BUFFER);
    never_fragment(&datagrams, address);
    let streams = match inherited.streams(address)? {
        Some(listening) => listening,
        None => {
            let fresh = socket(Type::STREAM, Protocol::TCP)?;
            fresh.set_reuse_address(true)?;
            bind(&fresh, datagrams.local_addr()?.as_socket().unwrap_or(address))?;
            fresh.listen(BACKLOG)?;
            fresh
        }
    };
    Ok((UdpSocket::from_std(datagrams.into())?, TcpListener::from_std(streams.into())?))
}

/// An address that is none of this machine yet is bound all the same, so that it answers as soon as it is one.
fn bind(socket: &Socket, address: SocketAddr) -> std::io::Result<()> {
    match socket.bind(&address.into()) {
        Err(error) if error.kind() == std::io::ErrorKind::AddrNotAvailable => {
            bind_ahead(socket, address).map_err(|_| error)
        }
        bound => bound,
    }
}

#[cfg(target_os = "linux")]
fn bind_ahead(socket: &Socket, address: SocketAddr) -> std::io::Result<()> {
    match address {
        SocketAddr::V4(_) => socket.set_freebind_v4(true)?,
        SocketAddr::V6(_) => socket.set_freebind_v6(true)?,
    }
    socket.bind(&address.into())
}

#[cfg(not(target_os = "linux"))]
fn bind_ahead(_: &Socket, _: SocketAddr) -> std::io::Result<()> {
    Err(std::io::ErrorKind::AddrNotAvailable.into())
}

/// No response needs fragments, and forged ICMP must not make any (RFC 9715 section 3.1). Where a packet can't be cut it needs no
/// id for its pieces either, which costs the kernel more than it looks.
#[cfg(target_os = "linux")]
fn never_fragment(datagrams: &Socket, address: SocketAddr) {
    use std::os::fd::AsRawFd;
    if address.is_ipv4() {
        let probe = libc::IP_PMTUDISC_PROBE;
        // SAFETY: the kernel reads one number; where it refuses, packets go on as before
        unsafe {
            libc::setsockopt(
                datagrams.as_raw_fd(),
                libc::IPPROTO_IP,
                libc::IP_MTU_DISCOVER,
                (&raw const probe).cast(),
                size_of_val(&probe) as libc::socklen_t,
            );
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn never_fragment(_: &Socket, _: SocketAddr) {}

/// No address of the settings is one of this machine.
pub fn all_elsewhere(address: SocketAddr, index: usize) -> ConfigError {
    refused(address, index, &std::io::ErrorKind::AddrNotAvailable.into())
}

fn refused(address: SocketAddr, index: usize, error: &std::io::Error) -> ConfigError {
    ConfigError::new("listen-failed", format!("listen[{index}]"), words(address, error), remedy(error))
}

fn words(address: SocketAddr, error: &std::io::Error) -> String {
    let address = zone::written(&address);
    match error.kind() {
        std::io::ErrorKind::AddrInUse => format!("{address} is taken by another program"),
        std::io::ErrorKind::PermissionDenied => format!("listening on {address} is not permitted"),
        std::io::ErrorKind::AddrNotAvailable => format!("{address} is not an address of this machine"),
        _ => format!("can't listen on {address}: {error}"),
    }
}

fn remedy(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "stop that program, or choose another port in listen",
        std::io::ErrorKind::PermissionDenied => "choose a port above 1023 in listen",
        _ => "choose another address in listen",
    }
}
