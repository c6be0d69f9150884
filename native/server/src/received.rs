//! What is received goes through one buffer for each thread, so that a connection on which nothing happens needs none.

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::net::TcpStream;

/// A record of TLS (RFC 8446 section 5.2: 2^14 + 256 octets behind a header of 5) and the beginning of another.
const LENGTH: usize = 18 * 1024;

thread_local! {
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; LENGTH].into());
}

pub fn with_received<T>(use_buffer: impl FnOnce(&mut [u8]) -> T) -> T {
    BUFFER.with_borrow_mut(|buffer| use_buffer(buffer))
}

/// Puts what was kept of earlier receptions at the front and receives behind it. Returns how many octets are new.
pub fn poll_received(
    tcp: &mut TcpStream,
    context: &mut Context<'_>,
    kept: &[u8],
    buffer: &mut [u8],
) -> Poll<io::Result<usize>> {
    if kept.len() >= buffer.len() {
        let too_long = "a message of the handshake that is longer than any client needs";
        return Poll::Ready(Err(io::Error::new(ErrorKind::InvalidData, too_long)));
    }
    buffer[..kept.len()].copy_from_slice(kept);
    let mut new = ReadBuf::new(&mut buffer[kept.len()..]);
    ready!(Pin::new(tcp).poll_read(context, &mut new))?;
    Poll::Ready(Ok(new.filled().len()))
}

/// Takes nothing more, until the client has ended its side.
pub async fn until_ended(tcp: &mut TcpStream) {
    let mut ignored = [0; 1024];
    while matches!(tcp.read(&mut ignored).await, Ok(octets) if octets > 0) {}
}
