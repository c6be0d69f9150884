//! Asks the kernel about sockets.

use std::io::{Error, ErrorKind, Result};
use std::ops::RangeInclusive;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::message::{self, Found, REQUEST_LENGTH, Request};
use crate::{Holder, Peer, Protocol};

/// A conversation with the kernel, for one thread.
pub struct Kernel {
    socket: OwnedFd,
    sequence: u32,
    /// the ports that the kernel gives to sockets that ask for none
    given_ports: RangeInclusive<u16>,
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
        Ok(Self {
            socket: unsafe { OwnedFd::from_raw_fd(descriptor) },
            sequence: 0,
            given_ports: given_ports(),
        })
    }

    /// `None`: there is no such socket any more, or it may be another's. The kernel finds the socket that would receive a datagram, and
    /// where a program has shared its port (SO_REUSEADDR), as programs for multicast do, that may be the other one once the sender's is
    /// closed. So a datagram socket counts where it is connected to us, or has a port that the kernel chose for it alone. An error is the
    /// kernel's, and says nothing of the socket.
    pub fn holder(&mut self, peer: &Peer) -> Result<Option<Holder>> {
        self.sequence = self.sequence.wrapping_add(1);
        self.send(&Request { peer, sequence: self.sequence }.octets())?;
        loop {
            let mut response = [0; LONGEST_RESPONSE];
            let length = self.receive(&mut response)?;
            // an earlier look-up, which failed before it had read its response
            if message::sequence(&response[..length]) == Some(self.sequence) {
                let found = message::found(&response[..length])?;
                return Ok(found.filter(|found| self.is_senders(peer, found)).map(|found| found.holder));
            }
        }
    }

    /// How many ports the kernel chooses from for sockets that ask for none.
    pub fn given_ports(&self) -> usize {
        self.given_ports.len()
    }

    fn is_senders(&self, peer: &Peer, found: &Found) -> bool {
        match peer.protocol {
            Protocol::Tcp => true,
            Protocol::Udp if found.connected_to == 0 => self.given_ports.contains(&peer.address.port()),
            Protocol::Udp => found.connected_to == peer.to.port(),
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

/// The kernel's own default where it does not say (ip(7)).
fn given_ports() -> RangeInclusive<u16> {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let mut ports = text.split_whitespace().filter_map(|port| port.parse().ok());
    match (ports.next(), ports.next()) {
        (Some(first), Some(last)) => first..=last,
        _ => 32768..=60999,
    }
}
