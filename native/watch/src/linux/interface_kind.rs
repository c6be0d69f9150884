//! The kind of an interface, from what the kernel reports about it.

use std::path::Path;

use netlink_packet_route::link::{InfoKind, LinkLayerType};

use crate::snapshot::Kind;

pub fn interface_kind(layer: LinkLayerType, made_as: Option<&InfoKind>, name: &str) -> Kind {
    match (layer, made_as) {
        (LinkLayerType::Loopback, _) => Kind::Loopback,
        (_, Some(made_as)) => software_kind(made_as),
        // Older kernels do not report the kind of a TUN device, but they have its flags.
        _ if in_sysfs(name, "tun_flags") => Kind::Tunnel,
        _ if in_sysfs(name, "phy80211") => Kind::Wifi,
        (LinkLayerType::Ether, _) => Kind::Ethernet,
        (LinkLayerType::Ppp, _) => Kind::Ppp,
        (LinkLayerType::Rawip | LinkLayerType::None, _) => Kind::Mobile,
        _ => Kind::Other,
    }
}

fn software_kind(made_as: &InfoKind) -> Kind {
    match made_as {
        InfoKind::Tun
        | InfoKind::Wireguard
        | InfoKind::IpIp
        | InfoKind::Ip6Tnl
        | InfoKind::SitTun
        | InfoKind::GreTun
        | InfoKind::GreTun6
        | InfoKind::GreTap
        | InfoKind::GreTap6
        | InfoKind::Vti
        | InfoKind::Vti6
        | InfoKind::Xfrm => Kind::Tunnel,
        InfoKind::Other(name) if name == "ovpn" || name == "ovpn-dco" => Kind::Tunnel,
        InfoKind::Other(name) if name == "ppp" => Kind::Ppp,
        InfoKind::Wwan | InfoKind::RmNet => Kind::Mobile,
        InfoKind::Bridge => Kind::Bridge,
        _ => Kind::Virtual,
    }
}

/// The kernel allows no name with a slash, nor "." or "..".
fn in_sysfs(name: &str, entry: &str) -> bool {
    Path::new("/sys/class/net").join(name).join(entry).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let cases = [
            (LinkLayerType::Loopback, None, Kind::Loopback),
            (LinkLayerType::Ether, None, Kind::Ethernet),
            (LinkLayerType::Ether, Some(InfoKind::Veth), Kind::Virtual),
            (LinkLayerType::Ether, Some(InfoKind::Bridge), Kind::Bridge),
            (LinkLayerType::None, Some(InfoKind::Tun), Kind::Tunnel),
            (LinkLayerType::None, Some(InfoKind::Wireguard), Kind::Tunnel),
            (LinkLayerType::None, Some(InfoKind::Other("ovpn".into())), Kind::Tunnel),
            (LinkLayerType::Ppp, None, Kind::Ppp),
            (LinkLayerType::Ppp, Some(InfoKind::Other("ppp".into())), Kind::Ppp),
            (LinkLayerType::Rawip, None, Kind::Mobile),
            (LinkLayerType::Can, None, Kind::Other),
        ];
        for (layer, made_as, kind) in cases {
            let found = interface_kind(layer, made_as.as_ref(), "no such interface");
            assert_eq!(found, kind, "{layer:?} {made_as:?}");
        }
    }
}
