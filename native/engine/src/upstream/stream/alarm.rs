//! One timer for many deadlines, most of which pass without being needed.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

/// It is set again only for an earlier time, or after it went off.
pub struct Alarm {
    sleep: Pin<Box<Sleep>>,
    armed: bool,
}

impl Alarm {
    pub fn new(now: Instant) -> Self {
        Self { sleep: Box::pin(sleep_until(now)), armed: false }
    }

    /// Ready at `at`; or once before that, at a time for which it was set earlier.
    pub fn poll(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<()> {
        if !self.armed || at < self.sleep.deadline() {
            self.sleep.as_mut().reset(at);
            self.armed = true;
        }
        ready!(self.sleep.as_mut().poll(cx));
        self.armed = false;
        Poll::Ready(())
    }
}
