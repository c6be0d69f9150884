//! Makes a group and its lease into a ladder.

use std::sync::atomic::AtomicBool;

use crate::config::{ConfigError, Rung, UpstreamConfig};
use crate::endpoint::Endpoint;
use crate::intern;
use crate::outcome::TransportKind;
use crate::upstream::assemble::upstream::{exchange, pool, surface};
use crate::upstream::exchange::Exchange;
use crate::upstream::paths::Paths;
use crate::upstream::paths::path::Path;
use crate::upstream::selection::ladder::{Ladder, Materials, Step, Steps};
use crate::upstream::transport::surroundings::Surroundings;
use crate::upstream::transport::udp::Udp;
use crate::zone;

/// `None`: the group has no rungs, or no private paths above them.
pub fn ladder(from: &Materials<'_>, around: &Surroundings) -> Result<Option<Ladder>, ConfigError> {
    if from.group.rungs.is_empty() || !from.upstreams.iter().any(|upstream| upstream.is_private()) {
        return Ok(None);
    }
    let around = Surroundings { lease: Some(from.lease.clone()), ..around.clone() };
    let rungs = from.group.rungs.iter().map(|rung| {
        let steps = match rung {
            Rung::Network => network(from, &around),
            _ => of_upstreams(*rung, from, &around)?,
        };
        Ok(Steps { rung: *rung, steps })
    });
    Ok(Some(Ladder::new(from, rungs.collect::<Result<_, _>>()?)))
}

fn of_upstreams(rung: Rung, from: &Materials<'_>, around: &Surroundings) -> Result<Vec<Step>, ConfigError> {
    let steps = from.upstreams.iter().filter_map(|upstream| {
        let config = lowered(rung, &upstream.config)?;
        let path = format!("upstreams[{}]", config.id);
        let made = transport(rung, &config, &path, from, around);
        Some(made.map(|transport| step(rung, upstream.id, config.transport, transport)))
    });
    steps.collect()
}

/// An upstream as it is asked on a rung, if that rung leads to it. No rung leads to an upstream behind a proxy, because it would
/// bypass the proxy, or to an EncDNS server, of which only the zone is known.
fn lowered(rung: Rung, config: &UpstreamConfig) -> Option<UpstreamConfig> {
    if config.proxy.is_some() || config.encdns.is_some() {
        return None;
    }
    let transport = match rung {
        Rung::Unauthenticated => return config.transport.is_private().then(|| config.clone()),
        Rung::Tcp => TransportKind::Tcp,
        Rung::Udp => TransportKind::Udp,
        Rung::Network => return None,
    };
    if !config.transport.is_private() {
        return (config.transport == transport).then(|| config.clone());
    }
    let port = config.clear_port?;
    let moved = |endpoint: &Endpoint| endpoint.at_port(port);
    let addresses = config.addresses.iter().map(moved).collect();
    Some(UpstreamConfig { transport, addresses, ..config.clone() })
}

fn transport(
    rung: Rung,
    config: &UpstreamConfig,
    path: &str,
    from: &Materials<'_>,
    around: &Surroundings,
) -> Result<Box<dyn Exchange>, ConfigError> {
    if rung != Rung::Unauthenticated {
        return exchange(config, path, around);
    }
    let dialer = around.transports.unauthenticated(config, path, around, from.lease.clone())?;
    let path = Path::new(config.transport, dialer, config.addresses.clone());
    Ok(Box::new(pool(Paths::only(path, surface(config, around)), false, around)))
}

fn network(from: &Materials<'_>, around: &Surroundings) -> Vec<Step> {
    let resolvers = from.network_resolvers.iter().map(|resolver| {
        let transport = Box::new(Udp::towards(vec![*resolver], from.lease.clone(), around));
        step(Rung::Network, intern::word(&zone::written(resolver)), TransportKind::Udp, transport)
    });
    resolvers.collect()
}

fn step(rung: Rung, upstream: &'static str, kind: TransportKind, transport: Box<dyn Exchange>) -> Step {
    let words = intern::word(&format!("{upstream} ({})", rung.word()));
    Step { upstream, words, kind, transport, silent: AtomicBool::new(false) }
}
