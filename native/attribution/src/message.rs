//! The messages of sock_diag(7): a request for one socket, and what comes back. Numbers are in the machine's order, ports and
//! addresses in the network's.

use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};

use crate::{Holder, Peer, Protocol};

const HEADER: usize = 16;
const BODY: usize = 56;
pub const REQUEST_LENGTH: usize = HEADER + BODY;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLM_F_REQUEST: u16 = 1;
/// struct inet_diag_msg
const SOCKET: usize = 72;
const INET_DIAG_CGROUP_ID: u16 = 21;
const NO_COOKIE: [u8; 8] = [0xff; 8];
const ALL_STATES: u32 = u32::MAX;

pub struct Request<'a> {
    pub peer: &'a Peer,
    pub sequence: u32,
}

impl Request<'_> {
    /// struct nlmsghdr, then struct inet_diag_req_v2.
    pub fn octets(&self) -> [u8; REQUEST_LENGTH] {
        let Peer { protocol, address, to } = *self.peer;
        // The kernel looks for a UDP socket as for the receiver of a packet, so both ends are exchanged.
        let (source, destination, number) = match protocol {
            Protocol::Tcp => (address, to, libc::IPPROTO_TCP),
            Protocol::Udp => (to, address, libc::IPPROTO_UDP),
        };
        let family = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
        let mut octets = [0; REQUEST_LENGTH];
        octets[0..4].copy_from_slice(&(REQUEST_LENGTH as u32).to_ne_bytes());
        octets[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
        octets[6..8].copy_from_slice(&NLM_F_REQUEST.to_ne_bytes());
        octets[8..12].copy_from_slice(&self.sequence.to_ne_bytes());
        let body = &mut octets[HEADER..];
        body[0] = family as u8;
        body[1] = number as u8;
        body[4..8].copy_from_slice(&ALL_STATES.to_ne_bytes());
        body[8..10].copy_from_slice(&source.port().to_be_bytes());
        body[10..12].copy_from_slice(&destination.port().to_be_bytes());
        write_address(&mut body[12..28], source);
        write_address(&mut body[28..44], destination);
        body[48..56].copy_from_slice(&NO_COOKIE);
        octets
    }
}

fn write_address(place: &mut [u8], address: SocketAddr) {
    match address.ip() {
        IpAddr::V4(ip) => place[..4].copy_from_slice(&ip.octets()),
        IpAddr::V6(ip) => place.copy_from_slice(&ip.octets()),
    }
}

pub fn sequence(response: &[u8]) -> Option<u32> {
    number(response, 8)
}

/// What the kernel says of a socket.
pub struct Found {
    pub holder: Holder,
    /// the port that it is connected to; 0: to none
    pub connected_to: u16,
}

/// `None`: the kernel knows no such socket, or nobody holds it any more.
pub fn found(response: &[u8]) -> Result<Option<Found>> {
    let kind = response.get(4..6).map(|octets| u16::from_ne_bytes([octets[0], octets[1]]));
    match kind {
        Some(SOCK_DIAG_BY_FAMILY) => read(response).ok_or_else(malformed).map(held),
        Some(NLMSG_ERROR) => match number(response, HEADER).map(|code| (code as i32).wrapping_neg()) {
            Some(libc::ENOENT) => Ok(None),
            Some(code) => Err(Error::from_raw_os_error(code)),
            None => Err(malformed()),
        },
        _ => Err(malformed()),
    }
}

/// struct nlmsghdr, struct inet_diag_msg, and attributes.
fn read(response: &[u8]) -> Option<Found> {
    let socket = response.get(HEADER..HEADER + SOCKET)?;
    let cgroup = attribute(response.get(HEADER + SOCKET..)?, INET_DIAG_CGROUP_ID)
        .and_then(|value| value.try_into().ok())
        .map(u64::from_ne_bytes);
    let holder = Holder { user: number(socket, 64)?, inode: number(socket, 68)?, cgroup };
    Some(Found { holder, connected_to: u16::from_be_bytes([socket[6], socket[7]]) })
}

/// A connection that its program has closed lives on for a while, without an inode.
fn held(found: Found) -> Option<Found> {
    (found.holder.inode != 0).then_some(found)
}

/// The value of the first attribute of this kind: length (u16, with these four octets), kind (u16), value, filled up to four octets.
fn attribute(mut attributes: &[u8], wanted: u16) -> Option<&[u8]> {
    loop {
        let length = usize::from(u16::from_ne_bytes([*attributes.first()?, *attributes.get(1)?]));
        let kind = u16::from_ne_bytes([*attributes.get(2)?, *attributes.get(3)?]);
        let value = attributes.get(4..length)?;
        if kind == wanted {
            return Some(value);
        }
        attributes = attributes.get(length.next_multiple_of(4)..)?;
    }
}

fn number(octets: &[u8], at: usize) -> Option<u32> {
    octets.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}

fn malformed() -> Error {
    Error::new(ErrorKind::InvalidData, "the kernel's response about a socket can't be read")
}
