//! Many datagrams a system call: `recvmmsg` and `sendmmsg` on Linux, one call each elsewhere.

use std::io::{ErrorKind, Result};
use std::net::SocketAddr;
use std::time::SystemTime;

use tokio::io::Interest;
use tokio::net::UdpSocket;

#[cfg(not(target_os = "linux"))]
#[path = "batch_elsewhere.rs"]
mod system;
#[cfg(target_os = "linux")]
#[path = "batch_linux.rs"]
mod system;

/// Datagrams a call.
pub const BATCH: usize = 64;
/// Room for the largest datagram there is, and 64 octets more, so that buffers side by side do not begin in the same line of the
/// processor's cache. Only pages that something was written to take memory.
const LARGEST_QUERY: usize = 65_536 + 64;

/// Lets the kernel say when it received each datagram, where it can.
pub fn tell_times(socket: &UdpSocket) {
    system::tell_times(socket);
}

pub struct Inbox {
    slots: system::Receiving,
    received: Vec<Datagram>,
}

/// Of one that was read; its octets are in the inbox.
#[derive(Debug, Clone, Copy)]
pub struct Datagram {
    length: usize,
    pub from: SocketAddr,
    /// when the kernel received it; `None`: it does not say
    pub received: Option<SystemTime>,
}

/// Replies to be sent together. The buffers are kept from one batch to the next.
pub struct Outbox {
    slots: system::Sending,
    responses: Vec<Vec<u8>>,
    to: Vec<SocketAddr>,
}

impl Inbox {
    pub fn new() -> Self {
        Self { slots: system::Receiving::new(), received: Vec::with_capacity(BATCH) }
    }

    /// Waits for datagrams and reads as many as there are, at most a batch. Reads none if only an error was pending.
    pub async fn receive(&mut self, socket: &UdpSocket) -> Result<()> {
        self.received.clear();
        while self.received.is_empty() {
            socket.readable().await?;
            match socket.try_io(Interest::READABLE, || self.read(socket)) {
                // an ICMP error of an earlier response; the socket is fine
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// A batch that is not full has emptied the socket. Marking it as not readable saves one system call.
    fn read(&mut self, socket: &UdpSocket) -> Result<()> {
        self.slots.receive(socket, &mut self.received)?;
        if self.is_full() { Ok(()) } else { Err(ErrorKind::WouldBlock.into()) }
    }

    pub fn datagrams(&self) -> impl Iterator<Item = (&[u8], Datagram)> {
        self.received
            .iter()
            .enumerate()
            .map(|(index, datagram)| (self.slots.octets(index, datagram.length), *datagram))
    }

    pub fn is_full(&self) -> bool {
        self.received.len() == BATCH
    }
}

impl Outbox {
    pub fn new() -> Self {
        Self {
            slots: system::Sending::new(),
            responses: vec![Vec::new(); BATCH],
            to: Vec::with_capacity(BATCH),
        }
    }

    /// The buffer for the next response; [`Outbox::push`] keeps what was written to it.
    pub fn next(&mut self) -> &mut Vec<u8> {
        &mut self.responses[self.to.len()]
    }

    pub fn push(&mut self, to: SocketAddr) {
        self.to.push(to);
    }

    /// Sends all responses. One that can't be sent is dropped, as a network would, and does not delay the others.
    pub async fn send(&mut self, socket: &UdpSocket) {
        let Self { slots, responses, to } = self;
        let mut sent = 0;
        while sent < to.len() {
            let (responses, to) = (&responses[sent..to.len()], &to[sent..]);
            sent += match socket.async_io(Interest::WRITABLE, || slots.send(socket, responses, to)).await {
                Ok(count) => count.max(1),
                Err(_) => 1,
            };
        }
        to.clear();
    }
}
