//! A link's settings in systemd-resolved, org.freedesktop.resolve1(5), or where networkd owns the link, in
//! org.freedesktop.network1(5), which has the same calls.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};
use zbus::zvariant::{OwnedObjectPath, Type, as_value};

use crate::bus::{Bus, Object, Refusal};
use crate::entry::{Entry, LinkDns, LinkDomain, LinkServer};
use crate::failure::{Code, Failure};
use crate::kernel_links;
use crate::servers::{Server, Servers};
use crate::state::State;
use crate::target::Link;

pub const RESOLVED: Object = Object {
    title: "systemd-resolved",
    service: "org.freedesktop.resolve1",
    path: "/org/freedesktop/resolve1",
    interface: "org.freedesktop.resolve1.Manager",
};

pub const NETWORKD: Object = Object {
    title: "systemd-networkd",
    service: "org.freedesktop.network1",
    path: "/org/freedesktop/network1",
    interface: "org.freedesktop.network1.Manager",
};

const EVERY_NAME: &str = ".";
const OFF: &str = "no";
/// networkd writes a file for resolved, which reads it a little later
const TOLD_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Whether resolved answers LinkBusy. It has changed nothing then, because networkd owns the link.
pub async fn is_networkds(bus: &Bus<'_>, link: &Link, before: &LinkDns) -> Result<bool, Failure> {
    // Sets a value that is there already: this call is refused in the same way, and changes nothing if it is not.
    let refused = set(bus, RESOLVED, "SetLinkMulticastDNS", &(link.index, &before.multicast_dns)).await;
    match refused {
        Err(refusal) if refusal.name == "org.freedesktop.resolve1.LinkBusy" => Ok(true),
        other => Ok(other.map(|()| false)?),
    }
}

pub async fn read(bus: &Bus<'_>, link: &Link) -> Result<LinkDns, Failure> {
    let path: OwnedObjectPath = bus.call(RESOLVED, "GetLink", &(link.index,)).await?;
    let object = Object { path: path.as_str(), interface: "org.freedesktop.DBus.Properties", ..RESOLVED };
    let said: Said = bus.call(object, "GetAll", &("org.freedesktop.resolve1.Link",)).await?;
    Ok(said.into())
}

pub async fn state(bus: &Bus<'_>, entry: &Entry, before: &LinkDns) -> Result<State, Failure> {
    let Some(link) = entry.link.as_ref().filter(|link| kernel_links::exists(link)) else {
        return Ok(State::Gone);
    };
    let now = read(bus, link).await?;
    if entry.may_be_ours(|servers| are_set(&now, servers)) {
        return Ok(if takes_every_name(&now) { State::Ours } else { State::Partly });
    }
    Ok(if now.servers == before.servers { State::Before } else { State::Other })
}

/// Servers come first: with them in place, the state counts as ours.
pub async fn apply(bus: &Bus<'_>, to: Object<'_>, entry: &Entry, before: &LinkDns) -> Result<(), Failure> {
    let Some(link) = &entry.link else { return Ok(()) };
    let index = link.index;
    let servers: Vec<WireServer> = entry.servers.all().iter().map(wire_server).collect();
    set(bus, to, "SetLinkDNSEx", &(index, servers)).await?;
    let mut domains: Vec<(&str, bool)> = match &entry.search {
        Some(search) => search.all().iter().map(|name| (name.as_str(), false)).collect(),
        None => {
            let search = before.domains.iter().filter(|domain| !domain.route_only);
            search.map(|domain| (domain.name.as_str(), false)).collect()
        }
    };
    domains.push((EVERY_NAME, true));
    set(bus, to, "SetLinkDomains", &(index, domains)).await?;
    set(bus, to, "SetLinkDefaultRoute", &(index, true)).await?;
    for method in ["SetLinkLLMNR", "SetLinkMulticastDNS", "SetLinkDNSOverTLS", "SetLinkDNSSEC"] {
        set(bus, to, method, &(index, OFF)).await?;
    }
    let give_up = Instant::now() + TOLD_WITHIN;
    while !are_set(&read(bus, link).await?, &entry.servers) && Instant::now() < give_up {
        sleep(LOOK_EVERY).await;
    }
    Ok(())
}

/// Servers come last: as long as they are in place, the state counts as ours.
pub async fn restore(bus: &Bus<'_>, entry: &Entry, before: &LinkDns) -> Result<(), Failure> {
    let Some(link) = &entry.link else { return Ok(()) };
    let index = link.index;
    if before.servers.is_empty() && before.domains.is_empty() {
        return Ok(set(bus, RESOLVED, "RevertLink", &(index,)).await?);
    }
    let switches = [
        ("SetLinkLLMNR", &before.llmnr),
        ("SetLinkMulticastDNS", &before.multicast_dns),
        ("SetLinkDNSOverTLS", &before.dns_over_tls),
        ("SetLinkDNSSEC", &before.dnssec),
    ];
    for (method, value) in switches {
        set(bus, RESOLVED, method, &(index, value)).await?;
    }
    set(bus, RESOLVED, "SetLinkDefaultRoute", &(index, before.default_route)).await?;
    let domains: Vec<(&str, bool)> =
        before.domains.iter().map(|domain| (domain.name.as_str(), domain.route_only)).collect();
    set(bus, RESOLVED, "SetLinkDomains", &(index, domains)).await?;
    let servers: Vec<WireServer> = before
        .servers
        .iter()
        .map(|server| (family(server.address), octets(server.address), server.port, server.name.as_str()))
        .collect();
    Ok(set(bus, RESOLVED, "SetLinkDNSEx", &(index, servers)).await?)
}

