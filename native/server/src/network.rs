//! Whom an address stands for.

use std::net::{IpAddr, Ipv6Addr};

/// Over IPv6 whoever has one has many of them, and a /56 is one, as for the rate limits of BIND.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 72 << 72).into(),
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
    }
}
