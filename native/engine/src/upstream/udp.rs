//! Plain UDP as an upstream's transport: no protection, so it exists only under a lease.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::dial::BoxFuture;
use super::failure::Failure;
use super::outgoing::Outgoing;
use super::plain::Plain;
use super::transport::{Condition, Exchanged, State, Tally, Transport};
use crate::clear::Lease;
use crate::outcome::{Cost, TransportKind};

pub struct Udp {
    plain: Plain,
    addresses: Vec<SocketAddr>,
    lease: Arc<Lease>,
    tally: Mutex<Tally>,
}

impl Udp {
    pub fn new(plain: Plain, addresses: Vec<SocketAddr>, lease: Arc<Lease>) -> Self {
        Self { plain, addresses, lease, tally: Mutex::default() }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("nothing panics while counting")
    }
}

impl Transport for Udp {
    fn exchange(
        &self,
        question: Arc<Outgoing>,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Exchanged, Failure>> {
        Box::pin(async move {
            let asked = Instant::now();
            match self.plain.ask(&self.addresses, &question, &self.lease, deadline).await {
                Ok((answer, _)) => {
                    let wait = asked.elapsed();
                    self.tally().answered(wait);
                    Ok(Exchanged {
                        answer,
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
        let path = Some(TransportKind::Udp.word());
        Condition { path, address, strays: self.plain.strays(), ..self.tally().condition(State::Ready) }
    }
}
