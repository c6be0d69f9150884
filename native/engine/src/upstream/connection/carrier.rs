//! What a transport brings along: the task that carries the queries of one open connection, in whatever way they travel there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::answer::Answer;
use crate::upstream::connection::carried::{Carried, Metering};
use crate::upstream::dial::meter::Meter;
use crate::upstream::dial::protection::Protection;
use crate::upstream::dial::sockets::Stream;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::BoxFuture;

/// A query needs nothing of it but a place in its queue: how messages are told apart, and how they are written, nobody else knows.
pub trait Carrier: Send {
    /// Takes requests until the connection ends, gives each query its [`Verdict`], and [tells](Duty::tell) what becomes of the
    /// connection; lastly [`Fate::Ended`], before those are told whose queries have no response.
    fn carry(self: Box<Self>, duty: Duty) -> BoxFuture<'static, ()>;

    /// So many queries may be in flight.
    fn most_in_flight(&self) -> usize;

    /// The stream below, where it carries DNS messages with their lengths and nothing else: an examination looks at them whole.
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
    /// to be dropped while the socket is still open: the system counts until then
    pub metering: Metering,
    /// of the path, as seen while the connection was opened
    pub round_trip: Duration,
    pub tell: Box<dyn Fn(Fate) + Send>,
}

pub type Verdict = Result<Answer, Failure>;

pub struct Ask {
    pub query: Arc<Outgoing>,
    pub deadline: Instant,
    pub answer: oneshot::Sender<Verdict>,
}

pub enum Request {
    Ask(Ask),
    Drain,
    /// tell [`Fate::Quiet`] after so long a silence
    Wait(Duration),
    /// closes without waiting for anything
    Leave(End),
}

/// What becomes of a connection, told as it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The other end's kernel acknowledges and its server says nothing, not even to the liveness query: it hangs, or it
    /// answers in order and is busy with one (RFC 7766 section 6.2.1.1 asks it not to). A fresh connection can tell.
    Stalled,
    /// The server closes after so long a silence (RFC 7828).
    Told(Duration),
    /// as long a silence as its owner waits; told once
    Quiet,
    /// It is gone; told before its askers are. `silence`: it was the server that closed, after so long, with nothing in flight.
    Ended { end: End, silence: Option<Duration> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Closed,
    /// silence, even when asked for a sign of life
    Died,
    /// we left; nobody waits for the server to notice
    Abandoned,
}

/// What a carrier tells all the time.
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
