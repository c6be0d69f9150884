//! The applied connection of a device, which lives in NetworkManager's memory alone: never the stored profile, and never
//! global-dns, which would outlive us unseen.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

use crate::bus::{Bus, Object, Refusal};
use crate::entry::{ConnectionDns, Entry, FamilyDns};
use crate::kernel_links;
use crate::mechanism::State;
use crate::reply::{Code, Failure};
use crate::request::{Link, Servers};

const MANAGER: Object = Object {
    title: "NetworkManager",
    service: "org.freedesktop.NetworkManager",
    path: "/org/freedesktop/NetworkManager",
    interface: "org.freedesktop.NetworkManager",
};

/// Below zero: whoever has more is not asked at all.
const PRIORITY: i32 = -1000;
/// NM_MANAGER_RELOAD_FLAG_CONF and _DNS_RC
const RELOAD_FILES: u32 = 1;
const RELOAD_DNS: u32 = 2;
/// Of the family that is not asked: what a router announced for it stays after a Reapply, whatever ignore-auto-dns says.
const BEHIND: i32 = PRIORITY + 1;
/// NM_DEVICE_REAPPLY_FLAGS_PRESERVE_EXTERNAL_IP, known from 1.42 on
const PRESERVE_EXTERNAL_IP: u32 = 1;

type Connection = HashMap<String, HashMap<String, OwnedValue>>;

struct Applied {
    device: OwnedObjectPath,
    connection: Connection,
    version: u64,
}

pub async fn read(bus: &Bus<'_>, link: &Link) -> Result<ConnectionDns, Failure> {
    Ok(ConnectionDns::of(&applied(bus, link).await?.connection))
}

pub async fn state(bus: &Bus<'_>, entry: &Entry, before: &ConnectionDns) -> Result<State, Failure> {
    let Some(link) = entry.link.as_ref().filter(|link| kernel_links::exists(link)) else {
        return Ok(State::Gone);
    };
    let now = match applied(bus, link).await {
        Ok(applied) => ConnectionDns::of(&applied.connection),
        Err(refusal) if refusal.name.ends_with(".NotActive") || refusal.name.ends_with(".UnknownDevice") => {
            return Ok(State::Gone);
        }
        Err(refusal) => return Err(refusal.into()),
    };
    if entry.may_be_ours(|servers| now.servers() == before.with(servers).servers()) {
        return Ok(if now.is_alone() { State::Ours } else { State::Partly });
    }
    Ok(if now == *before { State::Before } else { State::Other })
}

pub async fn apply(bus: &Bus<'_>, entry: &Entry) -> Result<(), Failure> {
    let Some(link) = &entry.link else { return Ok(()) };
    let applied = applied(bus, link).await?;
    let wanted = ConnectionDns::of(&applied.connection).with(&entry.servers);
    if wanted.servers().is_empty() {
        return Err(Failure::new(
            Code::RefusedBySystem,
            format!("the connection of {} has no address family of Sotto's servers", link.name),
            "let Sotto listen on 127.0.0.1 and on ::1",
        ));
    }
    reapply(bus, applied, &wanted).await
}

pub async fn restore(bus: &Bus<'_>, entry: &Entry, before: &ConnectionDns) -> Result<(), Failure> {
    let Some(link) = &entry.link else { return Ok(()) };
    reapply(bus, applied(bus, link).await?, before).await
}

/// Its configuration files, and what it makes of them for links and resolv.conf.
pub async fn read_settings_anew(bus: &Bus<'_>) -> Result<(), Failure> {
    Ok(bus.call(MANAGER, "Reload", &(RELOAD_FILES | RELOAD_DNS,)).await?)
}

async fn applied(bus: &Bus<'_>, link: &Link) -> Result<Applied, Refusal> {
    let device: OwnedObjectPath = bus.call(MANAGER, "GetDeviceByIpIface", &(&link.name,)).await?;
    let (connection, version) = bus.call(of_device(&device), "GetAppliedConnection", &(0u32,)).await?;
    Ok(Applied { device, connection, version })
}

async fn reapply(bus: &Bus<'_>, mut applied: Applied, wanted: &ConnectionDns) -> Result<(), Failure> {
    for (family, dns) in [("ipv4", &wanted.ipv4), ("ipv6", &wanted.ipv6)] {
        if let (Some(settings), Some(dns)) = (applied.connection.get_mut(family), dns) {
            dns.write_to(settings)?;
        }
    }
    let flags = if preserves_external_ip(bus).await? { PRESERVE_EXTERNAL_IP } else { 0 };
    let device = of_device(&applied.device);
    Ok(bus.call(device, "Reapply", &(&applied.connection, applied.version, flags)).await?)
}

fn of_device(path: &OwnedObjectPath) -> Object<'_> {
    Object { path: path.as_str(), interface: "org.freedesktop.NetworkManager.Device", ..MANAGER }
}

async fn preserves_external_ip(bus: &Bus<'_>) -> Result<bool, Refusal> {
    let properties = Object { interface: "org.freedesktop.DBus.Properties", ..MANAGER };
    let version: OwnedValue =
        bus.call(properties, "Get", &("org.freedesktop.NetworkManager", "Version")).await?;
    let version = String::try_from(version).unwrap_or_default();
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    Ok((numbers.next(), numbers.next()) >= (Some(1), Some(42)))
}

