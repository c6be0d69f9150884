//! The one connection to an upstream: opened by the first question that needs it, shared by all, replaced when it dies.
//!
//! A question that was in flight on a connection that closed moves to the next one; it is asked at most three times
//! (RFC 9520 section 3.1).

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::backoff::Backoff;
use super::connection::Connection;
use super::dial::{BoxFuture, Dial, unwatched};
use super::failure::{DialError, Failure};
use super::outgoing::Outgoing;
use super::tls::TlsFacts;
use super::transport::{Condition, Exchanged, State, Tally, Transport};
use crate::outcome::Cost;

const MOST_SENDS: usize = 3;

pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    dialer: Box<dyn Dial>,
    addresses: Vec<SocketAddr>,
    on_change: Arc<dyn Fn() + Send + Sync>,
    strays: Arc<AtomicU64>,
    seat: Mutex<Seat>,
}

struct Seat {
    slot: Slot,
    backoff: Backoff,
    tally: Tally,
    /// open, or the last that was
    last: Option<Arc<Open>>,
}

enum Slot {
    Empty,
    Dialing(watch::Receiver<Option<Dialed>>),
    Open(Arc<Open>),
}

type Dialed = Result<Arc<Open>, Failure>;

struct Open {
    connection: Connection,
    address: SocketAddr,
    resumed: bool,
    round_trips: u8,
}

impl Open {
    fn tls(&self) -> Option<&TlsFacts> {
        self.connection.protection.tls()
    }
}

/// A connection to ask on, and what getting it cost.
struct Got {
    open: Arc<Open>,
    cost: Cost,
}

impl Pool {
    pub fn new(
        dialer: Box<dyn Dial>,
        addresses: Vec<SocketAddr>,
        on_change: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let seat =
            Seat { slot: Slot::Empty, backoff: Backoff::default(), tally: Tally::default(), last: None };
        let (strays, seat) = (Arc::default(), Mutex::new(seat));
        Self { inner: Arc::new(Inner { dialer, addresses, on_change, strays, seat }) }
    }
}

