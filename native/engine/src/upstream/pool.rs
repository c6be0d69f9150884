//! The one connection to an upstream: opened by the first question that needs it, shared by all, replaced when it dies.
//!
//! A question that was in flight on a connection that closed moves to the next one; it is asked at most three times
//! (RFC 9520 section 3.1), the third time [`apart`] from all others. One whose connection died is handed back, because somebody else may answer it sooner; meanwhile a
//! new connection is dialled.

mod apart;
mod joined;
mod warming;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use self::apart::Apart;
use super::account::Account;
use super::backoff::Backoff;
use super::build::Surroundings;
use super::connection::{Connection, End, Fate};
use super::connections::Connections;
use super::dial::BoxFuture;
use super::early::{Early, EarlyData};
use super::failure::{Failure, Gravity};
use super::keep_warm::KeepWarm;
use super::meter::Meter;
use super::network_change::NetworkChanges;
use super::outgoing::Outgoing;
use super::pending::{self, Ask};
use super::tls::TlsFacts;
use super::transport::{Condition, Exchanged, Gone, LastError, State, Tally, Transport};
use super::ways::{Arrived, Ways};
use crate::outcome::{Cost, TransportKind};

const MOST_SENDS: usize = 3;
/// Between fresh connections to a server that acknowledges and does not answer: one that is always late, or answers in order,
/// need not be shown to live for each question.
const STALL_PAUSE: Duration = Duration::from_secs(10);

pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    ways: Ways,
    /// the question that opens a connection may leave with its hello
    early_data: bool,
    on_change: Arc<dyn Fn() + Send + Sync>,
    connections: Arc<Connections>,
    /// whether it may be kept warm
    warm: bool,
    account: Arc<Account>,
    places_apart: Arc<Semaphore>,
    seat: Mutex<Seat>,
}

struct Seat {
    slot: Slot,
    /// dialled beside the open one, to take its place
    spare: Option<Dialing>,
    warm: KeepWarm,
    /// what was begun before it is gone
    network_change: u64,
    /// counts dials; what an abandoned one brings is not taken
    serial: u64,
    backoff: Backoff,
    tally: Tally,
    /// of the path
    round_trip: Option<Duration>,
    /// why the configured way is not the one in use
    missed: Option<LastError>,
    route: Route,
    /// the interruption since which a dial has failed
    failed_since: Option<u64>,
    /// they wait for answers and take no more questions; a dial that fails is their end
    stalled: Vec<Arc<Open>>,
    apart: Apart,
    last_stall: Option<Instant>,
    /// open, or the last that was
    last: Option<Arc<Open>>,
}

/// Whether the machine has a way to it, as far as was tried.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Route {
    #[default]
    There,
    /// `since`: the first dial that was refused for want of one; `told`: of the change that did it
    Gone { since: Instant, told: Option<Instant> },
}

enum Slot {
    Empty,
    Dialing(Dialing),
    Open(Arc<Open>),
}

struct Dialing {
    dialed: watch::Receiver<Option<Dialed>>,
    task: AbortHandle,
    network_change: u64,
}

type Dialed = Result<Arc<Open>, Failure>;

/// In which world a dial began.
#[derive(Clone, Copy)]
struct Begun {
    network_change: u64,
    generation: u64,
    interruption: u64,
}

impl Begun {
    fn now(network_changes: &NetworkChanges) -> Self {
        let interruption = network_changes.interruption().number;
        Self {
            network_change: network_changes.number(),
            generation: network_changes.generation(),
            interruption,
        }
    }
}

struct Open {
    serial: u64,
    network_change: u64,
    connection: Connection,
    kind: TransportKind,
    address: super::place::Place,
    /// our own
    local: Option<IpAddr>,
    resumed: bool,
    round_trips: u8,
    took: Duration,
    /// when the question left that was accepted as early data
    early: Option<Instant>,
}

impl Open {
    fn tls(&self) -> Option<&TlsFacts> {
        self.connection.protection.tls()
    }
}

/// A connection to ask on, and what getting it cost.
struct Got {
    open: Arc<Open>,
    cost: Cost,
    /// the question left while it was opened
    early: Option<Asked>,
    /// kept while it is used, where it serves one question alone
    place: Option<OwnedSemaphorePermit>,
}

