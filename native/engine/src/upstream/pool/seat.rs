//! What a pool holds: the connection that is open or being opened, and what is known of its upstream.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::endpoint::Endpoint;
use crate::holding::Holding;
use crate::outcome::{Cost, TransportKind};
use crate::upstream::backoff::Backoff;
use crate::upstream::condition::{State, Tally};
use crate::upstream::connection::Connection;
use crate::upstream::connection::carried::Carried;
use crate::upstream::connection::carrier::Verdict;
use crate::upstream::connection::link::Link;
use crate::upstream::dial::meter::Meter;
use crate::upstream::dial::protection::TlsFacts;
use crate::upstream::dial::tls::EarlyData;
use crate::upstream::failure::{Failure, LastError};
use crate::upstream::memory::connections::Connections;
use crate::upstream::memory::network_change::NetworkChanges;
use crate::upstream::paths::Paths;
use crate::upstream::paths::path::Arrived;
use crate::upstream::pool::keep_warm::KeepWarm;

pub(super) struct Inner {
    pub(super) paths: Paths,
    /// the query that opens a connection may leave with its hello
    pub(super) early_data: bool,
    pub(super) holding: Arc<Holding>,
    pub(super) connections: Arc<Connections>,
    /// whether it may be kept warm
    pub(super) warm: bool,
    pub(super) carried: Arc<Carried>,
    pub(super) turns_apart: Arc<Semaphore>,
    pub(super) spread: Spread,
    pub(super) seat: Mutex<Seat>,
}

pub(super) struct Seat {
    pub(super) slot: Slot,
    /// dialled beside the open one, to replace it
    pub(super) spare: Option<Dialing>,
    pub(super) warm: KeepWarm,
    /// connections that began before this change are gone
    pub(super) network_change: u64,
    /// counts dials; the result of an abandoned one is not taken
    pub(super) serial: u64,
    pub(super) backoff: Backoff,
    pub(super) tally: Tally,
    /// the path's
    pub(super) round_trip: Option<Duration>,
    /// why the configured path is not the one in use
    pub(super) missed: Option<LastError>,
    pub(super) route: Route,
    /// the interruption after which a dial has failed
    pub(super) failed_since: Option<u64>,
    /// they wait for responses and take no more queries; they end when a dial fails
    pub(super) stalled: Vec<Arc<Open>>,
    /// beside the pool's own connection, for one query or for several
    pub(super) apart: Vec<Weak<Open>>,
    /// when it last closed over a query that travelled alone
    pub(super) closed_over_one: Option<Instant>,
    pub(super) last_stall: Option<Instant>,
    /// the one that is open, or was open last
    pub(super) last: Option<Arc<Open>>,
    /// whether it was sound when a change was told last
    pub(super) was_sound: bool,
}

/// Whether the machine has a route to it, as far as was tried.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    #[default]
    There,
    /// `since`: the first dial that was refused for want of a route; `told`: when the network change was reported that caused it
    Gone { since: Instant, told: Option<Instant> },
}

pub(super) enum Slot {
    Empty,
    Dialing(Dialing),
    Open(Arc<Open>),
}

pub(super) struct Dialing {
    pub(super) dialed: watch::Receiver<Option<Dialed>>,
    pub(super) task: AbortHandle,
    pub(super) network_change: u64,
}

pub(super) type Dialed = Result<Arc<Open>, Failure>;

/// The state of the network when a dial began.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    pub(super) network_change: u64,
    pub(super) generation: u64,
    pub(super) interruption: u64,
}

impl Begun {
    pub(super) fn now(network_changes: &NetworkChanges) -> Self {
        let interruption = network_changes.interruption().number;
        Self {
            network_change: network_changes.number(),
            generation: network_changes.generation(),
            interruption,
        }
    }
}

pub(super) struct Open {
    pub(super) serial: u64,
    pub(super) network_change: u64,
    pub(super) connection: Connection,
    pub(super) kind: TransportKind,
    pub(super) address: Endpoint,
    /// our own
    pub(super) local: Option<IpAddr>,
    pub(super) resumed: bool,
    pub(super) round_trips: u8,
    pub(super) took: Duration,
    /// when the query left, if it was accepted as early data
    pub(super) early: Option<Instant>,
}

