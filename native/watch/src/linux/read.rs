//! From the kernel's lists to a snapshot.

use std::collections::HashMap;
use std::net::IpAddr;

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::address::{AddressAttribute, AddressFlags, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkInfo, LinkMessage};
use netlink_packet_route::neighbour::{NeighbourAddress, NeighbourAttribute, NeighbourMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteNextHop, RouteType, RouteVia,
};
use netlink_packet_route::{AddressFamily, route};

use super::interface_kind::interface_kind;
use crate::snapshot::{Address, DefaultRoute, Interface, Snapshot, hardware_address};

#[derive(Default)]
pub struct Told {
    links: Vec<LinkMessage>,
    addresses: Vec<AddressMessage>,
    /// default routes of the main table; others can be a million
    routes: Vec<RouteMessage>,
    neighbours: Vec<NeighbourMessage>,
}

impl Told {
    pub fn note(&mut self, message: RouteNetlinkMessage) {
        match message {
            RouteNetlinkMessage::NewLink(link) => self.links.push(link),
            RouteNetlinkMessage::NewAddress(address) => self.addresses.push(address),
            RouteNetlinkMessage::NewRoute(route) if is_default(&route) => self.routes.push(route),
            RouteNetlinkMessage::NewNeighbour(neighbour) => self.neighbours.push(neighbour),
            _ => {}
        }
    }
}

pub fn snapshot(told: Told) -> Snapshot {
    let mut interfaces: Vec<Interface> = told.links.iter().map(interface).collect();
    interfaces.sort_by_key(|interface| interface.index);
    let mut addresses = addresses_of(&told.addresses);
    for interface in &mut interfaces {
        interface.addresses = addresses.remove(&interface.index).unwrap_or_default();
        interface.addresses.sort();
    }
    let neighbours: HashMap<_, _> = told.neighbours.iter().filter_map(neighbour).collect();
    let names: HashMap<u32, &str> =
        interfaces.iter().map(|interface| (interface.index, interface.name.as_str())).collect();
    let mut default_routes: Vec<DefaultRoute> = told.routes.iter().flat_map(default_routes).collect();
    for route in &mut default_routes {
        let gateway = route.gateway.and_then(|gateway| neighbours.get(&(route.interface_index, gateway)));
        route.gateway_mac = gateway.cloned();
        route.interface = names.get(&route.interface_index).copied().unwrap_or_default().to_owned();
    }
    default_routes.sort_by_key(|route| (route.family, route.metric, route.interface_index, route.gateway));
    Snapshot { interfaces, default_routes, network_changes: 0 }
}

/// Whether the machine may be on another network after this message: an address or a default route that it used is gone or has
/// changed, the link that leads out has lost or found its carrier, or the gateway is another machine. An address or neighbour that
/// is only learned does not count, nor does anything that containers do among themselves.
pub fn may_change_network(message: &RouteNetlinkMessage, known: &Snapshot) -> bool {
    match message {
        RouteNetlinkMessage::DelAddress(address) => own_address(address).is_some_and(leads_out),
        RouteNetlinkMessage::DelRoute(route) => is_default(route),
        RouteNetlinkMessage::NewRoute(route) => {
            is_default(route) && default_routes(route).iter().any(|way| !is_known(way, known))
        }
        RouteNetlinkMessage::NewLink(link) => {
            let now = interface(link);
            let before = known.interfaces.iter().find(|before| before.index == now.index);
            let changed = before.is_some_and(|before| (before.up, before.running) != (now.up, now.running));
            changed && known.default_routes.iter().any(|route| route.interface_index == now.index)
        }
        RouteNetlinkMessage::NewNeighbour(neighbour) => replaces_gateway(neighbour, known),
        _ => false,
    }
}

/// Link-local IPv6 addresses come and go with each virtual link.
fn leads_out(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_loopback(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
    }
}

fn is_known(way: &DefaultRoute, known: &Snapshot) -> bool {
    let identity = |route: &DefaultRoute| (route.family, route.gateway, route.interface_index, route.metric);
    known.default_routes.iter().any(|route| identity(route) == identity(way))
}

fn replaces_gateway(message: &NeighbourMessage, known: &Snapshot) -> bool {
    neighbour(message).is_some_and(|((index, ip), mac)| {
        known.default_routes.iter().any(|route| {
            route.interface_index == index
                && route.gateway == Some(ip)
                && route.gateway_mac.as_ref().is_some_and(|before| *before != mac)
        })
    })
}

/// Whether the neighbour is one of our gateways, with another hardware address than before.
pub fn changes_gateway(message: &NeighbourMessage, known: &Snapshot) -> bool {
    neighbour(message).is_some_and(|((index, ip), mac)| {
        known.default_routes.iter().any(|route| {
            route.interface_index == index
                && route.gateway == Some(ip)
                && route.gateway_mac.as_ref() != Some(&mac)
        })
    })
}

