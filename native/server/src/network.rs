//! Whom an address stands for.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Over IPv6 whoever has one has many of them, and a /56 is one, as for the rate limits of BIND.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 72 << 72).into(),
    }
}

/// Whom a flood of responses to this address would hit: a line that carries it may be that of its neighbours.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match network(address) {
        IpAddr::V4(v4) => Ipv4Addr::from_bits(v4.to_bits() >> 8 << 8).into(),
        v6 => v6,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn addresses_of_one_network_are_one() {
        let network = |text: &str| super::network(text.parse().unwrap()).to_string();
        assert_eq!(network("192.0.2.1"), "192.0.2.1");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(network("2001:db8:1:2ff::1"), network("2001:db8:1:200:5::"));
        assert_ne!(network("2001:db8:1:2ff::1"), network("2001:db8:1:300::1"));
        let neighbourhood = |text: &str| super::neighbourhood(text.parse().unwrap()).to_string();
        assert_eq!(neighbourhood("192.0.2.77"), "192.0.2.0");
        assert_eq!(neighbourhood("2001:db8:1:2ff::1"), network("2001:db8:1:2ff::1"));
    }
}
