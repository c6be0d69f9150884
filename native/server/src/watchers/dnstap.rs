//! One exchange with a client as a dnstap message (dnstap.proto): the query as it came and the response as it left.

use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::transport::Transport;

/// Dnstap.Type and Message.Type.
const IS_MESSAGE: u64 = 1;
const CLIENT_QUERY: u64 = 5;
const CLIENT_RESPONSE: u64 = 6;
const VERSION: &str = concat!("sotto-server ", env!("CARGO_PKG_VERSION"));

pub struct Exchange<'a> {
    pub client: IpAddr,
    pub transport: Transport,
    pub asked: SystemTime,
    pub query: &'a [u8],
    /// `None`: there was none.
    pub response: Option<(SystemTime, &'a [u8])>,
}

impl Exchange<'_> {
    pub fn octets(&self) -> Vec<u8> {
        let message = self.message();
        let mut out = Fields(Vec::with_capacity(message.len() + 48));
        out.octets(2, VERSION.as_bytes());
        out.octets(14, &message);
        out.number(15, IS_MESSAGE);
        out.0
    }

    fn message(&self) -> Vec<u8> {
        let response_octets = self.response.map_or(0, |(_, response)| response.len());
        let mut out = Fields(Vec::with_capacity(self.query.len() + response_octets + 80));
        out.number(1, if self.response.is_some() { CLIENT_RESPONSE } else { CLIENT_QUERY });
        let socket_protocol = match self.transport {
            Transport::Udp => 1,
            Transport::Tcp { .. } => 2,
            Transport::Tls { .. } => 3,
        };
        match self.client.to_canonical() {
            IpAddr::V4(address) => {
                out.number(2, 1);
                out.number(3, socket_protocol);
                out.octets(4, &address.octets());
            }
            IpAddr::V6(address) => {
                out.number(2, 2);
                out.number(3, socket_protocol);
                out.octets(4, &address.octets());
            }
        }
        out.time(8, self.asked);
        out.octets(10, self.query);
        if let Some((at, response)) = self.response {
            out.time(12, at);
            out.octets(14, response);
        }
        out.0
    }
}

/// As Protocol Buffers write them.
struct Fields(Vec<u8>);

impl Fields {
    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn octets(&mut self, field: u64, octets: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(octets.len() as u64);
        self.0.extend(octets);
    }

    /// Seconds, and in the next field nanoseconds.
    fn time(&mut self, field: u64, at: SystemTime) {
        let since = at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        self.number(field, since.as_secs());
        self.varint((field + 1) << 3 | 5);
        self.0.extend(since.subsec_nanos().to_le_bytes());
    }

    /// Seven bits in each octet, the lowest first.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers and wire types are those of dnstap.proto.
    #[test]
    fn each_field_has_its_number_and_type() {
        let exchange = Exchange {
            client: "2001:db8::7".parse().unwrap(),
            transport: Transport::Tls { idle: Duration::ZERO },
            asked: UNIX_EPOCH + Duration::new(300, 5),
            query: &[1; 3],
            response: Some((UNIX_EPOCH + Duration::new(301, 6), &[2; 200])),
        };
        let mut message = vec![0x08, 6, 0x10, 2, 0x18, 3, 0x22, 16];
        message.extend("2001:db8::7".parse::<std::net::Ipv6Addr>().unwrap().octets());
        message.extend([0x40, 0xac, 2, 0x4d, 5, 0, 0, 0, 0x52, 3, 1, 1, 1]);
        message.extend([0x60, 0xad, 2, 0x6d, 6, 0, 0, 0, 0x72, 0xc8, 1]);
        message.extend([2; 200]);
        let mut expected = vec![0x12, VERSION.len() as u8];
        expected.extend(VERSION.as_bytes());
        expected.extend([0x72, (message.len() & 0x7f) as u8 | 0x80, (message.len() >> 7) as u8]);
        expected.extend(message);
        expected.extend([0x78, 1]);
        assert_eq!(exchange.octets(), expected);
    }

    #[test]
    fn without_a_response_it_is_a_query() {
        let client = "::ffff:192.0.2.1".parse().unwrap();
        let exchange =
            Exchange { client, transport: Transport::Udp, asked: UNIX_EPOCH, query: &[1; 3], response: None };
        let octets = exchange.message();
        assert_eq!(octets[..8], [0x08, 5, 0x10, 1, 0x18, 1, 0x22, 4]);
        assert_eq!(octets[8..12], [192, 0, 2, 1], "as IPv4");
        assert!(octets.ends_with(&[0x52, 3, 1, 1, 1]));
    }
}
