//! A question's life: policy → cache → upstream → policy → reply, and one event at its end.
//!
//! What needs no network is done by [`Pipeline::begin`] at once; the rest waits on a task of its own in
//! [`Pipeline::finish`]. Both leave the reply in the caller's buffer, and the event with the caller: first the reply leaves,
//! then it is noted.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::account::Account;
use crate::arrivals::Arrivals;
use crate::bearings::Bearings;
use crate::cache::entry::{Entry, SaidBy};
use crate::cache::failures::{found_bogus, is_failure};
use crate::cache::in_flight::{InFlight, Seat};
use crate::cache::key::{Key, Partition, Parts};
use crate::cache::store::{Cut, Fresh, Known};
use crate::clock::Clock;
use crate::events::courier::Events;
use crate::events::event::{Event, Noted};
use crate::holding::Holding;
use crate::in_clear::{InClear, ask_in_clear};
use crate::listen::accepting::Accepting;
use crate::listen::keeping::Broken;
use crate::listen::slots::{SLOTS, Slots};
use crate::loop_guard::LoopGuard;
use crate::outcome::{ClearClass, ClientProtocol, Cost, Outcome};
use crate::own_probes::OwnProbes;
use crate::policy::{Local, local_reply};
use crate::portal;
use crate::query::{Client, Query, Received};
use crate::reply::bare;
use crate::resolution::{Resolution, Resolver};
use crate::snapshot::{Lasting, Snapshot};
use crate::telling::{Said, Telling};
use crate::upstream::clear::lease::Lease;
use crate::upstream::outgoing::{DEADLINE, Outgoing};
use crate::upstream::selection::group::Reach;
use crate::upstream::transport::plain::Plain;
use crate::way::Way;
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, rcode};
use crate::wire::question::Question;
use crate::working::Working;

/// After so long an expired answer is better than none (RFC 8767 section 5, the client response timer).
const CLIENT_PATIENCE: Duration = Duration::from_millis(1800);
/// Answers refreshed at once, behind everybody's back.
const MOST_REFRESHES: usize = 32;

pub struct Pipeline {
    pub snapshot: Arc<ArcSwap<Snapshot>>,
    pub events: Events,
    pub working: Arc<Working>,
    pub loops: Arc<LoopGuard>,
    pub arrivals: Arrivals,
    /// asks in clear: bypass rules, and everything while off or paused
    pub plain: Arc<Plain>,
    /// names of nobody's that the network was asked for
    pub portal_probes: Arc<OwnProbes>,
    pub clock: Arc<Clock>,
    pub accepting: Accepting,
    pub broken: Broken,
    pub slots: Slots,
    outcomes: [AtomicU64; Outcome::COUNT],
    resolver: Resolver,
    pub(crate) in_flight: InFlight<Resolution>,
    refreshes: Arc<Semaphore>,
    bearings: Arc<Bearings>,
    holding: Arc<Holding>,
}

pub enum Begun {
    /// nothing is said
    Silence,
    /// the reply stands in the buffer; no event where it was a probe of ours, no question, or none that could be read
    Replied(Option<Noted>),
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
    Portal,
    Direct,
    /// so it has become while it waited
    Local(Local),
}

impl Plan {
    fn of(way: Way<'_>, query: &Query, snapshot: &Snapshot) -> Self {
        match way {
            Way::Local(local) => Self::Local(local),
            Way::Bypass(rule) => Self::Bypass(rule),
            Way::Portal => Self::Portal,
            Way::Direct(_) => Self::Direct,
            Way::Forward => Self::Upstream(Key::of(parts(query, snapshot.epoch))),
        }
    }
}

