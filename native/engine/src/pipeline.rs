//! A query's life: policy → cache → upstream → policy → response, and one event at its end.
//!
//! [`Pipeline::begin`] does at once what needs no network; the rest waits on a task of its own in [`Pipeline::finish`]. Both
//! leave the response in the caller's buffer, and the event with the caller: the response leaves first, then the event is noted.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::arrivals::Arrivals;
use crate::attribution::{Asker, Attributor};
use crate::audit::Audit;
use crate::cache::in_flight::InFlight;
use crate::cache::key::Key;
use crate::change_count::ChangeCount;
use crate::cleartext::{Cleartext, ask_in_cleartext};
use crate::clock::Clock;
use crate::draft::Draft;
use crate::envelope::bare;
use crate::events::courier::Events;
use crate::events::event::{Event, Noted};
use crate::holding::Holding;
use crate::listen::accepting::Accepting;
use crate::listen::keeping::Broken;
use crate::listen::slots::{SLOTS, Slots};
use crate::loop_guard::LoopGuard;
use crate::outcome::{ClientProtocol, Outcome};
use crate::own_probes::OwnProbes;
use crate::pending_response::PendingResponse;
use crate::plan::Plan;
use crate::policy::conditions::{Condition, Fit};
use crate::policy::{Local, local_response};
use crate::query::{Client, Query, Received};
use crate::resolution::{Resolution, Resolver};
use crate::route::Route;
use crate::snapshot::{Lasting, Snapshot};
use crate::upstream::clear::lease::Lease;
use crate::upstream::outgoing::DEADLINE;
use crate::upstream::transport::plain::Plain;
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, rcode};
use crate::working::Working;

/// Responses that are renewed at the same time, while no client waits for them.
const MOST_REFRESHES: usize = 32;

pub struct Pipeline {
    pub snapshot: Arc<ArcSwap<Snapshot>>,
    pub events: Events,
    pub attributor: Attributor,
    pub audit: Audit,
    pub working: Arc<Working>,
    pub loops: Arc<LoopGuard>,
    pub arrivals: Arrivals,
    /// sends queries in cleartext: for bypass rules, and everything while off or paused
    pub plain: Arc<Plain>,
    /// the probes for login pages that went to the network; no client asked for them
    pub portal_probes: Arc<OwnProbes>,
    pub clock: Arc<Clock>,
    pub accepting: Accepting,
    pub broken: Broken,
    pub slots: Slots,
    outcomes: [AtomicU64; Outcome::COUNT],
    pub(crate) resolver: Resolver,
    pub(crate) in_flight: InFlight<Resolution>,
    pub(crate) refreshes: Arc<Semaphore>,
    change_count: Arc<ChangeCount>,
    holding: Arc<Holding>,
}

pub enum Begun {
    /// there is no response
    Silence,
    /// the response is in the buffer; no event for a probe of ours, or a message that was no query or could not be read
    Replied(Option<Noted>),
    Waiting(Box<Waiting>),
}

/// A query that needs the network.
pub struct Waiting {
    query: Query,
    snapshot: Arc<Snapshot>,
    plan: Plan,
    pub draft: Draft,
}

