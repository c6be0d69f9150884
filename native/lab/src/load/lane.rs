//! One connection or socket to the service, and its queries. The sender does not wait, and the receiver does nothing else.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::asked::{Asked, Match};
use super::tally::Tally;
use crate::question::{Question, id_of, judge};

/// How often a waiting thread looks whether the run is over.
pub const GLANCE: Duration = Duration::from_millis(100);

/// What the two sides of a lane share.
pub struct Lane {
    pub to: SocketAddr,
    pub tally: Arc<Tally>,
    questions: Arc<[Question]>,
    asked: Mutex<Asked>,
}

impl Lane {
    pub fn new(to: SocketAddr, questions: Arc<[Question]>, tally: Arc<Tally>) -> Self {
        Lane { to, tally, questions, asked: Mutex::new(Asked::new()) }
    }

    /// The query of that number, and an id for it. It counts as sent from now on.
    pub fn ask(&self, number: usize, intended: Instant) -> (&Question, u16) {
        let id = self.asked().ask(number as u32, intended);
        self.tally.sent();
        (&self.questions[number], id)
    }

    pub fn receive(&self, message: &[u8]) {
        let at = Instant::now();
        let is_same = |number: u32| self.questions[number as usize].is_asked_in(message);
        let verdict = judge(message);
        let matched = match (id_of(message), verdict) {
            (Some(id), Some(_)) => self.asked().answer(id, at, is_same),
            _ => Match::Stray,
        };
        self.tally.received(&matched, verdict);
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().expect("nothing panics while it matches")
    }
}
