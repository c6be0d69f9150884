//! What the transports inside TLS share: the server's authentication, and messages on the stream after it.

use std::net::Ipv4Addr;
use std::sync::Arc;

use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::config::{ConfigError, UpstreamConfig};
use crate::upstream::clear::lease::Lease;
use crate::upstream::connection::link::{How, Link};
use crate::upstream::dial::certificate::Pin;
use crate::upstream::dial::fast_open::FastOpen;
use crate::upstream::dial::identity::Identity;
use crate::upstream::dial::meter::Meter;
use crate::upstream::dial::proxy_route::ProxyRoute;
use crate::upstream::dial::secure::secure;
use crate::upstream::dial::socks5::Socks5;
use crate::upstream::dial::system_roots::system_roots;
use crate::upstream::dial::ticket_store::Partition;
use crate::upstream::dial::tls::Tls;
use crate::upstream::dial::trust::{Pins, Roots, Trust};
use crate::upstream::dial::unauthenticated::Anybody;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::stream::framed::{EarlyMessage, Framed};
use crate::upstream::transport::surroundings::Surroundings;

/// Authenticates the server on an open stream, for which `round_trips` were spent before.
pub async fn secured(
    tls: &Tls,
    stream: TcpStream,
    started: Instant,
    round_trips: u8,
    how: &How<'_>,
) -> Result<Link, DialReason> {
    let meter = Meter::of(&stream);
    let early = how.early.map(EarlyMessage::of);
    let octets = early.as_ref().map(|early| early.octets.as_slice());
    let secured = secure(tls, stream, how.hello, octets, how.patience, how.watch).await?;
    Ok(Link {
        carrier: Box::new(Framed::with(secured.stream, early)),
        protection: tls.protection(secured.facts),
        early: secured.early,
        round_trips: round_trips + secured.round_trips,
        fast_open: FastOpen::Off,
        took: started.elapsed(),
        meter,
    })
}

/// See [`Link::opened_with`].
pub fn arrived(route: &ProxyRoute, link: Link, fast_open: FastOpen, fits: bool) -> Link {
    if route.is_straight() {
        link.opened_with(fast_open, fits)
    } else {
        // the kernel only measures the path to the proxy
        Link { meter: None, ..link }
    }
}

pub fn to_anybody(config: &UpstreamConfig, path: &str, lease: Arc<Lease>) -> Result<Arc<Tls>, ConfigError> {
    let name = indicated(config, &server_names(config, path)?);
    Ok(Arc::new(Tls::to_anybody(name, Anybody::under(lease), config.post_quantum)))
}

pub fn proxy_route(config: &UpstreamConfig, around: &Surroundings) -> ProxyRoute {
    match config.proxy {
        Some(proxy) => ProxyRoute::Through(Arc::new(Socks5::new(proxy, &config.id, &around.network))),
        None => ProxyRoute::Straight,
    }
}

/// From where a server sees us. What it declines at a proxy's end it may accept from here, and tickets of both would show it that
/// they belong to one client.
pub fn vantage(config: &UpstreamConfig, around: &Surroundings) -> Arc<str> {
    match config.proxy {
        Some(proxy) => format!("{} through {proxy}", around.network).into(),
        None => around.network.clone(),
    }
}

pub fn tls(config: &UpstreamConfig, path: &str, around: &Surroundings) -> Result<Arc<Tls>, ConfigError> {
    let pins = Pins {
        keys: each(&config.pins, path, "pins", Pin::parse)?,
        certificates: each(&config.certificate_pins, path, "certificatePins", Pin::parse)?,
    };
    let mut names = server_names(config, path)?;
    let indicated = indicated(config, &names);
    if names.is_empty() && pins.keys.is_empty() {
        names.extend(config.addresses.iter().filter_map(|endpoint| endpoint.server_name()));
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
    let partition = Partition::new(&vantage(config, around), &config.id, &config.addresses);
    let identity = config.identity.as_ref().map(Identity::of);
    let trust = Trust::new(names, pins, roots);
    Ok(around.ticket_store.tls(partition, indicated, trust, identity, config.post_quantum))
}

fn server_names(config: &UpstreamConfig, path: &str) -> Result<Vec<ServerName<'static>>, ConfigError> {
    each(&config.names, path, "names", |text| {
        ServerName::try_from(text.to_owned()).map_err(|_| format!("{text:?} is no host name"))
    })
}

/// The name in the hello.
fn indicated(config: &UpstreamConfig, names: &[ServerName<'static>]) -> ServerName<'static> {
    let first = || config.addresses.first().and_then(|endpoint| endpoint.server_name());
    names
        .first()
        .cloned()
        .or_else(first)
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
        "certificatePins" => {
            "such a pin is the base64 SHA-256 of the TBSCertificate of a certificate of the chain"
        }
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
