//! TLS sessions to resume with one upstream on one network: in memory, each ticket used once (RFC 8446 appendix C.4), none
//! older than the settings allow.
//!
//! One that the server refused takes the older ones along, for they were made under the same keys; and after two hellos with a
//! ticket that led nowhere comes one without, so that nobody is kept away by what is in stock.

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

/// More than a server sends at once; the oldest go first.
const STOCK: usize = 8;
const MOST_IN_VAIN: usize = 2;

pub struct Tickets {
    clock: Arc<Clock>,
    start: (UnixTime, Moment),
    connections: Arc<Connections>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// the oldest first
    tls13: VecDeque<Aged<Tls13ClientSessionValue>>,
    tls12: Option<Aged<Tls12ClientSessionValue>>,
    /// numbers tickets in the order they came
    came: u64,
    /// hellos with a ticket since a handshake was finished
    in_vain: usize,
}

struct Aged<T> {
    value: T,
    since: Moment,
    number: u64,
}

/// A handshake that is to resume a session.
pub struct Resuming<'a> {
    tickets: &'a Tickets,
    /// what came later was made by the server that is there now
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
        !self.is_astray() && self.fresh().has_one()
    }

    pub fn count(&self) -> usize {
        self.fresh().count()
    }

    /// What the next ticket allows to be sent with the hello, in octets.
    pub fn early_data(&self) -> usize {
        if self.is_astray() { 0 } else { self.fresh().early_data() }
    }

    /// A handshake begins; `None`: it is better made in full.
    pub fn resume(&self) -> Option<Resuming<'_>> {
        let mut held = self.fresh();
        if self.is_astray() || !held.has_one() {
            return None;
        }
        held.in_vain += 1;
        Some(Resuming { tickets: self, came: held.came, early_data: held.early_data() })
    }

    /// A full handshake was finished.
    pub fn renewed(&self) {
        self.held().in_vain = 0;
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

    /// Nobody knows whether this is still the network that the stock is of: nothing is shown, nothing added.
    fn is_astray(&self) -> bool {
        self.connections.network_changes.is_astray(Instant::now())
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
        self.tickets.held().in_vain = 0;
    }

    /// The server wanted a full handshake, or none.
    pub fn refused(self) {
        let mut held = self.tickets.held();
        held.in_vain = 0;
        held.forget_until(self.came);
    }
}

impl Held {
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

/// A stock serves one upstream, so the server's name is no key. How long the server gave a ticket is looked at by rustls.
impl ClientSessionStore for Tickets {
    /// No hint: a resuming hello leads with X25519 and stays small, a full one leads with X25519MLKEM768.
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        let mut held = self.fresh();
        if self.longest().is_zero() || self.is_astray() {
            return;
        }
        held.tls12 = Some(held.aged(value, self.clock.now()));
    }

    /// Used once here as well; a server that renews none has its session put back when the handshake is done.
    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.fresh().tls12.take().map(|session| session.value)
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.held().tls12 = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let mut held = self.fresh();
        if self.longest().is_zero() || self.is_astray() {
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

/// For a full handshake: what it brings is kept, what there is stays.
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

/// Whether a server's own time for a ticket is over is told by the same clock: it counts what the machine slept, and nobody
/// can set it. Certificates are not judged by it.
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
