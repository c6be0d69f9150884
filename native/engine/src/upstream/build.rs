//! From a configured upstream to one that can be asked; everything that can be wrong with it is found here.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use rustls_pki_types::ServerName;

use super::alternative;
use super::certificate::Pin;
use super::connections::Connections;
use super::cookies::Cookies;
use super::dial::Dial;
use super::dot::Dot;
use super::failover::Upstream;
use super::outside::Outside;
use super::pace::Pace;
use super::place::Place;
use super::plain::Plain;
use super::pool::Pool;
use super::proxy_route::ProxyRoute;
use super::reach::Surface;
use super::socks5::Socks5;
use super::starttls_memory::StarttlsMemory;
use super::system_roots::system_roots;
use super::tcp::Tcp;
use super::tdns::Tdns;
use super::ticket_store::{self, TicketStore};
use super::tls::Tls;
use super::transport::Transport;
use super::trust::{Roots, Trust};
use super::udp::Udp;
use super::unauthenticated::Anybody;
use super::ways::{Way, Ways, Witness};
use crate::clear::Lease;
use crate::config::{ConfigError, UpstreamConfig};
use crate::intern;
use crate::outcome::TransportKind;

/// What all upstreams of a group share.
#[derive(Clone)]
pub struct Surroundings {
    pub network: Arc<str>,
    pub outside: Arc<dyn Outside>,
    pub memory: Arc<StarttlsMemory>,
    pub cookies: Arc<Cookies>,
    pub connections: Arc<Connections>,
    pub ticket_store: Arc<TicketStore>,
    /// of class `policy`, for the group: what clear upstreams spend
    pub lease: Option<Arc<Lease>>,
    pub on_change: Arc<dyn Fn() + Send + Sync>,
}

impl Surroundings {
    pub fn surface(&self) -> Surface {
        Surface { connections: self.connections.clone(), network: self.network.clone() }
    }
}

/// `path`: of the upstream in the configuration, for errors.
pub fn upstream(config: &UpstreamConfig, path: &str, around: &Surroundings) -> Result<Upstream, ConfigError> {
    if config.addresses.is_empty() {
        return Err(ConfigError::new(
            "address-missing",
            format!("{path}.addresses"),
            "an upstream needs an address",
            "give its IP address",
        ));
    }
    if config.proxy.is_some() && !config.transport.is_private() {
        return Err(ConfigError::new(
            "proxy-unusable",
            format!("{path}.proxy"),
            format!(
                "{} sends questions in clear: whoever runs the proxy, or its exit, would read them",
                config.transport.word()
            ),
            "use tdns or dot, or leave the proxy out",
        ));
    }
    let unreached = |place: &Place| config.proxy.is_none() && place.address().is_none();
    if let Some(index) = config.addresses.iter().position(unreached) {
        return Err(ConfigError::new(
            "address-named",
            format!("{path}.addresses[{index}]"),
            format!("{} is a name, and names are only looked up by a proxy", config.addresses[index]),
            "give its IP address, or a proxy",
        ));
    }
    let lease = match config.transport.is_private() {
        true => None,
        false => Some(permission(config, path, around)?),
    };
    Ok(Upstream {
        id: intern::word(&config.id),
        kind: config.transport,
        config: config.clone(),
        transport: transport(config, path, around)?,
        lease,
        looping: AtomicBool::new(false),
        pace: Pace::default(),
        outrun: AtomicU64::new(0),
    })
}

/// The way to it that its configuration names.
pub fn transport(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
) -> Result<Box<dyn Transport>, ConfigError> {
    if config.transport == TransportKind::Udp {
        let plain = Plain::new(around.outside.clone(), around.cookies.clone());
        let lease = permission(config, path, around)?;
        return Ok(Box::new(Udp::new(plain, config.straight().collect(), lease)));
    }
    let way = |config: &UpstreamConfig| -> Result<Way, ConfigError> {
        let dialer = around.outside.dialer(config, path, around)?;
        Ok(Way::new(config.transport, dialer, config.addresses.clone()))
    };
    let second = alternative::of(config).as_ref().map(way).transpose()?;
    let ways = Ways::only(way(config)?, around.surface()).or(second).watched_by(Witness {
        upstream: intern::word(&config.id),
        network: around.network.clone(),
        memory: around.memory.clone(),
        on_change: around.on_change.clone(),
    });
    let (warm, early) = (config.transport.is_private(), config.early_data && config.transport.is_private());
    Ok(Box::new(Pool::new(ways, around, warm).with_early_data(early)))
}

