//! What became of handshakes and queries.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::latency::Latencies;

#[derive(Debug, Default)]
pub struct Tally {
    pub done: u64,
    /// reason → how many
    pub failures: BTreeMap<String, u64>,
    pub resumed: u64,
    pub latencies: Latencies,
}

pub type Shared = Arc<Mutex<Tally>>;

impl Tally {
    /// `visited`: whether it was resumed.
    pub fn add_visit(&mut self, visited: Result<bool, &io::Error>, latency: Duration) {
        match visited {
            Ok(resumed) => {
                self.done += 1;
                self.resumed += u64::from(resumed);
                self.latencies.record(latency);
            }
            Err(error) => self.add_failures(words(error), 1),
        }
    }

    pub fn add_failures(&mut self, reason: impl ToString, count: u64) {
        if count > 0 {
            *self.failures.entry(reason.to_string()).or_default() += count;
        }
    }

    pub fn add(&mut self, other: &Tally) {
        self.done += other.done;
        for (reason, count) in &other.failures {
            self.add_failures(reason, *count);
        }
        self.resumed += other.resumed;
        self.latencies.add(&other.latencies);
    }
}

pub fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut => "no response in time".into(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "closed without a response".into()
        }
        _ => error.to_string(),
    }
}
