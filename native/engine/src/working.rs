//! Counts queries being answered, so that a stop can wait for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

#[derive(Debug, Default)]
pub struct Working {
    count: AtomicUsize,
    done: Notify,
}

/// One query being answered; dropped when its response has left.
#[derive(Debug)]
pub struct Work(Arc<Working>);

impl Working {
    pub fn start(self: &Arc<Self>) -> Work {
        self.count.fetch_add(1, Ordering::Relaxed);
        Work(self.clone())
    }

    pub async fn finished(&self) {
        loop {
            let done = self.done.notified();
            if self.count.load(Ordering::Acquire) == 0 {
                return;
            }
            done.await;
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.done.notify_waiters();
        }
    }
}
