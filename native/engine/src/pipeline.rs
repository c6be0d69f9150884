//! A question's life: policy → cache → upstream → policy → reply, and one event at its end.
//!
//! What needs no network is done by [`Pipeline::begin`] at once; the rest waits on a task of its own in
//! [`Pipeline::finish`]. Both leave the reply in the caller's buffer, and the event with the caller: first the reply leaves,
//! then it is noted.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::time::Instant;

use crate::account::Account;
use crate::answer::Answer;
use crate::cache::in_flight::{InFlight, Seat};
use crate::cache::key::Key;
use crate::cache::store::{Entry, Lookup};
use crate::clear::Lease;
use crate::events::courier::Events;
use crate::events::event::Event;
use crate::intern;
use crate::loop_guard::LoopGuard;
use crate::outcome::{ClearClass, Cost, Outcome, TransportKind};
use crate::policy::{Verdict, local_reply};
use crate::query::{Client, Query, Received};
use crate::reply::bare;
use crate::snapshot::Snapshot;
use crate::telling::{Said, Telling};
use crate::upstream::failover::{NobodyAnswered, Upstream};
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::plain::Plain;
use crate::upstream::transport::Exchanged;
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, rcode};
use crate::working::Working;

/// Short of the five seconds after which dig and most stubs give up, so that they hear why.
const DEADLINE: Duration = Duration::from_millis(4500);

pub struct Pipeline {
    pub snapshot: ArcSwap<Snapshot>,
    pub events: Events,
    pub working: Arc<Working>,
    pub loops: Arc<LoopGuard>,
    /// asks in clear: bypass rules, and everything while off or paused
    pub plain: Arc<Plain>,
    outcomes: [AtomicU64; Outcome::COUNT],
    in_flight: InFlight<Resolution>,
}

#[allow(clippy::large_enum_variant)] // an event in a box would be an allocation for every cached answer
pub enum Begun {
    /// nothing is said
    Silence,
    /// the reply stands in the buffer; no event where there was no question to read
    Replied(Option<Event>),
    Waiting(Box<Waiting>),
}

/// A question that needs the network.
pub struct Waiting {
    query: Query,
    snapshot: Arc<Snapshot>,
    plan: Plan,
    account: Account,
}

#[allow(clippy::large_enum_variant)] // it lives in a box already
enum Plan {
    Upstream(Key),
    Bypass(usize),
    Direct,
}

/// What came of asking upstreams, for everyone who asked the same.
type Resolution = Result<Answered, NobodyAnswered>;

struct Answered {
    answer: Arc<Answer>,
    upstream: Arc<Upstream>,
    cost: Cost,
    connect: Duration,
    wait: Duration,
    round_trips: u8,
}

/// Plain resolvers and what allows asking them.
struct InClear<'a> {
    servers: Vec<SocketAddr>,
    lease: Option<&'a Lease>,
    class: ClearClass,
    outcome: Outcome,
}

impl Pipeline {
    pub fn new(
        snapshot: Snapshot,
        events: Events,
        plain: Arc<Plain>,
        on_change: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        Self {
            snapshot: ArcSwap::from_pointee(snapshot),
            events,
            working: Arc::default(),
            loops: Arc::new(LoopGuard::new(plain.clone(), on_change)),
            plain,
            outcomes: Default::default(),
            in_flight: InFlight::default(),
        }
    }

