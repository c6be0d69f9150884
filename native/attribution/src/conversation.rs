//! Messages to a part of the kernel, and back (netlink(7)).

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// For one thread.
pub struct Conversation(OwnedFd);

impl Conversation {
    /// `part`: one of `NETLINK_`.
    pub fn open(part: i32) -> Result<Self> {
        let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: no pointer is passed
        let descriptor = unsafe { libc::socket(libc::AF_NETLINK, kind, part) };
        if descriptor < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the kernel has just given it to us
        Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    pub fn send(&self, request: &[u8]) -> Result<()> {
        // SAFETY: pointer and length are of one slice, which is only read
        let sent = unsafe { libc::send(self.0.as_raw_fd(), request.as_ptr().cast(), request.len(), 0) };
        match sent {
            length if usize::try_from(length) == Ok(request.len()) => Ok(()),
            length if length < 0 => Err(Error::last_os_error()),
            _ => Err(ErrorKind::WriteZero.into()),
        }
    }

    /// The kernel has responded before `send` returned, and of a long response it writes the next piece before this returns.
    pub fn receive(&self, response: &mut [u8]) -> Result<usize> {
        let (start, length) = (response.as_mut_ptr().cast(), response.len());
        // SAFETY: pointer and length are of one slice, which nobody else uses
        let received = unsafe { libc::recv(self.0.as_raw_fd(), start, length, 0) };
        usize::try_from(received).map_err(|_| Error::last_os_error())
    }
}
