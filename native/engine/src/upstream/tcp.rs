//! Plain TCP (RFC 7766): no protection, so it exists only under a lease.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::time::Instant;

use super::dial::{BoxFuture, Dial, How, Link, Protection, Step, connect};
use super::failure::DialReason;
use super::meter::Meter;
use crate::clear::Lease;

pub struct Tcp {
    lease: Arc<Lease>,
}

impl Tcp {
    pub fn new(lease: Arc<Lease>) -> Self {
        Self { lease }
    }
}

impl Dial for Tcp {
    fn dial<'a>(&'a self, address: SocketAddr, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let started = Instant::now();
            let stream = connect(address).await?;
            (how.watch)(Step::Connected);
            let meter = Meter::of(&stream);
            Ok(Link {
                stream: Box::new(stream),
                protection: Protection::Clear(self.lease.clone()),
                round_trips: 1,
                took: started.elapsed(),
                meter,
            })
        })
    }
}
