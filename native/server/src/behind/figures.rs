//! How the servers behind do: what waits for them, what they failed, how long responses took, and how queries were protected.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::failure::Failure;

/// Upper bounds of the buckets, in seconds: from a resolver's cache on this machine to the last of our tries.
pub const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];

#[derive(Debug, Default)]
pub struct ResolverFigures {
    in_flight: AtomicU64,
    failed: AtomicU64,
    /// One more than bounds.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

/// One query on its way; it has come back, or nobody waits for it any more, when this is dropped.
pub struct InFlight<'a> {
    figures: &'a ResolverFigures,
    since: Instant,
}

/// What protected a query on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    Clear,
    /// TLS with whoever was there
    Unauthenticated,
    Authenticated,
}

/// Queries as they left, each counted before it does.
#[derive(Debug, Default)]
pub struct Sent {
    clear: AtomicU64,
    unauthenticated: AtomicU64,
    authenticated: AtomicU64,
}

impl Sent {
    pub fn count(&self, protection: Protection) {
        let counter = match protection {
            Protection::Clear => &self.clear,
            Protection::Unauthenticated => &self.unauthenticated,
            Protection::Authenticated => &self.authenticated,
        };
        counter.fetch_add(1, Relaxed);
    }

    /// Clear, unauthenticated, authenticated.
    pub fn snapshot(&self) -> [u64; 3] {
        [&self.clear, &self.unauthenticated, &self.authenticated].map(|counter| counter.load(Relaxed))
    }
}

/// Tries that did not leave.
#[derive(Debug, Default)]
pub struct Unsent {
    no_room: AtomicU64,
    no_turn: AtomicU64,
}

impl Unsent {
    pub fn count(&self, failure: &Failure) {
        let counter = if *failure == Failure::NoTurn { &self.no_turn } else { &self.no_room };
        counter.fetch_add(1, Relaxed);
    }

    /// For want of what this machine gives, and of a turn.
    pub fn snapshot(&self) -> [u64; 2] {
        [&self.no_room, &self.no_turn].map(|counter| counter.load(Relaxed))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ServerSnapshot {
    pub address: String,
    /// Why it rests; `None`: it responds.
    pub down: Option<String>,
    /// Tries that left and brought no response.
    pub failed: u64,
    /// Tries that did not leave, for want of what this machine gives, and of a turn.
    pub unsent: [u64; 2],
    /// Clear, unauthenticated, authenticated.
    pub sent: [u64; 3],
}

#[derive(Debug, Clone, PartialEq)]
pub struct ResolverSnapshot {
    pub servers: Vec<ServerSnapshot>,
    pub in_flight: u64,
    pub failed: u64,
    /// How many were in each bucket and in no smaller one.
    pub counts: [u64; BOUNDS.len() + 1],
    pub seconds: f64,
}

impl ResolverFigures {
    pub fn query(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Relaxed);
        InFlight { figures: self, since: Instant::now() }
    }

    pub fn snapshot(&self, servers: Vec<ServerSnapshot>) -> ResolverSnapshot {
        ResolverSnapshot {
            servers,
            in_flight: self.in_flight.load(Relaxed),
            failed: self.failed.load(Relaxed),
            counts: std::array::from_fn(|bucket| self.buckets[bucket].load(Relaxed)),
            seconds: Duration::from_micros(self.microseconds.load(Relaxed)).as_secs_f64(),
        }
    }
}

impl InFlight<'_> {
    pub fn responded(self) {
        let took = self.since.elapsed();
        let bucket = BOUNDS.partition_point(|bound| *bound < took.as_secs_f64());
        self.figures.buckets[bucket].fetch_add(1, Relaxed);
        self.figures.microseconds.fetch_add(took.as_micros() as u64, Relaxed);
    }

    pub fn failed(self) {
        self.figures.failed.fetch_add(1, Relaxed);
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.figures.in_flight.fetch_sub(1, Relaxed);
    }
}