impl ConnectionDns {
    fn of(connection: &Connection) -> Self {
        let family = |name: &str| FamilyDns::of(connection.get(name)?);
        Self { ipv4: family("ipv4"), ipv6: family("ipv6") }
    }

    /// Nobody else is asked, neither whom the network announces nor another connection's.
    fn is_alone(&self) -> bool {
        let ranked = self.clone().ranked();
        self.ipv4.iter().chain(&self.ipv6).all(|family| family.ignore_auto)
            && [&self.ipv4, &self.ipv6].map(priority) == [&ranked.ipv4, &ranked.ipv6].map(priority)
    }

    /// One family is asked, the first that has a server; the other one is shadowed by it.
    fn ranked(mut self) -> Self {
        let mut is_first = true;
        for family in self.ipv4.iter_mut().chain(&mut self.ipv6) {
            let asked = is_first && !family.servers.is_empty();
            family.priority = if asked { PRIORITY } else { BEHIND };
            is_first &= !asked;
        }
        self
    }

    fn servers(&self) -> Vec<IpAddr> {
        self.ipv4.iter().chain(&self.ipv6).flat_map(|family| family.servers.clone()).collect()
    }

    /// Each family has ours of its own, and nothing that the network announces.
    fn with(&self, servers: &Servers) -> Self {
        let ours = |family: &FamilyDns, is_ours: fn(&IpAddr) -> bool| FamilyDns {
            servers: servers.all().iter().map(|server| server.address).filter(is_ours).collect(),
            data: None,
            search: family.search.clone(),
            priority: PRIORITY,
            ignore_auto: true,
        };
        let told = Self {
            ipv4: self.ipv4.as_ref().map(|family| ours(family, IpAddr::is_ipv4)),
            ipv6: self.ipv6.as_ref().map(|family| ours(family, IpAddr::is_ipv6)),
        };
        told.ranked()
    }
}

impl FamilyDns {
    /// `None`: a family that is off can be told no servers.
    fn of(settings: &HashMap<String, OwnedValue>) -> Option<Self> {
        let method: String = get(settings, "method")?;
        if ["disabled", "ignore"].contains(&method.as_str()) {
            return None;
        }
        // In the network's order of octets, whatever the machine's; IPv6 as octets.
        let servers4 = get::<Vec<u32>>(settings, "dns").unwrap_or_default();
        let servers4 = servers4.into_iter().map(|number| Ipv4Addr::from(number.to_ne_bytes()).into());
        let servers6 = get::<Vec<Vec<u8>>>(settings, "dns").unwrap_or_default();
        let servers6 = servers6.into_iter().filter_map(|octets| <[u8; 16]>::try_from(octets).ok());
        Some(Self {
            servers: servers4.chain(servers6.map(|octets| Ipv6Addr::from(octets).into())).collect(),
            data: get(settings, "dns-data"),
            search: get(settings, "dns-search").unwrap_or_default(),
            priority: get(settings, "dns-priority").unwrap_or(0),
            ignore_auto: get(settings, "ignore-auto-dns").unwrap_or(false),
        })
    }

    fn write_to(&self, settings: &mut HashMap<String, OwnedValue>) -> Result<(), Failure> {
        let v4: Vec<u32> = self
            .servers
            .iter()
            .filter_map(|address| match address {
                IpAddr::V4(address) => Some(u32::from_ne_bytes(address.octets())),
                IpAddr::V6(_) => None,
            })
            .collect();
        let v6: Vec<Vec<u8>> = self
            .servers
            .iter()
            .filter_map(|address| match address {
                IpAddr::V6(address) => Some(address.octets().to_vec()),
                IpAddr::V4(_) => None,
            })
            .collect();
        settings.remove("dns");
        settings.remove("dns-data");
        match &self.data {
            Some(data) => put(settings, "dns-data", data.clone().into())?,
            None if !v4.is_empty() => put(settings, "dns", v4.into())?,
            None if !v6.is_empty() => put(settings, "dns", Value::new(v6))?,
            None => {}
        }
        put(settings, "dns-search", self.search.clone().into())?;
        put(settings, "dns-priority", self.priority.into())?;
        put(settings, "ignore-auto-dns", self.ignore_auto.into())
    }
}

fn priority(family: &Option<FamilyDns>) -> Option<i32> {
    family.as_ref().map(|family| family.priority)
}

fn get<T: TryFrom<OwnedValue>>(settings: &HashMap<String, OwnedValue>, key: &str) -> Option<T> {
    T::try_from(settings.get(key)?.try_clone().ok()?).ok()
}

fn put(settings: &mut HashMap<String, OwnedValue>, key: &str, value: Value<'_>) -> Result<(), Failure> {
    let value = OwnedValue::try_from(value).map_err(|error| {
        Failure::new(
            Code::RefusedBySystem,
            format!("{key} can't be said: {error}"),
            "report this as a bug of Sotto",
        )
    })?;
    settings.insert(key.into(), value);
    Ok(())
}
