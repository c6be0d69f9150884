//! One server behind, asked by its way, with its health and its counters.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use sotto_engine::outcome::TransportKind;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::address::{ServerAddress, Way};
use super::datagram::{self, Datagram};
use super::failure::Failure;
use super::figures::{Protection, Sent, ServerSnapshot, Unsent};
use super::habits::{Habits, Manner};
use super::health::Health;
use super::opening::{Opening, Unusable};
use super::opportunistic::Opportunistic;
use super::outgoing::{Outgoing, is_error, refuses_edns};
use super::patience::Patience;
use super::streamed::{MOST_IN_FLIGHT, Streamed};
use crate::slots::Slots;

const EXAMINATION: Duration = Duration::from_secs(5);
/// Who is silent for less time than this may yet respond: a query that waited for its turn has little left.
const SILENCE: Duration = Duration::from_millis(500);

/// Where what comes of a query is told.
pub type Told = mpsc::UnboundedSender<Outcome>;
pub type Outcome = Result<Vec<u8>, Failure>;

#[derive(Debug)]
pub struct Server {
    address: ServerAddress,
    health: Health,
    habits: Habits,
    means: Means,
    slots: Arc<Slots>,
    in_flight: AtomicUsize,
    sent: Arc<Sent>,
    failed: AtomicU64,
    unsent: Unsent,
}

#[derive(Debug)]
enum Means {
    Datagram(Datagram),
    Streamed(Streamed),
    Opportunistic(Opportunistic),
}

impl Server {
    /// `roots`: PEM, whom to believe about the names of servers; without them those of the system. `servers`: how many share what this
    /// machine has.
    pub fn new(address: ServerAddress, roots: Option<&str>, servers: usize) -> Result<Self, Unusable> {
        let sent = Arc::<Sent>::default();
        let streamed =
            |opening, protection| Means::Streamed(Streamed::new(opening, protection, sent.clone()));
        let authenticated = |transport| {
            let opening = Opening::authenticated(&address, transport, roots)?;
            Ok::<_, Unusable>(streamed(opening, Protection::Authenticated))
        };
        let means = match address.way {
            Way::Udp => Means::Datagram(Datagram { to: address.address, sent: sent.clone() }),
            Way::Tcp => streamed(Opening::Tcp(address.address), Protection::Clear),
            Way::Tdns => authenticated(TransportKind::Tdns)?,
            Way::Dot => authenticated(TransportKind::Dot)?,
            Way::Opportunistic => Means::Opportunistic(Opportunistic::new(&address, sent.clone())?),
        };
        let most = match means {
            Means::Streamed(_) => MOST_IN_FLIGHT,
            Means::Datagram(_) | Means::Opportunistic(_) => datagram::most_in_flight(servers),
        };
        Ok(Server {
            address,
            health: Health::default(),
            habits: Habits::default(),
            means,
            slots: Slots::new(most),
            in_flight: AtomicUsize::default(),
            sent,
            failed: AtomicU64::default(),
            unsent: Unsent::default(),
        })
    }