pub fn dialer(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
) -> Result<Box<dyn Dial>, ConfigError> {
    Ok(match config.transport {
        TransportKind::Tdns => {
            let tls = tls(config, path, around)?;
            Box::new(Tdns::new(
                tls,
                config.starttls,
                around.memory.clone(),
                vantage(config, around),
                proxy_route(config, around),
            ))
        }
        TransportKind::Dot => Box::new(Dot::new(tls(config, path, around)?, proxy_route(config, around))),
        TransportKind::Tcp => Box::new(Tcp::new(permission(config, path, around)?)),
        TransportKind::Udp | TransportKind::None => {
            return Err(ConfigError::new(
                "transport-unusable",
                format!("{path}.transport"),
                format!("{} is not a stream", config.transport.word()),
                "choose tdns, dot or tcp",
            ));
        }
    })
}

/// As [`dialer`], to whoever answers there.
pub fn unauthenticated(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
    lease: Arc<Lease>,
) -> Result<Box<dyn Dial>, ConfigError> {
    let tls = Tls::to_anybody(indicated(config, &server_names(config, path)?), Anybody::under(lease));
    let tls = Arc::new(tls);
    Ok(match config.transport {
        // what is learned from a server that proved nothing is kept from the others
        TransportKind::Tdns => Box::new(Tdns::new(
            tls,
            config.starttls,
            Arc::default(),
            around.network.clone(),
            proxy_route(config, around),
        )),
        _ => Box::new(Dot::new(tls, proxy_route(config, around))),
    })
}

fn proxy_route(config: &UpstreamConfig, around: &Surroundings) -> ProxyRoute {
    match config.proxy {
        Some(proxy) => ProxyRoute::Through(Arc::new(Socks5::new(proxy, &config.id, &around.network))),
        None => ProxyRoute::Straight,
    }
}

/// From where a server sees us: what it declines at the other end of a proxy it may not decline here, and tickets of both would
/// tell it that they belong together.
fn vantage(config: &UpstreamConfig, around: &Surroundings) -> Arc<str> {
    match config.proxy {
        Some(proxy) => format!("{} through {proxy}", around.network).into(),
        None => around.network.clone(),
    }
}

fn permission(config: &UpstreamConfig, path: &str, around: &Surroundings) -> Result<Arc<Lease>, ConfigError> {
    around.lease.clone().ok_or_else(|| {
        ConfigError::new(
            "lease-missing",
            format!("{path}.transport"),
            format!("{} sends questions in clear and no ledger entry allows it", config.transport.word()),
            "use tdns or dot",
        )
    })
}

fn tls(config: &UpstreamConfig, path: &str, around: &Surroundings) -> Result<Arc<Tls>, ConfigError> {
    let pins = each(&config.pins, path, "pins", Pin::parse)?;
    let mut names = server_names(config, path)?;
    let indicated = indicated(config, &names);
    if names.is_empty() && pins.is_empty() {
        names.extend(config.addresses.iter().filter_map(|place| place.server_name()));
    }
    let roots = match &config.ca {
        Some(pem) => Roots::from_pem(pem),
        None if names.is_empty() => Ok(Roots::none()),
        None => system_roots(),
    };
    let roots = roots.map_err(|message| {
        let remedy = "give a PEM file of certificates, or install the package ca-certificates";
        ConfigError::new("ca-unusable", format!("{path}.ca"), message, remedy)
    })?;
    let place = ticket_store::Place::new(&vantage(config, around), &config.id, &config.addresses);
    Ok(around.ticket_store.tls(place, indicated, Trust::new(names, pins, roots)))
}

fn server_names(config: &UpstreamConfig, path: &str) -> Result<Vec<ServerName<'static>>, ConfigError> {
    each(&config.names, path, "names", |text| {
        ServerName::try_from(text.to_owned()).map_err(|_| format!("{text:?} is no host name"))
    })
}

/// What the hello says whom it is for.
fn indicated(config: &UpstreamConfig, names: &[ServerName<'static>]) -> ServerName<'static> {
    let place = || config.addresses.first().and_then(|place| place.server_name());
    names
        .first()
        .cloned()
        .or_else(place)
        .unwrap_or_else(|| ServerName::IpAddress(Ipv4Addr::UNSPECIFIED.into()))
}

fn each<T>(
    texts: &[String],
    path: &str,
    field: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, ConfigError> {
    let at = |index: usize| format!("{path}.{field}[{index}]");
    let remedy = match field {
        "pins" => "a pin is the base64 SHA-256 of the server's public key: sotto upstream test prints it",
        _ => "give the name that stands in the server's certificate",
    };
    texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            parse(text).map_err(|message| ConfigError::new("field-invalid", at(index), message, remedy))
        })
        .collect()
}
