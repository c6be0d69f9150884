//! What queries have shown of the way to an EncDNS server, on this network.

use std::time::Duration;

use sotto_encdns::name::Labels;

use crate::upstream::backoff::Backoff;
use crate::upstream::condition::{State, Tally};
use crate::upstream::exchange::Exchanged;
use crate::upstream::failure::Failure;

#[derive(Default)]
pub struct Learned {
    /// those that came through
    pub labels: Option<Labels>,
    pub backoff: Backoff,
    pub tally: Tally,
    /// a query of ours is on its way to find out
    pub looking: bool,
    /// the interruption after which the last vain try began
    failed_since: Option<u64>,
}

impl Learned {
    /// `labels`: what is remembered.
    pub fn with(labels: Option<Labels>) -> Self {
        Self { labels, ..Self::default() }
    }

    pub fn answered(&mut self, exchanged: &Exchanged) {
        self.backoff.succeeded();
        self.tally.answered(exchanged.wait);
        self.tally.spent.asked(exchanged.cost);
    }

    pub fn cut_off(&mut self, began: u64) {
        self.backoff.failed(false);
        self.failed_since = Some(began);
    }

    pub fn failed_since(&self, interruption: u64) -> bool {
        self.backoff.is_cut_off() && self.failed_since.is_some_and(|since| since >= interruption)
    }

    pub fn is_reached(&self) -> bool {
        self.labels.is_some() && !self.backoff.is_failing()
    }

    /// Cut off, and not yet time to try again: how long that lasts.
    pub fn resting(&self) -> Option<Duration> {
        self.backoff.resting().filter(|_| self.backoff.is_cut_off())
    }

    pub fn refusal(&self) -> Option<Failure> {
        Some(Failure::resting(self.resting()?, self.tally.last_error.as_ref()))
    }

    pub fn state(&self, of_first_hop: State) -> State {
        match (self.resting(), self.is_reached()) {
            (Some(_), _) => State::Resting,
            (None, true) => of_first_hop,
            (None, false) if self.looking => State::Dialing,
            (None, false) => State::Idle,
        }
    }

    /// Nothing of it holds on another network.
    pub fn forget(&mut self) {
        (self.labels, self.failed_since) = (None, None);
        self.backoff.succeeded();
        self.tally.last_error = None;
    }
}
