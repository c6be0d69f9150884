//! Opens a TCP connection, with Fast Open where that is wanted.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use socket2::SockRef;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::upstream::dial::fast_open::{self, FastOpen};
use crate::upstream::dial::step::{Step, Watch};
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::outgoing::DEADLINE;

pub const CONNECT: Duration = Duration::from_secs(2);

/// Uses Fast Open if that is allowed, and reports the step.
pub async fn open(
    address: SocketAddr,
    fast_open: bool,
    watch: &Watch<'_>,
) -> Result<(TcpStream, FastOpen), DialReason> {
    let socket = socket(address)?;
    let requested = fast_open && fast_open::request(&socket);
    let stream = connected(socket, address).await?;
    let begun = if requested { FastOpen::begun(&stream) } else { FastOpen::Off };
    watch(if begun.is_deferred() { Step::Deferred } else { Step::Connected });
    Ok((stream, begun))
}

pub async fn connect(address: SocketAddr) -> Result<TcpStream, DialReason> {
    connected(socket(address)?, address).await
}

fn socket(address: SocketAddr) -> Result<TcpSocket, DialReason> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    socket.map_err(|error| DialReason::Connect(plain_words(&error)))
}

async fn connected(socket: TcpSocket, address: SocketAddr) -> Result<TcpStream, DialReason> {
    let mut connecting = pin!(timeout(CONNECT, socket.connect(address)));
    // if connecting fails before anything is waited for, the kernel refused it: no packet has left
    let (outcome, at_once) = match poll_fn(|cx| Poll::Ready(connecting.as_mut().poll(cx))).await {
        Poll::Ready(outcome) => (outcome, true),
        Poll::Pending => (connecting.await, false),
    };
    let stream = match outcome {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) if at_once && is_without_route(&error) => {
            return Err(DialReason::NoRoute(plain_words(&error)));
        }
        Ok(Err(error)) => return Err(DialReason::Connect(plain_words(&error))),
        Err(_) => return Err(DialReason::Silent("TCP")),
    };
    // a query is one small write that must not wait for the response to the one before
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_keepalive(true);
    Ok(stream)
}

/// For queries in cleartext: what was not acknowledged when the stream ends is not sent again, nor for longer than a query lasts.
/// Otherwise the kernel would go on sending it after the lease has ended, on whatever network the machine is then.
pub fn leave_nothing_behind(stream: &TcpStream) {
    let socket = SockRef::from(stream);
    let _ = socket.set_linger(Some(Duration::ZERO));
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(DEADLINE));
}

/// Whether the other end ended the connection, and did not send something that can't be accepted.
pub fn is_break(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    matches!(error.kind(), ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof)
}

/// Whether there never was a connection. One whose SYN carries its first octets is refused when they are written or read.
pub fn is_unreachable(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable, TimedOut};

    matches!(error.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable | TimedOut)
}

/// No route, no link, or (IPv6) no address of our own to send from.
fn is_without_route(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{AddrNotAvailable, HostUnreachable, NetworkDown, NetworkUnreachable};

    matches!(error.kind(), NetworkUnreachable | HostUnreachable | NetworkDown | AddrNotAvailable)
}

/// The system's text without its number.
pub fn plain_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
