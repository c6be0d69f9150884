//! What plain resolvers were found not to do, so that the next query does not wait for it again: those of old homes know no EDNS and
//! drop what they do not understand (RFC 4074, RFC 8906).

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

/// How long something is believed of a server. It may be repaired, or another one stand there.
const BELIEVED_FOR: Duration = Duration::from_secs(900);
/// A datagram that may be lost is sent again after this time.
const RESEND: Duration = Duration::from_millis(1200);
/// The wait for EDNS where it was in vain before.
const DOUBTFUL: Duration = Duration::from_millis(250);
/// The wait for a type of which nothing came before: so many times the slowest response that the server ever gave, and no less than this.
const TIMES_THE_SLOWEST: u32 = 4;
const NOT_EXPECTED: Duration = Duration::from_millis(500);
/// There are as many as configured servers.
const MOST_KNOWN: usize = 1024;
/// Of one server. A program asks for a handful of types.
const MOST_SILENCES: usize = 32;

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
    /// the longest wait for a response
    slowest: Duration,
    /// types of which it answered a query: where it stays silent about one of these, the name is what it can't resolve
    types: BTreeSet<u16>,
    /// types of which it answered none yet
    silences: Vec<Silence>,
}

/// A type to which a server gave no response, while it answered others.
struct Silence {
    kind: u16,
    /// the first name that had none; it may be that it can't be resolved
    name: Name,
    /// when a second name had none either
    confirmed: Option<Instant>,
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
    /// nothing speaks against a response
    pub is_expected: bool,
}

/// The wait for all of them, where nothing is expected; `None`: as long as there is time.
pub fn all_patience(mut steps: impl Iterator<Item = Step> + Clone) -> Option<Duration> {
    let patience = steps.clone().map(|step| step.patience).sum();
    steps.all(|step| !step.is_expected).then_some(patience)
}

impl Habits {
    /// How the server is asked about this type, one after the other as long as it is silent.
    pub fn steps(&self, server: SocketAddr, kind: u16) -> Vec<Step> {
        let known = self.known();
        let unknown = Habit::default();
        let habit = known.get(&server).unwrap_or(&unknown);
        let usual = |attempt| Step { attempt, patience: RESEND, is_expected: true };
        let doubtful = |attempt| Step { attempt, patience: DOUBTFUL, is_expected: true };
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
            return vec![Step { patience: habit.patience(), is_expected: false, ..datagrams[0] }];
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

    /// `waited`: how long the response took.
    pub fn answered(&self, server: SocketAddr, kind: u16, waited: Duration) {
        self.change(server, |habit| {
            habit.answered = Some(Instant::now());
            habit.slowest = habit.slowest.max(waited);
            habit.types.insert(kind);
            habit.silences.retain(|silence| silence.kind != kind);
        });
    }

    /// Every attempt `since` then was in vain. If the server answered other queries meanwhile, it may not like the type; any server knows
    /// the oldest one. One name proves nothing, because it may be one that the server can't resolve.
    pub fn silent_since(&self, server: SocketAddr, question: &Question, since: Instant) {
        self.change(server, |habit| {
            habit.only_streams = None;
            if question.kind != types::A && habit.answered.is_some_and(|answered| answered > since) {
                habit.note_silence(question);
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
        self.silences.iter().any(|silence| silence.kind == kind && silence.is_believed())
    }

    /// The wait for a type about which it is silent.
    fn patience(&self) -> Duration {
        (self.slowest * TIMES_THE_SLOWEST).clamp(NOT_EXPECTED, RESEND)
    }

    fn note_silence(&mut self, &Question { name, kind, .. }: &Question) {
        if self.types.contains(&kind) {
            return;
        }
        let has_room = self.silences.len() < MOST_SILENCES;
        match self.silences.iter_mut().find(|silence| silence.kind == kind) {
            None if has_room => self.silences.push(Silence { kind, name, confirmed: None }),
            // a short wait that was in vain, too, confirms nothing
            Some(silence) if silence.name != name && !silence.is_believed() => {
                silence.confirmed = Some(Instant::now());
            }
            _ => {}
        }
    }
}

impl Silence {
    fn is_believed(&self) -> bool {
        self.confirmed.is_some_and(is_believed)
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

    fn question(name: &str, kind: u16) -> Question {
        Question { name: Name::parse(name).unwrap(), kind, class: types::IN }
    }

    /// A query that was in vain while the server answered another one.
    async fn is_silent(habits: &Habits, name: &str, kind: u16) {
        let asked = Instant::now();
        tokio::time::advance(RESEND).await;
        habits.answered(SERVER, types::A, Duration::from_millis(10));
        habits.silent_since(SERVER, &question(name, kind), asked);
    }

    #[tokio::test(start_paused = true)]
    async fn a_type_is_disliked_only_where_others_were_answered_meanwhile() {
        let habits = Habits::default();
        for name in ["a.example", "b.example"] {
            habits.silent_since(SERVER, &question(name, types::AAAA), Instant::now());
        }
        assert_eq!(attempts(&habits, types::AAAA).len(), 3, "the server may be down");
        for name in ["a.example", "b.example"] {
            is_silent(&habits, name, types::AAAA).await;
            is_silent(&habits, name, types::A).await;
        }
        assert_eq!((attempts(&habits, types::AAAA).len(), attempts(&habits, types::A).len()), (1, 3));
        habits.answered(SERVER, types::AAAA, Duration::ZERO);
        assert_eq!(attempts(&habits, types::AAAA).len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn names_that_cannot_be_resolved_do_not_take_a_type_from_a_server() {
        let habits = Habits::default();
        for _ in 0..3 {
            is_silent(&habits, "1.0.0.10.in-addr.arpa", types::PTR).await;
            assert_eq!(attempts(&habits, types::PTR).len(), 3, "it may be the name");
        }
        habits.answered(SERVER, types::PTR, Duration::ZERO);
        for name in ["2.0.0.10.in-addr.arpa", "3.0.0.10.in-addr.arpa"] {
            is_silent(&habits, name, types::PTR).await;
        }
        assert_eq!(attempts(&habits, types::PTR).len(), 3, "it knows the type");
    }

    #[tokio::test(start_paused = true)]
    async fn a_disliked_type_is_waited_for_as_long_as_the_server_may_take_and_fully_after_a_while() {
        let habits = Habits::default();
        for name in ["a.example", "b.example"] {
            is_silent(&habits, name, types::HTTPS).await;
        }
        let patience = || habits.steps(SERVER, types::HTTPS)[0].patience;
        assert_eq!(patience(), NOT_EXPECTED);
        habits.answered(SERVER, types::A, Duration::from_millis(200));
        assert_eq!(patience(), Duration::from_millis(800));
        habits.answered(SERVER, types::A, Duration::from_secs(3));
        assert_eq!(patience(), RESEND);
        tokio::time::advance(BELIEVED_FOR / 2).await;
        is_silent(&habits, "c.example", types::HTTPS).await;
        tokio::time::advance(BELIEVED_FOR / 2).await;
        assert_eq!(attempts(&habits, types::HTTPS).len(), 3, "it may have learned it");
    }
}
