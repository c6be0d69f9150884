//! An open connection (RFC 7766) for its owner. Its [carrier](carrier::Carrier) does the work, on a task of its own.
//!
//! `ready → draining → closed`. A connection drains when the server asks for no more queries (keepalive 0), when its owner has
//! another one, or when it stalls. What is in flight still gets its response, or [`Failure::Closed`], or [`Failure::Dead`] if the
//! connection was found dead.

pub mod carried;
pub mod carrier;
pub mod early;
pub mod fitting;
pub mod link;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::response::Response;
use crate::upstream::connection::carried::Carried;
use crate::upstream::connection::carrier::{Ask, Duty, End, Fate, Request, Shared};
use crate::upstream::connection::link::Link;
use crate::upstream::dial::protection::Protection;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;

pub struct Connection {
    requests: mpsc::UnboundedSender<Request>,
    shared: Arc<Shared>,
    pub protection: Arc<Protection>,
}

impl Connection {
    /// Starts the carrier. `carried` counts what it carries.
    pub fn start(link: Link, carried: Arc<Carried>, tell: impl Fn(Fate) + Send + 'static) -> Self {
        Self::with(link, None, carried, tell)
    }

    /// Like [`Connection::start`], where a query was accepted as early data.
    pub fn with(
        link: Link,
        early: Option<Ask>,
        carried: Arc<Carried>,
        tell: impl Fn(Fate) + Send + 'static,
    ) -> Self {
        let (requests, queue) = mpsc::unbounded_channel();
        let round_trip = link.round_trip();
        let metering = carried.meter(link.meter.clone());
        let shared = Arc::new(Shared::new(link.carrier.most_in_flight(), carried));
        let protection = Arc::new(link.protection);
        let carrying = link.carrier.carry(Duty {
            queue,
            early,
            shared: shared.clone(),
            protection: protection.clone(),
            meter: link.meter,
            metering,
            round_trip,
            tell: Box::new(tell),
        });
        tokio::spawn(carrying);
        Self { requests, shared, protection }
    }

    /// Waits until `deadline`, or until the connection is known to be dead.
    pub async fn ask(&self, query: Arc<Outgoing>, deadline: Instant) -> Result<Response, Failure> {
        let (response, answered) = oneshot::channel();
        let ask = Ask { query, deadline, response };
        self.requests.send(Request::Ask(ask)).map_err(|_| Failure::Closed)?;
        answered.await.unwrap_or(Err(Failure::Closed))
    }

    /// Whether it takes new queries.
    pub fn is_ready(&self) -> bool {
        self.shared.is_ready() && self.shared.has_room()
    }

    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    pub fn in_flight(&self) -> usize {
        self.shared.in_flight()
    }

    /// Asks the carrier to tell when nothing was sent for so long.
    pub fn wait(&self, patience: Duration) {
        let _ = self.requests.send(Request::Wait(patience));
    }

    /// Takes no more queries; closes once nothing is in flight.
    pub fn drain(&self) {
        self.shared.drain();
        let _ = self.requests.send(Request::Drain);
    }

    /// Closes at once; queries in flight are told how it ended.
    pub fn leave(&self, end: End) {
        let _ = self.requests.send(Request::Leave(end));
        self.shared.drain();
    }
}
