//! The one trait that everything above asks: a query goes in, a response comes out, with its cost. How it travels is not to be seen.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::answer::Answer;
use crate::outcome::{Cost, TransportKind};
use crate::upstream::condition::Condition;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::BoxFuture;

pub trait Exchange: Send + Sync {
    /// Asks and waits; the answer is checked to be one to this query.
    fn exchange(&self, query: Arc<Outgoing>, deadline: Instant) -> BoxFuture<'_, Result<Exchanged, Failure>>;

    /// Failed last time: others are asked first, and it is tried again behind their backs.
    fn is_failing(&self) -> bool;

    /// There is no path to it, as far as was tried: more than a connection that fell silent.
    fn is_cut_off(&self) -> bool {
        self.is_failing()
    }

    /// Of the path to it, without the time it takes to answer; `None` before the first connection.
    fn round_trip(&self) -> Option<Duration> {
        None
    }

    /// It was reached on this network, and nobody is there now.
    fn gone(&self) -> Option<Gone> {
        None
    }

    /// As far as was tried, the kernel has no route to it, and told of a change shortly before that began: then.
    fn lost_route(&self) -> Option<Instant> {
        None
    }

    /// Whether there was no path to it at a try that began since this [`Interruption`](crate::upstream::memory::network_change::Interruption), with a
    /// network to try it on.
    fn failed_since(&self, _interruption: u64) -> bool {
        self.is_cut_off()
    }

    /// Whether a query would leave at once.
    fn is_connected(&self) -> bool {
        true
    }

    /// Tries to get a connection without anyone waiting, if it may be tried.
    fn nudge(&self) {}

    /// Closes what is open once nothing is in flight.
    fn retire(&self) {}

    /// Closes what was begun before this [`NetworkChanges`](crate::upstream::memory::network_change::NetworkChanges) at once, without a goodbye: the network beneath
    /// it changed. What is in flight is asked again, on a new connection. Tickets stay: another network has a stock of its own.
    fn abandon(&self, _network_change: u64) {}

    /// The machine lost this address: where a connection stood on it, it is abandoned, and the next one dialled at once.
    fn lose(&self, _address: IpAddr, _network_change: u64) {}

    /// Something about links, addresses or routes is other than it was when the last dial failed.
    fn try_again(&self) {}

    fn condition(&self) -> Condition;
}

/// It was there a moment ago, and may be so again: a server restarts, a service is moved.
#[derive(Debug, Clone, Copy)]
pub struct Gone {
    pub since: Instant,
    pub next_dial: Instant,
}

#[derive(Debug)]
pub struct Exchanged {
    pub answer: Answer,
    pub cost: Cost,
    /// that was taken, not the configured one
    pub transport: TransportKind,
    pub connect: Duration,
    pub wait: Duration,
    /// upstream, handshakes included
    pub round_trips: u8,
    /// how long the connection took to open; zero where it was open
    pub handshake: Duration,
}
