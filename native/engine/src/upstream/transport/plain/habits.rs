//! What plain resolvers were found not to do, so that the next query does not wait for it again: those of old homes know no EDNS and
//! drop what they do not understand (RFC 4074, RFC 8906).

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use crate::wire::types;

/// How long something is believed of a server. It may be repaired, or another one stand there.
const BELIEVED_FOR: Duration = Duration::from_secs(900);
/// A datagram that may be lost is sent again after this time.
const RESEND: Duration = Duration::from_millis(1200);
/// The wait for what was in vain before.
const DOUBTFUL: Duration = Duration::from_millis(250);
/// There are as many as configured servers.
const MOST_KNOWN: usize = 1024;

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    Edns,
    /// without EDNS, and with no flag but RD
    Bare,
    Stream,
}

#[derive(Default)]
pub struct Habits {
    known: Mutex<HashMap<SocketAddr, Habit>>,
}

#[derive(Default)]
struct Habit {
    edns: Edns,
    /// datagrams bring no response that can be believed, a stream does
    only_streams: Option<Instant>,
    /// it gave a response
    answered: Option<Instant>,
    /// types for which it stays silent
    silent: Vec<(u16, Instant)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Edns {
    #[default]
    Unknown,
    /// a query with EDNS has a response, and it would have no better one without
    Passes,
    /// it answered once without EDNS, where it had been silent with it
    Doubtful,
    Fails {
        since: Instant,
    },
}

/// One way to ask, and the silence after which the next one is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub attempt: Attempt,
    pub patience: Duration,
}

/// The wait for all of them, where nothing is expected; `None`: as long as there is time.
pub fn all_patience(mut steps: impl Iterator<Item = Step> + Clone) -> Option<Duration> {
    let patience = steps.clone().map(|step| step.patience).sum();
    steps.all(|step| step.patience == DOUBTFUL).then_some(patience)
}

impl Habits {
    /// How the server is asked about this type, one after the other as long as it is silent.
    pub fn steps(&self, server: SocketAddr, kind: u16) -> Vec<Step> {
        let known = self.known();
        let unknown = Habit::default();
        let habit = known.get(&server).unwrap_or(&unknown);
        let usual = |attempt| Step { attempt, patience: RESEND };
        let doubtful = |attempt| Step { attempt, patience: DOUBTFUL };
        if habit.only_streams.is_some_and(is_believed) {
            return vec![usual(Attempt::Stream)];
        }
        let datagrams = match habit.edns() {
            Edns::Unknown => [usual(Attempt::Edns), usual(Attempt::Bare)],
            Edns::Passes => [usual(Attempt::Edns), usual(Attempt::Edns)],
            Edns::Doubtful => [doubtful(Attempt::Edns), usual(Attempt::Bare)],
            Edns::Fails { .. } => [usual(Attempt::Bare), usual(Attempt::Bare)],
        };
        if habit.is_silent_about(kind) {
            return vec![doubtful(datagrams[0].attempt)];
        }
        [datagrams[0], datagrams[1], usual(Attempt::Stream)].into()
    }

    /// Whether an error may be about the EDNS of a query, and not about what it asks.
    pub fn may_choke_on_edns(&self, server: SocketAddr) -> bool {
        self.known().get(&server).is_none_or(|habit| !matches!(habit.edns(), Edns::Passes))
    }

    /// A query with EDNS has a response that is no error, or the same error as one without.
    pub fn edns_passes(&self, server: SocketAddr) {
        self.change(server, |habit| habit.edns = Edns::Passes);
    }

    /// It had an error for a query with EDNS, and none for the same one without.
    pub fn edns_fails(&self, server: SocketAddr) {
        self.change(server, |habit| habit.edns = Edns::Fails { since: Instant::now() });
    }

    /// The response came by this attempt, which was not the first: those before had only silence.
    pub fn silent_before(&self, server: SocketAddr, attempt: Attempt) {
        self.change(server, |habit| match (attempt, habit.edns()) {
            (Attempt::Bare, Edns::Unknown) => habit.edns = Edns::Doubtful,
            (Attempt::Bare, Edns::Doubtful) => habit.edns = Edns::Fails { since: Instant::now() },
            (Attempt::Stream, _) => habit.only_streams = Some(Instant::now()),
            _ => {}
        });
    }

