//! DNS over TLS on a port of its own (RFC 7858).

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::time::Instant;

use super::dial::{BoxFuture, Dial, How, Link, open, secure};
use super::failure::DialReason;
use super::fast_open;
use super::tls::Tls;

pub struct Dot {
    tls: Arc<Tls>,
}

impl Dot {
    pub fn new(tls: Arc<Tls>) -> Self {
        Self { tls }
    }
}

impl Dial for Dot {
    fn dial<'a>(&'a self, address: SocketAddr, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let started = Instant::now();
            let (stream, fast_open) = open(address, how).await?;
            let fits = self.tls.hello_fits_a_syn();
            let link = secure(&self.tls, stream, started, 1, how).await?;
            Ok(link.opened_with(fast_open, fits))
        })
    }

    fn fast_opens(&self) -> bool {
        fast_open::is_available()
    }
}
