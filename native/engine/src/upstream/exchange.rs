//! The trait that everything above uses: a query goes in, a response comes out, with its cost. How it travels stays below.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::outcome::{Cost, TransportKind};
use crate::response::Response;
use crate::upstream::condition::Condition;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::BoxFuture;

pub trait Exchange: Send + Sync {
    /// Sends the query and waits for its response, which is checked.
    fn exchange(&self, query: Arc<Outgoing>, deadline: Instant) -> BoxFuture<'_, Result<Exchanged, Failure>>;

    /// It failed last time: others are asked first, and it is tried again in the background.
    fn is_failing(&self) -> bool;

    /// There was no path to it at the last try, which is more than a connection that fell silent.
    fn is_cut_off(&self) -> bool {
        self.is_failing()
    }

    /// The round trip of the path, without the server's own time; `None` before the first connection.
    fn round_trip(&self) -> Option<Duration> {
        None
    }

    /// It was reached on this network, and no server is there now.
    fn gone(&self) -> Option<Gone> {
        None
    }

    /// At the last try the kernel had no route to it. The result is the time of the network change shortly before that.
    fn lost_route(&self) -> Option<Instant> {
        None
    }

    /// Whether a try found no path to it that began after this
    /// [`Interruption`](crate::upstream::memory::network_change::Interruption), with a network to try it on.
    fn failed_since(&self, _interruption: u64) -> bool {
        self.is_cut_off()
    }

    /// Whether a query would leave at once.
    fn is_connected(&self) -> bool {
        true
    }

    /// Tries to open a connection in the background, if it may be tried.
    fn nudge(&self) {}

    /// Closes what is open once nothing is in flight.
    fn retire(&self) {}

    /// The network has changed: connections that began before this
    /// [`NetworkChanges`](crate::upstream::memory::network_change::NetworkChanges) are closed at once, without a goodbye. Queries
    /// in flight are sent again on a new connection. Tickets stay: another network has its own.
    fn abandon(&self, _network_change: u64) {}

    /// The machine lost this address. If a connection used it, it is abandoned, and the next one is dialled at once.
    fn lose(&self, _address: IpAddr, _network_change: u64) {}

    /// Links, addresses or routes have changed since the last dial failed.
    fn try_again(&self) {}

    fn condition(&self) -> Condition;
}

/// It was there a moment ago, and may be there again soon: a server restarts, or a service is moved.
#[derive(Debug, Clone, Copy)]
pub struct Gone {
    pub since: Instant,
    pub next_dial: Instant,
}

#[derive(Debug)]
pub struct Exchanged {
    pub response: Response,
    pub cost: Cost,
    /// the transport that was used, which need not be the configured one
    pub transport: TransportKind,
    pub connect: Duration,
    pub wait: Duration,
    /// to the upstream, with those of the handshake
    pub round_trips: u8,
    /// how long the connection took to open; zero where it was open already
    pub handshake: Duration,
}
