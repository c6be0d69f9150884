//! The network at one moment, as far as it decides which network this is.

use std::net::IpAddr;

use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "KernelSnapshot"))]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// by index
    pub interfaces: Vec<Interface>,
    /// of the main table: IPv4 first, then by metric
    pub default_routes: Vec<DefaultRoute>,
    /// how often, since the watch began, the machine may have left the network it was on
    pub network_changes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "NetworkInterface"))]
#[serde(rename_all = "camelCase")]
pub struct Interface {
    pub index: u32,
    pub name: String,
    /// it was switched on
    pub up: bool,
    /// it has a carrier
    pub running: bool,
    pub kind: Kind,
    /// "02:00:5e:10:00:00"; null where the link has none
    pub mac: Option<String>,
    pub addresses: Vec<Address>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "InterfaceKind"))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Loopback,
    Ethernet,
    Wifi,
    Mobile,
    /// a point-to-point link that may lead out: PPPoE, a modem
    Ppp,
    /// carries packets inside other packets: a VPN, not a network of its own
    Tunnel,
    Bridge,
    /// any other that software made: veth, VLAN, bond …
    Virtual,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "InterfaceAddress"))]
#[serde(rename_all = "camelCase")]
pub struct Address {
    pub ip: IpAddr,
    pub prefix_length: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DefaultRoute {
    /// 4 or 6, of the addresses that are routed; the gateway may be of the other family (RFC 8950)
    #[cfg_attr(test, ts(type = "4 | 6"))]
    pub family: u8,
    /// null on links without one
    pub gateway: Option<IpAddr>,
    /// null as long as the neighbour table does not know it
    pub gateway_mac: Option<String>,
    /// name and index of the interface
    pub interface: String,
    pub interface_index: u32,
    pub metric: u32,
}

/// Null where the link has none: the address is empty, or all zeroes as on loopback.
pub fn hardware_address(octets: &[u8]) -> Option<String> {
    if octets.iter().all(|octet| *octet == 0) {
        return None;
    }
    Some(octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().join(":"))
}

#[cfg(test)]
mod tests {
    use super::hardware_address;

    #[test]
    fn a_hardware_address_is_spelled_the_usual_way() {
        assert_eq!(hardware_address(&[2, 0, 0x5e, 0x10, 0, 255]).as_deref(), Some("02:00:5e:10:00:ff"));
    }

    #[test]
    fn loopback_and_tunnels_have_none() {
        assert_eq!(hardware_address(&[0; 6]), None);
        assert_eq!(hardware_address(&[]), None);
    }
}
