//! The part of the trace that counts: from the end of the warm-up to the last query.

use crate::replay::query::{Micros, SECOND};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub from: Micros,
    /// the latest query so far
    pub to: Micros,
}

impl Window {
    pub fn opened_at(first: Micros, ignored: Micros) -> Self {
        Window { from: first.saturating_add(ignored), to: first }
    }

    pub fn has(&self, at: Micros) -> bool {
        at >= self.from
    }

    /// Of the time from `at` on for this long, what lies inside.
    pub fn part(&self, at: Micros, long: Micros) -> Micros {
        at.saturating_add(long).min(self.to).saturating_sub(at.max(self.from))
    }

    pub fn seconds(&self) -> f64 {
        self.to.saturating_sub(self.from) as f64 / SECOND as f64
    }
}