impl Open {
    pub(super) fn new(
        serial: u64,
        network_change: u64,
        Arrived { link, kind, address, .. }: Arrived,
        start: impl FnOnce(Link) -> Connection,
    ) -> Self {
        let early = match link.early {
            EarlyData::Accepted { left } => Some(left),
            EarlyData::NotSent | EarlyData::Refused => None,
        };
        let resumed = link.protection.tls().is_some_and(|tls| tls.resumed);
        let local = link.meter.as_ref().and_then(Meter::local);
        let (round_trips, took) = (link.round_trips, link.took);
        let connection = start(link);
        Self { serial, network_change, connection, kind, address, local, resumed, round_trips, took, early }
    }

    pub(super) fn tls(&self) -> Option<&TlsFacts> {
        self.connection.protection.tls()
    }

    /// Round trips and time of the handshake, as far as a query of this cost had to wait for it.
    pub(super) fn handshake_paid_by(&self, cost: Cost) -> (u8, Duration) {
        if cost == Cost::Reused { (0, Duration::ZERO) } else { (self.round_trips, self.took) }
    }
}

/// A connection for a query, and what getting it cost.
pub(super) struct Got {
    pub(super) open: Arc<Open>,
    pub(super) cost: Cost,
    /// the query has left already, while the connection was opened
    pub(super) early: Option<Asked>,
    /// held while the connection is used, if it is for one query alone
    pub(super) turn: Option<OwnedSemaphorePermit>,
}

/// Connections beside the pool's own, for several queries each: [`spread`](super::spread).
#[derive(Default)]
pub(super) struct Spread {
    /// most upstreams never need it, and their queries should not wait for the seat because of it
    pub(super) is_wanted: AtomicBool,
    /// together with those [`apart`](super::apart) they stay below the ten that small servers accept from all clients
    pub(super) beside: [Place; 3],
    pub(super) turn: AtomicUsize,
}

/// Locked while its connection is opened.
pub(super) type Place = tokio::sync::Mutex<Option<Arc<Open>>>;

pub(super) struct Asked {
    pub(super) at: Instant,
    pub(super) answered: oneshot::Receiver<Verdict>,
}

impl Inner {
    pub(super) fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().expect("nothing panics while holding a seat")
    }

    /// To be called after each change. Of one between two sound conditions nothing follows, and a busy upstream has many.
    pub(super) fn changed(&self, seat: &mut Seat) {
        let is_sound = seat.is_sound();
        if std::mem::replace(&mut seat.was_sound, is_sound) && is_sound {
            self.holding.path_renewed();
        } else {
            self.holding.path_changed();
        }
    }
}

impl Seat {
    pub(super) fn state(&self) -> State {
        match &self.slot {
            Slot::Open(open) if open.connection.is_closed() && self.is_ready_beside() => State::Ready,
            Slot::Open(open) if open.connection.is_closed() => State::Idle,
            Slot::Open(open) if open.connection.is_ready() => State::Ready,
            Slot::Open(_) => State::Draining,
            Slot::Dialing(_) => State::Dialing,
            Slot::Empty if self.backoff.resting().is_some() => State::Resting,
            Slot::Empty => State::Idle,
        }
    }

    /// Whether a path is open, or there was one on this network and nothing has failed since.
    fn is_sound(&self) -> bool {
        match self.state() {
            State::Ready | State::Draining => true,
            State::Idle | State::Dialing => self.was_reached() && !self.backoff.is_failing(),
            State::Resting => false,
        }
    }

    /// Whether it was reached on this network.
    pub(super) fn was_reached(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.network_change >= self.network_change)
    }

    /// Whether a connection other than the pool's own is ready.
    pub(super) fn is_ready_beside(&self) -> bool {
        self.apart.iter().filter_map(Weak::upgrade).any(|open| open.connection.is_ready())
    }

    pub(super) fn is_open(&self, serial: u64) -> bool {
        matches!(&self.slot, Slot::Open(open) if open.serial == serial)
    }
}
