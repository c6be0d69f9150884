//! TLS sessions for resumption with one upstream on one network. They are in memory, each ticket is used once (RFC 8446 appendix
//! C.4), and none is older than the settings allow.
//!
//! A ticket that the server refused takes the older ones along, because they were made with the same keys. After two hellos with
//! a ticket that led nowhere, the next one has none, so that no upstream becomes unreachable because of its tickets. Where the path
//! broke both off and lets that one through, tickets are what it does not let pass: they may hold a client's certificate, and make the
//! hello longer than a segment. None are kept then for a while.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::time_provider::TimeProvider;
use rustls_pki_types::{ServerName, UnixTime};
use tokio::time::Instant;

use crate::clock::{Clock, Moment};
use crate::upstream::memory::connections::Connections;

/// More than a server sends at once; the oldest are dropped first.
const STOCK: usize = 8;
const MOST_IN_VAIN: usize = 2;
/// How long none are kept where hellos with a ticket were broken off. The server may change its tickets, the path what it lets pass.
const REST: Duration = Duration::from_secs(3600);

pub struct Tickets {
    clock: Arc<Clock>,
    start: (UnixTime, Moment),
    connections: Arc<Connections>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// the oldest is first
    tls13: VecDeque<Aged<Tls13ClientSessionValue>>,
    tls12: Option<Aged<Tls12ClientSessionValue>>,
    /// numbers tickets in the order in which they came
    came: u64,
    /// hellos with a ticket since a handshake was finished
    in_vain: usize,
    /// those that were broken off, and no other hello was
    broken_off: usize,
    /// no ticket is kept before
    rests_until: Option<Moment>,
}

struct Aged<T> {
    value: T,
    since: Moment,
    number: u64,
}

/// A handshake that is to resume a session.
pub struct Resuming<'a> {
    tickets: &'a Tickets,
    /// tickets that came later were made by the server that is there now
    came: u64,
    /// octets that may be sent with the hello
    pub early_data: usize,
}

impl Tickets {
    pub fn new(clock: Arc<Clock>, connections: Arc<Connections>) -> Self {
        let start = (UnixTime::now(), clock.now());
        Self { clock, start, connections, held: Mutex::default() }
    }

    /// For the next handshake.
    pub fn has_one(&self) -> bool {
        !self.is_network_unknown() && self.fresh().has_one()
    }

    pub fn count(&self) -> usize {
        self.fresh().count()
    }

    /// What the next ticket allows to be sent with the hello, in octets.
    pub fn early_data(&self) -> usize {
        if self.is_network_unknown() { 0 } else { self.fresh().early_data() }
    }

    /// Begins a handshake; `None`: a full one is better.
    pub fn resume(&self) -> Option<Resuming<'_>> {
        let mut held = self.fresh();
        if self.is_network_unknown() || !held.has_one() {
            return None;
        }
        held.in_vain += 1;
        Some(Resuming { tickets: self, came: held.came, early_data: held.early_data() })
    }

    /// A full handshake was finished.
    pub fn renewed(&self) {
        let mut held = self.held();
        if held.broken_off >= MOST_IN_VAIN {
            held.forget_until(u64::MAX);
            held.rests_until = Some(self.clock.now() + REST);
        }
        held.finished();
    }

    /// A full handshake was not: that is not because of a ticket.
    pub fn failed_without(&self) {
        self.held().broken_off = 0;
    }

    /// Whether a ticket that comes now is to be kept.
    fn keeps_none(&self, held: &Held) -> bool {
        let rests = held.rests_until.is_some_and(|until| self.clock.now() < until);
        rests || self.longest().is_zero() || self.is_network_unknown()
    }

    /// Returns how many there were.
    pub fn forget(&self) -> usize {
        let mut held = self.fresh();
        let count = held.count();
        held.forget_until(u64::MAX);
        count
    }

    /// Without those that are too old.
    fn fresh(&self) -> MutexGuard<'_, Held> {
        let oldest = self.longest();
        let now = self.clock.now();
        let mut held = self.held();
        held.tls13.retain(|ticket| now.since(ticket.since) < oldest);
        held.tls12.take_if(|session| now.since(session.since) >= oldest);
        held
    }

    /// The machine may be on another network than the tickets: none is shown, and none is added.
    fn is_network_unknown(&self) -> bool {
        self.connections.network_changes.is_network_unknown(Instant::now())
    }

    fn longest(&self) -> Duration {
        Duration::from_secs(3600) * self.connections.settings().ticket_hours
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("nothing panics while holding tickets")
    }
}

impl Resuming<'_> {
    pub fn succeeded(self) {
        self.tickets.held().finished();
    }

    /// The connection ended before the server said anything about the ticket.
    pub fn broken_off(self) {
        self.tickets.held().broken_off += 1;
    }

    /// The server wanted a full handshake, or refused.
    pub fn refused(self) {
        let mut held = self.tickets.held();
        held.finished();
        held.forget_until(self.came);
    }
}

impl Held {
    fn finished(&mut self) {
        self.in_vain = 0;
        self.broken_off = 0;
    }

    fn has_one(&self) -> bool {
        self.in_vain < MOST_IN_VAIN && self.count() > 0
    }

    fn count(&self) -> usize {
        self.tls13.len() + usize::from(self.tls12.is_some())
    }

    fn early_data(&self) -> usize {
        self.tls13.back().map_or(0, |next| next.value.max_early_data_size() as usize)
    }

    fn aged<T>(&mut self, value: T, since: Moment) -> Aged<T> {
        self.came += 1;
        Aged { value, since, number: self.came }
    }

    fn forget_until(&mut self, last: u64) {
        self.tls13.retain(|ticket| ticket.number > last);
        self.tls12.take_if(|session| session.number <= last);
    }
}

/// The tickets are of one upstream, so the server's name is no key. rustls itself checks how long the server allowed a ticket to
/// be used.
impl ClientSessionStore for Tickets {
    /// No hint is kept: a resuming hello begins with X25519 and stays small, a full one begins with X25519MLKEM768.
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        let mut held = self.fresh();
        if self.keeps_none(&held) {
            return;
        }
        held.tls12 = Some(held.aged(value, self.clock.now()));
    }

    /// A TLS 1.2 session is used once, too. If the server does not renew it, it is put back when the handshake is done.
    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.fresh().tls12.take().map(|session| session.value)
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.held().tls12 = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let mut held = self.fresh();
        if self.keeps_none(&held) {
            return;
        }
        if held.tls13.len() == STOCK {
            held.tls13.pop_front();
        }
        let ticket = held.aged(value, self.clock.now());
        held.tls13.push_back(ticket);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.fresh().tls13.pop_back().map(|ticket| ticket.value)
    }
}

/// For a full handshake: its new tickets are kept, and the present ones stay.
#[derive(Debug)]
pub struct Incoming(pub Arc<Tickets>);

impl ClientSessionStore for Incoming {
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.0.set_tls12_session(name, value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, name: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.0.insert_tls13_ticket(name, value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        None
    }
}

/// Tells rustls how old tickets are by the clock that counts sleep and that nobody can set. Certificates are not judged by it.
impl TimeProvider for Tickets {
    fn current_time(&self) -> Option<UnixTime> {
        let (start, then) = self.start;
        let passed = self.clock.now().since(then);
        Some(UnixTime::since_unix_epoch(Duration::from_secs(start.as_secs()) + passed))
    }
}

impl std::fmt::Debug for Tickets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tickets").finish_non_exhaustive()
    }
}
