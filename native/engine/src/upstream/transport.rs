//! What every transport does, so that the way a question travels is one value.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use super::dial::BoxFuture;
use super::failure::Failure;
use super::keep_warm::Warmth;
use super::outgoing::Outgoing;
use super::tls::TlsFacts;
use crate::answer::Answer;
use crate::outcome::{Cost, TransportKind};

pub trait Transport: Send + Sync {
    /// Asks and waits; the answer is checked to be one to this question.
    fn exchange(
        &self,
        question: Arc<Outgoing>,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Exchanged, Failure>>;

    /// Failed last time: others are asked first, and it is tried again behind their backs.
    fn is_failing(&self) -> bool;

    /// There is no way to it, as far as was tried: more than a connection that fell silent.
    fn is_cut_off(&self) -> bool {
        self.is_failing()
    }

    /// Of the path to it, without the time it takes to answer; `None` before the first connection.
    fn round_trip(&self) -> Option<Duration> {
        None
    }

    /// Whether a question would leave at once.
    fn is_connected(&self) -> bool {
        true
    }

    /// Tries to get a connection without anyone waiting, if it may be tried.
    fn nudge(&self) {}

    /// Closes what is open once nothing is in flight.
    fn retire(&self) {}

    /// Closes what was begun before this [`Upheaval`](super::upheaval::Upheaval) at once, without a goodbye: the network beneath
    /// it changed. What is in flight is asked again, on a new connection. Tickets stay: another network has a stock of its own.
    fn abandon(&self, _upheaval: u64) {}

    /// The machine lost this address: where a connection stood on it, it is abandoned, and the next one dialled at once.
    fn lose(&self, _address: IpAddr, _upheaval: u64) {}

    /// Something about links, addresses or routes is other than it was when the last dial failed.
    fn try_again(&self) {}

    fn condition(&self) -> Condition;
}

#[derive(Debug)]
pub struct Exchanged {
    pub answer: Answer,
    pub cost: Cost,
    /// the way that was taken, not the configured one
    pub transport: TransportKind,
    pub connect: Duration,
    pub wait: Duration,
    /// upstream, handshakes included
    pub round_trips: u8,
    /// how long the connection took to open; zero where it was open
    pub handshake: Duration,
}

/// A transport's condition at this moment, as `status()` shows it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    pub state: State,
    /// the way in use, or used last: a word of [`TransportKind`]
    pub path: Option<&'static str>,
    /// in use, or used last
    pub address: Option<String>,
    /// of the connection; while idle or dialing, what was agreed on the last one
    pub tls: Option<TlsFacts>,
    pub last_error: Option<LastError>,
    pub resting_ms: u64,
    pub in_flight: usize,
    pub answered: u64,
    pub failed: u64,
    pub dials: u64,
    pub resumptions: u64,
    /// messages that were no answer to what was asked: another id, question, address or cookie
    pub strays: u64,
    /// how its connections are kept warm; null where there are none to keep
    pub warmth: Option<Warmth>,
    /// smoothed time from question to answer; null before the first
    pub rtt_ms: Option<f64>,
    pub handshake_ms: Option<f64>,
}

#[derive(Debug, Clone, Serialize)]
pub struct LastError {
    pub code: &'static str,
    pub text: String,
}

impl LastError {
    pub fn of(failure: &Failure) -> Self {
        Self { code: failure.code(), text: failure.to_string() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    Idle,
    Dialing,
    Ready,
    Draining,
    /// backing off
    Resting,
}

/// Counts that outlive connections.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub answered: u64,
    pub failed: u64,
    pub dials: u64,
    pub resumptions: u64,
    pub rtt: Option<Duration>,
    pub handshake: Option<Duration>,
    pub last_error: Option<LastError>,
}

impl Tally {
    /// RFC 6298's weight: an eighth of each new sample.
    pub fn answered(&mut self, wait: Duration) {
        self.answered += 1;
        self.last_error = None;
        self.rtt = Some(self.rtt.map_or(wait, |rtt| (rtt * 7 + wait) / 8));
    }

    pub fn failed(&mut self, failure: &Failure) {
        self.failed += 1;
        if !matches!(failure, Failure::Resting { .. }) {
            self.last_error = Some(LastError::of(failure));
        }
    }

    pub fn condition(&self, state: State) -> Condition {
        let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
        Condition {
            state,
            path: None,
            address: None,
            tls: None,
            last_error: self.last_error.clone(),
            resting_ms: 0,
            in_flight: 0,
            answered: self.answered,
            failed: self.failed,
            dials: self.dials,
            resumptions: self.resumptions,
            strays: 0,
            warmth: None,
            rtt_ms: self.rtt.map(ms),
            handshake_ms: self.handshake.map(ms),
        }
    }
}
