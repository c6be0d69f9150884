//! DNS over TLS on a port of its own (RFC 7858).

use std::sync::Arc;

use tokio::time::Instant;

use crate::config::{ConfigError, UpstreamConfig};
use crate::endpoint::Endpoint;
use crate::upstream::clear::lease::Lease;
use crate::upstream::connection::link::{Dial, How, Link};
use crate::upstream::dial::proxy_route::ProxyRoute;
use crate::upstream::dial::tls::Tls;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::running::BoxFuture;
use crate::upstream::transport::inside_tls::{self, arrived, secured};
use crate::upstream::transport::surroundings::Surroundings;

pub struct Dot {
    tls: Arc<Tls>,
    proxy_route: ProxyRoute,
}

pub fn dialer(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
) -> Result<Box<dyn Dial>, ConfigError> {
    let tls = inside_tls::tls(config, path, around)?;
    Ok(Box::new(Dot::new(tls, inside_tls::proxy_route(config, around))))
}

/// TLS without authentication.
pub fn unauthenticated(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
    lease: Arc<Lease>,
) -> Result<Box<dyn Dial>, ConfigError> {
    let tls = inside_tls::to_anybody(config, path, lease)?;
    Ok(Box::new(Dot::new(tls, inside_tls::proxy_route(config, around))))
}

impl Dot {
    pub fn new(tls: Arc<Tls>, proxy_route: ProxyRoute) -> Self {
        Self { tls, proxy_route }
    }
}

impl Dial for Dot {
    fn dial<'a>(&'a self, to: Endpoint, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            self.tls.introduction().possible()?;
            let started = Instant::now();
            let (stream, fast_open) = self.proxy_route.open(to, how.fast_open, how.watch).await?;
            let fits = self.tls.hello_fits_a_syn(how.hello);
            let link = secured(&self.tls, stream, started, 1, how).await?;
            Ok(arrived(&self.proxy_route, link, fast_open, fits))
        })
    }

    fn fast_opens(&self) -> bool {
        self.proxy_route.fast_opens()
    }

    fn patience(&self) -> u32 {
        self.proxy_route.patience()
    }

    fn has_smaller_hello(&self) -> bool {
        self.tls.has_smaller_hello()
    }
}
