//! Many datagrams a system call: `recvmmsg` and `sendmmsg` on Linux, one call each elsewhere.

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;

use tokio::io::Interest;
use tokio::net::UdpSocket;

/// Datagrams a call.
pub const BATCH: usize = 64;
/// A question is far smaller; a longer datagram is cut and then malformed.
const LARGEST_QUESTION: usize = 1280;

pub struct Inbox {
    octets: Box<[[u8; LARGEST_QUESTION]; BATCH]>,
    received: Vec<(usize, SocketAddr)>,
}

/// Replies to be sent together. The buffers are kept from one batch to the next.
pub struct Outbox {
    replies: Vec<Vec<u8>>,
    to: Vec<SocketAddr>,
}

impl Inbox {
    pub fn new() -> Self {
        let octets = vec![[0; LARGEST_QUESTION]; BATCH].into_boxed_slice().try_into();
        Self { octets: octets.expect("it has this length"), received: Vec::with_capacity(BATCH) }
    }

    /// Waits for datagrams and reads as many as there are, at most a batch. Not one where only an error waited.
    pub async fn receive(&mut self, socket: &UdpSocket) -> Result<()> {
        self.received.clear();
        let Self { octets, received } = self;
        match socket.async_io(Interest::READABLE, || system::receive(socket, octets, received)).await {
            // an ICMP error of an earlier reply; the socket is fine
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(()),
            other => other,
        }
    }

    pub fn datagrams(&self) -> impl Iterator<Item = (&[u8], SocketAddr)> {
        self.received
            .iter()
            .enumerate()
            .map(|(index, (length, from))| (&self.octets[index][..*length], *from))
    }

    pub fn is_full(&self) -> bool {
        self.received.len() == BATCH
    }
}

impl Outbox {
    pub fn new() -> Self {
        Self { replies: vec![Vec::new(); BATCH], to: Vec::with_capacity(BATCH) }
    }

    /// The buffer for the next reply; [`Outbox::push`] keeps what was written to it.
    pub fn next(&mut self) -> &mut Vec<u8> {
        &mut self.replies[self.to.len()]
    }

    pub fn push(&mut self, to: SocketAddr) {
        self.to.push(to);
    }

    /// Sends all; one that can't be sent is lost, as on a network, and the others are not held up by it.
    pub async fn send(&mut self, socket: &UdpSocket) {
        let mut sent = 0;
        while sent < self.to.len() {
            let (replies, to) = (&self.replies[sent..self.to.len()], &self.to[sent..]);
            sent += match socket.async_io(Interest::WRITABLE, || system::send(socket, replies, to)).await {
                Ok(count) => count.max(1),
                Err(_) => 1,
            };
        }
        self.to.clear();
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::mem::{size_of, zeroed};
    use std::os::fd::AsRawFd;
    use std::ptr::null_mut;

    use libc::{MSG_DONTWAIT, c_int, iovec, mmsghdr, sockaddr_storage};
    use socket2::{SockAddr, SockAddrStorage};

    use super::*;

    pub fn receive(
        socket: &UdpSocket,
        octets: &mut [[u8; LARGEST_QUESTION]; BATCH],
        received: &mut Vec<(usize, SocketAddr)>,
    ) -> Result<()> {
        // SAFETY: all-zero is a valid value of these C structures
        let mut names: [sockaddr_storage; BATCH] = unsafe { zeroed() };
        let mut vectors: [iovec; BATCH] = unsafe { zeroed() };
        let mut headers: [mmsghdr; BATCH] = unsafe { zeroed() };
        for (index, header) in headers.iter_mut().enumerate() {
            vectors[index] = iovec { iov_base: octets[index].as_mut_ptr().cast(), iov_len: LARGEST_QUESTION };
            header.msg_hdr.msg_name = (&raw mut names[index]).cast();
            header.msg_hdr.msg_namelen = size_of::<sockaddr_storage>() as u32;
            header.msg_hdr.msg_iov = &raw mut vectors[index];
            header.msg_hdr.msg_iovlen = 1;
        }
        // SAFETY: every pointer above is into an array that lives until the call returns
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                BATCH as u32,
                MSG_DONTWAIT as _,
                null_mut(),
            )
        };
        for index in 0..count_or_error(count)? {
            let (name, length) = (names[index], headers[index].msg_hdr.msg_namelen);
            // SAFETY: the kernel wrote an address of this length there
            let from = unsafe {
                let mut storage = SockAddrStorage::zeroed();
                *storage.view_as::<sockaddr_storage>() = name;
                SockAddr::new(storage, length).as_socket()
            };
            // an address that is none can't be answered; port 0 takes no reply
            let from = from.unwrap_or_else(|| ([0, 0, 0, 0], 0).into());
            received.push((headers[index].msg_len as usize, from));
        }
        Ok(())
    }

    pub fn send(socket: &UdpSocket, replies: &[Vec<u8>], to: &[SocketAddr]) -> Result<usize> {
        let names: [SockAddr; BATCH] =
            std::array::from_fn(|index| to.get(index).copied().unwrap_or(([0, 0, 0, 0], 0).into()).into());
        // SAFETY: all-zero is a valid value of these C structures
        let mut vectors: [iovec; BATCH] = unsafe { zeroed() };
        let mut headers: [mmsghdr; BATCH] = unsafe { zeroed() };
        for (index, reply) in replies.iter().enumerate() {
            vectors[index] = iovec { iov_base: reply.as_ptr().cast_mut().cast(), iov_len: reply.len() };
            let header = &mut headers[index].msg_hdr;
            header.msg_name = names[index].as_ptr().cast_mut().cast();
            header.msg_namelen = names[index].len();
            header.msg_iov = &raw mut vectors[index];
            header.msg_iovlen = 1;
        }
        // SAFETY: every pointer above is into memory that lives until the call returns; the kernel only reads it
        let count = unsafe {
            libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), replies.len() as u32, MSG_DONTWAIT as _)
        };
        count_or_error(count)
    }

    fn count_or_error(count: c_int) -> Result<usize> {
        usize::try_from(count).map_err(|_| Error::last_os_error())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    pub fn receive(
        socket: &UdpSocket,
        octets: &mut [[u8; LARGEST_QUESTION]; BATCH],
        received: &mut Vec<(usize, SocketAddr)>,
    ) -> Result<()> {
        for buffer in octets.iter_mut() {
            match socket.try_recv_from(buffer) {
                Ok(one) => received.push(one),
                Err(error) if received.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(())
    }

    pub fn send(socket: &UdpSocket, replies: &[Vec<u8>], to: &[SocketAddr]) -> Result<usize> {
        socket.try_send_to(&replies[0], to[0]).map(|_| 1)
    }
}
