//! One query of a trace, as small as the models need it.

use std::collections::HashMap;
use std::net::IpAddr;

/// Microseconds since 1970, as all times of a trace.
pub type Micros = u64;
pub const SECOND: Micros = 1_000_000;
/// The year 9999 ends before it; no trace is later.
pub const END_OF_TIME: Micros = 253_402_300_800 * SECOND;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    pub at: Micros,
    pub client: Client,
    /// its number in [`Servers`]
    pub server: u32,
}

/// An address as the 128 bits of IPv6; IPv4 is mapped (RFC 4291, section 2.5.5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client([u64; 2]);

const MAPPED: u128 = 0xffff_0000_0000;

impl Client {
    /// The network of this address: the /24 of IPv4, the /56 of IPv6.
    pub fn prefix(self) -> Self {
        let bits = self.bits();
        let host = if bits >> 32 == MAPPED >> 32 { 8 } else { 72 };
        Self::from_bits(bits >> host << host)
    }

    fn bits(self) -> u128 {
        (u128::from(self.0[0]) << 64) | u128::from(self.0[1])
    }

    fn from_bits(bits: u128) -> Self {
        Client([(bits >> 64) as u64, bits as u64])
    }
}

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Self {
        Self::from_bits(match address {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits(),
        })
    }
}

/// The servers of a trace, by number in the order of their first query.
#[derive(Debug, Default)]
pub struct Servers {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    latest: u32,
}

impl Servers {
    pub fn number(&mut self, name: &str) -> u32 {
        if self.names.get(self.latest as usize).is_some_and(|latest| latest == name) {
            return self.latest;
        }
        self.latest = match self.numbers.get(name) {
            Some(&number) => number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(name.to_owned());
                self.numbers.insert(name.to_owned(), number);
                number
            }
        };
        self.latest
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(text: &str) -> Client {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn a_prefix_is_that_of_its_family() {
        assert_eq!(client("192.0.2.1").prefix(), client("192.0.2.255").prefix());
        assert_ne!(client("192.0.2.1").prefix(), client("192.0.3.1").prefix());
        assert_eq!(client("2001:db8:0:ff::1").prefix(), client("2001:db8:0:0::2").prefix());
        assert_ne!(client("2001:db8:0:100::1").prefix(), client("2001:db8:0:ff::1").prefix());
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"), "a mapped address is the same client");
    }

    #[test]
    fn servers_keep_their_numbers() {
        let mut servers = Servers::default();
        assert_eq!(["a", "b", "a", "a", "b"].map(|name| servers.number(name)), [0, 1, 0, 0, 1]);
        assert_eq!(servers.names(), ["a", "b"]);
    }
}
