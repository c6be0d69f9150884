//! Traces as other programs write them, made octet by octet: pcap, pcapng, and dnstap in Frame Streams.

pub type Frame = (u32, Vec<u8>);

/// A query for the root's NS, over IPv4 and UDP, from 192.0.2.1 to 192.0.2.53.
pub fn udp4(port: u16, response: bool) -> Vec<u8> {
    let udp = udp(port, response);
    let mut packet = vec![0x45, 0, 0, (20 + udp.len()) as u8, 0, 0, 0, 0, 64, 17, 0, 0];
    packet.extend([192, 0, 2, 1, 192, 0, 2, 53]);
    packet.extend(udp);
    packet
}

/// From 2001:db8::1 to 2001:db8::53.
pub fn udp6(port: u16) -> Vec<u8> {
    let udp = udp(port, false);
    let mut packet = vec![0x60, 0, 0, 0, 0, udp.len() as u8, 17, 64];
    for last in [1, 0x53] {
        packet.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    packet.extend(udp);
    packet
}

fn udp(port: u16, response: bool) -> Vec<u8> {
    let flags = if response { 0x81 } else { 0x01 };
    let message = [0, 1, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1];
    let mut udp = vec![0xc0, 0];
    udp.extend(port.to_be_bytes());
    udp.extend([0, 8 + message.len() as u8, 0, 0]);
    udp.extend(message);
    udp
}

pub fn ethernet(packet: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    frame.extend(packet);
    frame
}

pub fn pcap(link: u32, nanoseconds: bool, frames: &[Frame]) -> Vec<u8> {
    let magic: u32 = if nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let mut file = magic.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(65_535u32.to_le_bytes());
    file.extend(link.to_le_bytes());
    for (second, frame) in frames {
        let length = (frame.len() as u32).to_le_bytes();
        file.extend([second.to_le_bytes(), 0u32.to_le_bytes(), length, length].concat());
        file.extend(frame);
    }
    file
}

/// With times in microseconds, the default.
pub fn pcapng(frames: &[Frame]) -> Vec<u8> {
    let mut file =
        block(0x0a0d_0d0a, &[0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    file.extend(block(1, &[1, 0, 0, 0, 0, 0, 0, 0]));
    for (second, frame) in frames {
        let micros = u64::from(*second) * 1_000_000;
        let length = frame.len() as u32;
        let words = [0, (micros >> 32) as u32, micros as u32, length, length];
        let mut body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        body.extend(frame);
        body.resize(body.len().next_multiple_of(4), 0);
        file.extend(block(6, &body));
    }
    file
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes(), &length, body, &length].concat()
}

/// A dnstap.Dnstap of this Message.Type, between 192.0.2.1 and 192.0.2.53.
pub fn dnstap_query(kind: u32, second: u64) -> Vec<u8> {
    let mut message = vec![0x08, kind as u8, 0x10, 1, 0x18, 1];
    message.extend([0x22, 4, 192, 0, 2, 1, 0x2a, 4, 192, 0, 2, 53]);
    message.extend(time(8, second));
    frame_of(&[], &message)
}

/// What a program writes of an exchange with a client.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    pub version: &'static str,
    pub kind: u32,
    /// the last octet of 192.0.2.x
    pub client: Option<u8>,
    pub asked: Option<u64>,
    pub answered: Option<u64>,
}

impl Exchange {
    /// The fields that sotto-server writes, in their order: native/server/src/watchers/dnstap.rs.
    pub fn frame(&self) -> Vec<u8> {
        let query = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1];
        let mut message = vec![0x08, self.kind as u8, 0x10, 1, 0x18, 1];
        message.extend(self.client.iter().flat_map(|last| [0x22, 4, 192, 0, 2, *last]));
        message.extend(self.asked.into_iter().flat_map(|second| time(8, second)));
        message.extend([0x52, query.len() as u8]);
        message.extend(query);
        if let Some(second) = self.answered {
            message.extend(time(12, second));
            message.extend([0x72, query.len() as u8]);
            message.extend(query);
        }
        let mut version = vec![0x12, self.version.len() as u8];
        version.extend(self.version.as_bytes());
        frame_of(&version, &message)
    }
}

fn frame_of(before: &[u8], message: &[u8]) -> Vec<u8> {
    [before, &[0x72, message.len() as u8], message, &[0x78, 1]].concat()
}

/// Seconds, and in the next field no nanoseconds.
fn time(field: u8, second: u64) -> Vec<u8> {
    let mut octets = vec![field << 3];
    let mut rest = second;
    while rest > 127 {
        octets.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    octets.extend([rest as u8, (field + 1) << 3 | 5, 0, 0, 0, 0]);
    octets
}

pub fn dnstap(frames: &[Vec<u8>]) -> Vec<u8> {
    let content = b"protobuf:dnstap.Dnstap";
    let mut start = [2u32, 1, content.len() as u32].map(u32::to_be_bytes).concat();
    start.extend(content);
    let mut file = control(&start);
    for frame in frames {
        file.extend((frame.len() as u32).to_be_bytes());
        file.extend(frame);
    }
    file.extend(control(&3u32.to_be_bytes()));
    file
}

fn control(frame: &[u8]) -> Vec<u8> {
    [&[0, 0, 0, 0], &(frame.len() as u32).to_be_bytes()[..], frame].concat()
}
