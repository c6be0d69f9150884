//! What became of handshakes and queries.

use std::sync::{Arc, Mutex};
use std::time::Duration;

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
    /// `resumed`: None if it failed.
    pub fn add_visit(&mut self, resumed: Option<bool>, latency: Duration) {
        match resumed {
            Some(resumed) => {
                self.done += 1;
                self.resumed += u64::from(resumed);
                self.latencies.record(latency);
            }
            None => self.failed += 1,
        }
    }

    pub fn add(&mut self, other: &Tally) {
        self.done += other.done;
        self.failed += other.failed;
        self.resumed += other.resumed;
        self.latencies.add(&other.latencies);
    }
}
