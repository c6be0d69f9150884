//! How long one try waits for its response. Whoever asked is told when it should have come, and asks again; it is a response all the same
//! until the deadline, however many tries came after it.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::time::{Instant, timeout_at};

use super::failure::Failure;

pub struct Patience {
    /// By when the response should come.
    pub until: Instant,
    /// Until when it is one.
    pub deadline: Instant,
    was_told: AtomicBool,
    tell: Box<dyn Fn(Failure) + Send + Sync>,
}

impl Patience {
    /// `tell`: is called once, where the response should have come.
    pub fn new(until: Instant, deadline: Instant, tell: impl Fn(Failure) + Send + Sync + 'static) -> Self {
        Patience { until, deadline, was_told: AtomicBool::new(false), tell: Box::new(tell) }
    }

    pub fn was_told(&self) -> bool {
        self.was_told.load(Relaxed)
    }

    /// Should come until `until`, which may be later than that of the try. `silence`: what it is if it does not.
    pub async fn wait<Response>(
        &self,
        until: Instant,
        silence: Failure,
        response: impl Future<Output = Result<Response, Failure>>,
    ) -> Result<Response, Failure> {
        let mut response = pin!(response);
        match timeout_at(until, &mut response).await {
            Ok(outcome) => outcome,
            Err(_) => self.wait_longer(silence, response).await,
        }
    }

    pub async fn wait_longer<Response>(
        &self,
        silence: Failure,
        response: impl Future<Output = Result<Response, Failure>>,
    ) -> Result<Response, Failure> {
        if !self.was_told.swap(true, Relaxed) {
            (self.tell)(silence.clone());
        }
        timeout_at(self.deadline, response).await.unwrap_or(Err(silence))
    }
}