impl Pipeline {
    pub fn new(snapshot: Snapshot, events: Events, lasting: &Lasting) -> Self {
        let plain = Arc::new(Plain::new(lasting.transports.clone(), lasting.cookies.clone()));
        let snapshot = Arc::new(ArcSwap::from_pointee(snapshot));
        let clock = lasting.clock.clone();
        let attributor = Attributor::default();
        let audit = Audit::new(attributor.lists_are_read());
        Self {
            resolver: Resolver::new(snapshot.clone(), lasting),
            snapshot,
            events,
            attributor,
            audit,
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
            change_count: lasting.change_count.clone(),
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

    /// Counts a query and hands its event on. To be called once its response has left.
    pub fn note(&self, noted: Option<Noted>) {
        if let Some(noted) = noted {
            self.count(noted.outcome);
            self.keep(noted.event);
        }
    }

    fn keep(&self, event: Option<Box<Event>>) {
        match event {
            Some(mut event) => {
                // conditions may have needed it, and the log is not to have it
                let asker = if self.attributor.is_wanted() { event.asker } else { Some(Asker::NotLookedUp) };
                event.asker = asker.or_else(|| Some(self.look_up(&event.client)));
                self.events.push(event);
            }
            None => self.events.pass_over(),
        }
    }

    pub fn begin(&self, message: &[u8], client: Client, octets: &mut Vec<u8>) -> Begun {
        let begun = self.respond_or_wait(message, client, octets);
        if let Begun::Replied(_) = begun {
            self.audit.note(octets);
        }
        begun
    }

    fn respond_or_wait(&self, message: &[u8], client: Client, octets: &mut Vec<u8>) -> Begun {
        let query = match Query::read(message) {
            Received::Query(query) => query,
            Received::Unreadable(header, edns, code) => {
                bare(header, edns.as_ref(), code, octets);
                self.count(Outcome::Dropped);
                return Begun::Replied(None);
            }
            Received::Wrong(query, code, why) => {
                let draft = Draft::open(client, &query, &self.events);
                let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
                return Begun::Replied(Some(pending.error(Outcome::Dropped, code, why.as_slice())));
            }
            Received::Signed(query, refusal) => {
                let draft = Draft::open(client, &query, &self.events);
                let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
                return Begun::Replied(Some(pending.unknown_key(&refusal)));
            }
            Received::Noise => {
                self.count(Outcome::Dropped);
                return Begun::Silence;
            }
        };
        let mut draft = Draft::open(client, &query, &self.events);
        if self.loops.is_ours(&query.question.name) {
            let why = ExtendedError::new(ExtendedError::OTHER, "a query of our own came back to us");
            let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
            return of_ours(client, pending.error(Outcome::Dropped, rcode::REFUSED, &[why]));
        }
        let snapshot = self.snapshot.load();
        let respond_local = |mut draft: Draft, local: Local, octets: &mut Vec<u8>| {
            draft.policy_done();
            draft.rule = local.rule;
            let end = header::LENGTH + query.question_octets().len();
            let response = local_response::compose(message, end, &local);
            PendingResponse { query: &query, draft, octets, events: &self.events }.local(&response)
        };
        if let Some(local) = self.arrivals.meet(&query.question) {
            return of_ours(client, respond_local(draft, local, octets));
        }
        let route = snapshot.route(&query.question, &mut self.fit(&snapshot, &mut draft));
        if draft.asker.is_some_and(|asker| snapshot.leads_otherwise(&query.question, &route, asker)) {
            let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
            return Begun::Replied(Some(pending.by_tcp()));
        }
        let plan = match route {
            // the cache shows what others asked for, so it is not used for this response either
            Route::Bypass(_) | Route::Portal | Route::Direct(_) | Route::Forward(_)
                if !query.wants_recursion() =>
            {
                let why = ExtendedError::new(
                    ExtendedError::NOT_AUTHORITATIVE,
                    "Sotto is no authority for this name; ask with RD",
                );
                let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
                return Begun::Replied(Some(pending.error(Outcome::Dropped, rcode::REFUSED, &[why])));
            }
            Route::Local(local) => return Begun::Replied(Some(respond_local(draft, local, octets))),
            Route::Bypass(rule) => {
                draft.rule = snapshot.bypass.word(rule, &query.question.name);
                Plan::Bypass(rule)
            }
            Route::Portal => Plan::Portal,
            Route::Direct(_) => Plan::Direct,
            Route::Forward(audience) => {
                draft.policy_done();
                let asked = query.parts(snapshot.partition(audience));
                let now = self.clock.at(draft.mark());
                let known = snapshot.cache.get(asked, now);
                draft.cache_done();
                if let Some(hot_set) = &snapshot.hot_set {
                    hot_set.note(asked, audience, now, known.as_ref());
                }
                if let Some(known) = known {
                    let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
                    return Begun::Replied(Some(self.respond_known(pending, &snapshot, audience, known)));
                }
                if let Some(stale) = self.stale_at_once(&snapshot, &query, audience) {
                    let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
                    return Begun::Replied(Some(self.respond_expired(pending, &snapshot, &stale)));
                }
                let plan = Plan::Upstream(Key::of(asked), audience);
                let snapshot = arc_swap::Guard::into_inner(snapshot);
                return Begun::Waiting(Box::new(Waiting { query, snapshot, plan, draft }));
            }
        };
        draft.policy_done();
        let snapshot = arc_swap::Guard::into_inner(snapshot);
        Begun::Waiting(Box::new(Waiting { query, snapshot, plan, draft }))
    }

    /// For the log.
    fn look_up(&self, client: &Client) -> Asker {
        let asker = self.attributor.asker(client);
        self.events.expect(asker);
        asker
    }

    fn look_up_for_conditions(&self, client: &Client) -> Asker {
        let asker = self.attributor.asker_in_any_case(client);
        if self.attributor.is_wanted() {
            self.events.expect(asker);
        }
        asker
    }

    /// Judges conditions for whoever sent a query, as far as that is proven. The first one looks the asker up, and the event has the
    /// same.
    pub(crate) fn fit<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        draft: &'a mut Draft,
    ) -> impl FnMut(&Condition) -> Fit + 'a {
        move |condition| {
            if condition.is_for_everybody() {
                return Fit::Yes;
            }
            let asker = *draft.asker.get_or_insert_with(|| self.look_up_for_conditions(&draft.client));
            snapshot.conditions.fit(condition, asker.proven())
        }
    }

