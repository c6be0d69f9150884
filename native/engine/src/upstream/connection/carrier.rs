//! What a transport brings along: the task that carries the queries of one open connection, whatever form they have there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::response::Response;
use crate::upstream::connection::carried::{Carried, Metering};
use crate::upstream::dial::meter::Meter;
use crate::upstream::dial::protection::Protection;
use crate::upstream::dial::sockets::Stream;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::BoxFuture;

/// A query only needs a place in its queue. How messages are told apart and written is known to the carrier alone.
pub trait Carrier: Send {
    /// Takes requests until the connection ends, gives each query its [`Verdict`], and [tells](Duty::tell) what happens to the
    /// connection. [`Fate::Ended`] comes last, and before the verdicts of queries that have no response.
    fn carry(self: Box<Self>, duty: Duty) -> BoxFuture<'static, ()>;

    /// How many queries may be in flight.
    fn most_in_flight(&self) -> usize;

    /// The stream below, if it carries DNS messages with their lengths and nothing else: an examination reads whole messages.
    fn into_stream(self: Box<Self>) -> Option<Box<dyn Stream>> {
        None
    }
}

/// What a carrier is given.
pub struct Duty {
    pub queue: mpsc::UnboundedReceiver<Request>,
    /// left with the hello and was accepted
    pub early: Option<Ask>,
    pub shared: Arc<Shared>,
    pub protection: Arc<Protection>,
    pub meter: Option<Meter>,
    /// to be dropped while the socket is still open, because the system counts until then
    pub metering: Metering,
    /// of the path, as measured while the connection was opened
    pub round_trip: Duration,
    pub tell: Box<dyn Fn(Fate) + Send>,
}

pub type Verdict = Result<Response, Failure>;

pub struct Ask {
    pub query: Arc<Outgoing>,
    pub deadline: Instant,
    pub response: oneshot::Sender<Verdict>,
}

pub enum Request {
    Ask(Ask),
    Drain,
    /// tell [`Fate::Quiet`] after a silence of this length
    Wait(Duration),
    /// closes without waiting
    Leave(End),
}

/// What happens to a connection, told as it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The other end's kernel acknowledges, but its server sends nothing, not even a response to the liveness query. It hangs, or
    /// it responds in order and is busy with one query (RFC 7766 section 6.2.1.1 asks it not to). A fresh connection can tell.
    Stalled,
    /// The server closes after a silence of this length (RFC 7828).
    Told(Duration),
    /// the silence has lasted as long as the owner wanted to know; told once
    Quiet,
    /// It has ended; told before its queries are. `silence`: the server closed it after so long, with nothing in flight.
    Ended { end: End, silence: Option<Duration> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Closed,
    /// silence, even after a liveness query
    Died,
    /// we left it, and nothing waits for the server to notice
    Abandoned,
}

/// What the owner can read of a carrier at any time.
pub struct Shared {
    state: AtomicU8,
    in_flight: AtomicUsize,
    most_in_flight: usize,
    pub carried: Arc<Carried>,
}

const READY: u8 = 0;
const DRAINING: u8 = 1;
const CLOSED: u8 = 2;

impl Shared {
    pub fn new(most_in_flight: usize, carried: Arc<Carried>) -> Self {
        Self { state: AtomicU8::new(READY), in_flight: AtomicUsize::new(0), most_in_flight, carried }
    }

    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.in_flight() < self.most_in_flight
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    pub fn is_ready(&self) -> bool {
        self.state.load(Ordering::Acquire) == READY
    }

    pub fn is_draining(&self) -> bool {
        self.state.load(Ordering::Acquire) == DRAINING
    }

    pub fn is_closed(&self) -> bool {
        self.state.load(Ordering::Acquire) == CLOSED
    }

    pub fn drain(&self) {
        let _ = self.state.compare_exchange(READY, DRAINING, Ordering::AcqRel, Ordering::Acquire);
    }

    pub fn close(&self) {
        self.state.store(CLOSED, Ordering::Release);
    }

    pub fn set_in_flight(&self, count: usize) {
        self.in_flight.store(count, Ordering::Relaxed);
    }

    pub fn stray(&self) {
        self.carried.stray();
    }
}
