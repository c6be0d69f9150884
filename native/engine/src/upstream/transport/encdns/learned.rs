//! What queries have shown of the way to an EncDNS server, on this network.

use std::time::Duration;

use sotto_encdns::name::{Format, Labels};
use tokio::time::Instant;

use crate::upstream::backoff::Backoff;
use crate::upstream::condition::{State, Tally};
use crate::upstream::exchange::Exchanged;
use crate::upstream::failure::Failure;

/// A server may learn the extended format while we use the published one.
const ASK_AGAIN: Duration = Duration::from_secs(24 * 3600);
/// After a try that told nothing.
const TRY_AGAIN: Duration = Duration::from_secs(600);

#[derive(Default)]
pub struct Learned {
    /// those that came through
    pub labels: Option<Labels>,
    /// what the server knows, and since when that is known
    format: Option<(Format, Instant)>,
    asked_for_format: Option<Instant>,
    /// nothing came back when that was asked, although boxes come through
    pub lengths_shown: bool,
    /// the path was lost since
    is_in_doubt: bool,
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

    /// `None`: the server is to be asked.
    pub fn format(&self) -> Option<Format> {
        let holds =
            |(format, since): &(Format, Instant)| *format == Format::Extended || since.elapsed() < ASK_AGAIN;
        self.format.filter(holds).map(|(format, _)| format)
    }

    /// In which formats the three manners of a query are tried. After the path was lost there may be another server, which knows less; or
    /// the same one, which answers nobody else while it is flooded.
    pub fn formats(&self) -> [Format; 3] {
        match self.format() {
            Some(Format::Extended) if self.is_in_doubt => {
                [Format::Extended, Format::Published, Format::Published]
            }
            known => [known.unwrap_or(Format::Published); 3],
        }
    }

    /// A box of this format came through.
    pub fn came_through(&mut self, format: Format) {
        if self.is_in_doubt && format == Format::Published {
            (self.format, self.asked_for_format) = (None, None);
        }
        self.is_in_doubt = false;
    }

    /// Whether somebody should ask for it now; true once.
    pub fn wants_format(&mut self) -> bool {
        let is_asked = self.asked_for_format.is_some_and(|at| at.elapsed() < TRY_AGAIN);
        if is_asked || self.format().is_some() {
            return false;
        }
        self.asked_for_format = Some(Instant::now());
        true
    }

    pub fn learn_format(&mut self, format: Format) {
        self.format = Some((format, Instant::now()));
        self.lengths_shown = false;
    }

    pub fn cut_off(&mut self, began: u64) {
        self.is_in_doubt = true;
        self.backoff.failed(false, rand::random());
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

    /// On another network, only what the server knows still holds.
    pub fn forget(&mut self) {
        (self.labels, self.failed_since) = (None, None);
        self.backoff.succeeded();
        self.tally.last_error = None;
    }
}
