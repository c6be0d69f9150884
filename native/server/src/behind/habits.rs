//! What a server was found not to do, so that the next query does not wait for it again: old ones know no EDNS, and drop what they do
//! not understand or have an error for it (RFC 6891 section 7, RFC 8906). The engine knows more of them (`plain/habits.rs`).

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long something is believed of a server. It may be repaired, or another one stand there.
const BELIEVED_FOR: Duration = Duration::from_secs(900);

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Edns,
    /// without EDNS, and with no flag but RD
    Bare,
    /// over TCP, with EDNS only where that is known to pass
    Stream {
        bare: bool,
    },
}

#[derive(Debug, Default)]
pub struct Habits(Mutex<Edns>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Edns {
    #[default]
    Unknown,
    /// a query with EDNS has a response, and would have no better one without
    Passes,
    /// it answered once without EDNS, where it had been silent with it or had an error
    Doubtful,
    Fails {
        since: Instant,
    },
}

impl Habits {
    /// How it is asked that was silent about the same query so many times.
    pub fn manner(&self, silent: usize) -> Manner {
        match (silent, self.edns()) {
            (0 | 1, Edns::Passes) | (0, Edns::Unknown | Edns::Doubtful) => Manner::Edns,
            (0 | 1, _) => Manner::Bare,
            (_, edns) => Manner::Stream { bare: edns != Edns::Passes },
        }
    }

    /// Whether an error may be about the EDNS of a query, and not about what it asks.
    pub fn may_choke_on_edns(&self) -> bool {
        self.edns() != Edns::Passes
    }

    /// It has a response to EDNS which is no error, or has the same error without.
    pub fn edns_passes(&self) {
        self.note(Edns::Passes);
    }

    /// It had an error for a query with EDNS or was silent, and has a better response to the same one without. That may be chance, once.
    pub fn edns_seems_to_fail(&self) {
        match self.edns() {
            Edns::Unknown => self.note(Edns::Doubtful),
            Edns::Passes => {}
            Edns::Doubtful | Edns::Fails { .. } => self.note(Edns::Fails { since: Instant::now() }),
        }
    }

    /// It responds to this manner, after so much silence about the same query.
    pub fn responds(&self, manner: Manner, silent: usize) {
        match manner {
            Manner::Edns => self.edns_passes(),
            Manner::Bare if silent > 0 => self.edns_seems_to_fail(),
            _ => {}
        }
    }

    /// However it was asked: another server may stand there now.
    pub fn is_silent(&self) {
        self.note(Edns::Unknown);
    }

    fn note(&self, edns: Edns) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = edns;
    }

    fn edns(&self) -> Edns {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            // it may have learned it; if not, that shows soon
            Edns::Fails { since } if since.elapsed() >= BELIEVED_FOR => Edns::Doubtful,
            edns => edns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE_STREAM: Manner = Manner::Stream { bare: true };

    #[tokio::test(start_paused = true)]
    async fn one_lost_datagram_does_not_take_edns_from_a_server_and_a_second_does_for_a_while() {
        let habits = Habits::default();
        let manners = || [0, 1, 2].map(|silent| habits.manner(silent));
        for _ in 0..2 {
            assert_eq!(manners(), [Manner::Edns, Manner::Bare, BARE_STREAM]);
            habits.responds(Manner::Bare, 1);
        }
        assert_eq!(manners(), [Manner::Bare, Manner::Bare, BARE_STREAM]);
        tokio::time::advance(BELIEVED_FOR).await;
        assert_eq!(habits.manner(0), Manner::Edns);
        habits.responds(Manner::Edns, 0);
        habits.responds(Manner::Bare, 1);
        assert_eq!(manners(), [Manner::Edns, Manner::Edns, Manner::Stream { bare: false }]);
        habits.is_silent();
        assert!(habits.may_choke_on_edns());
    }
}