    pub fn outcomes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Outcome::WORDS.iter().zip(&self.outcomes).map(|(word, count)| (*word, count.load(Ordering::Relaxed)))
    }

    /// Counts a question and hands its event on; to be called once its reply has left.
    pub fn note(&self, event: Option<Event>) {
        if let Some(event) = event {
            self.count(event.outcome);
            self.events.push(event);
        }
    }

    pub fn begin(&self, message: &[u8], client: Client, reply: &mut Vec<u8>) -> Begun {
        let query = match Query::read(message) {
            Received::Query(query) => query,
            Received::Wrong(header, None, code) => {
                bare(header, code, reply);
                self.count(Outcome::Dropped);
                return Begun::Replied(None);
            }
            Received::Wrong(_, Some(query), code) => {
                let telling = Telling { account: Account::open(client, &query), query: &query, reply };
                return Begun::Replied(Some(telling.error(Outcome::Dropped, code, &[])));
            }
            Received::Noise => {
                self.count(Outcome::Dropped);
                return Begun::Silence;
            }
        };
        let mut account = Account::open(client, &query);
        if self.loops.is_ours(&query.question.name) {
            let why = ExtendedError::new(ExtendedError::OTHER, "a question of our own came back to us");
            let telling = Telling { query: &query, account, reply };
            return Begun::Replied(Some(telling.error(Outcome::Dropped, rcode::REFUSED, &[why])));
        }
        let snapshot = self.snapshot.load();
        let plan = match snapshot.question_policy.judge(&query.question) {
            Verdict::Local(local) => {
                account.policy_done();
                account.rule = local.rule;
                let end = header::LENGTH + query.question_octets().len();
                let answer = local_reply::compose(message, end, &local);
                let telling = Telling { query: &query, account, reply };
                return Begun::Replied(Some(telling.local(&answer)));
            }
            Verdict::Bypass(rule) => {
                account.rule = snapshot.bypass_words[rule.index];
                Plan::Bypass(rule.index)
            }
            Verdict::Forward if snapshot.direct.is_some() => Plan::Direct,
            Verdict::Forward => Plan::Upstream(key(&query, snapshot.epoch)),
        };
        account.policy_done();
        if let Plan::Upstream(key) = &plan {
            let found = snapshot.cache.get(key, Instant::now());
            account.cache_done();
            if let Lookup::Fresh { entry, age_seconds } = found {
                account.upstream = entry.upstream;
                let telling = Telling { query: &query, account, reply };
                let policy = &snapshot.answer_policy;
                let event = telling.public(policy, Outcome::Cached, said(&entry, age_seconds));
                return Begun::Replied(Some(event));
            }
        }
        let snapshot = arc_swap::Guard::into_inner(snapshot);
        Begun::Waiting(Box::new(Waiting { query, snapshot, plan, account }))
    }

    pub async fn finish(&self, waiting: Box<Waiting>, reply: &mut Vec<u8>) -> Event {
        let Waiting { query, snapshot, plan, account } = *waiting;
        let (disabled, dnssec_ok) = (query.checking_disabled(), query.dnssec_ok());
        let outgoing = Arc::new(Outgoing::new(query.question, query.question_octets(), disabled, dnssec_ok));
        let telling = Telling { query: &query, account, reply };
        match plan {
            Plan::Upstream(key) => self.ask_upstreams(telling, &snapshot, key, outgoing).await,
            Plan::Bypass(index) => {
                let clear = InClear {
                    servers: self.loops.sound(&snapshot.config.bypass[index].to),
                    lease: snapshot.bypass_leases[index].as_deref(),
                    class: ClearClass::Bypass,
                    outcome: Outcome::Bypassed,
                };
                ask_in_clear(&self.plain, telling, clear, &outgoing).await
            }
            Plan::Direct => {
                let direct = snapshot.direct.as_ref().expect("the plan was made from it");
                let clear = InClear {
                    servers: direct.servers.clone(),
                    lease: direct.lease.as_deref(),
                    class: direct.class,
                    outcome: Outcome::Forwarded,
                };
                ask_in_clear(&self.plain, telling, clear, &outgoing).await
            }
        }
    }

    async fn ask_upstreams(
        &self,
        mut telling: Telling<'_>,
        snapshot: &Arc<Snapshot>,
        key: Key,
        outgoing: Arc<Outgoing>,
    ) -> Event {
        let resolution = match self.in_flight.join(&key) {
            Seat::Leader(lead) => {
                // on a task of its own: a client that goes away must not take the answer from the others
                let (snapshot, key) = (snapshot.clone(), key.clone());
                let asking = tokio::spawn(async move {
                    let resolution = Arc::new(resolve(&snapshot, key, outgoing).await);
                    lead.finish(resolution.clone());
                    resolution
                });
                asking.await.ok()
            }
            Seat::Follower(follow) => {
                telling.account.cost = Cost::Queued;
                follow.wait().await
            }
        };
        telling.account.waited();
        match resolution.as_deref() {
            Some(Ok(answered)) => {
                telling.account.spent(
                    &answered.upstream,
                    answered.cost,
                    answered.connect,
                    answered.wait,
                    answered.round_trips,
                );
                let authenticated = answered.upstream.kind.is_private();
                let said = Said { answer: &answered.answer, age: 0, authenticated, delicate: true };
                telling.public(&snapshot.answer_policy, Outcome::Forwarded, said)
            }
            Some(Err(nobody)) => {
                for upstream in nobody.silent(&snapshot.upstreams) {
                    tokio::spawn(self.loops.clone().probe_upstream(upstream));
                }
                tell_failure(telling, snapshot, &key, nobody)
            }
            None => {
                let error = ExtendedError::new(ExtendedError::OTHER, "asking broke off; this is a defect");
                telling.error(Outcome::Failed, rcode::SERVFAIL, &[error])
            }
        }
    }

    fn count(&self, outcome: Outcome) {
        self.outcomes[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }
}

