//! Plain UDP as an upstream's transport. It protects nothing, so it needs a lease.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use crate::config::{ConfigError, UpstreamConfig};
use crate::outcome::{Cost, TransportKind};
use crate::upstream::clear::lease::Lease;
use crate::upstream::condition::{Condition, State, Tally};
use crate::upstream::exchange::{Exchange, Exchanged};
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::BoxFuture;
use crate::upstream::transport::plain::Plain;
use crate::upstream::transport::surroundings::Surroundings;

pub struct Udp {
    plain: Plain,
    addresses: Vec<SocketAddr>,
    lease: Arc<Lease>,
    tally: Mutex<Tally>,
}

pub fn exchange(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
) -> Result<Box<dyn Exchange>, ConfigError> {
    let lease = around.permission(config, path)?;
    Ok(Box::new(Udp::towards(config.straight().collect(), lease, around)))
}

impl Udp {
    pub fn towards(addresses: Vec<SocketAddr>, lease: Arc<Lease>, around: &Surroundings) -> Self {
        Self::new(Plain::new(around.transports.clone(), around.cookies.clone()), addresses, lease)
    }

    pub fn new(plain: Plain, addresses: Vec<SocketAddr>, lease: Arc<Lease>) -> Self {
        Self { plain, addresses, lease, tally: Mutex::default() }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("nothing panics while counting")
    }
}

impl Exchange for Udp {
    fn exchange(&self, query: Arc<Outgoing>, deadline: Instant) -> BoxFuture<'_, Result<Exchanged, Failure>> {
        Box::pin(async move {
            let asked = Instant::now();
            match self.plain.ask(&self.addresses, &query, &self.lease, deadline).await {
                Ok((response, _)) => {
                    let wait = asked.elapsed();
                    self.tally().answered(wait);
                    Ok(Exchanged {
                        response,
                        cost: Cost::None,
                        transport: TransportKind::Udp,
                        connect: Duration::ZERO,
                        wait,
                        round_trips: 1,
                        handshake: Duration::ZERO,
                    })
                }
                Err(failure) => {
                    self.tally().failed(&failure);
                    Err(failure)
                }
            }
        })
    }

    fn is_failing(&self) -> bool {
        false
    }

    fn condition(&self) -> Condition {
        let address = self.addresses.first().map(ToString::to_string);
        let path = Some(TransportKind::Udp);
        Condition { path, address, strays: self.plain.strays(), ..self.tally().condition(State::Ready) }
    }
}
