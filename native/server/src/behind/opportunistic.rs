//! A server of which nothing is known: TLS without authentication where it has that, and cleartext where it has not (RFC 9539 section
//! 4). No query waits for a probe. Whoever is on the path can prevent TLS; who only listens cannot.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sotto_engine::outcome::TransportKind;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::address::{ServerAddress, TLS};
use super::datagram::Datagram;
use super::failure::Failure;
use super::figures::{Protection, Sent};
use super::opening::{Opening, Unusable};
use super::outgoing::Outgoing;
use super::patience::Patience;
use super::streamed::Streamed;

/// RFC 9539 section 4.3: how long a success and a failure are remembered, and how long a probe may take.
const PERSISTENCE: Duration = Duration::from_secs(3 * 86_400);
const DAMPING: Duration = Duration::from_secs(86_400);
const TIMEOUT: Duration = Duration::from_secs(4);
/// A server that had TLS may only have restarted: it is tried again after this, then after twice as long, up to the damping.
const FIRST_REST: Duration = Duration::from_secs(30);
/// For the response in cleartext to a query that could not be sent over TLS.
const PATIENCE: Duration = Duration::from_millis(1000);

#[derive(Debug)]
pub struct Opportunistic {
    clear: Datagram,
    /// DoT first: a server that has both is asked over that
    private: [Arc<Private>; 2],
}

/// One private transport, and what is known of it at this server.
#[derive(Debug)]
struct Private {
    streamed: Streamed,
    known: Mutex<Known>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// when it last worked
    worked: Option<Instant>,
    failed: Option<Failed>,
    is_probed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Failed {
    since: Instant,
    rest: Duration,
}

impl Known {
    /// Queries go there, and nowhere else.
    fn works(&self, now: Instant) -> bool {
        self.failed.is_none() && self.worked.is_some_and(|worked| now - worked < PERSISTENCE)
    }

    fn may_be_probed(&self, now: Instant) -> bool {
        !self.is_probed && self.failed.is_none_or(|failed| now - failed.since >= failed.rest)
    }

    fn begin_probe(&mut self, now: Instant) -> bool {
        let may = self.may_be_probed(now);
        self.is_probed |= may;
        may
    }

    fn note_success(&mut self, now: Instant) {
        *self = Known { worked: Some(now), failed: None, is_probed: false };
    }

    /// A query could not be sent there; of those that fail at the same moment the first one counts.
    fn note_loss(&mut self, now: Instant) {
        if self.works(now) {
            self.note_failure(now);
        }
    }

    fn note_failure(&mut self, now: Instant) {
        let had_tls = self.worked.is_some_and(|worked| now - worked < PERSISTENCE);
        let rest = match self.failed {
            _ if !had_tls => DAMPING,
            None => FIRST_REST,
            Some(failed) => (2 * failed.rest).min(DAMPING),
        };
        self.failed = Some(Failed { since: now, rest });
        self.is_probed = false;
    }
}

impl Opportunistic {
    /// `sent` counts queries as they leave.
    pub fn new(server: &ServerAddress, sent: Arc<Sent>) -> Result<Self, Unusable> {
        let dot = server.at(TLS);
        let dot = Opening::unauthenticated(server, dot, TransportKind::Dot)?;
        let tdns = Opening::unauthenticated(server, server.address, TransportKind::Tdns)?;
        let private = [dot, tdns]
            .map(|opening| Streamed::new(opening, Protection::Unauthenticated, sent.clone()))
            .map(|streamed| Arc::new(Private { streamed, known: Mutex::default() }));
        Ok(Opportunistic { clear: Datagram { to: server.address, sent }, private })
    }

