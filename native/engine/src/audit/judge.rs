//! Which sockets the audit is about: connections that programs of this computer opened to computers elsewhere.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use sotto_attribution::{Protocol, Socket};

use crate::policy::response_policy::is_private;

/// Servers of DHCP and DHCPv6. What a client renews, it has from no response.
const DHCP: [u16; 2] = [67, 547];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// to be compared with the addresses given
    Opened,
    /// another computer opened it
    Accepted,
    /// to this computer or its network
    Nearby,
    /// it is connected to nobody
    Waits,
}

/// The addresses at which sockets wait for others, by port.
pub struct Waiting(HashMap<(Protocol, u16), Vec<IpAddr>>);

impl Waiting {
    pub fn among(sockets: &[Socket]) -> Self {
        let mut ports: HashMap<_, Vec<_>> = HashMap::new();
        for Socket { protocol, local, .. } in sockets.iter().filter(|socket| socket.waits) {
            let addresses = ports.entry((*protocol, local.port())).or_default();
            if !addresses.contains(&local.ip()) {
                addresses.push(local.ip());
            }
        }
        Self(ports)
    }

    fn at(&self, protocol: Protocol, local: SocketAddr) -> bool {
        let addresses = self.0.get(&(protocol, local.port()));
        let is_for = |waiting: &IpAddr| {
            *waiting == local.ip() || waiting.is_unspecified() && (waiting.is_ipv6() || local.is_ipv4())
        };
        addresses.is_some_and(|addresses| addresses.iter().any(is_for))
    }
}

pub fn kind(socket: &Socket, waiting: &Waiting) -> Kind {
    let Socket { protocol, local, remote, waits, .. } = *socket;
    if waits || remote.ip().is_unspecified() {
        Kind::Waits
    } else if is_nearby(local.ip(), remote) || protocol == Protocol::Udp && DHCP.contains(&remote.port()) {
        Kind::Nearby
    } else if waiting.at(protocol, local) {
        Kind::Accepted
    } else {
        Kind::Opened
    }
}

fn is_nearby(local: IpAddr, remote: SocketAddr) -> bool {
    let address = remote.ip();
    address == local || address.is_multicast() || is_private(&address) || is_on_link(local, address) || {
        matches!(address, IpAddr::V4(address) if address.is_broadcast())
    }
}

/// The networks that hosts are in have prefixes of 64 bits (RFC 4291 section 2.5.4).
fn is_on_link(local: IpAddr, remote: IpAddr) -> bool {
    matches!((local, remote), (IpAddr::V6(local), IpAddr::V6(remote)) if local.octets()[..8] == remote.octets()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sotto_attribution::Holder;

    fn socket(protocol: Protocol, local: &str, remote: &str) -> Socket {
        let (local, remote) = (local.parse().unwrap(), remote.parse().unwrap());
        let holder = Holder { user: 1000, inode: 1, cgroup: None };
        Socket { protocol, local, remote, waits: false, holder }
    }

    fn waiting(protocol: Protocol, local: &str) -> Socket {
        Socket { waits: true, ..socket(protocol, local, "0.0.0.0:0") }
    }

    fn judged(protocol: Protocol, local: &str, remote: &str, waits_at: &[&str]) -> Kind {
        let sockets: Vec<_> = waits_at.iter().map(|at| waiting(protocol, at)).collect();
        kind(&socket(protocol, local, remote), &Waiting::among(&sockets))
    }

    #[test]
    fn what_goes_elsewhere_was_opened_here() {
        for (local, remote) in [
            ("192.168.1.5:40000", "203.0.113.7:443"),
            ("203.0.113.5:40000", "203.0.113.7:443"),
            ("[2001:db8:1::5]:40000", "[2001:db8:2::7]:443"),
            ("192.168.1.5:40000", "203.0.113.7:67"),
        ] {
            assert_eq!(judged(Protocol::Tcp, local, remote, &["0.0.0.0:22"]), Kind::Opened, "{remote}");
        }
        assert_eq!(judged(Protocol::Udp, "192.168.1.5:40000", "203.0.113.7:443", &[]), Kind::Opened);
    }

    #[test]
    fn what_stays_here_is_nearby() {
        for (local, remote) in [
            ("127.0.0.1:40000", "127.0.0.1:443"),
            ("203.0.113.5:40000", "203.0.113.5:443"),
            ("192.168.1.5:40000", "192.168.1.9:631"),
            ("192.168.1.5:40000", "169.254.1.9:80"),
            ("192.168.1.5:40000", "224.0.0.251:5353"),
            ("192.168.1.5:40000", "255.255.255.255:9"),
            ("[fe80::5]:40000", "[fe80::7]:443"),
            ("[2001:db8:1::5]:40000", "[2001:db8:1::7]:631"),
            ("[fd00::5]:40000", "[fd00:1::7]:443"),
            ("192.168.1.5:68", "203.0.113.1:67"),
            ("[2001:db8:1::5]:546", "[2001:db8:2::7]:547"),
        ] {
            assert_eq!(judged(Protocol::Udp, local, remote, &[]), Kind::Nearby, "{remote}");
        }
    }

    #[test]
    fn what_comes_to_a_port_that_waits_was_accepted() {
        for (local, waits_at, accepted) in [
            ("203.0.113.5:22", "0.0.0.0:22", true),
            ("203.0.113.5:22", "[::]:22", true),
            ("203.0.113.5:22", "203.0.113.5:22", true),
            ("[2001:db8:1::5]:22", "[::]:22", true),
            ("[2001:db8:1::5]:22", "0.0.0.0:22", false),
            ("203.0.113.5:22", "203.0.113.6:22", false),
            ("203.0.113.5:40000", "0.0.0.0:22", false),
        ] {
            let remote = if local.starts_with('[') { "[2001:db8:9::9]:50000" } else { "198.51.100.9:50000" };
            let expected = if accepted { Kind::Accepted } else { Kind::Opened };
            for protocol in [Protocol::Tcp, Protocol::Udp] {
                assert_eq!(judged(protocol, local, remote, &[waits_at]), expected, "{local} {waits_at}");
            }
        }
        let other = [waiting(Protocol::Udp, "0.0.0.0:22")];
        let connection = socket(Protocol::Tcp, "203.0.113.5:22", "198.51.100.9:50000");
        assert_eq!(kind(&connection, &Waiting::among(&other)), Kind::Opened, "another protocol");
    }

    #[test]
    fn what_is_connected_to_nobody_waits() {
        let socket = waiting(Protocol::Udp, "0.0.0.0:5353");
        assert_eq!(kind(&socket, &Waiting::among(&[socket])), Kind::Waits);
    }
}