fn interface(link: &LinkMessage) -> Interface {
    let mut name = String::new();
    let mut mac = None;
    let mut made_as = None;
    for attribute in &link.attributes {
        match attribute {
            LinkAttribute::IfName(text) => name.clone_from(text),
            LinkAttribute::Address(octets) => mac = hardware_address(octets),
            LinkAttribute::LinkInfo(infos) => {
                made_as = infos.iter().find_map(|info| match info {
                    LinkInfo::Kind(kind) => Some(kind),
                    _ => None,
                });
            }
            _ => {}
        }
    }
    Interface {
        index: link.header.index,
        up: link.header.flags.contains(LinkFlags::Up),
        running: link.header.flags.contains(LinkFlags::Running),
        kind: interface_kind(link.header.link_layer_type, made_as, &name),
        name,
        mac,
        addresses: Vec::new(),
    }
}

/// Addresses that can't be used are left out: still checked for duplicates, or found to be one (RFC 4862, section 5.4).
fn addresses_of(messages: &[AddressMessage]) -> HashMap<u32, Vec<Address>> {
    let unusable = AddressHeaderFlags::from_bits_retain(
        (AddressFlags::Tentative | AddressFlags::Dadfailed).bits() as u8,
    );
    let mut addresses: HashMap<u32, Vec<Address>> = HashMap::new();
    for message in messages.iter().filter(|message| !message.header.flags.intersects(unusable)) {
        if let Some(ip) = own_address(message) {
            let address = Address { ip, prefix_length: message.header.prefix_len };
            addresses.entry(message.header.index).or_default().push(address);
        }
    }
    addresses
}

/// On point-to-point links ADDRESS belongs to the other end and LOCAL to us; elsewhere IPv6 has ADDRESS alone.
pub fn own_address(message: &AddressMessage) -> Option<IpAddr> {
    let local = message.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Local(ip) => Some(*ip),
        _ => None,
    });
    let given = message.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Address(ip) => Some(*ip),
        _ => None,
    });
    local.or(given)
}

fn neighbour(message: &NeighbourMessage) -> Option<((u32, IpAddr), String)> {
    let ip = message.attributes.iter().find_map(|attribute| match attribute {
        NeighbourAttribute::Destination(NeighbourAddress::Inet(ip)) => Some(IpAddr::V4(*ip)),
        NeighbourAttribute::Destination(NeighbourAddress::Inet6(ip)) => Some(IpAddr::V6(*ip)),
        _ => None,
    })?;
    let mac = message.attributes.iter().find_map(|attribute| match attribute {
        NeighbourAttribute::LinkLayerAddress(octets) => hardware_address(octets),
        _ => None,
    })?;
    Some(((message.header.ifindex, ip), mac))
}

fn is_default(message: &RouteMessage) -> bool {
    let header = &message.header;
    let table = message.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Table(table) => Some(*table),
        _ => None,
    });
    header.destination_prefix_length == 0
        && header.kind == RouteType::Unicast
        && !header.flags.contains(route::RouteFlags::Cloned)
        && table.unwrap_or(u32::from(header.table)) == u32::from(RouteHeader::RT_TABLE_MAIN)
}

/// A route over several gateways becomes one entry for each.
fn default_routes(message: &RouteMessage) -> Vec<DefaultRoute> {
    let family = match message.header.address_family {
        AddressFamily::Inet => 4,
        AddressFamily::Inet6 => 6,
        _ => return Vec::new(),
    };
    let mut metric = 0;
    let mut index = None;
    let mut ways: &[RouteNextHop] = &[];
    for attribute in &message.attributes {
        match attribute {
            RouteAttribute::Priority(priority) => metric = *priority,
            RouteAttribute::Oif(oif) => index = Some(*oif),
            RouteAttribute::MultiPath(hops) => ways = hops,
            _ => {}
        }
    }
    let single = index.map(|index| (index, gateway(&message.attributes)));
    let several = ways.iter().map(|way| (way.interface_index, gateway(&way.attributes)));
    single
        .into_iter()
        .chain(several)
        .map(|(interface_index, gateway)| DefaultRoute {
            family,
            gateway,
            gateway_mac: None,
            interface: String::new(),
            interface_index,
            metric,
        })
        .collect()
}

fn gateway(attributes: &[RouteAttribute]) -> Option<IpAddr> {
    attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Gateway(RouteAddress::Inet(ip)) | RouteAttribute::Via(RouteVia::Inet(ip)) => {
            Some(IpAddr::V4(*ip))
        }
        RouteAttribute::Gateway(RouteAddress::Inet6(ip)) | RouteAttribute::Via(RouteVia::Inet6(ip)) => {
            Some(IpAddr::V6(*ip))
        }
        _ => None,
    })
}