fn key(query: &Query, epoch: u32) -> Key {
    let question = &query.question;
    Key::new(
        &question.name,
        question.kind,
        question.class,
        query.dnssec_ok(),
        query.checking_disabled(),
        epoch,
    )
}

fn said(entry: &Entry, age: u32) -> Said<'_> {
    Said { answer: &entry.answer, age, authenticated: entry.authenticated, delicate: entry.delicate }
}

async fn resolve(snapshot: &Snapshot, key: Key, outgoing: Arc<Outgoing>) -> Resolution {
    let deadline = Instant::now() + DEADLINE;
    let (exchanged, upstream) = snapshot.upstreams.exchange(outgoing, deadline).await?;
    let Exchanged { answer, cost, connect, wait, round_trips } = exchanged;
    let answer = Arc::new(answer);
    if !answer.truncated() {
        let said_by = (upstream.id, upstream.kind.is_private());
        snapshot.cache.insert(&key, answer.clone(), said_by, Instant::now());
    }
    Ok(Answered { answer, upstream, cost, connect, wait, round_trips })
}

/// Stale data if the settings want it, else the reason.
fn tell_failure(mut telling: Telling<'_>, snapshot: &Snapshot, key: &Key, nobody: &NobodyAnswered) -> Event {
    if snapshot.config.cache.serve_stale
        && let Lookup::Stale { entry } = snapshot.cache.get(key, Instant::now())
    {
        telling.account.upstream = entry.upstream;
        return telling.public(&snapshot.answer_policy, Outcome::Stale, said(&entry, 0));
    }
    let outcome = if nobody.is_refusal() { Outcome::Refused } else { Outcome::Failed };
    telling.error(outcome, rcode::SERVFAIL, &[nobody.extended_error()])
}

async fn ask_in_clear(
    plain: &Plain,
    mut telling: Telling<'_>,
    clear: InClear<'_>,
    outgoing: &Outgoing,
) -> Event {
    let refused = |text: &str| [ExtendedError::new(ExtendedError::NO_REACHABLE_AUTHORITY, text)];
    let Some(lease) = clear.lease else {
        let error = refused("no ledger entry allows this question to leave in clear");
        return telling.error(Outcome::Refused, rcode::SERVFAIL, &error);
    };
    if clear.servers.is_empty() {
        let error = refused(match clear.class {
            ClearClass::Bypass => "the resolvers of this bypass rule lead back to us",
            _ => "Sotto is off or paused, and the system's own resolvers are not known",
        });
        return telling.error(Outcome::Refused, rcode::SERVFAIL, &error);
    }
    let asked = Instant::now();
    let result = plain.ask(&clear.servers, outgoing, lease, Instant::now() + DEADLINE).await;
    telling.account.stages.wait = asked.elapsed();
    telling.account.waited();
    telling.account.transport = TransportKind::Udp;
    telling.account.clear = clear.class;
    match result {
        Ok((answer, server)) => {
            telling.account.upstream = intern::word(&server.to_string());
            telling.account.round_trips = 1;
            telling.plain(clear.outcome, &answer)
        }
        Err(failure) => {
            let ended = matches!(failure, Failure::NotPermitted(_));
            let outcome = if ended { Outcome::Refused } else { Outcome::Failed };
            let error = ExtendedError::new(failure.extended_error(), failure.to_string());
            telling.error(outcome, rcode::SERVFAIL, &[error])
        }
    }
}
