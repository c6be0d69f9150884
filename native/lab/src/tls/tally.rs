//! What became of handshakes and queries.

use std::sync::{Arc, Mutex};

use crate::latency::Latencies;

#[derive(Debug, Default)]
pub struct Tally {
    pub done: u64,
    pub failed: u64,
    pub resumed: u64,
    pub latencies: Latencies,
}

pub type Shared = Arc<Mutex<Tally>>;

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.done += other.done;
        self.failed += other.failed;
        self.resumed += other.resumed;
        self.latencies.add(&other.latencies);
    }
}