impl Transport for Pool {
    fn exchange(
        &self,
        question: Arc<Outgoing>,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Exchanged, Failure>> {
        Box::pin(async move {
            let result = self.inner.exchange(question, deadline).await;
            let mut seat = self.inner.seat();
            match &result {
                Ok(exchanged) => seat.tally.answered(exchanged.wait),
                Err(failure) => seat.tally.failed(failure),
            }
            result
        })
    }

    fn is_failing(&self) -> bool {
        self.inner.seat().backoff.is_failing()
    }

    fn is_connected(&self) -> bool {
        self.inner.ready().is_some()
    }

    fn nudge(&self) {
        let mut seat = self.inner.seat();
        if matches!(seat.slot, Slot::Empty) && seat.backoff.resting().is_none() {
            self.inner.start_dial(&mut seat);
        }
    }

    fn retire(&self) {
        if let Slot::Open(open) = &self.inner.seat().slot {
            open.connection.drain();
        }
    }

    fn condition(&self) -> Condition {
        let seat = self.inner.seat();
        let (state, in_flight) = match &seat.slot {
            Slot::Open(open) if open.connection.is_closed() => (State::Idle, 0),
            Slot::Open(open) if open.connection.is_ready() => (State::Ready, open.connection.in_flight()),
            Slot::Open(open) => (State::Draining, open.connection.in_flight()),
            Slot::Dialing(_) => (State::Dialing, 0),
            Slot::Empty if seat.backoff.resting().is_some() => (State::Resting, 0),
            Slot::Empty => (State::Idle, 0),
        };
        // an upstream that can't be reached has no TLS to show, whatever it had before
        let tls = seat.last.as_ref().filter(|_| !seat.backoff.is_failing()).and_then(|last| last.tls());
        Condition {
            address: seat.last.as_ref().map(|last| last.address.to_string()),
            tls: tls.cloned(),
            resting_ms: seat.backoff.resting().map_or(0, |left| left.as_millis() as u64),
            in_flight,
            strays: self.inner.strays.load(Ordering::Relaxed),
            ..seat.tally.condition(state)
        }
    }
}

impl Inner {
    async fn exchange(
        self: &Arc<Self>,
        question: Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        let started = Instant::now();
        for sends in 0..MOST_SENDS {
            let (Got { open, cost }, asked) = match self.ready() {
                Some(got) => (got, if sends == 0 { started } else { Instant::now() }),
                None => (Box::pin(self.connection(deadline)).await?, Instant::now()),
            };
            // a connection kept from before may be dead without a sign: leave time for a fresh one
            let sign_of_life = if cost == Cost::Reused { asked + (deadline - asked) / 2 } else { deadline };
            match open.connection.ask(question.clone(), sign_of_life, deadline).await {
                Ok(answer) => {
                    let handshake = if cost == Cost::Reused { 0 } else { open.round_trips };
                    return Ok(Exchanged {
                        answer,
                        cost,
                        connect: asked - started,
                        wait: asked.elapsed(),
                        round_trips: handshake + 1,
                    });
                }
                Err(Failure::Closed) => {}
                Err(Failure::TimedOut) if cost == Cost::Reused && !open.connection.is_ready() => {}
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::Closed)
    }

    /// The connection, where one is open: most questions find it so.
    fn ready(&self) -> Option<Got> {
        match &self.seat().slot {
            Slot::Open(open) if open.connection.is_ready() => {
                Some(Got { open: open.clone(), cost: Cost::Reused })
            }
            _ => None,
        }
    }

    /// A connection that has to be waited for.
    async fn connection(self: &Arc<Self>, deadline: Instant) -> Result<Got, Failure> {
        let (mut dialed, first) = {
            let mut seat = self.seat();
            match &seat.slot {
                Slot::Dialing(dialed) => (dialed.clone(), false),
                _ => {
                    if let Some(left) = seat.backoff.resting() {
                        let last = seat
                            .tally
                            .last_error
                            .as_ref()
                            .map_or_else(String::new, |error| error.text.clone());
                        return Err(Failure::Resting { left, last });
                    }
                    (self.start_dial(&mut seat), true)
                }
            }
        };
        let dialed = timeout_at(deadline, dialed.wait_for(Option::is_some)).await;
        let open = match dialed {
            Ok(Ok(dialed)) => dialed.clone().expect("waited for it")?,
            Ok(Err(_)) => return Err(Failure::Closed),
            Err(_) => return Err(Failure::StillConnecting),
        };
        let cost = match (first, open.resumed) {
            (false, _) => Cost::Queued,
            (true, true) => Cost::Resumed,
            (true, false) => Cost::Cold,
        };
        Ok(Got { open, cost })
    }

    /// Dials on a task of its own: the question that wanted it may give up, the connection is still good for others.
    fn start_dial(self: &Arc<Self>, seat: &mut Seat) -> watch::Receiver<Option<Dialed>> {
        let (tell, dialed) = watch::channel(None);
        seat.slot = Slot::Dialing(dialed.clone());
        seat.tally.dials += 1;
        let inner = self.clone();
        tokio::spawn(async move {
            let result = inner.dial().await;
            inner.settle(&result);
            tell.send_replace(Some(result));
            (inner.on_change)();
        });
        (self.on_change)();
        dialed
    }

    /// Each address in turn.
    async fn dial(self: &Arc<Self>) -> Dialed {
        let mut last = Failure::Closed;
        for address in &self.addresses {
            match self.dialer.dial(*address, &unwatched).await {
                Ok(link) => {
                    let tls = link.protection.tls();
                    let (resumed, round_trips) = (tls.is_some_and(|tls| tls.resumed), link.round_trips);
                    self.seat().tally.handshake = Some(link.took);
                    let inner = Arc::downgrade(self);
                    let closed = move || {
                        if let Some(inner) = inner.upgrade() {
                            (inner.on_change)();
                        }
                    };
                    let connection = Connection::start(link, self.strays.clone(), closed);
                    return Ok(Arc::new(Open { connection, address: *address, resumed, round_trips }));
                }
                Err(reason) => last = DialError { address: *address, reason }.into(),
            }
        }
        Err(last)
    }

    fn settle(&self, result: &Dialed) {
        let mut seat = self.seat();
        match result {
            Ok(open) => {
                seat.backoff.succeeded();
                seat.tally.last_error = None;
                seat.tally.resumptions += u64::from(open.resumed);
                seat.last = Some(open.clone());
                seat.slot = Slot::Open(open.clone());
            }
            Err(failure) => {
                seat.backoff.failed();
                seat.tally.failed(failure);
                seat.slot = Slot::Empty;
            }
        }
    }

    fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().expect("nothing panics while holding a seat")
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.retire();
    }
}