    pub fn answered(&self, server: SocketAddr, kind: u16) {
        self.change(server, |habit| {
            habit.answered = Some(Instant::now());
            habit.silent.retain(|(silent, since)| *silent != kind && is_believed(*since));
        });
    }

    /// Every attempt `since` then was in vain. If the server answered other queries meanwhile, the type is what it does not like. Any
    /// server knows the oldest one.
    pub fn silent_since(&self, server: SocketAddr, kind: u16, since: Instant) {
        self.change(server, |habit| {
            habit.only_streams = None;
            if kind != types::A && habit.answered.is_some_and(|answered| answered > since) {
                habit.silent.retain(|(silent, _)| *silent != kind);
                habit.silent.push((kind, Instant::now()));
            }
        });
    }

    /// Another network has other servers, some with the same addresses.
    pub fn forget(&self) {
        self.known().clear();
    }

    fn change(&self, server: SocketAddr, change: impl FnOnce(&mut Habit)) {
        let mut known = self.known();
        if known.len() >= MOST_KNOWN && !known.contains_key(&server) {
            known.clear();
        }
        change(known.entry(server).or_default());
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SocketAddr, Habit>> {
        self.known.lock().expect("nothing panics while holding the habits")
    }
}

impl Habit {
    fn edns(&self) -> Edns {
        match self.edns {
            // it may have learned it; if not, that shows soon
            Edns::Fails { since } if !is_believed(since) => Edns::Doubtful,
            edns => edns,
        }
    }

    fn is_silent_about(&self, kind: u16) -> bool {
        self.silent.iter().any(|(silent, since)| *silent == kind && is_believed(*since))
    }
}

fn is_believed(since: Instant) -> bool {
    since.elapsed() < BELIEVED_FOR
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 53);

    fn attempts(habits: &Habits, kind: u16) -> Vec<Attempt> {
        habits.steps(SERVER, kind).iter().map(|step| step.attempt).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn one_lost_datagram_does_not_take_edns_from_a_server_and_a_second_does_for_a_while() {
        let habits = Habits::default();
        assert_eq!(attempts(&habits, types::A), [Attempt::Edns, Attempt::Bare, Attempt::Stream]);
        habits.silent_before(SERVER, Attempt::Bare);
        assert_eq!(attempts(&habits, types::A)[0], Attempt::Edns);
        assert_eq!(habits.steps(SERVER, types::A)[0].patience, DOUBTFUL);
        habits.silent_before(SERVER, Attempt::Bare);
        assert_eq!(attempts(&habits, types::A), [Attempt::Bare, Attempt::Bare, Attempt::Stream]);
        tokio::time::advance(BELIEVED_FOR).await;
        assert_eq!(attempts(&habits, types::A)[0], Attempt::Edns);
        habits.edns_passes(SERVER);
        habits.silent_before(SERVER, Attempt::Bare);
        assert_eq!(attempts(&habits, types::A)[1], Attempt::Edns, "it is known to have EDNS");
    }

    #[tokio::test(start_paused = true)]
    async fn a_type_is_disliked_only_where_others_were_answered_meanwhile() {
        let habits = Habits::default();
        let asked = Instant::now();
        tokio::time::advance(RESEND).await;
        habits.silent_since(SERVER, types::AAAA, asked);
        assert_eq!(attempts(&habits, types::AAAA).len(), 3, "the server may be down");
        habits.answered(SERVER, types::A);
        habits.silent_since(SERVER, types::AAAA, asked);
        habits.silent_since(SERVER, types::A, asked);
        assert_eq!((attempts(&habits, types::AAAA).len(), attempts(&habits, types::A).len()), (1, 3));
        habits.answered(SERVER, types::AAAA);
        assert_eq!(attempts(&habits, types::AAAA).len(), 3);
    }
}
