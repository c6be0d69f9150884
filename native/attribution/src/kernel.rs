//! Asks the kernel about sockets.

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::message::{self, REQUEST_LENGTH, Request};
use crate::{Holder, Peer};

/// A conversation with the kernel, for one thread.
pub struct Kernel {
    socket: OwnedFd,
    sequence: u32,
}

/// A response has one message of 72 octets with a few attributes.
const LONGEST_RESPONSE: usize = 1024;

impl Kernel {
    pub fn open() -> Result<Self> {
        let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: no pointer is passed
        let descriptor = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_SOCK_DIAG) };
        if descriptor < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the kernel has just given it to us
        Ok(Self { socket: unsafe { OwnedFd::from_raw_fd(descriptor) }, sequence: 0 })
    }

    /// `None`: there is no such socket any more. An error is the kernel's, and says nothing of the socket.
    pub fn holder(&mut self, peer: &Peer) -> Result<Option<Holder>> {
        self.sequence = self.sequence.wrapping_add(1);
        self.send(&Request { peer, sequence: self.sequence }.octets())?;
        loop {
            let mut response = [0; LONGEST_RESPONSE];
            let length = self.receive(&mut response)?;
            // an earlier look-up, which failed before it had read its response
            if message::sequence(&response[..length]) == Some(self.sequence) {
                return message::holder(&response[..length]);
            }
        }
    }

    fn send(&self, request: &[u8; REQUEST_LENGTH]) -> Result<()> {
        // SAFETY: pointer and length are of one array, which is only read
        let sent = unsafe { libc::send(self.socket.as_raw_fd(), request.as_ptr().cast(), request.len(), 0) };
        match sent {
            length if length == REQUEST_LENGTH as isize => Ok(()),
            length if length < 0 => Err(Error::last_os_error()),
            _ => Err(ErrorKind::WriteZero.into()),
        }
    }

    /// The kernel has responded before `send` returned.
    fn receive(&self, response: &mut [u8; LONGEST_RESPONSE]) -> Result<usize> {
        let (start, length) = (response.as_mut_ptr().cast(), response.len());
        // SAFETY: pointer and length are of one array, which nobody else uses
        let received = unsafe { libc::recv(self.socket.as_raw_fd(), start, length, 0) };
        usize::try_from(received).map_err(|_| Error::last_os_error())
    }
}
