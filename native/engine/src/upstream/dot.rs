//! DNS over TLS on a port of its own (RFC 7858).

use std::net::SocketAddr;

use tokio::time::Instant;

use super::dial::{BoxFuture, Dial, How, Link, Step, connect, secure};
use super::failure::DialReason;
use super::tls::Tls;

pub struct Dot {
    tls: Tls,
}

impl Dot {
    pub fn new(tls: Tls) -> Self {
        Self { tls }
    }
}

impl Dial for Dot {
    fn dial<'a>(&'a self, address: SocketAddr, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let started = Instant::now();
            let stream = connect(address).await?;
            (how.watch)(Step::Connected);
            secure(&self.tls, stream, started, 1, how).await
        })
    }

    fn forget(&self) {
        self.tls.forget();
    }
}
