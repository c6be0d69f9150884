//! One stream, many questions (RFC 7766): what others hold of it. Its [`Driver`] owns the stream.
//!
//! `ready → draining → closed`. A connection drains when the server asks for no more questions (keepalive 0), when its idle
//! limit nears or when it went silent under a question; what is in flight still gets its answer or [`Failure::Closed`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use super::dial::{Link, Protection, Stream};
use super::driver::Driver;
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
}

/// What the driver tells.
pub struct Shared {
    state: AtomicU8,
    in_flight: AtomicUsize,
    /// messages that answer nothing asked
    pub strays: Arc<AtomicU64>,
}

const READY: u8 = 0;
const DRAINING: u8 = 1;
const CLOSED: u8 = 2;

impl Connection {
    /// Takes the stream over; `closed` is called once, when it is gone. `strays` counts messages that answer nothing asked.
    pub fn start(link: Link, strays: Arc<AtomicU64>, closed: impl FnOnce() + Send + 'static) -> Self {
        let (requests, queue) = mpsc::unbounded_channel();
        let (state, in_flight) = (AtomicU8::new(READY), AtomicUsize::new(0));
        let shared = Arc::new(Shared { state, in_flight, strays });
        let protection = Arc::new(link.protection);
        let driver = Driver::new(link.stream, queue, shared.clone(), protection.clone());
        tokio::spawn(async move {
            let stream = driver.run().await;
            closed();
            say_goodbye(stream).await;
        });
        Self { requests, shared, protection }
    }

    /// If not one octet comes before `sign_of_life`, the path is gone, whatever TCP still believes: the connection ends, and
    /// the question with it. Otherwise the answer is waited for until `deadline`.
    pub async fn ask(
        &self,
        question: Arc<Outgoing>,
        sign_of_life: Instant,
        deadline: Instant,
    ) -> Result<Answer, Failure> {
        let (answer, answered) = oneshot::channel();
        let ask = Ask { question, sign_of_life, deadline, answer };
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

    /// Takes no more questions; closes once nothing is in flight.
    pub fn drain(&self) {
        self.shared.drain();
        let _ = self.requests.send(Request::Drain);
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
        self.strays.fetch_add(1, Ordering::Relaxed);
    }
}

/// close_notify, if the server still listens.
async fn say_goodbye(mut stream: Box<dyn Stream>) {
    let _ = timeout(GOODBYE, stream.shutdown()).await;
}
