//! TLS on one connection. It does two things that a general adapter does not: queries that came as early data are answered before
//! the handshake is finished (0.5-RTT, RFC 8446 section 4.4.4), and each slice of a vectored write becomes a record of its own,
//! all of them in one write to the socket.

use std::future::poll_fn;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::{HandshakeKind, ServerConfig, ServerConnection};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::early;

pub struct Secure {
    tcp: TcpStream,
    tls: ServerConnection,
    /// Early data that was not handed on yet.
    early: Vec<u8>,
    /// Something was written. Before that, the handshake's last flight waits, and leaves with the first responses.
    spoke: bool,
    /// By when the handshake must be finished; `None` afterwards.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Secure {
    /// Returns when the handshake is finished, or when there are queries that need not wait for it: these octets begin the
    /// conversation. What the handshake still has to send leaves with the next write or flush.
    pub async fn accept(
        config: Arc<ServerConfig>,
        tcp: TcpStream,
        deadline: Instant,
    ) -> io::Result<(Self, Vec<u8>)> {
        let mut tls = ServerConnection::new(config).map_err(io::Error::other)?;
        // how much may wait is for the conversation to decide
        tls.set_buffer_limit(None);
        let deadline = Some(Box::pin(sleep_until(deadline)));
        let mut stream = Secure { tcp, tls, early: Vec::new(), spoke: false, deadline };
        let queries = poll_fn(|context| stream.poll_open(context)).await?;
        Ok((stream, queries))
    }

    pub fn handshake_kind(&self) -> Option<HandshakeKind> {
        self.tls.handshake_kind()
    }

    /// Whether the client sent early data and they were accepted.
    pub fn was_early(&mut self) -> bool {
        self.tls.early_data().is_some()
    }

    pub fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    /// Sends close_notify, then nothing until the client's FIN: the side that closes TCP first keeps TIME-WAIT.
    pub async fn close(mut self) {
        self.tls.send_close_notify();
        if self.flush().await.is_err() {
            return;
        }
        let mut ignored = [0; 1024];
        while matches!(self.tcp.read(&mut ignored).await, Ok(octets) if octets > 0) {}
    }

    fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Vec<u8>>> {
        loop {
            let queries = self.answerable();
            if !queries.is_empty() || self.deadline.is_none() {
                return Poll::Ready(Ok(queries));
            }
            ready!(self.poll_receive(context))?;
        }
    }

    /// The part of the early data that may be answered now.
    fn answerable(&mut self) -> Vec<u8> {
        let octets = match self.deadline {
            Some(_) => early::answerable(&self.early),
            None => self.early.len(),
        };
        self.early.drain(..octets).collect()
    }

    /// Sends what TLS itself has to send, then takes in what the client sent.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Poll::Ready(Err(error)) = self.poll_send(context) {
            return Poll::Ready(Err(error));
        }
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        let octets = match self.tls.read_tls(&mut Socket { tcp: &mut self.tcp, context }) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Poll::Pending,
            outcome => outcome?,
        };
        if let Err(error) = self.tls.process_new_packets() {
            let _ = self.poll_send(context); // the alert
            return Poll::Ready(Err(io::Error::new(ErrorKind::InvalidData, error)));
        }
        if let Some(mut early) = self.tls.early_data() {
            early.read_to_end(&mut self.early)?;
        }
        if !self.tls.is_handshaking() {
            self.deadline = None;
        } else if octets == 0 {
            return Poll::Ready(Err(ErrorKind::UnexpectedEof.into()));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.tls.wants_write() {
            match self.tls.write_tls(&mut Socket { tcp: &mut self.tcp, context }) {
                Ok(0) => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Poll::Pending,
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn take_plaintext(&mut self, buffer: &mut ReadBuf<'_>) -> io::Result<bool> {
        let queries = self.answerable();
        if !queries.is_empty() {
            let fits = queries.len().min(buffer.remaining());
            buffer.put_slice(&queries[..fits]);
            self.early.splice(..0, queries[fits..].iter().copied());
            return Ok(true);
        }
        match self.tls.reader().read(buffer.initialize_unfilled()) {
            Ok(octets) => {
                buffer.advance(octets);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl AsyncRead for Secure {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        while !stream.take_plaintext(buffer)? {
            ready!(stream.poll_receive(context))?;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Secure {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, octets: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(octets)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        if std::mem::replace(&mut stream.spoke, true) {
            ready!(stream.poll_send(context))?;
        }
        let mut taken = 0;
        for slice in slices {
            taken += stream.tls.writer().write(slice)?;
        }
        match stream.poll_send(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            // the rest leaves with the next write or flush
            _ => Poll::Ready(Ok(taken)),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_send(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        stream.tls.send_close_notify();
        ready!(stream.poll_send(context))?;
        Pin::new(&mut stream.tcp).poll_shutdown(context)
    }
}

/// The socket as rustls reads and writes it.
struct Socket<'a, 'b> {
    tcp: &'a mut TcpStream,
    context: &'a mut Context<'b>,
}

fn or_would_block<T>(outcome: Poll<io::Result<T>>) -> io::Result<T> {
    match outcome {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => Err(ErrorKind::WouldBlock.into()),
    }
}

impl Read for Socket<'_, '_> {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(octets);
        or_would_block(Pin::new(&mut *self.tcp).poll_read(self.context, &mut buffer))?;
        Ok(buffer.filled().len())
    }
}

impl Write for Socket<'_, '_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        or_would_block(Pin::new(&mut *self.tcp).poll_write(self.context, octets))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        or_would_block(Pin::new(&mut *self.tcp).poll_write_vectored(self.context, slices))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