    pub async fn ask(&self, query: &Outgoing, patience: &Patience) -> Result<Vec<u8>, Failure> {
        let now = Instant::now();
        let Some(private) = self.private.iter().find(|private| private.known().works(now)) else {
            let probe = self.probe(query, now);
            let response = self.clear.ask(query, patience.until, patience).await?;
            probe.into_iter().for_each(|probe| drop(probe.send(ServerIsThere)));
            return Ok(response);
        };
        match private.ask(query, patience).await {
            Ok(response) => {
                private.known().note_success(Instant::now());
                return Ok(response);
            }
            // a slow response to one name; where the whole connection is silent, it will end
            Err(failure @ Failure::Silent(_)) if patience.was_told() => return Err(failure),
            // no reason for cleartext
            Err(failure) if !failure.is_the_servers() || failure.is_all_it_has() => return Err(failure),
            Err(_) => {}
        }
        let until = patience.deadline.min(Instant::now() + PATIENCE);
        let response = self.clear.ask(query, until, patience).await?;
        // had there been none, the server would be away, and nothing known about its TLS
        private.known().note_loss(Instant::now());
        Ok(response)
    }

    /// In the background, with the query that leaves in cleartext at this moment: DoT first, T-DNS only where that does not work. A
    /// server that opens TLS and gives no response in it is of no use. To be told whether the server is there: if it is not, a failure
    /// says nothing about its TLS.
    fn probe(&self, query: &Outgoing, now: Instant) -> Option<oneshot::Sender<ServerIsThere>> {
        let due: Vec<_> =
            self.private.iter().filter(|private| private.known().begin_probe(now)).cloned().collect();
        if due.is_empty() {
            return None;
        }
        let (told, is_there) = oneshot::channel();
        let query = query.clone();
        tokio::spawn(async move {
            let mut failed = Vec::new();
            let mut due = due.into_iter();
            for private in due.by_ref() {
                match private.streamed.ask(&query, Instant::now() + TIMEOUT).await {
                    Ok(_) => {
                        private.known().note_success(Instant::now());
                        break;
                    }
                    Err(failure) if !failure.is_the_servers() => private.known().is_probed = false,
                    Err(_) => failed.push(private),
                }
            }
            let is_there = is_there.await.is_ok();
            for private in failed {
                let mut known = private.known();
                if is_there { known.note_failure(Instant::now()) } else { known.is_probed = false }
            }
            due.for_each(|unneeded| unneeded.known().is_probed = false);
        });
        Some(told)
    }
}

/// It gave a response in cleartext.
struct ServerIsThere;

impl Private {
    /// While the connection is open, the response may be late; where it is not, cleartext has its time.
    async fn ask(&self, query: &Outgoing, patience: &Patience) -> Result<Vec<u8>, Failure> {
        let mut response = pin!(self.streamed.ask(query, patience.deadline));
        match timeout_at(patience.until, &mut response).await {
            Ok(outcome) => outcome,
            Err(_) if self.streamed.is_open() => patience.wait_longer(Failure::Silent("TLS"), response).await,
            Err(_) => Err(Failure::Silent("TLS")),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(seconds: u64) -> Instant {
        Instant::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn what_never_worked_rests_a_day() {
        let mut known = Known::default();
        assert!(known.may_be_probed(later(0)) && !known.works(later(0)));
        known.note_failure(later(0));
        assert!(!known.may_be_probed(later(86_000)) && known.may_be_probed(later(86_401)));
    }

    #[test]
    fn what_worked_is_tried_again_soon_and_then_less_often() {
        let mut known = Known::default();
        known.note_success(later(0));
        assert!(known.works(later(3 * 86_400 - 60)) && !known.works(later(3 * 86_400 + 60)));
        let mut now = 0;
        for rest in [30, 60, 120, 240] {
            known.note_failure(later(now));
            assert!(!known.works(later(now)) && !known.may_be_probed(later(now + rest - 1)), "{rest}");
            now += rest + 1;
            assert!(known.may_be_probed(later(now)), "{rest}");
        }
        known.note_success(later(now));
        assert!(known.works(later(now)));
        (0..20).for_each(|_| known.note_loss(later(now)));
        assert!(known.may_be_probed(later(now + 31)), "its first rest again");
    }
}
