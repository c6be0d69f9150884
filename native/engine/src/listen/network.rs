//! Whom an address stands for: over IPv6 a machine has as many as it wants, all of them in the /64 of its link (RFC 4291 section 2.5.1).

use std::net::{IpAddr, Ipv6Addr};

/// What shares are counted by.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) if v6.is_loopback() => v6.into(),
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn addresses_of_one_link_are_one() {
        let network = |text: &str| super::network(text.parse().unwrap()).to_string();
        assert_eq!(network("192.0.2.1"), "192.0.2.1");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(network("::1"), "::1");
        assert_eq!(network("2001:db8:0:1::7"), network("2001:db8:0:1:ffff::"));
        assert_ne!(network("2001:db8:0:1::7"), network("2001:db8:0:2::7"));
    }
}
