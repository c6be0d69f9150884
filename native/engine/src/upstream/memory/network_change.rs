//! Network changes, and which connections began before one and may lead nowhere.
//!
//! The kernel reports a lost address within a millisecond, and the rest of the change shortly after. A moment later the control
//! plane says which network it is. A connection that was dialled after the first report of a change takes the new route, and is not
//! dialled again when the last report arrives.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::change_count::KNOWN_WITHIN;

/// After a silence of this length, the next report begins another change.
pub const QUIET: Duration = Duration::from_secs(1);
/// After this time, a change that goes on counts as another one.
const LONGEST: Duration = Duration::from_secs(3);

/// Changes are numbered; a connection belongs to the change in or after which it began.
#[derive(Debug, Default)]
pub struct NetworkChanges {
    heard: Mutex<Heard>,
    news: Notify,
}

#[derive(Debug, Default, Clone, Copy)]
struct Heard {
    number: u64,
    generation: u64,
    first: Option<Instant>,
    last: Option<Instant>,
    /// when the machine last lost an address
    lost: Option<Instant>,
    interruption: Interruption,
}

/// The last time at which paths were tried anew: the machine has changed its network, the new network is known, or the machine woke
/// up. Earlier failures say nothing about the present.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Interruption {
    pub number: u64,
    /// `None`: there was none yet
    pub at: Option<Instant>,
}

impl Heard {
    fn goes_on(&self, now: Instant) -> bool {
        let within = |since: Option<Instant>, limit| {
            since.is_some_and(|since| now.saturating_duration_since(since) < limit)
        };
        within(self.last, QUIET) && within(self.first, LONGEST)
    }
}

impl NetworkChanges {
    /// Something is changing, or has changed. Connections with a smaller number than the returned one may lead nowhere.
    pub fn note(&self, now: Instant) -> u64 {
        let mut heard = self.heard();
        heard.generation += 1;
        if heard.goes_on(now) {
            heard.last = Some(now);
        } else {
            heard.number += 1;
            (heard.first, heard.last) = (Some(now), Some(now));
        }
        let number = heard.number;
        drop(heard);
        self.news.notify_waiters();
        number
    }

    /// The number of the change that goes on, if one does.
    pub fn ongoing(&self, now: Instant) -> Option<u64> {
        let heard = self.heard();
        heard.goes_on(now).then_some(heard.number)
    }

    /// The number of a connection that begins now.
    pub fn number(&self) -> u64 {
        self.heard().number
    }

    pub fn interrupt(&self, now: Instant) {
        let mut heard = self.heard();
        heard.interruption = Interruption { number: heard.interruption.number + 1, at: Some(now) };
    }

    pub fn interruption(&self) -> Interruption {
        self.heard().interruption
    }

    /// The machine lost an address: the network is unknown.
    pub fn lose(&self, now: Instant) {
        self.heard().lost = Some(now);
    }

    /// Whether the network is unknown, so that a ticket might be shown on another network than the one it came from.
    pub fn is_network_unknown(&self, now: Instant) -> bool {
        self.unknown_until(now).is_some()
    }

    /// By then it is known which network this is, or that there is none.
    pub fn unknown_until(&self, now: Instant) -> Option<Instant> {
        self.heard().lost.map(|lost| lost + KNOWN_WITHIN).filter(|known| now < *known)
    }

    /// How many reports have come so far: with a newer generation, something that failed may succeed.
    pub fn generation(&self) -> u64 {
        self.heard().generation
    }

    /// When the last report came.
    pub fn last_heard(&self) -> Option<Instant> {
        self.heard().last
    }

    /// Waits for a newer generation than this.
    pub async fn newer_than(&self, generation: u64) {
        loop {
            let mut news = pin!(self.news.notified());
            news.as_mut().enable();
            if self.generation() != generation {
                return;
            }
            news.await;
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().expect("nothing panics while noting a change")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_knows_the_network_for_a_while_after_an_address_was_lost() {
        let (network_changes, start) = (NetworkChanges::default(), Instant::now());
        assert!(!network_changes.is_network_unknown(start));
        network_changes.lose(start);
        assert!(network_changes.is_network_unknown(start + Duration::from_secs(4)));
        assert_eq!(network_changes.unknown_until(start), Some(start + Duration::from_secs(5)));
        assert!(!network_changes.is_network_unknown(start + Duration::from_secs(5)));
    }

    #[test]
    fn one_change_has_many_generations() {
        let (network_changes, start) = (NetworkChanges::default(), Instant::now());
        let note = |ms: u64| network_changes.note(start + Duration::from_millis(ms));
        assert_eq!((network_changes.number(), network_changes.ongoing(start)), (0, None));
        assert_eq!([note(0), note(5), note(204), note(1203)], [1, 1, 1, 1]);
        let ongoing = |ms: u64| network_changes.ongoing(start + Duration::from_millis(ms));
        assert_eq!([ongoing(1204), ongoing(2203)], [Some(1), None]);
        assert_eq!(network_changes.number(), 1);
        assert_eq!(note(2203), 2, "another one");
        assert_eq!(network_changes.generation(), 5);
        assert_eq!([note(3000), note(3900), note(4800), note(5202)], [2, 2, 2, 2]);
        assert_eq!(note(5203), 3, "it goes on and on");
    }
}
