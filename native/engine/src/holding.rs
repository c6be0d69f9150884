//! Queries that found no private path and wait, within their deadline, for a lease or for a path that comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

pub struct Holding {
    count: AtomicUsize,
    changed: Notify,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

/// One query that waits.
pub struct Held<'a>(&'a Holding);

impl Holding {
    /// `on_change` is called when the first query begins to wait, when the last one has ended, and for changes of paths.
    pub fn new(on_change: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { count: AtomicUsize::new(0), changed: Notify::new(), on_change }
    }

    /// Where there is no control plane.
    pub fn unheard() -> Arc<Self> {
        Arc::new(Self::new(Arc::new(|| {})))
    }

    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The settings or the paths have changed.
    pub fn changed(&self) {
        self.changed.notify_waiters();
    }

    /// A path came or went: queries that wait look again, and the control plane decides anew.
    pub fn path_changed(&self) {
        self.changed();
        (self.on_change)();
    }

    /// The same of a path that is as private as before: the control plane has nothing to decide, unless queries wait for a path.
    pub fn path_renewed(&self) {
        self.changed();
        if self.count() > 0 {
            (self.on_change)();
        }
    }

    /// The next change after this call, for a caller that is not counted as waiting.
    pub fn change(&self) -> Notified<'_> {
        self.changed.notified()
    }

    pub fn hold(&self) -> Held<'_> {
        if self.count.fetch_add(1, Ordering::Relaxed) == 0 {
            (self.on_change)();
        }
        Held(self)
    }
}

impl Held<'_> {
    /// The next change after this call.
    pub fn change(&self) -> Notified<'_> {
        self.0.change()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::Relaxed) == 1 {
            (self.0.on_change)();
        }
    }
}
