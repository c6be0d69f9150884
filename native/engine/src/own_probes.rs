//! What this program sends in cleartext of its own accord: packets without a name that a client asked for. They need no lease and
//! are not in the ledger; they are counted here, each right before it leaves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// One kind of probe, counted since the engine began.
#[derive(Debug, Default)]
pub struct OwnProbes {
    count: AtomicU64,
    /// unix milliseconds
    last: AtomicU64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OwnProbesStatus {
    #[cfg_attr(test, ts(type = "'starttls' | 'portal-names' | 'encdns'"))]
    pub kind: &'static str,
    pub count: u64,
    /// unix milliseconds; none: there was none
    pub last: Option<u64>,
}

impl OwnProbes {
    pub fn add_one(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        self.last.fetch_max(now, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    pub fn status(&self, kind: &'static str) -> OwnProbesStatus {
        let count = self.count();
        OwnProbesStatus { kind, count, last: (count > 0).then(|| self.last.load(Ordering::Relaxed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_is_told_once_there_was_one() {
        let probes = OwnProbes::default();
        assert_eq!(probes.status("starttls"), OwnProbesStatus { kind: "starttls", count: 0, last: None });
        probes.add_one();
        probes.add_one();
        let status = probes.status("starttls");
        assert_eq!(status.count, 2);
        assert!(status.last.is_some());
    }
}
