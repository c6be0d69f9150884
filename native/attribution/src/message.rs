//! The messages of sock_diag(7): a request for one socket or for many, and what comes back. Numbers are in the machine's order, ports and
//! addresses in the network's.

use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};

use crate::{Holder, Peer, Protocol};

const HEADER: usize = 16;
const BODY: usize = 56;
pub const REQUEST_LENGTH: usize = HEADER + BODY;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
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
        let mut octets = request(NLM_F_REQUEST, self.sequence, [family as u8, number as u8], ALL_STATES);
        let body = &mut octets[HEADER..];
        body[8..10].copy_from_slice(&source.port().to_be_bytes());
        body[10..12].copy_from_slice(&destination.port().to_be_bytes());
        write_address(&mut body[12..28], source);
        write_address(&mut body[28..44], destination);
        body[48..56].copy_from_slice(&NO_COOKIE);
        octets
    }
}

/// struct nlmsghdr, and the beginning of struct inet_diag_req_v2: family, protocol, states.
fn request(flags: u16, sequence: u32, kind: [u8; 2], states: u32) -> [u8; REQUEST_LENGTH] {
    let mut octets = [0; REQUEST_LENGTH];
    octets[0..4].copy_from_slice(&(REQUEST_LENGTH as u32).to_ne_bytes());
    octets[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    octets[6..8].copy_from_slice(&flags.to_ne_bytes());
    octets[8..12].copy_from_slice(&sequence.to_ne_bytes());
    octets[HEADER..HEADER + 2].copy_from_slice(&kind);
    octets[HEADER + 4..HEADER + 8].copy_from_slice(&states.to_ne_bytes());
    octets
}

/// Of all sockets of a family (`AF_INET`) and a protocol (`IPPROTO_TCP`) in these states: a bit for each.
pub fn request_for_all(family: u8, protocol: u8, states: u32) -> [u8; REQUEST_LENGTH] {
    request(NLM_F_REQUEST | NLM_F_DUMP, 0, [family, protocol], states)
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

/// A message of a response to [`request_for_all`].
pub enum Part {
    Socket(Described),
    End,
}

/// One socket of many.
pub struct Described {
    /// its number in `enum` of include/net/tcp_states.h
    pub state: u8,
    pub local: SocketAddr,
    /// unspecified, port 0: it is connected to none
    pub remote: SocketAddr,
    pub holder: Holder,
}

/// The messages that came together.
pub fn parts(mut response: &[u8]) -> impl Iterator<Item = Result<Part>> + '_ {
    std::iter::from_fn(move || {
        let length = number(response, 0)? as usize;
        let Some(message) = response.get(..length).filter(|_| length >= HEADER) else {
            response = &[];
            return Some(Err(malformed()));
        };
        response = response.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(part(message))
    })
}

fn part(message: &[u8]) -> Result<Part> {
    match u16::from_ne_bytes([message[4], message[5]]) {
        NLMSG_DONE => Ok(Part::End),
        NLMSG_ERROR => {
            let code = number(message, HEADER).ok_or_else(malformed)? as i32;
            Err(Error::from_raw_os_error(code.wrapping_neg()))
        }
        _ => described(message).map(Part::Socket).ok_or_else(malformed),
    }
}

fn described(message: &[u8]) -> Option<Described> {
    let socket = message.get(HEADER..HEADER + SOCKET)?;
    let Found { holder, .. } = read(message)?;
    let address = |port_at: usize, at: usize| {
        let ip: IpAddr = match i32::from(socket[0]) {
            libc::AF_INET => IpAddr::from(*socket[at..].first_chunk::<4>()?),
            _ => IpAddr::from(*socket[at..].first_chunk::<16>()?),
        };
        let port = u16::from_be_bytes([socket[port_at], socket[port_at + 1]]);
        Some(SocketAddr::new(ip.to_canonical(), port))
    };
    Some(Described { state: socket[1], local: address(4, 8)?, remote: address(6, 24)?, holder })
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