    /// Called instead of [`Pipeline::finish`], where there is no room to wait.
    pub fn turn_away(&self, waiting: Box<Waiting>, octets: &mut Vec<u8>) -> Noted {
        let Waiting { query, draft, .. } = *waiting;
        let why = ExtendedError::new(
            ExtendedError::OTHER,
            "more queries wait for the network than there is room for",
        );
        let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
        pending.error(Outcome::Refused, rcode::SERVFAIL, &[why])
    }

    pub async fn finish(&self, waiting: Box<Waiting>, octets: &mut Vec<u8>) -> Noted {
        let noted = self.wait_and_respond(waiting, octets).await;
        self.audit.note(octets);
        noted
    }

    async fn wait_and_respond(&self, waiting: Box<Waiting>, octets: &mut Vec<u8>) -> Noted {
        let Waiting { query, snapshot, plan, mut draft } = *waiting;
        // the responses of its batch have left, and its program waits
        if draft.is_watched() && self.attributor.is_wanted() {
            draft.asker.get_or_insert_with(|| self.look_up(&draft.client));
        }
        let asker = draft.asker.unwrap_or_default().proven();
        let (snapshot, plan) = self.confirmed(&query, asker, snapshot, plan).await;
        let outgoing = query.outgoing().in_slot(&draft.slot);
        let pending = PendingResponse { query: &query, draft, octets, events: &self.events };
        match plan {
            Plan::Upstream(key, audience) => {
                self.ask_upstreams(pending, &snapshot, key, audience, Arc::new(outgoing)).await
            }
            Plan::Bypass(rule) => self.ask_bypass(pending, &snapshot, rule).await,
            Plan::Portal => {
                let lease = snapshot.portal_lease(Some(&query.question.name)).map(Arc::as_ref);
                let clear = Cleartext::of_portal(&self.loops, &snapshot, lease);
                ask_in_cleartext(&self.plain, pending, clear, outgoing).await
            }
            Plan::Direct => {
                let direct = snapshot.direct.as_ref().expect("the plan was made from it");
                let clear = Cleartext {
                    servers: direct.servers.clone(),
                    known: !direct.servers.is_empty(),
                    lease: direct.lease.as_deref(),
                    class: direct.class,
                    outcome: Outcome::Forwarded,
                };
                ask_in_cleartext(&self.plain, pending, clear, outgoing).await
            }
            Plan::Local(local) => {
                let message = query.question.query(0, 0);
                pending.local(&local_response::compose(&message, message.len(), &local))
            }
        }
    }

    /// The plan for this query; after a network change, the one that holds on the new network. A lease that was given on the
    /// network before is not used: the query waits until the control plane has decided for this one.
    async fn confirmed(
        &self,
        query: &Query,
        asker: Asker,
        snapshot: Arc<Snapshot>,
        plan: Plan,
    ) -> (Arc<Snapshot>, Plan) {
        let is_suspended = |snapshot: &Snapshot, plan: &Plan| {
            snapshot.lease_of(plan, query).is_some_and(Lease::is_suspended)
        };
        if !self.network_just_changed() || !is_suspended(&snapshot, &plan) {
            return (snapshot, plan);
        }
        let plan_of = |snapshot: &Snapshot| {
            let mut fit = |condition: &Condition| snapshot.conditions.fit(condition, asker);
            Plan::of(snapshot.route(&query.question, &mut fit), query, snapshot)
        };
        let snapshot = self.once(|snapshot| !is_suspended(snapshot, &plan_of(snapshot))).await;
        let plan = plan_of(&snapshot);
        (snapshot, plan)
    }

    /// The control plane has not yet said which network this is, and should do so soon.
    pub fn network_just_changed(&self) -> bool {
        self.change_count.known_by(Instant::now()).is_some()
    }

    /// The settings in force as soon as they are `confirmed`. Waits no longer than the control plane may take for that.
    pub async fn once(&self, confirmed: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let mut change = pin!(self.holding.change());
            change.as_mut().enable();
            let snapshot = self.snapshot.load_full();
            let found = self.change_count.known_by(Instant::now()).filter(|_| !confirmed(&snapshot));
            let Some(found) = found else { return snapshot };
            if timeout_at(deadline.min(found), change).await.is_err() {
                return snapshot;
            }
        }
    }

    fn count(&self, outcome: Outcome) {
        self.outcomes[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// A probe of ours that arrived counts as no client's query, so there is no event. Only a client of the control socket that asks
/// for its name gets one.
fn of_ours(client: Client, noted: Noted) -> Begun {
    Begun::Replied((client.protocol == ClientProtocol::Control).then_some(noted))
}
