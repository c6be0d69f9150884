//! The one connection to an upstream: opened by the first query that needs it, shared by all, replaced when it dies.
//!
//! A query that was in flight on a connection that closed moves to the next one; it is sent at most three times
//! (RFC 9520 section 3.1), the third time [`apart`] from all others. If that connection closes, too, all queries are [`spread`]
//! over several connections for a while. If its connection died, the pool hands it back, because another upstream may answer
//! sooner, and dials a new connection meanwhile.

mod apart;
mod asking;
mod dialing;
mod fate;
mod joined;
pub mod keep_warm;
mod seat;
mod spread;
mod warming;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::holding::Holding;
use crate::upstream::backoff::Backoff;
use crate::upstream::condition::{Condition, Tally};
use crate::upstream::exchange::{Exchange, Exchanged, Gone};
use crate::upstream::failure::Failure;
use crate::upstream::memory::connections::Connections;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::paths::Paths;
use crate::upstream::pool::keep_warm::KeepWarm;
use crate::upstream::pool::seat::{Inner, Route, Seat, Slot, Spread};
use crate::upstream::running::BoxFuture;

pub struct Pool {
    inner: Arc<Inner>,
}

impl Pool {
    /// `warm`: whether a connection may be opened before it is needed.
    pub fn new(paths: Paths, warm: bool, connections: Arc<Connections>, holding: Arc<Holding>) -> Self {
        let seat = Seat {
            slot: Slot::Empty,
            spare: None,
            warm: KeepWarm::default(),
            network_change: connections.network_changes.number(),
            serial: 0,
            backoff: Backoff::default(),
            tally: Tally::default(),
            round_trip: None,
            missed: None,
            route: Route::There,
            failed_since: None,
            stalled: Vec::new(),
            apart: Vec::new(),
            closed_over_one: None,
            last_stall: None,
            last: None,
            was_sound: false,
        };
        let (carried, seat) = (Arc::default(), Mutex::new(seat));
        let turns_apart = Arc::new(Semaphore::new(apart::MOST));
        let early_data = false;
        Self {
            inner: Arc::new(Inner {
                paths,
                early_data,
                holding,
                connections,
                warm,
                carried,
                turns_apart,
                spread: Spread::default(),
                seat,
            }),
        }
    }

    pub fn with_early_data(mut self, wanted: bool) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.early_data = wanted;
        }
        self
    }
}

impl Exchange for Pool {
    fn exchange(&self, query: Arc<Outgoing>, deadline: Instant) -> BoxFuture<'_, Result<Exchanged, Failure>> {
        Box::pin(async move {
            let result = self.inner.exchange(query, deadline).await;
            let mut seat = self.inner.seat();
            match &result {
                Ok(exchanged) => {
                    seat.tally.answered(exchanged.wait);
                    seat.tally.spent.asked(exchanged.cost);
                }
                Err(failure) => seat.tally.failed(failure),
            }
            result
        })
    }

    fn is_failing(&self) -> bool {
        self.inner.seat().backoff.is_failing()
    }

    fn is_cut_off(&self) -> bool {
        self.inner.seat().backoff.is_cut_off()
    }

    fn lost_route(&self) -> Option<Instant> {
        match self.inner.seat().route {
            Route::There => None,
            Route::Gone { told, .. } => told,
        }
    }

    fn gone(&self) -> Option<Gone> {
        self.inner.seat().backoff.gone()
    }

    fn failed_since(&self, interruption: u64) -> bool {
        let seat = self.inner.seat();
        seat.backoff.is_cut_off() && seat.failed_since.is_some_and(|since| since >= interruption)
    }

    fn round_trip(&self) -> Option<Duration> {
        self.inner.seat().round_trip
    }

    fn is_connected(&self) -> bool {
        // a stalled connection still has a path, and queries wait on it
        self.inner.ready().is_some() || {
            let seat = self.inner.seat();
            !seat.stalled.is_empty() || seat.is_ready_beside()
        }
    }

    fn nudge(&self) {
        let mut seat = self.inner.seat();
        if matches!(seat.slot, Slot::Empty) && seat.backoff.resting().is_none() {
            self.inner.start_dial(&mut seat, None);
        }
    }

    fn retire(&self) {
        if let Slot::Open(open) = &self.inner.seat().slot {
            open.connection.drain();
        }
    }

    fn abandon(&self, network_change: u64) {
        self.inner.abandon(network_change);
    }

    fn lose(&self, address: IpAddr, network_change: u64) {
        self.inner.lose(address, network_change);
    }

    fn try_again(&self) {
        self.inner.try_again();
    }

    fn condition(&self) -> Condition {
        let seat = self.inner.seat();
        let in_flight = match &seat.slot {
            Slot::Open(open) if !open.connection.is_closed() => open.connection.in_flight(),
            _ => 0,
        };
        // an upstream that can't be reached shows no TLS, whatever it had before
        let last = seat.last.as_ref();
        let reached = last.filter(|_| !seat.backoff.is_failing());
        let apart: Vec<_> = seat.apart.iter().filter_map(Weak::upgrade).collect();
        let beside: usize = seat.stalled.iter().chain(&apart).map(|open| open.connection.in_flight()).sum();
        let condition = seat.tally.condition(seat.state());
        Condition {
            path: reached.map(|last| last.kind),
            address: last.map(|last| last.address.to_string()),
            tls: reached.and_then(|last| last.tls()).cloned(),
            last_error: condition.last_error.clone().or_else(|| seat.missed.clone()),
            lengths_shown: false,
            resting_ms: seat.backoff.resting().map_or(0, |left| left.as_millis() as u64),
            in_flight: in_flight + beside,
            strays: self.inner.carried.strays(),
            cost: Some(seat.tally.spent.told(self.inner.carried.octets())),
            warmth: self.inner.warm.then(|| {
                let settings = self.inner.connections.settings();
                seat.warm.warmth(Instant::now(), &settings, self.inner.rests(&seat))
            }),
            ..condition
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.retire();
    }
}
