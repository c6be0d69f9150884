//! How many queries are on their way to an EncDNS server.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A query that is on its way, also one that nobody waits for any more.
pub struct InFlight<'a>(&'a AtomicUsize);

impl<'a> InFlight<'a> {
    pub fn one_of(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
