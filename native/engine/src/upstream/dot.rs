//! DNS over TLS on a port of its own (RFC 7858).

use std::sync::Arc;

use tokio::time::Instant;

use super::dial::{BoxFuture, Dial, How, Link, secure};
use super::failure::DialReason;
use super::place::Place;
use super::proxy_route::ProxyRoute;
use super::tls::Tls;

pub struct Dot {
    tls: Arc<Tls>,
    proxy_route: ProxyRoute,
}

impl Dot {
    pub fn new(tls: Arc<Tls>, proxy_route: ProxyRoute) -> Self {
        Self { tls, proxy_route }
    }
}

impl Dial for Dot {
    fn dial<'a>(&'a self, to: Place, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let started = Instant::now();
            let (stream, fast_open) = self.proxy_route.open(to, how).await?;
            let fits = self.tls.hello_fits_a_syn();
            let link = secure(&self.tls, stream, started, 1, how).await?;
            Ok(self.proxy_route.arrived(link, fast_open, fits))
        })
    }

    fn fast_opens(&self) -> bool {
        self.proxy_route.fast_opens()
    }

    fn patience(&self) -> u32 {
        self.proxy_route.patience()
    }
}
