//! The order of time in a trace: a little disorder is normal where several sources were recorded, more is a wrong trace.

use crate::replay::query::{Micros, Query, SECOND};

#[derive(Debug)]
pub struct Order {
    allowed: Micros,
    latest: Micros,
    pub late: u64,
}

impl Order {
    pub fn new(allowed: Micros) -> Self {
        Order { allowed, latest: 0, late: 0 }
    }

    /// A query that is earlier than the one before it by no more than is allowed counts as if both came together. So does one that
    /// was slow to be answered, where it was `written` in its place.
    pub fn put(&mut self, mut query: Query, written: Micros) -> Result<Query, String> {
        let behind = self.latest.saturating_sub(written.max(query.at));
        if behind > self.allowed {
            return Err(format!(
                "it is {:.3} s earlier than one before it; sort the trace by time, or allow it with --disorder (a trace that is newest \
                 first is read from its end if it is given as a file)",
                behind as f64 / SECOND as f64
            ));
        }
        self.late += u64::from(query.at < self.latest);
        self.latest = self.latest.max(query.at);
        query.at = self.latest;
        Ok(query)
    }
}
