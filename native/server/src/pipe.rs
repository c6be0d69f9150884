//! A connection's octets, in cleartext or inside TLS.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;
use tokio::net::TcpStream;

use crate::received::{poll_received, with_received};
use crate::secure::Secure;

pub enum Pipe {
    Clear(TcpStream),
    Secure(Box<Secure>),
}

impl Pipe {
    pub fn tcp(&self) -> &TcpStream {
        match self {
            Pipe::Clear(tcp) => tcp,
            Pipe::Secure(stream) => stream.tcp(),
        }
    }

    /// Octets that wait in it, in either direction.
    pub fn held(&self) -> usize {
        match self {
            Pipe::Clear(_) => 0,
            Pipe::Secure(stream) => stream.held(),
        }
    }

    /// Appends what came. 0: the client has ended its side.
    pub fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
        input: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        match self {
            Pipe::Clear(tcp) => with_received(|received| {
                let octets = ready!(poll_received(tcp, context, &[], received))?;
                input.extend_from_slice(&received[..octets]);
                Poll::Ready(Ok(octets))
            }),
            Pipe::Secure(stream) => stream.poll_receive(context, input),
        }
    }

    /// Returns how many octets it took.
    pub fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let taken = match self {
            Pipe::Clear(tcp) => Pin::new(tcp).poll_write_vectored(context, slices),
            Pipe::Secure(stream) => stream.poll_send(context, slices),
        };
        match ready!(taken)? {
            0 => Poll::Ready(Err(ErrorKind::WriteZero.into())),
            octets => Poll::Ready(Ok(octets)),
        }
    }

    pub fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Pipe::Clear(_) => Poll::Ready(Ok(())),
            Pipe::Secure(stream) => stream.poll_flush(context),
        }
    }
}
