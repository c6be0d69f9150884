//! A connection's octets, in cleartext or inside TLS.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::received::{poll_received, until_ended, with_received};
use crate::secure::Secure;

/// What became of an attempt to write.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    /// Octets that were taken; 0: the socket took some of those before.
    pub octets: usize,
    /// Nothing waits in the pipe.
    pub is_flushed: bool,
}

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

    pub fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<Written>> {
        let octets = match self {
            Pipe::Clear(tcp) => match ready!(Pin::new(tcp).poll_write_vectored(context, slices))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                octets => octets,
            },
            Pipe::Secure(stream) => ready!(stream.poll_send(context, slices))?,
        };
        Poll::Ready(Ok(Written { octets, is_flushed: false }))
    }

    /// Returns once the socket has taken some of what waits.
    pub fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Written>> {
        let left = match self {
            Pipe::Clear(_) => 0,
            Pipe::Secure(stream) => ready!(stream.poll_flush(context))?,
        };
        Poll::Ready(Ok(Written { octets: 0, is_flushed: left == 0 }))
    }

    /// Says that nothing more comes, then takes nothing until the client has ended its side: with octets unread, TCP would be reset
    /// and drop what the client has not received.
    pub async fn close(&mut self) {
        match self {
            Pipe::Clear(tcp) => finish(tcp).await,
            Pipe::Secure(stream) => stream.close().await,
        }
    }
}

async fn finish(tcp: &mut TcpStream) {
    if tcp.shutdown().await.is_ok() {
        until_ended(tcp).await;
    }
}
