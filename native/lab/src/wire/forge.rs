//! Packets that neither end sent.

use std::net::IpAddr;

use serde::Deserialize;

use super::packet::{ACK, ETHERNET, FIN, ICMP, ICMPV6, IPV4, IPV6, Packet, RST, SYN, Station, TCP, UDP};

/// RFC 1812 section 4.3.2.3 and RFC 4443 section 3.1: at most the smallest packet that every link carries.
const QUOTED: usize = 508;

pub struct Segment<'a> {
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    pub payload: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unreachable {
    Port,
    Host,
    /// a firewall says so
    Admin,
}

impl Unreachable {
    /// Type and code: RFC 792 and 1812 for IPv4, RFC 4443 for IPv6.
    fn code(self, ipv6: bool) -> [u8; 2] {
        match (ipv6, self) {
            (false, Unreachable::Port) => [3, 3],
            (false, Unreachable::Host) => [3, 1],
            (false, Unreachable::Admin) => [3, 13],
            (true, Unreachable::Port) => [1, 4],
            (true, Unreachable::Host) => [1, 3],
            (true, Unreachable::Admin) => [1, 1],
        }
    }
}

pub fn tcp(from: Station, to: Station, segment: Segment<'_>) -> Packet {
    let mut octets = Vec::with_capacity(20 + segment.payload.len());
    octets.extend(from.address.port().to_be_bytes());
    octets.extend(to.address.port().to_be_bytes());
    octets.extend(segment.seq.to_be_bytes());
    octets.extend(segment.ack.to_be_bytes());
    octets.extend([5 << 4, segment.flags, 0xff, 0xff, 0, 0, 0, 0]);
    octets.extend(segment.payload);
    ip(from, to, TCP, &octets)
}

pub fn udp(from: Station, to: Station, payload: &[u8]) -> Packet {
    let mut octets = Vec::with_capacity(8 + payload.len());
    octets.extend(from.address.port().to_be_bytes());
    octets.extend(to.address.port().to_be_bytes());
    octets.extend((8 + payload.len() as u16).to_be_bytes());
    octets.extend([0, 0]);
    octets.extend(payload);
    ip(from, to, UDP, &octets)
}

/// What makes the sender of this segment give up: a reset in its receiver's name (RFC 9293 section 3.5.2).
pub fn reset_for_sender(segment: &Packet) -> Option<Packet> {
    let (from, to) = (segment.receiver()?, segment.sender()?);
    let (seq, flags) = if segment.has(ACK) { (segment.ack(), RST) } else { (0, RST | ACK) };
    let ack = if segment.has(ACK) { 0 } else { segment.next_seq() };
    (!segment.has(RST)).then(|| tcp(from, to, Segment { seq, ack, flags, payload: &[] }))
}

/// The same in the sender's name. For a SYN there is none: its receiver knows of no connection yet.
pub fn reset_for_receiver(segment: &Packet) -> Option<Packet> {
    let begins = segment.has(SYN) && !segment.has(ACK);
    let seq = segment.seq();
    let reset = Segment { seq, ack: 0, flags: RST, payload: &[] };
    (!begins && !segment.has(RST)).then(|| Some(tcp(segment.sender()?, segment.receiver()?, reset)))?
}

/// What the receiver of `segment` would send next, if it had got it.
pub fn reply_to(segment: &Packet, payload: &[u8], last: bool) -> Option<Packet> {
    let flags = ACK | super::packet::PSH | if last { FIN } else { 0 };
    let reply = Segment { seq: segment.ack(), ack: segment.next_seq(), flags, payload };
    Some(tcp(segment.receiver()?, segment.sender()?, reply))
}

/// Never in response to ICMP (RFC 1122 section 3.2.2).
pub fn unreachable(offending: &Packet, why: Unreachable) -> Option<Packet> {
    let ipv6 = offending.is_ipv6();
    let quoted = &offending.datagram()[..offending.datagram().len().min(QUOTED)];
    let mut octets = Vec::with_capacity(8 + quoted.len());
    octets.extend(why.code(ipv6));
    octets.extend([0; 6]);
    octets.extend(quoted);
    let protocol = if ipv6 { ICMPV6 } else { ICMP };
    (offending.kind() != super::packet::Kind::Icmp)
        .then(|| Some(ip(offending.receiver()?, offending.sender()?, protocol, &octets)))?
}

fn ip(from: Station, to: Station, protocol: u8, behind: &[u8]) -> Packet {
    let mut frame = Vec::with_capacity(ETHERNET + 40 + behind.len());
    frame.extend(to.mac);
    frame.extend(from.mac);
    match (from.address.ip(), to.address.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            frame.extend(IPV4);
            frame.extend([0x45, 0]);
            frame.extend((20 + behind.len() as u16).to_be_bytes());
            // don't fragment, 64 hops
            frame.extend([0, 0, 0x40, 0, 64, protocol, 0, 0]);
            frame.extend(from.octets());
            frame.extend(to.octets());
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            frame.extend(IPV6);
            frame.extend([0x60, 0, 0, 0]);
            frame.extend((behind.len() as u16).to_be_bytes());
            frame.extend([protocol, 64]);
            frame.extend(from.octets());
            frame.extend(to.octets());
        }
        _ => unreachable!("both addresses were read from one packet"),
    }
    frame.extend(behind);
    let mut packet = Packet::new(frame);
    packet.complete_checksums();
    packet
}
