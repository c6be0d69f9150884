//! Makes a configured upstream into one that can be asked, and finds everything that can be wrong with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::config::{ConfigError, UpstreamConfig};
use crate::endpoint::Endpoint;
use crate::intern;
use crate::outcome::ClearClass;
use crate::upstream::assemble::alternative;
use crate::upstream::clear::lease::Lease;
use crate::upstream::exchange::Exchange;
use crate::upstream::paths::one_address::Surface;
use crate::upstream::paths::path::Path;
use crate::upstream::paths::{Paths, Witness};
use crate::upstream::pool::Pool;
use crate::upstream::selection::pace::Pace;
use crate::upstream::selection::upstream::Upstream;
use crate::upstream::transport::inside_tls;
use crate::upstream::transport::list::{self, Means};
use crate::upstream::transport::surroundings::Surroundings;

/// `path` is the upstream's place in the configuration, for errors.
pub fn upstream(config: &UpstreamConfig, path: &str, around: &Surroundings) -> Result<Upstream, ConfigError> {
    if config.addresses.is_empty() && config.encdns.is_none() {
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
                "{} sends queries in cleartext: whoever runs the proxy, or its exit, would read them",
                config.transport.word()
            ),
            "use tdns or dot, or leave the proxy out",
        ));
    }
    let unreached = |endpoint: &Endpoint| config.proxy.is_none() && endpoint.address().is_none();
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
        false => Some(around.permission(config, path)?),
    };
    Ok(Upstream {
        id: intern::word(&config.id),
        kind: config.transport,
        config: config.clone(),
        transport: exchange(config, path, around)?,
        lease,
        looping: AtomicBool::new(false),
        pace: Pace::default(),
        outrun: AtomicU64::new(0),
    })
}

/// Uses the transport in its configuration, and the other private one where it has one.
pub fn exchange(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
) -> Result<Box<dyn Exchange>, ConfigError> {
    match list::of(config.transport).map(|transport| &transport.means) {
        Some(Means::Alone(exchange)) => return exchange(config, path, around),
        Some(Means::Inside(inside)) => {
            let hop = inside_of(config, path)?;
            let boxes = Lease::of_ours(ClearClass::None, around.connections.encdns.boxes.clone());
            let around_hop = Surroundings { lease: Some(Arc::new(boxes)), ..around.clone() };
            let first_hop = exchange(hop, &format!("{path}.encdns.firstHop"), &around_hop)?;
            return inside(config, path, around, first_hop);
        }
        _ => {}
    }
    let open = |config: &UpstreamConfig| -> Result<Path, ConfigError> {
        let dialer = around.transports.dialer(config, path, around)?;
        Ok(Path::new(config.transport, dialer, config.addresses.clone()))
    };
    let second = alternative::of(config).as_ref().map(open).transpose()?;
    let paths = Paths::only(open(config)?, surface(config, around)).or(second).watched_by(Witness {
        upstream: intern::word(&config.id),
        network: around.network.clone(),
        memory: around.memory.clone(),
        holding: around.holding.clone(),
    });
    let (warm, early) = (config.transport.is_private(), config.early_data && config.transport.is_private());
    Ok(Box::new(pool(paths, warm, around).with_early_data(early)))
}

/// The first hop, which carries other names than those that were asked for: so it may be in cleartext.
fn inside_of<'a>(config: &'a UpstreamConfig, path: &str) -> Result<&'a UpstreamConfig, ConfigError> {
    let first_hop = config.encdns.as_ref().map(|encdns| &*encdns.first_hop);
    first_hop.filter(|hop| hop.encdns.is_none()).ok_or_else(|| {
        ConfigError::new(
            "first-hop-unusable",
            format!("{path}.encdns"),
            "an EncDNS upstream needs a zone, a key, and a first hop that is no EncDNS upstream itself",
            "give all of them",
        )
    })
}

/// `warm`: whether a connection may be opened before it is needed.
pub fn pool(paths: Paths, warm: bool, around: &Surroundings) -> Pool {
    Pool::new(paths, warm, around.connections.clone(), around.holding.clone())
}

pub fn surface(config: &UpstreamConfig, around: &Surroundings) -> Surface {
    Surface { connections: around.connections.clone(), network: inside_tls::vantage(config, around) }
}
