//! What a captured packet says of a query: sent over UDP to the port of a server, from whom and to whom.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice};

/// Header of a DNS message (RFC 1035, section 4.1.1).
const HEADER: usize = 12;
const QR: u8 = 0x80;

/// How frames begin, as <https://www.tcpdump.org/linktypes.html> numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Null,
    Ethernet,
    Raw,
    /// cooked by Linux: the protocol is at this offset, in front of this many octets
    Cooked {
        protocol: usize,
        length: usize,
    },
}

impl Link {
    pub fn of(number: i32) -> Result<Self, String> {
        match number {
            0 | 108 => Ok(Link::Null),
            1 => Ok(Link::Ethernet),
            12 | 101 | 228 | 229 => Ok(Link::Raw),
            113 => Ok(Link::Cooked { protocol: 14, length: 16 }),
            276 => Ok(Link::Cooked { protocol: 0, length: 20 }),
            _ => Err(format!(
                "frames of link type {number} are not known here: capture on an Ethernet, raw IP or \"any\" interface"
            )),
        }
    }

    fn slice(self, frame: &[u8]) -> Option<LaxSlicedPacket<'_>> {
        match self {
            Link::Ethernet => LaxSlicedPacket::from_ethernet(frame).ok(),
            Link::Raw => LaxSlicedPacket::from_ip(frame).ok(),
            Link::Null => LaxSlicedPacket::from_ip(frame.get(4..)?).ok(),
            Link::Cooked { protocol, length } => {
                let kind = frame.get(protocol..protocol + 2)?;
                let kind = EtherType(u16::from_be_bytes([kind[0], kind[1]]));
                Some(LaxSlicedPacket::from_ether_type(kind, frame.get(length..)?))
            }
        }
    }
}

/// Client and server. `None`: it is no query, or a later fragment of one.
pub fn query_in(link: Link, frame: &[u8], port: u16) -> Option<(IpAddr, IpAddr)> {
    let packet = link.slice(frame)?;
    let Some(TransportSlice::Udp(udp)) = &packet.transport else { return None };
    let message = udp.payload();
    if udp.destination_port() != port || message.len() < HEADER || message[2] & QR != 0 {
        return None;
    }
    match packet.net? {
        LaxNetSlice::Ipv4(ip) => {
            let header = ip.header();
            let address = |octets: [u8; 4]| IpAddr::from(Ipv4Addr::from(octets));
            Some((address(header.source()), address(header.destination())))
        }
        LaxNetSlice::Ipv6(ip) => {
            let header = ip.header();
            let address = |octets: [u8; 16]| IpAddr::from(Ipv6Addr::from(octets));
            Some((address(header.source()), address(header.destination())))
        }
        LaxNetSlice::Arp(_) => None,
    }
}
