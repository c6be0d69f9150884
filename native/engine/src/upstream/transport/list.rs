//! All transports. Everything about one of them is in its file and in its row here; its word for the boundary is in `outcome.rs`.

use std::sync::Arc;

use crate::config::{ConfigError, UpstreamConfig};
use crate::outcome::TransportKind;
use crate::upstream::clear::lease::Lease;
use crate::upstream::connection::link::Dial;
use crate::upstream::dial::sockets::System;
use crate::upstream::exchange::Exchange;
use crate::upstream::transport::surroundings::{Surroundings, Transports};
use crate::upstream::transport::{dot, encdns, tcp, tdns, udp};

pub struct Transport {
    pub kind: TransportKind,
    /// the port of its servers, unless the configuration names another
    pub port: u16,
    /// another transport to the same server with the same authentication, tried where this one is blocked
    pub alternative: Option<TransportKind>,
    pub means: Means,
    /// makes a dialer that does not authenticate; `None`: the transport never authenticates a server
    pub unauthenticated: Option<MakeUnauthenticated>,
}

/// How it sends queries.
pub enum Means {
    /// over connections, which the pool opens and keeps
    Connections(MakeDialer),
    /// one by one, with nothing to keep
    Alone(MakeExchange),
    /// inside queries to another server, the first hop
    Inside(MakeInside),
}

type MakeDialer = fn(&UpstreamConfig, &str, &Surroundings) -> Result<Box<dyn Dial>, ConfigError>;
type MakeUnauthenticated =
    fn(&UpstreamConfig, &str, &Surroundings, Arc<Lease>) -> Result<Box<dyn Dial>, ConfigError>;
type MakeExchange = fn(&UpstreamConfig, &str, &Surroundings) -> Result<Box<dyn Exchange>, ConfigError>;

/// The last one is the first hop.
type MakeInside =
    fn(&UpstreamConfig, &str, &Surroundings, Box<dyn Exchange>) -> Result<Box<dyn Exchange>, ConfigError>;

/// RFC 7766 section 2, and RFC 7858 section 3.1.
const DNS: u16 = 53;
const TLS: u16 = 853;

static TRANSPORTS: [Transport; 5] = [
    Transport {
        kind: TransportKind::Tdns,
        port: DNS,
        alternative: Some(TransportKind::Dot),
        means: Means::Connections(tdns::dialer),
        unauthenticated: Some(tdns::unauthenticated),
    },
    Transport {
        kind: TransportKind::Dot,
        port: TLS,
        alternative: Some(TransportKind::Tdns),
        means: Means::Connections(dot::dialer),
        unauthenticated: Some(dot::unauthenticated),
    },
    Transport {
        kind: TransportKind::Tcp,
        port: DNS,
        alternative: None,
        means: Means::Connections(tcp::dialer),
        unauthenticated: None,
    },
    Transport {
        kind: TransportKind::Udp,
        port: DNS,
        alternative: None,
        means: Means::Alone(udp::exchange),
        unauthenticated: None,
    },
    Transport {
        kind: TransportKind::EncDns,
        port: DNS,
        alternative: None,
        means: Means::Inside(encdns::exchange),
        unauthenticated: None,
    },
];

/// All of them, in the order in which people see them.
#[cfg(test)]
pub fn all() -> &'static [Transport] {
    &TRANSPORTS
}

/// `None`: the kind is no transport.
pub fn of(kind: TransportKind) -> Option<&'static Transport> {
    TRANSPORTS.iter().find(|transport| transport.kind == kind)
}

impl Transports for System {
    fn dialer(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
    ) -> Result<Box<dyn Dial>, ConfigError> {
        match of(config.transport).map(|transport| &transport.means) {
            Some(Means::Connections(dialer)) => dialer(config, path, around),
            Some(Means::Alone(_) | Means::Inside(_)) | None => Err(unusable(config, path)),
        }
    }

    fn unauthenticated(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
        lease: Arc<Lease>,
    ) -> Result<Box<dyn Dial>, ConfigError> {
        match of(config.transport).and_then(|transport| transport.unauthenticated) {
            Some(dialer) => dialer(config, path, around, lease),
            None => Err(unusable(config, path)),
        }
    }
}

fn unusable(config: &UpstreamConfig, path: &str) -> ConfigError {
    let (path, words) = (format!("{path}.transport"), format!("{} is not a stream", config.transport.word()));
    ConfigError::new("transport-unusable", path, words, "choose tdns, dot or tcp")
}