pub async fn revert_networkd(bus: &Bus<'_>, entry: &Entry) -> Result<(), Failure> {
    let Some(link) = &entry.link else { return Ok(()) };
    Ok(set(bus, NETWORKD, "RevertLinkDNS", &(link.index,)).await?)
}

/// Whether the global settings take every name; false where resolved can't be asked. The servers themselves do not show it:
/// resolved counts a server on loopback to the loopback link.
pub async fn takes_every_name_globally(bus: &Bus<'_>) -> Result<bool, Failure> {
    let object = Object { interface: "org.freedesktop.DBus.Properties", ..RESOLVED };
    let said: Result<Global, Refusal> = bus.call(object, "GetAll", &(RESOLVED.interface,)).await;
    match said.map_err(Failure::from) {
        Err(failure) if failure.code == Code::MechanismMissing => Ok(false),
        other => Ok(other?.domains.iter().any(|(link, name, _)| *link == 0 && name == EVERY_NAME)),
    }
}

pub async fn flush_caches(bus: &Bus<'_>) -> Result<(), Failure> {
    Ok(set(bus, RESOLVED, "FlushCaches", &()).await?)
}

async fn set<B: Serialize + zbus::zvariant::DynamicType>(
    bus: &Bus<'_>,
    to: Object<'_>,
    method: &'static str,
    body: &B,
) -> Result<(), Refusal> {
    bus.call(to, method, body).await
}

/// Of all links; 0 stands for the global settings.
#[derive(Deserialize, Type)]
#[zvariant(signature = "a{sv}")]
struct Global {
    #[serde(rename = "Domains", with = "as_value")]
    domains: Vec<(i32, String, bool)>,
}

type WireServer<'a> = (i32, Vec<u8>, u16, &'a str);

#[derive(Deserialize, Type)]
#[zvariant(signature = "a{sv}")]
struct Said {
    #[serde(rename = "DNSEx", with = "as_value")]
    servers: Vec<(i32, Vec<u8>, u16, String)>,
    #[serde(rename = "Domains", with = "as_value")]
    domains: Vec<(String, bool)>,
    #[serde(rename = "DefaultRoute", with = "as_value")]
    default_route: bool,
    #[serde(rename = "LLMNR", with = "as_value")]
    llmnr: String,
    #[serde(rename = "MulticastDNS", with = "as_value")]
    multicast_dns: String,
    #[serde(rename = "DNSOverTLS", with = "as_value")]
    dns_over_tls: String,
    #[serde(rename = "DNSSEC", with = "as_value")]
    dnssec: String,
}

impl From<Said> for LinkDns {
    fn from(said: Said) -> Self {
        let server = |(_, octets, port, name): (i32, Vec<u8>, u16, String)| {
            Some(LinkServer { address: address(&octets)?, port, name })
        };
        let domain = |(name, route_only)| LinkDomain { name, route_only };
        Self {
            servers: said.servers.into_iter().filter_map(server).collect(),
            domains: said.domains.into_iter().map(domain).collect(),
            default_route: said.default_route,
            llmnr: said.llmnr,
            multicast_dns: said.multicast_dns,
            dns_over_tls: said.dns_over_tls,
            dnssec: said.dnssec,
        }
    }
}

fn are_set(now: &LinkDns, servers: &Servers) -> bool {
    let port = |said: u16| if said == 0 { 53 } else { said };
    let said = now.servers.iter().map(|server| (server.address, port(server.port)));
    said.eq(servers.all().iter().map(|server| (server.address, server.port.get())))
}

fn takes_every_name(now: &LinkDns) -> bool {
    let switches = [&now.llmnr, &now.multicast_dns, &now.dns_over_tls, &now.dnssec];
    let routed = now.domains.iter().any(|domain| domain.route_only && domain.name == EVERY_NAME);
    routed && now.default_route && switches.iter().all(|switch| *switch == OFF)
}

fn wire_server(server: &Server) -> WireServer<'static> {
    (family(server.address), octets(server.address), server.port.get(), "")
}

fn family(address: IpAddr) -> i32 {
    if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 }
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    match octets.len() {
        4 => <[u8; 4]>::try_from(octets).ok().map(IpAddr::from),
        16 => <[u8; 16]>::try_from(octets).ok().map(IpAddr::from),
        _ => None,
    }
}
