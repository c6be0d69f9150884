//! One Ethernet frame, read as far as TCP, UDP and ICMP, and changed in place.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::Range;

use super::checksum;

pub const ETHERNET: usize = 14;
pub const IPV4: [u8; 2] = [0x08, 0x00];
pub const IPV6: [u8; 2] = [0x86, 0xdd];
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const ICMP: u8 = 1;
pub const ICMPV6: u8 = 58;

/// Bits of the TCP header.
pub const FIN: u8 = 0x01;
pub const SYN: u8 = 0x02;
pub const RST: u8 = 0x04;
pub const PSH: u8 = 0x08;
pub const ACK: u8 = 0x10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Tcp,
    Udp,
    Icmp,
    /// IP of another kind, and fragments, whose ports and checksums are elsewhere
    OtherIp,
    /// ARP, neighbour discovery, and what is no IP: carried, never lost or tampered with
    Link,
}

/// Where a packet comes from or goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Station {
    pub mac: [u8; 6],
    pub address: SocketAddr,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    frame: Vec<u8>,
    kind: Kind,
    /// where the header behind IP starts
    transport: usize,
}

impl Packet {
    pub fn new(mut frame: Vec<u8>) -> Self {
        let (kind, transport, end) = layout(&frame).unwrap_or((Kind::Link, frame.len(), frame.len()));
        frame.truncate(end);
        Packet { frame, kind, transport }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn frame(&self) -> &[u8] {
        &self.frame
    }

    pub fn sender(&self) -> Option<Station> {
        self.station(6, 0)
    }

    pub fn receiver(&self) -> Option<Station> {
        self.station(0, 1)
    }

    /// The IP packet without its Ethernet header.
    pub fn datagram(&self) -> &[u8] {
        self.frame.get(ETHERNET..).unwrap_or_default()
    }

    pub fn is_ipv6(&self) -> bool {
        self.frame.get(12..14) == Some(&IPV6)
    }

    pub fn seq(&self) -> u32 {
        u32_at(&self.frame, self.transport + 4)
    }

    pub fn ack(&self) -> u32 {
        u32_at(&self.frame, self.transport + 8)
    }

    pub fn set_seq(&mut self, seq: u32) {
        self.frame[self.transport + 4..][..4].copy_from_slice(&seq.to_be_bytes());
    }

    pub fn set_ack(&mut self, ack: u32) {
        self.frame[self.transport + 8..][..4].copy_from_slice(&ack.to_be_bytes());
    }

    /// Whether this is TCP with all of these flags.
    pub fn has(&self, flags: u8) -> bool {
        self.kind == Kind::Tcp && self.frame[self.transport + 13] & flags == flags
    }

    /// The sequence number behind this segment.
    pub fn next_seq(&self) -> u32 {
        let phantom = u32::from(self.has(SYN)) + u32::from(self.has(FIN));
        self.seq().wrapping_add(self.payload().len() as u32 + phantom)
    }

    pub fn payload(&self) -> &[u8] {
        &self.frame[self.payload_range()]
    }

    pub fn payload_mut(&mut self) -> &mut [u8] {
        let range = self.payload_range();
        &mut self.frame[range]
    }

    pub fn remove_payload(&mut self) {
        self.frame.truncate(self.payload_range().start);
        let length = self.frame.len() - ETHERNET;
        if self.is_ipv6() {
            self.set_u16(ETHERNET + 4, (length - 40) as u16);
        } else {
            self.set_u16(ETHERNET + 2, length as u16);
        }
    }

    /// Overwrites the TCP options of these kinds with no-operation.
    pub fn blank_options(&mut self, kinds: &[u8]) {
        let options = self.transport + 20..self.payload_range().start;
        let mut at = options.start;
        while at < options.end {
            let length = match self.frame[at] {
                0 => return,
                1 => 1,
                _ => usize::from(*self.frame.get(at + 1).unwrap_or(&0)),
            };
            if length == 0 || at + length > options.end {
                return;
            }
            if kinds.contains(&self.frame[at]) {
                self.frame[at..at + length].fill(1);
            }
            at += length;
        }
    }

    /// Writes the checksums anew, also the ones that the sending kernel left to its hardware.
    pub fn complete_checksums(&mut self) {
        let (protocol, field) = match self.kind {
            Kind::Tcp => (TCP, 16),
            Kind::Udp => (UDP, 6),
            Kind::Icmp if self.is_ipv6() => (ICMPV6, 2),
            Kind::Icmp => (ICMP, 2),
            Kind::OtherIp | Kind::Link => return,
        };
        let addresses = if self.is_ipv6() {
            ETHERNET + 8..ETHERNET + 40
        } else {
            self.set_u16(ETHERNET + 10, 0);
            let sum = checksum::finish(0, &self.frame[ETHERNET..self.transport]);
            self.set_u16(ETHERNET + 10, sum);
            ETHERNET + 12..ETHERNET + 20
        };
        self.set_u16(self.transport + field, 0);
        let covered = &self.frame[self.transport..];
        let pseudo = match protocol {
            ICMP => 0,
            _ => checksum::pseudo_header(&self.frame[addresses], protocol, covered.len()),
        };
        let sum = checksum::finish(pseudo, covered);
        // RFC 768: a sum of zero is sent as all ones
        let sum = if sum == 0 && protocol == UDP { 0xffff } else { sum };
        self.set_u16(self.transport + field, sum);
    }

    fn payload_range(&self) -> Range<usize> {
        let header = match self.kind {
            Kind::Tcp => usize::from(self.frame[self.transport + 12] >> 4) * 4,
            Kind::Udp => 8,
            _ => return self.frame.len()..self.frame.len(),
        };
        (self.transport + header).min(self.frame.len())..self.frame.len()
    }

    /// `mac` is where in the frame, `which` is 0 for the source and 1 for the destination. Port 0 where there are none.
    fn station(&self, mac: usize, which: usize) -> Option<Station> {
        if self.kind == Kind::Link {
            return None;
        }
        let ip = match self.is_ipv6() {
            true => IpAddr::V6(Ipv6Addr::from(octets::<16>(&self.frame, ETHERNET + 8 + 16 * which))),
            false => IpAddr::V4(Ipv4Addr::from(octets::<4>(&self.frame, ETHERNET + 12 + 4 * which))),
        };
        let port = match self.kind {
            Kind::Tcp | Kind::Udp => u16::from_be_bytes(octets(&self.frame, self.transport + 2 * which)),
            _ => 0,
        };
        Some(Station { mac: octets(&self.frame, mac), address: SocketAddr::new(ip, port) })
    }

    fn set_u16(&mut self, at: usize, value: u16) {
        self.frame[at..at + 2].copy_from_slice(&value.to_be_bytes());
    }
}

/// Kind, start of the header behind IP, end of the packet without padding; None for what is no whole IP packet.
fn layout(frame: &[u8]) -> Option<(Kind, usize, usize)> {
    let (protocol, transport, end, whole) = match frame.get(12..14)? {
        kind if kind == IPV4 => {
            let header = frame.get(ETHERNET..ETHERNET + 20)?;
            let transport = ETHERNET + usize::from(header[0] & 0x0f) * 4;
            let end = ETHERNET + usize::from(u16::from_be_bytes([header[2], header[3]]));
            let fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff;
            (header[9], transport, end, fragment == 0)
        }
        kind if kind == IPV6 => {
            let header = frame.get(ETHERNET..ETHERNET + 40)?;
            let end = ETHERNET + 40 + usize::from(u16::from_be_bytes([header[4], header[5]]));
            (header[6], ETHERNET + 40, end, true)
        }
        _ => return None,
    };
    if end > frame.len() || transport > end {
        return None;
    }
    Some((kind(protocol, whole, &frame[transport..end]), transport, end))
}

/// `behind` is what follows the IP header; it is all of it if the packet is `whole`.
fn kind(protocol: u8, whole: bool, behind: &[u8]) -> Kind {
    match protocol {
        TCP if whole
            && behind.len() >= 20
            && (20..=behind.len()).contains(&(usize::from(behind[12] >> 4) * 4)) =>
        {
            Kind::Tcp
        }
        UDP if whole && behind.len() >= 8 => Kind::Udp,
        // RFC 4861: router and neighbour solicitation, advertisement, redirect
        ICMPV6 if matches!(behind.first(), Some(133..=137)) => Kind::Link,
        ICMP | ICMPV6 if whole && behind.len() >= 8 => Kind::Icmp,
        _ => Kind::OtherIp,
    }
}

fn u32_at(frame: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(octets(frame, at))
}

fn octets<const N: usize>(frame: &[u8], at: usize) -> [u8; N] {
    frame[at..at + N].try_into().expect("a slice of N octets is an array of N")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::forge;

    fn segment(payload: &[u8]) -> Packet {
        let station = |mac, address: &str| Station { mac: [mac; 6], address: address.parse().unwrap() };
        let (from, to) = (station(1, "192.0.2.1:40000"), station(2, "192.0.2.2:53"));
        forge::tcp(from, to, forge::Segment { seq: 7, ack: 9, flags: ACK, payload })
    }

    #[test]
    fn reads_what_it_wrote() {
        let packet = segment(b"abc");
        assert_eq!((packet.kind(), packet.seq(), packet.ack()), (Kind::Tcp, 7, 9));
        assert_eq!((packet.payload(), packet.next_seq()), (&b"abc"[..], 10));
        assert_eq!(packet.receiver().unwrap().address.port(), 53);
        assert_eq!(Packet::new(packet.frame().to_vec()), packet);
    }

    #[test]
    fn a_rewritten_packet_has_the_checksums_of_one_made_so() {
        let mut packet = segment(b"abc");
        packet.payload_mut().copy_from_slice(b"xyz");
        packet.set_seq(8);
        packet.set_ack(10);
        packet.complete_checksums();
        let mut wanted = segment(b"xyz");
        wanted.set_seq(8);
        wanted.set_ack(10);
        wanted.complete_checksums();
        assert_eq!(packet, wanted);
        let tcp = &packet.frame()[34..];
        let whole = checksum::pseudo_header(&packet.frame()[26..34], TCP, tcp.len());
        assert_eq!(checksum::finish(whole, tcp), 0, "the sum over everything is zero");
    }

    #[test]
    fn a_payload_can_be_taken_away() {
        let mut packet = segment(b"abc");
        packet.remove_payload();
        packet.complete_checksums();
        assert_eq!(packet, segment(b""));
    }

    #[test]
    fn cut_off_and_foreign_frames_are_carried_as_they_are() {
        let whole = segment(b"abc");
        for length in 0..whole.frame().len() {
            let packet = Packet::new(whole.frame()[..length].to_vec());
            assert_eq!((packet.kind(), packet.frame().len()), (Kind::Link, length));
        }
        let mut fragment = whole.frame().to_vec();
        fragment[20] = 0x20;
        assert_eq!(Packet::new(fragment).kind(), Kind::OtherIp);
    }
}
