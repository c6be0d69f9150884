//! Messages on a stream of octets: each has its length before it, two octets (RFC 1035 section 4.2.2).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::upstream::dial::sockets::Stream;

/// The length before each message.
pub const FRAMING: usize = 2;
/// Grows for a message that needs more.
const READ_BUFFER: usize = 16 * 1024;

pub fn framed(message: &[u8]) -> Vec<u8> {
    let mut framed = (message.len() as u16).to_be_bytes().to_vec();
    framed.extend_from_slice(message);
    framed
}

/// Octets that were read and not yet handed out: the first `filled` of `octets`.
pub struct Inbox {
    octets: Vec<u8>,
    filled: usize,
}

/// Queries one after the other, each with its length before it; the first `written` octets have left.
#[derive(Default)]
pub struct Outbox {
    octets: Vec<u8>,
    written: usize,
    unflushed: bool,
    message: Vec<u8>,
}

impl Default for Inbox {
    fn default() -> Self {
        Self { octets: vec![0; READ_BUFFER], filled: 0 }
    }
}

impl Inbox {
    /// Returns how many octets were read; 0 at the stream's end.
    pub fn fill(&mut self, stream: &mut Box<dyn Stream>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.filled == self.octets.len() {
            self.octets.resize(2 * self.filled, 0);
        }
        let mut free = ReadBuf::new(&mut self.octets[self.filled..]);
        ready!(Pin::new(stream).poll_read(cx, &mut free))?;
        let read = free.filled().len();
        self.filled += read;
        Poll::Ready(Ok(read))
    }

    /// The message whose length is at `at`, if all of it has arrived.
    pub fn message(&self, at: usize) -> Option<&[u8]> {
        let (length, rest) = self.octets.get(at..self.filled)?.split_first_chunk()?;
        rest.get(..usize::from(u16::from_be_bytes(*length)))
    }

    /// Removes the first octets, which were handed out.
    pub fn forget(&mut self, count: usize) {
        self.octets.copy_within(count..self.filled, 0);
        self.filled -= count;
    }
}

impl Outbox {
    /// Returns its octets, with its length.
    pub fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        self.message.clear();
        write(&mut self.message);
        self.octets.extend_from_slice(&(self.message.len() as u16).to_be_bytes());
        self.octets.extend_from_slice(&self.message);
        FRAMING + self.message.len()
    }

    /// Writes what there is, then flushes it.
    pub fn flush(&mut self, stream: &mut Box<dyn Stream>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.octets.len() {
            match ready!(Pin::new(&mut *stream).poll_write(cx, &self.octets[self.written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                octets => self.written += octets,
            }
            self.unflushed = true;
        }
        self.octets.clear();
        self.written = 0;
        if self.unflushed {
            ready!(Pin::new(stream).poll_flush(cx))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}
