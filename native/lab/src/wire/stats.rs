//! What happened to packets so far.

use serde::Serialize;

use crate::latency::{Latencies, Percentiles};

#[derive(Debug, Default)]
pub struct Stats {
    pub counts: Counts,
    /// how long after its time each packet left
    pub lateness: Latencies,
}

#[derive(Debug, Default, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub received: u64,
    pub delivered: u64,
    /// of what was delivered
    pub octets: u64,
    /// by chance
    pub lost: u64,
    /// in a full queue
    pub overflowed: u64,
    pub held_back: u64,
    /// by a rule
    pub stopped: u64,
    pub forged: u64,
    /// too long for the other end
    pub oversize: u64,
    /// refused by the other end
    pub undelivered: u64,
    /// came while the socket's buffer was full
    pub missed: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    #[serde(flatten)]
    counts: Counts,
    lateness_ms: Option<Percentiles>,
}

impl Stats {
    pub fn told(&self) -> Told {
        Told { counts: self.counts, lateness_ms: self.lateness.percentiles() }
    }
}