struct Asked {
    at: Instant,
    answered: oneshot::Receiver<pending::Verdict>,
}

impl Pool {
    /// `warm`: whether a connection may be opened before it is needed.
    pub fn new(ways: Ways, around: &Surroundings, warm: bool) -> Self {
        let (on_change, connections) = (around.on_change.clone(), around.connections.clone());
        let seat = Seat {
            slot: Slot::Empty,
            spare: None,
            warm: KeepWarm::default(),
            network_change: connections.network_changes.number(),
            serial: 0,
            backoff: Backoff::default(),
            tally: Tally::default(),
            round_trip: None,
            missed: None,
            route: Route::There,
            failed_since: None,
            stalled: Vec::new(),
            apart: Apart::new(),
            last_stall: None,
            last: None,
        };
        let (account, seat) = (Arc::default(), Mutex::new(seat));
        let places_apart = Arc::new(Semaphore::new(apart::MOST));
        let early_data = false;
        Self {
            inner: Arc::new(Inner {
                ways,
                early_data,
                on_change,
                connections,
                warm,
                account,
                places_apart,
                seat,
            }),
        }
    }

    pub fn with_early_data(mut self, wanted: bool) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.early_data = wanted;
        }
        self
    }
}

impl Transport for Pool {
    fn exchange(
        &self,
        question: Arc<Outgoing>,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Exchanged, Failure>> {
        Box::pin(async move {
            let result = self.inner.exchange(question, deadline).await;
            let mut seat = self.inner.seat();
            match &result {
                Ok(exchanged) => {
                    seat.tally.answered(exchanged.wait);
                    seat.tally.spent.asked(exchanged.cost);
                }
                Err(failure) => seat.tally.failed(failure),
            }
            result
        })
    }

    fn is_failing(&self) -> bool {
        self.inner.seat().backoff.is_failing()
    }

    fn is_cut_off(&self) -> bool {
        self.inner.seat().backoff.is_cut_off()
    }

    fn lost_route(&self) -> Option<Instant> {
        match self.inner.seat().route {
            Route::There => None,
            Route::Gone { told, .. } => told,
        }
    }

    fn gone(&self) -> Option<Gone> {
        self.inner.seat().backoff.gone()
    }

    fn failed_since(&self, interruption: u64) -> bool {
        let seat = self.inner.seat();
        seat.backoff.is_cut_off() && seat.failed_since.is_some_and(|since| since >= interruption)
    }

    fn round_trip(&self) -> Option<Duration> {
        self.inner.seat().round_trip
    }

    fn is_connected(&self) -> bool {
        // a stalled one has a path, and what it was asked is with it
        self.inner.ready().is_some() || !self.inner.seat().stalled.is_empty()
    }

    fn nudge(&self) {
        let mut seat = self.inner.seat();
        if matches!(seat.slot, Slot::Empty) && seat.backoff.resting().is_none() {
            self.inner.start_dial(&mut seat, None);
        }
    }

    fn retire(&self) {
        if let Slot::Open(open) = &self.inner.seat().slot {
            open.connection.drain();
        }
    }

    fn abandon(&self, network_change: u64) {
        self.inner.abandon(network_change);
    }

    fn lose(&self, address: IpAddr, network_change: u64) {
        self.inner.lose(address, network_change);
    }

    fn try_again(&self) {
        self.inner.try_again();
    }

    fn condition(&self) -> Condition {
        let seat = self.inner.seat();
        let (state, in_flight) = match &seat.slot {
            Slot::Open(open) if open.connection.is_closed() => (State::Idle, 0),
            Slot::Open(open) if open.connection.is_ready() => (State::Ready, open.connection.in_flight()),
            Slot::Open(open) => (State::Draining, open.connection.in_flight()),
            Slot::Dialing(_) => (State::Dialing, 0),
            Slot::Empty if seat.backoff.resting().is_some() => (State::Resting, 0),
            Slot::Empty => (State::Idle, 0),
        };
        // an upstream that can't be reached has no TLS to show, whatever it had before
        let last = seat.last.as_ref();
        let reached = last.filter(|_| !seat.backoff.is_failing());
        let apart: Vec<_> = seat.apart.iter().filter_map(Weak::upgrade).collect();
        let beside: usize = seat.stalled.iter().chain(&apart).map(|open| open.connection.in_flight()).sum();
        let condition = seat.tally.condition(state);
        Condition {
            path: reached.map(|last| last.kind.word()),
            address: last.map(|last| last.address.to_string()),
            tls: reached.and_then(|last| last.tls()).cloned(),
            last_error: condition.last_error.clone().or_else(|| seat.missed.clone()),
            resting_ms: seat.backoff.resting().map_or(0, |left| left.as_millis() as u64),
            in_flight: in_flight + beside,
            strays: self.inner.account.strays(),
            cost: Some(seat.tally.spent.told(self.inner.account.octets())),
            warmth: self.inner.warm.then(|| {
                let settings = self.inner.connections.settings();
                seat.warm.warmth(Instant::now(), &settings, self.inner.rests(&seat))
            }),
            ..condition
        }
    }
}

impl Inner {
    async fn exchange(
        self: &Arc<Self>,
        question: Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        let started = Instant::now();
        if question.by_program {
            self.seat().warm.asked(started);
        }
        let here = Arc::as_ptr(self).addr();
        let mut lost = question.lost(here);
        while lost < MOST_SENDS {
            let alone = lost + 1 == MOST_SENDS;
            let (Got { open, cost, early, place }, asked) = match self.ready().filter(|_| !alone) {
                Some(got) => (got, if lost == 0 { started } else { Instant::now() }),
                None if alone => (Box::pin(self.connection_apart(deadline)).await?, Instant::now()),
                None => (Box::pin(self.connection(&question, deadline)).await?, Instant::now()),
            };
            let asked = early.as_ref().map_or(asked, |early| early.at);
            // its round trip was the handshake's last one
            let own = u8::from(early.is_none());
            let answer = match early {
                Some(early) => early.answered.await.unwrap_or(Err(Failure::Closed)),
                None => open.connection.ask(question.clone(), deadline).await,
            };
            drop(place);
            match answer {
                Ok(answer) => {
                    let (round_trips, handshake) = if cost == Cost::Reused {
                        (0, Duration::ZERO)
                    } else {
                        (open.round_trips, open.took)
                    };
                    return Ok(Exchanged {
                        answer,
                        cost,
                        transport: open.kind,
                        connect: asked - started,
                        wait: asked.elapsed(),
                        round_trips: round_trips + own,
                        handshake,
                    });
                }
                Err(Failure::Closed) => lost = question.lose(here),
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::Closed)
    }

    /// The connection, where one is open: most questions find it so.
    fn ready(&self) -> Option<Got> {
        match &self.seat().slot {
            Slot::Open(open) if open.connection.is_ready() => {
                Some(Got { open: open.clone(), cost: Cost::Reused, early: None, place: None })
            }
            _ => None,
        }
    }

    /// A connection that has to be waited for.
    async fn connection(
        self: &Arc<Self>,
        question: &Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Got, Failure> {
        loop {
            let (early, answered) = self.early(question, deadline).unzip();
            let (mut dialed, first) = self.dialing(early)?;
            let dialed = timeout_at(deadline, dialed.wait_for(Option::is_some)).await;
            let open = match dialed {
                Ok(Ok(dialed)) => dialed.clone().expect("waited for it")?,
                // abandoned; the next one leads over the new network
                Ok(Err(_)) => continue,
                Err(_) => return Err(Failure::StillConnecting),
            };
            let cost = match (first, open.resumed) {
                (false, _) => Cost::Queued,
                (true, true) => Cost::Resumed,
                (true, false) => Cost::Cold,
            };
            let at = open.early.filter(|_| first);
            let early = at.zip(answered).map(|(at, answered)| Asked { at, answered });
            return Ok(Got { open, cost, early, place: None });
        }
    }

    /// The dial under way, or a new one; whether it is the latter.
    fn dialing(
        self: &Arc<Self>,
        early: Option<Arc<Early>>,
    ) -> Result<(watch::Receiver<Option<Dialed>>, bool), Failure> {
        let mut seat = self.seat();
        if let Slot::Dialing(dialing) = &seat.slot {
            return Ok((dialing.dialed.clone(), false));
        }
        if let Some(left) = seat.backoff.resting() {
            return Err(Failure::resting(left, seat.tally.last_error.as_ref()));
        }
        Ok((self.start_dial(&mut seat, early), true))
    }

    /// The question as it may go with the hello, and its answer if it is accepted there.
    fn early(
        &self,
        question: &Arc<Outgoing>,
        deadline: Instant,
    ) -> Option<(Arc<Early>, oneshot::Receiver<pending::Verdict>)> {
        self.early_data.then(|| {
            let (answer, answered) = oneshot::channel();
            (Early::new(Ask { question: question.clone(), deadline, answer }), answered)
        })
    }

    /// For whoever asks next. One that is under way already is taken as it is.
    fn start_dial(
        self: &Arc<Self>,
        seat: &mut Seat,
        early: Option<Arc<Early>>,
    ) -> watch::Receiver<Option<Dialed>> {
        let dialing = seat.spare.take().unwrap_or_else(|| self.dial(seat, early));
        let dialed = dialing.dialed.clone();
        seat.slot = Slot::Dialing(dialing);
        dialed
    }

    /// Dials on a task of its own: the question that wanted it may give up, the connection is still good for others.
    fn dial(self: &Arc<Self>, seat: &mut Seat, early: Option<Arc<Early>>) -> Dialing {
        let (tell, dialed) = watch::channel(None);
        let begun = Begun::now(&self.connections.network_changes);
        seat.tally.dials += 1;
        seat.serial += 1;
        let (inner, serial, round_trip) = (self.clone(), seat.serial, seat.round_trip);
        let task = tokio::spawn(async move {
            let arrived = inner.arrive(round_trip, early.as_deref(), begun.generation).await;
            let arrived = arrived.map_err(Failure::from);
            if let Some(result) = inner.settle(serial, begun, arrived, early.as_deref()) {
                tell.send_replace(Some(result));
            }
            (inner.on_change)();
        });
        (self.on_change)();
        Dialing { dialed, task: task.abort_handle(), network_change: begun.network_change }
    }

    /// `None`: it was abandoned meanwhile.
    fn settle(
        self: &Arc<Self>,
        serial: u64,
        begun: Begun,
        result: Result<Arrived, Failure>,
        early: Option<&Early>,
    ) -> Option<Dialed> {
        let mut seat = self.seat();
        if seat.serial != serial {
            return None;
        }
        seat.note_route(result.as_ref().err(), &self.connections.network_changes);
        Some(match result {
            Ok(arrived) => {
                let open = Arc::new(self.open(serial, begun.network_change, arrived, early, &mut seat));
                seat.replace_by_spare();
                seat.backoff.succeeded();
                seat.tally.last_error = None;
                seat.tally.resumptions += u64::from(open.resumed);
                seat.last = Some(open.clone());
                seat.slot = Slot::Open(open.clone());
                seat.watch_silence();
                Ok(open)
            }
            // what is open is still good; nobody waits for another
            Err(failure) if seat.spare.take().is_some() => Err(failure),
            // the world is another one by now: whoever waits, waits for the next
            Err(_)
                if self.connections.network_changes.generation() != begun.generation
                    && self.dial_anew(&mut seat) =>
            {
                return None;
            }
            Err(failure) => {
                let gone = seat.was_reached()
                    && matches!(&failure, Failure::Dial(error) if error.gravity() == Gravity::Absent);
                seat.backoff.failed(gone);
                seat.failed_since = Some(begun.interruption);
                seat.tally.failed(&failure);
                seat.slot = Slot::Empty;
                seat.stalled.drain(..).for_each(|open| open.connection.leave(End::Died));
                Err(failure)
            }
        })
    }

    fn open(
        self: &Arc<Self>,
        serial: u64,
        network_change: u64,
        arrived: Arrived,
        early: Option<&Early>,
        seat: &mut Seat,
    ) -> Open {
        let Arrived { link, kind, address, missed } = arrived;
        seat.missed = missed.map(Failure::from).as_ref().map(LastError::of);
        seat.round_trip = Some(link.round_trip());
        seat.tally.handshake = Some(link.took);
        seat.tally.spent.opened(link.took);
        let resumed = link.protection.tls().is_some_and(|tls| tls.resumed);
        let (round_trips, took) = (link.round_trips, link.took);
        let local = link.meter.as_ref().and_then(Meter::local);
        let inner = Arc::downgrade(self);
        let tell = move |fate| tell(&inner, serial, fate);
        let left = match link.early {
            EarlyData::Accepted { left } => Some(left),
            EarlyData::NotSent | EarlyData::Refused => None,
        };
        let asked =
            early.filter(|_| left.is_some()).and_then(|early| early.take().map(|ask| (early.id, ask)));
        if let Some(early) = early.filter(|_| left.is_some()) {
            self.account.leaves(early.framed.len());
        }
        let connection = Connection::with(link, asked, self.account.clone(), tell);
        Open {
            serial,
            network_change,
            connection,
            kind,
            address,
            local,
            resumed,
            round_trips,
            took,
            early: left,
        }
    }

    fn ended(self: &Arc<Self>, serial: u64, end: End, silence: Option<Duration>) {
        let mut seat = self.seat();
        seat.stalled.retain(|open| open.serial != serial);
        if !seat.is_open(serial) {
            return;
        }
        match silence {
            _ if end == End::Died => {
                seat.backoff.died();
                self.start_dial(&mut seat, None);
            }
            Some(silence) => self.closed_idle(&mut seat, silence),
            None => {}
        }
        seat.promote_spare();
    }

    fn abandon(&self, network_change: u64) {
        let mut seat = self.seat();
        if seat.network_change >= network_change {
            return;
        }
        let begun = match &seat.slot {
            Slot::Open(open) => open.network_change,
            Slot::Dialing(dialing) => dialing.network_change,
            Slot::Empty => 0,
        };
        if begun < network_change {
            self.leave(&mut seat, network_change);
        }
    }

    /// Leaves what is open or under way, with all that was learned of the path.
    fn leave(&self, seat: &mut Seat, network_change: u64) {
        self.ways.forget();
        seat.network_change = network_change;
        seat.warm.moved();
        // what failed elsewhere says nothing about here
        seat.backoff.succeeded();
        seat.tally.last_error = None;
        seat.missed = None;
        seat.route = Route::There;
        seat.round_trip = None;
        seat.serial += 1;
        seat.left(End::Abandoned);
        match std::mem::replace(&mut seat.slot, Slot::Empty) {
            Slot::Open(open) => open.connection.leave(End::Abandoned),
            Slot::Dialing(dialing) => dialing.task.abort(),
            Slot::Empty => {}
        }
    }

    /// A fresh connection shows whether the server hangs or is only slow, and others are asked on it.
    fn stalled(self: &Arc<Self>, serial: u64) {
        let mut seat = self.seat();
        let paused = seat.last_stall.is_some_and(|last| last.elapsed() < STALL_PAUSE);
        if let Slot::Open(open) = &seat.slot
            && open.serial == serial
            && !paused
        {
            let open = open.clone();
            open.connection.drain();
            seat.last_stall = Some(Instant::now());
            seat.stalled.push(open);
            self.start_dial(&mut seat, None);
        }
    }

    fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().expect("nothing panics while holding a seat")
    }
}

impl Seat {
    /// On this network.
    fn was_reached(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.network_change >= self.network_change)
    }

    fn is_open(&self, serial: u64) -> bool {
        matches!(&self.slot, Slot::Open(open) if open.serial == serial)
    }
}

/// What became of a connection.
fn tell(inner: &Weak<Inner>, serial: u64, fate: Fate) {
    let Some(inner) = inner.upgrade() else { return };
    match fate {
        Fate::Stalled => inner.stalled(serial),
        Fate::Told(limit) => inner.told(serial, limit),
        Fate::Quiet => inner.quiet(serial),
        Fate::Ended { end, silence } => inner.ended(serial, end, silence),
    }
    (inner.on_change)();
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.retire();
    }
}
