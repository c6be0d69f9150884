//! One stream, many questions (RFC 7766): what others hold of it. Its [`Driver`] owns the stream.
//!
//! `ready → draining → closed`. A connection drains when the server asks for no more questions (keepalive 0), when its owner
//! has another or it stalls; what is in flight still gets its answer, [`Failure::Closed`] or, where the connection was
//! found dead, [`Failure::Dead`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use super::account::Account;
use super::dial::{Link, Protection, Stream};
use super::driver::{Driver, Path};
use super::failure::Failure;
use super::outgoing::Outgoing;
use super::pending::{Ask, MOST_IN_FLIGHT};
use crate::answer::Answer;

/// For the server to take our leave.
const GOODBYE: Duration = Duration::from_secs(1);

pub struct Connection {
    requests: mpsc::UnboundedSender<Request>,
    shared: Arc<Shared>,
    pub protection: Arc<Protection>,
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
    /// The other end's kernel acknowledges and its server says nothing, not even to the liveness question: it hangs, or it
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

/// What the driver tells.
pub struct Shared {
    state: AtomicU8,
    in_flight: AtomicUsize,
    pub account: Arc<Account>,
}

const READY: u8 = 0;
const DRAINING: u8 = 1;
const CLOSED: u8 = 2;

impl Connection {
    /// Takes the stream over. `account` counts what it carries.
    pub fn start(link: Link, account: Arc<Account>, tell: impl Fn(Fate) + Send + 'static) -> Self {
        Self::with(link, None, account, tell)
    }

    /// As [`Connection::start`], where a question was accepted as early data, under this id.
    pub fn with(
        link: Link,
        early: Option<(u16, Ask)>,
        account: Arc<Account>,
        tell: impl Fn(Fate) + Send + 'static,
    ) -> Self {
        let (requests, queue) = mpsc::unbounded_channel();
        let (state, in_flight) = (AtomicU8::new(READY), AtomicUsize::new(0));
        let metering = account.meter(link.meter.clone());
        let shared = Arc::new(Shared { state, in_flight, account });
        let path = Path { round_trip: link.round_trip(), meter: link.meter };
        let protection = Arc::new(link.protection);
        let mut driver =
            Driver::new(link.stream, path, queue, shared.clone(), protection.clone(), Box::new(tell));
        if let Some((id, ask)) = early {
            driver.await_early(id, ask);
        }
        tokio::spawn(async move {
            let (mut stream, end) = driver.run().await;
            if end == End::Closed {
                say_goodbye(&mut *stream).await;
            }
            drop(metering);
        });
        Self { requests, shared, protection }
    }

    /// Waits until `deadline`, or until the connection is known to be dead.
    pub async fn ask(&self, question: Arc<Outgoing>, deadline: Instant) -> Result<Answer, Failure> {
        let (answer, answered) = oneshot::channel();
        let ask = Ask { question, deadline, answer };
        self.requests.send(Request::Ask(ask)).map_err(|_| Failure::Closed)?;
        answered.await.unwrap_or(Err(Failure::Closed))
    }

    /// Whether it takes new questions.
    pub fn is_ready(&self) -> bool {
        self.shared.is_ready() && self.in_flight() < MOST_IN_FLIGHT
    }

    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    pub fn in_flight(&self) -> usize {
        self.shared.in_flight.load(Ordering::Relaxed)
    }

    /// Tells when nothing was said for so long.
    pub fn wait(&self, patience: Duration) {
        let _ = self.requests.send(Request::Wait(patience));
    }

    /// Takes no more questions; closes once nothing is in flight.
    pub fn drain(&self) {
        self.shared.drain();
        let _ = self.requests.send(Request::Drain);
    }

    /// Closes at once; what is in flight is told how it ended.
    pub fn leave(&self, end: End) {
        let _ = self.requests.send(Request::Leave(end));
        self.shared.drain();
    }
}

impl Shared {
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
        self.account.stray();
    }
}

/// close_notify, if the server still listens.
async fn say_goodbye(stream: &mut dyn Stream) {
    let _ = timeout(GOODBYE, stream.shutdown()).await;
}