impl Pipeline {
    pub fn new(snapshot: Snapshot, events: Events, lasting: &Lasting) -> Self {
        let plain = Arc::new(Plain::new(lasting.transports.clone(), lasting.cookies.clone()));
        let snapshot = Arc::new(ArcSwap::from_pointee(snapshot));
        let clock = lasting.clock.clone();
        Self {
            resolver: Resolver::new(snapshot.clone(), lasting),
            snapshot,
            events,
            working: Arc::default(),
            loops: Arc::new(LoopGuard::new(plain.clone(), lasting.on_change.clone())),
            arrivals: Arrivals::default(),
            plain,
            portal_probes: Arc::default(),
            outcomes: Default::default(),
            in_flight: InFlight::default(),
            clock,
            accepting: Accepting::new(lasting.on_change.clone()),
            broken: Broken::new(lasting.on_change.clone()),
            slots: Slots::new(SLOTS, lasting.on_change.clone()),
            refreshes: Arc::new(Semaphore::new(MOST_REFRESHES)),
            bearings: lasting.bearings.clone(),
            holding: lasting.holding.clone(),
        }
    }

    pub fn outcomes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Outcome::WORDS.iter().zip(&self.outcomes).map(|(word, count)| (*word, count.load(Ordering::Relaxed)))
    }

    /// [`Pipeline::note`] for many.
    pub fn note_all(&self, all: impl Iterator<Item = Noted>) {
        let mut counts = [0; Outcome::COUNT];
        for Noted { outcome, event } in all {
            counts[outcome as usize] += 1;
            self.keep(event);
        }
        for (total, count) in self.outcomes.iter().zip(counts).filter(|(_, count)| *count > 0) {
            total.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Counts a question and hands its event on; to be called once its reply has left.
    pub fn note(&self, noted: Option<Noted>) {
        if let Some(noted) = noted {
            self.count(noted.outcome);
            self.keep(noted.event);
        }
    }

    fn keep(&self, event: Option<Box<Event>>) {
        match event {
            Some(event) => self.events.push(event),
            None => self.events.pass_over(),
        }
    }

    pub fn begin(&self, message: &[u8], client: Client, reply: &mut Vec<u8>) -> Begun {
        let query = match Query::read(message) {
            Received::Query(query) => query,
            Received::Unreadable(header, edns, code) => {
                bare(header, edns.as_ref(), code, reply);
                self.count(Outcome::Dropped);
                return Begun::Replied(None);
            }
            Received::Wrong(query, code, why) => {
                let account = Account::open(client, &query, &self.events);
                let telling = Telling { query: &query, account, reply, events: &self.events };
                return Begun::Replied(Some(telling.error(Outcome::Dropped, code, why.as_slice())));
            }
            Received::Signed(query, refusal) => {
                let account = Account::open(client, &query, &self.events);
                let telling = Telling { query: &query, account, reply, events: &self.events };
                return Begun::Replied(Some(telling.unknown_key(&refusal)));
            }
            Received::Noise => {
                self.count(Outcome::Dropped);
                return Begun::Silence;
            }
        };
        let mut account = Account::open(client, &query, &self.events);
        if self.loops.is_ours(&query.question.name) {
            let why = ExtendedError::new(ExtendedError::OTHER, "a question of our own came back to us");
            let telling = Telling { query: &query, account, reply, events: &self.events };
            return of_ours(client, telling.error(Outcome::Dropped, rcode::REFUSED, &[why]));
        }
        let snapshot = self.snapshot.load();
        let tell_local = |mut account: Account, local: Local, reply: &mut Vec<u8>| {
            account.policy_done();
            account.rule = local.rule;
            let end = header::LENGTH + query.question_octets().len();
            let answer = local_reply::compose(message, end, &local);
            Telling { query: &query, account, reply, events: &self.events }.local(&answer)
        };
        if let Some(local) = self.arrivals.meet(&query.question) {
            return of_ours(client, tell_local(account, local, reply));
        }
        let plan = match snapshot.way(&query.question) {
            // what is kept tells what others asked for, so it is no answer either
            Way::Bypass(_) | Way::Portal | Way::Direct(_) | Way::Forward if !query.wants_recursion() => {
                let why = ExtendedError::new(
                    ExtendedError::NOT_AUTHORITATIVE,
                    "Sotto is no authority for this name; ask with RD",
                );
                let telling = Telling { query: &query, account, reply, events: &self.events };
                return Begun::Replied(Some(telling.error(Outcome::Dropped, rcode::REFUSED, &[why])));
            }
            Way::Local(local) => return Begun::Replied(Some(tell_local(account, local, reply))),
            Way::Bypass(rule) => {
                account.rule = snapshot.bypass.word(rule);
                Plan::Bypass(rule)
            }
            Way::Portal => Plan::Portal,
            Way::Direct(_) => Plan::Direct,
            Way::Forward => {
                account.policy_done();
                let asked = parts(&query, snapshot.epoch);
                let known = snapshot.cache.get(asked, self.clock.at(account.mark()));
                account.cache_done();
                if let Some(known) = known {
                    let telling = Telling { query: &query, account, reply, events: &self.events };
                    return Begun::Replied(Some(self.tell_known(telling, &snapshot, known)));
                }
                let plan = Plan::Upstream(Key::of(asked));
                let snapshot = arc_swap::Guard::into_inner(snapshot);
                return Begun::Waiting(Box::new(Waiting { query, snapshot, plan, account }));
            }
        };
        account.policy_done();
        let snapshot = arc_swap::Guard::into_inner(snapshot);
        Begun::Waiting(Box::new(Waiting { query, snapshot, plan, account }))
    }

    fn tell_known(&self, telling: Telling<'_>, snapshot: &Arc<Snapshot>, known: Known) -> Noted {
        match known {
            Known::Fresh(Fresh { entry, age_seconds, wants_refresh }) => {
                if wants_refresh {
                    self.refresh(snapshot, telling.query, &entry);
                }
                tell_cached(telling, snapshot, entry.said_by(), said(&entry, age_seconds))
            }
            Known::Cut(Cut { denial, said_by, age_seconds }) => {
                let said = Said {
                    body: denial.body(),
                    errors: vec![],
                    age: age_seconds,
                    authenticated: said_by.authenticated,
                    delicate: false,
                };
                tell_cached(telling, snapshot, said_by, said)
            }
            Known::Failed { failed, stale: Some(stale) }
                if snapshot.config.cache.serve_stale && !failed.found_bogus() =>
            {
                tell_stale(telling, snapshot, &stale, "asking for it failed lately")
            }
            Known::Failed { failed, .. } => telling.failed_before(&failed),
        }
    }

    /// Asks for an answer before it is missed. Not in clear: nobody is waiting for it.
    fn refresh(&self, snapshot: &Arc<Snapshot>, query: &Query, entry: &Entry) {
        let Ok(permit) = self.refreshes.clone().try_acquire_owned() else { return };
        let group = snapshot.group(&query.question.name);
        if !group.is_private() || group.is_cut_off() || !entry.claim_refresh() {
            return;
        }
        let key = Key::of(parts(query, snapshot.epoch));
        let Seat::Leader(lead) = self.in_flight.join(&key) else { return };
        snapshot.cache.count_prefetched();
        let (snapshot, resolver) = (snapshot.clone(), self.resolver.clone());
        let outgoing = Arc::new(query.outgoing().of_ours());
        tokio::spawn(async move {
            lead.finish(Arc::new(resolver.resolve(&snapshot, &key, outgoing, Reach::PrivateOnly).await));
            drop(permit);
        });
    }

    /// Instead of [`Pipeline::finish`], where there is no room to wait.
    pub fn turn_away(&self, waiting: Box<Waiting>, reply: &mut Vec<u8>) -> Noted {
        let Waiting { query, account, .. } = *waiting;
        let why = ExtendedError::new(
            ExtendedError::OTHER,
            "more queries wait for the network than there is room for",
        );
        let telling = Telling { query: &query, account, reply, events: &self.events };
        telling.error(Outcome::Refused, rcode::SERVFAIL, &[why])
    }

    pub async fn finish(&self, waiting: Box<Waiting>, reply: &mut Vec<u8>) -> Noted {
        let Waiting { query, snapshot, plan, account } = *waiting;
        let (snapshot, plan) = self.confirmed(&query, snapshot, plan).await;
        let outgoing = Arc::new(query.outgoing());
        let telling = Telling { query: &query, account, reply, events: &self.events };
        match plan {
            Plan::Upstream(key) => self.ask_upstreams(telling, &snapshot, key, outgoing).await,
            Plan::Bypass(rule) => self.ask_bypass(telling, &snapshot, rule).await,
            Plan::Portal => {
                let lease = snapshot.portal_lease(Some(&query.question.name)).map(Arc::as_ref);
                ask_in_clear(&self.plain, telling, portal::in_clear(self, &snapshot, lease), &outgoing).await
            }
            Plan::Direct => {
                let direct = snapshot.direct.as_ref().expect("the plan was made from it");
                let clear = InClear {
                    servers: direct.servers.clone(),
                    known: !direct.servers.is_empty(),
                    lease: direct.lease.as_deref(),
                    class: direct.class,
                    outcome: Outcome::Forwarded,
                };
                ask_in_clear(&self.plain, telling, clear, &outgoing).await
            }
            Plan::Local(local) => {
                let message = query.question.query(0, 0);
                telling.local(&local_reply::compose(&message, message.len(), &local))
            }
        }
    }

    /// Where the machine has just moved, what was permitted elsewhere is not done here: once the control plane has said what is,
    /// that.
    async fn confirmed(&self, query: &Query, snapshot: Arc<Snapshot>, plan: Plan) -> (Arc<Snapshot>, Plan) {
        let is_suspended = |snapshot: &Snapshot, plan: &Plan| {
            snapshot.lease_of(plan, query).is_some_and(Lease::is_suspended)
        };
        if !self.has_just_moved() || !is_suspended(&snapshot, &plan) {
            return (snapshot, plan);
        }
        let plan_of = |snapshot: &Snapshot| Plan::of(snapshot.way(&query.question), query, snapshot);
        let snapshot = self.once(|snapshot| !is_suspended(snapshot, &plan_of(snapshot))).await;
        let plan = plan_of(&snapshot);
        (snapshot, plan)
    }

    /// The control plane has not said yet where that is, and should any moment.
    pub fn has_just_moved(&self) -> bool {
        self.bearings.found_by(Instant::now()).is_some()
    }

    /// The settings in force, as soon as they are `confirmed`, which is not waited for longer than it may take to say so.
    pub async fn once(&self, confirmed: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let mut change = pin!(self.holding.change());
            change.as_mut().enable();
            let snapshot = self.snapshot.load_full();
            let found = self.bearings.found_by(Instant::now()).filter(|_| !confirmed(&snapshot));
            let Some(found) = found else { return snapshot };
            if timeout_at(deadline.min(found), change).await.is_err() {
                return snapshot;
            }
        }
    }

    async fn ask_upstreams(
        &self,
        mut telling: Telling<'_>,
        snapshot: &Arc<Snapshot>,
        key: Key,
        outgoing: Arc<Outgoing>,
    ) -> Noted {
        let seat = self.in_flight.join(&key);
        if matches!(seat, Seat::Follower(_)) {
            telling.account.cost = Cost::Queued;
        }
        let asking = self.ask(seat, snapshot, &key, outgoing.clone());
        let patience = telling.account.client.arrived + CLIENT_PATIENCE;
        let resolution = match self.stale(snapshot, &key) {
            None => asking.await,
            Some(stale) => match timeout_at(patience, asking).await {
                Ok(resolution) => resolution,
                Err(_) => {
                    telling.account.waited();
                    telling.account.traffic = outgoing.traffic();
                    return tell_stale(telling, snapshot, &stale, "the upstream takes its time");
                }
            },
        };
        telling.account.waited();
        telling.account.traffic = outgoing.traffic();
        let left_in_clear = match resolution.as_deref() {
            Some(Ok(answered)) => answered.in_clear,
            Some(Err(nobody)) => nobody.in_clear,
            None => false,
        };
        if left_in_clear {
            telling.account.clear = ClearClass::Policy;
        }
        match resolution.as_deref() {
            Some(Ok(answered)) => {
                if is_failure(&answered.answer)
                    && !found_bogus(&answered.answer)
                    && let Some(stale) = self.stale(snapshot, &key)
                {
                    return tell_stale(telling, snapshot, &stale, "the upstream can't resolve it now");
                }
                telling.account.spent(answered);
                let said = Said {
                    body: answered.answer.body(),
                    errors: answered.answer.extended_errors.clone(),
                    age: 0,
                    authenticated: answered.source.is_private(),
                    delicate: true,
                };
                telling.public(&snapshot.answer_policy, Outcome::Forwarded, said)
            }
            Some(Err(nobody)) => {
                for upstream in nobody.silent(&snapshot.upstreams.all) {
                    tokio::spawn(self.loops.clone().probe_upstream(upstream));
                }
                if let Some(stale) = self.stale(snapshot, &key) {
                    return tell_stale(telling, snapshot, &stale, "the upstream can't be reached");
                }
                if telling.account.traffic.sent == 0 && telling.account.cost != Cost::Queued {
                    telling.account.connected(Duration::MAX);
                }
                let outcome = if nobody.is_refusal() { Outcome::Refused } else { Outcome::Failed };
                telling.error(outcome, rcode::SERVFAIL, &[nobody.extended_error()])
            }
            None => {
                let error = ExtendedError::new(ExtendedError::OTHER, "asking broke off; this is a defect");
                telling.error(Outcome::Failed, rcode::SERVFAIL, &[error])
            }
        }
    }

    /// What the leader hears. Dropping it stops nobody: the leader asks on a task of its own, so a client that goes away does
    /// not take the answer from the others, nor from the cache.
    pub(crate) async fn ask(
        &self,
        seat: Seat<Resolution>,
        snapshot: &Arc<Snapshot>,
        key: &Key,
        outgoing: Arc<Outgoing>,
    ) -> Option<Arc<Resolution>> {
        match seat {
            Seat::Leader(lead) => {
                let (snapshot, resolver, key) = (snapshot.clone(), self.resolver.clone(), key.clone());
                let asking = tokio::spawn(async move {
                    let resolution =
                        Arc::new(resolver.resolve(&snapshot, &key, outgoing, Reach::Ladder).await);
                    lead.finish(resolution.clone());
                    resolution
                });
                asking.await.ok()
            }
            Seat::Follower(follow) => follow.wait().await,
        }
    }

    /// An expired answer, where the settings want it.
    fn stale(&self, snapshot: &Snapshot, key: &Key) -> Option<Entry> {
        let wanted = snapshot.config.cache.serve_stale;
        wanted.then(|| snapshot.cache.stale(key, self.clock.now())).flatten()
    }

    fn count(&self, outcome: Outcome) {
        self.outcomes[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl Snapshot {
    /// Of what is asked in clear from the beginning.
    fn lease_of(&self, plan: &Plan, query: &Query) -> Option<&Lease> {
        match plan {
            Plan::Bypass(rule) => self.bypass_leases[*rule].as_deref(),
            Plan::Portal => self.portal_lease(Some(&query.question.name)).map(Arc::as_ref),
            Plan::Direct => self.direct.as_ref()?.lease.as_deref(),
            Plan::Upstream(_) | Plan::Local(_) => None,
        }
    }
}

/// A probe that came in is nobody's query. Who asks for its name by the control socket is told what came of it all the same.
fn of_ours(client: Client, noted: Noted) -> Begun {
    Begun::Replied((client.protocol == ClientProtocol::Control).then_some(noted))
}

pub(crate) fn parts(query: &Query, epoch: u32) -> Parts<'_> {
    let Question { name, kind, class } = &query.question;
    let (dnssec_ok, checking_disabled) = (query.dnssec_ok(), query.checking_disabled());
    let partition = Partition { dnssec_ok, checking_disabled, epoch };
    Parts { name: name.as_wire(), kind: *kind, class: *class, partition }
}

fn said(entry: &Entry, age: u32) -> Said<'_> {
    Said {
        body: entry.body(),
        errors: entry.extended_errors(),
        age,
        authenticated: entry.said_by().authenticated,
        delicate: entry.is_delicate(),
    }
}

fn tell_cached(mut telling: Telling<'_>, snapshot: &Snapshot, said_by: SaidBy, said: Said<'_>) -> Noted {
    telling.account.upstream = said_by.upstream;
    telling.public(&snapshot.answer_policy, Outcome::Cached, said)
}

/// `why`: what kept the upstream from answering.
fn tell_stale(mut telling: Telling<'_>, snapshot: &Snapshot, entry: &Entry, why: &str) -> Noted {
    snapshot.cache.count_stale();
    telling.account.upstream = entry.said_by().upstream;
    telling.stale(&snapshot.answer_policy, said(entry, 0), why)
}