    pub fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// Whether a query may be lost on its way, so that it has to be sent again.
    pub fn loses_queries(&self) -> bool {
        !matches!(self.means, Means::Streamed(_))
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Relaxed)
    }

    pub fn is_up(&self) -> bool {
        self.health.is_up()
    }

    /// Until when it rests, if it is down.
    pub fn rests_until(&self) -> Option<Instant> {
        self.health.rests_until()
    }

    /// Sends the query, about which it was silent so many times, once it is its turn, for which it may wait until `until`, and then as long for its response. Told is one outcome,
    /// and after a silence the response all the same, if it comes until the deadline. What has left goes on also where nobody waits for
    /// it any more, and has its slot so long, because so long the server works on it.
    pub async fn ask(
        self: &Arc<Self>,
        (query, silent): (&Outgoing, usize),
        until: Instant,
        deadline: Instant,
        told: Told,
    ) {
        let (on_its_way, came) = (OnItsWay::to(self.clone()), Instant::now());
        let slot = match self.slots.take(query.network) {
            Ok(slot) => slot,
            Err(turn) => match timeout_at(until, turn).await {
                Ok(Ok(slot)) => slot,
                _ => return drop(told.send(self.judge(Err(Failure::NoTurn), came))),
            },
        };
        let begun = Instant::now();
        let (server, tell) = (self.clone(), told.clone());
        let patience = Patience::new(deadline.min(until + (begun - came)), deadline, move |silence| {
            let _ = tell.send(server.judge(Err(silence), begun));
        });
        let (server, query) = (self.clone(), query.clone());
        tokio::spawn(async move {
            let outcome = server.exchange(&query, silent, &patience).await;
            drop((slot, on_its_way));
            if outcome.is_ok() || !patience.was_told() {
                let _ = told.send(server.judge(outcome, begun));
            }
        });
    }

    async fn exchange(&self, query: &Outgoing, silent: usize, patience: &Patience) -> Outcome {
        let manner = self.habits.manner(silent);
        let outcome = self.send(&query.in_manner(manner), patience).await;
        match &outcome {
            Ok(response) if manner == Manner::Edns && self.may_be_about_edns(response) => {
                let bare = self.send(&query.in_manner(Manner::Bare), patience).await;
                return Ok(self.better(response, bare));
            }
            Ok(_) | Err(Failure::OnlyTruncated(_)) => self.habits.responds(manner, silent),
            Err(_) if matches!(manner, Manner::Stream { .. }) => self.habits.is_silent(),
            Err(_) => {}
        }
        outcome
    }

    /// Servers that do not know EDNS have several errors for it, and some send our OPT back with them.
    fn may_be_about_edns(&self, response: &[u8]) -> bool {
        refuses_edns(response) || is_error(response) && self.habits.may_choke_on_edns()
    }

    /// Of an error and what came without EDNS.
    fn better(&self, error: &[u8], bare: Outcome) -> Vec<u8> {
        match bare {
            Ok(response) if !is_error(&response) => {
                self.habits.edns_seems_to_fail();
                return response;
            }
            Ok(_) => self.habits.edns_passes(),
            Err(_) => {}
        }
        error.to_vec()
    }

    async fn send(&self, query: &Outgoing, patience: &Patience) -> Outcome {
        match &self.means {
            Means::Datagram(datagram) => datagram.ask(query, patience.until, patience).await,
            Means::Streamed(streamed) => {
                let response = streamed.ask(query, patience.deadline);
                patience.wait(patience.until, Failure::Silent(streamed.name()), response).await
            }
            Means::Opportunistic(opportunistic) => opportunistic.ask(query, patience).await,
        }
    }

    /// What a try says about the server.
    fn judge(&self, outcome: Outcome, begun: Instant) -> Outcome {
        match &outcome {
            Ok(_) => self.health.responded(),
            Err(failure) if !failure.is_the_servers() => self.unsent.count(failure),
            Err(failure) => {
                self.failed.fetch_add(1, Relaxed);
                if !matches!(failure, Failure::Silent(_)) || begun.elapsed() >= SILENCE {
                    self.health.failed(failure, Instant::now());
                }
            }
        }
        outcome
    }

    /// Whether it has a response to this sign of life, with EDNS or, where it may not know that, without.
    pub async fn responds(self: &Arc<Self>, sign_of_life: &Outgoing, until: Instant) -> bool {
        let (told, mut outcomes) = mpsc::unbounded_channel();
        self.ask((sign_of_life, 0), until, until, told.clone()).await;
        if self.loses_queries() && self.habits.may_choke_on_edns() {
            self.ask((sign_of_life, 1), until, until, told.clone()).await;
        }
        drop(told);
        while let Some(outcome) = outcomes.recv().await {
            if outcome.is_ok() {
                return true;
            }
        }
        false
    }

    /// Asks for this sign of life in the background, if it is down and has rested.
    pub fn examine(self: &Arc<Self>, sign_of_life: &Outgoing) {
        let now = Instant::now();
        if !self.health.begin_examination(now) {
            return;
        }
        let (server, query) = (self.clone(), sign_of_life.clone());
        tokio::spawn(async move {
            server.responds(&query, now + EXAMINATION).await;
            server.health.end_examination();
        });
    }

    pub fn snapshot(&self) -> ServerSnapshot {
        ServerSnapshot {
            address: self.address.to_string(),
            down: self.health.why_down().map(|why| why.to_string()),
            failed: self.failed.load(Relaxed),
            unsent: self.unsent.snapshot(),
            sent: self.sent.snapshot(),
        }
    }
}

struct OnItsWay(Arc<Server>);

impl OnItsWay {
    fn to(server: Arc<Server>) -> Self {
        server.in_flight.fetch_add(1, Relaxed);
        OnItsWay(server)
    }
}

/// Also where nobody waits for it any more.
impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}
