//! Permission to send a query in cleartext.
//!
//! A socket without TLS is only reachable through a [`Lease`], and each packet is counted first, which [`Counted`] proves. A lease comes
//! from the ledger (the control plane wrote its entry to disk first), counts what left, and ends by itself. It is of one network:
//! where the machine may have left that, nothing leaves under it until the control plane has confirmed it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::change_count::ChangeCount;
use crate::clock;
use crate::counts::{Counter, Counts, NoCounter};
use crate::outcome::ClearClass;
use crate::own_probes::OwnProbes;

#[derive(Debug)]
pub struct Lease {
    pub entry: u64,
    pub class: ClearClass,
    /// held while a packet is counted, so that no count that was read at the end grows afterwards
    term: Mutex<Term>,
    counter: Counter,
    change_count: Arc<ChangeCount>,
}

#[derive(Debug)]
struct Term {
    deadline: Option<Deadline>,
    /// its end was seen to pass; setting the clock back does not undo this, only the ledger does
    over: bool,
    revoked: bool,
    /// the network changes that were known when the lease was given or last confirmed
    changes: u64,
    /// the ledger has its last count
    settled: bool,
}

/// The time of day says where it is, once; from then on nobody can move it, because anybody may set that clock.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Deadline {
    /// stands still in sleep
    monotonic: Instant,
    /// how long the machine had slept by then
    slept: Duration,
    /// as the ledger says it
    unix_ms: u64,
}

/// Proof that one packet was counted and may leave now. Only a lease makes it, and sending consumes it.
#[derive(Debug)]
pub struct Counted(());

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    #[error("the permission to send in cleartext has ended")]
    Ended,
    #[error(
        "the network has changed, and the permission to send in cleartext is not confirmed for this one yet"
    )]
    Suspended,
    #[error("queries of this program never leave in cleartext")]
    Withheld,
}

impl Lease {
    /// `until`: unix milliseconds; `None` lasts as long as the configuration that carries it. It is suspended until it is
    /// confirmed, if the machine has changed its network.
    pub fn new(
        entry: u64,
        class: ClearClass,
        until: Option<u64>,
        counts: &Counts,
        change_count: Arc<ChangeCount>,
    ) -> Result<Self, NoCounter> {
        Ok(Self::counted_by(counts.counter(entry)?, entry, class, until, change_count))
    }

    /// For the engine's own probes, which are counted beside the ledger. It holds on every network.
    pub fn of_ours(class: ClearClass, probes: Arc<OwnProbes>) -> Self {
        Self::counted_by(Counter::Ours(probes), 0, class, None, Arc::default())
    }

    fn counted_by(
        counter: Counter,
        entry: u64,
        class: ClearClass,
        until: Option<u64>,
        change_count: Arc<ChangeCount>,
    ) -> Self {
        let deadline = until.map(Deadline::at);
        let term = Term { deadline, over: false, revoked: false, changes: 0, settled: false };
        Self { entry, class, term: Mutex::new(term), counter, change_count }
    }

    /// A lease that no ledger knows of. It is counted in memory only and holds on every network.
    pub fn unrecorded(class: ClearClass, until: Option<u64>) -> Self {
        Self::new(0, class, until, &Counts::InMemory, Arc::default()).expect("memory always counts")
    }

    pub fn is_unrecorded(&self) -> bool {
        self.entry == 0
    }

    /// Counts one packet that carries a name in cleartext; to be called right before it is handed to the kernel.
    pub fn spend(&self) -> Result<Counted, LeaseError> {
        let mut term = self.term();
        if term.has_ended() {
            return Err(LeaseError::Ended);
        }
        if !self.change_count.knows(term.changes) {
            return Err(LeaseError::Suspended);
        }
        self.counter.add_one();
        Ok(Counted(()))
    }

    /// Takes over the end that the ledger says now, and returns whether it is another one.
    pub fn renew(&self, until: Option<u64>) -> bool {
        let mut term = self.term();
        let other = term.deadline.map(|deadline| deadline.unix_ms) != until;
        if other {
            term.deadline = until.map(Deadline::at);
            term.over = false;
        }
        other
    }

    /// Ends the lease, also for queries that are under way.
    pub fn revoke(&self) {
        self.term().revoked = true;
    }

    /// It holds on the network that the machine is on after so many network changes. If there were
    /// more since, it stays suspended.
    pub fn confirm(&self, changes: u64) {
        let mut term = self.term();
        term.changes = term.changes.max(changes);
    }

    /// Whether it waits to be confirmed, and has not ended.
    pub fn is_suspended(&self) -> bool {
        let mut term = self.term();
        !term.has_ended() && !self.change_count.knows(term.changes)
    }

    /// Waits for a network change: what is under way then must not arrive on another network.
    pub async fn suspended(&self) -> LeaseError {
        let changes = self.term().changes;
        self.change_count.outdated(changes).await;
        LeaseError::Suspended
    }

    pub fn ended(&self) -> bool {
        self.term().has_ended()
    }

    pub fn count(&self) -> u64 {
        self.counter.read()
    }

    /// The ledger has this count on disk. A revoked lease counts nothing more after it.
    pub fn written(&self, count: u64) {
        let mut term = self.term();
        term.settled |= term.revoked && count == self.count();
    }

    /// The ledger has its last count.
    pub fn is_settled(&self) -> bool {
        self.term().settled
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.term().deadline.map(|until| until.monotonic)
    }

    fn term(&self) -> MutexGuard<'_, Term> {
        self.term.lock().expect("nothing panics while holding a term")
    }
}

impl Term {
    fn has_ended(&mut self) -> bool {
        self.over |= self.deadline.is_some_and(Deadline::is_past);
        self.over || self.revoked
    }
}

/// A count that the ledger does not have yet stays in its file.
impl Drop for Lease {
    fn drop(&mut self) {
        if self.is_settled() || self.count() == 0 {
            self.counter.release();
        }
    }
}

impl Deadline {
    fn at(unix_ms: u64) -> Self {
        let left = Duration::from_millis(unix_ms.saturating_sub(unix_now()));
        // some deadlines lie beyond the clock's range, and then a century is as good
        let monotonic = Instant::now().checked_add(left).unwrap_or_else(|| Instant::now() + CENTURY);
        Self { monotonic, slept: clock::slept(), unix_ms }
    }

    fn is_past(self) -> bool {
        self.is_past_at(Instant::now(), clock::slept())
    }

    fn is_past_at(self, now: Instant, slept: Duration) -> bool {
        now + slept.saturating_sub(self.slept) >= self.monotonic
    }
}

const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_is_counted_until_the_end() {
        let lease = Lease::unrecorded(ClearClass::Bypass, None);
        assert!(lease.spend().is_ok() && lease.spend().is_ok());
        assert_eq!(lease.count(), 2);
    }

    #[test]
    fn a_revoked_lease_ends_for_queries_under_way_too() {
        let lease = Lease::unrecorded(ClearClass::Off, None);
        lease.spend().unwrap();
        lease.revoke();
        assert!(lease.spend().is_err());
        assert_eq!(lease.count(), 1);
    }

    #[test]
    fn an_ended_lease_lets_nothing_out_and_counts_nothing() {
        let lease = Lease::unrecorded(ClearClass::Paused, Some(unix_now()));
        assert_eq!(lease.spend().err(), Some(LeaseError::Ended));
        assert_eq!(lease.count(), 0);
    }

    #[test]
    fn a_renewed_lease_goes_on_counting_where_it_was() {
        let lease = Lease::unrecorded(ClearClass::Policy, Some(unix_now()));
        assert!(lease.ended());
        let until = Some(unix_now() + 60_000);
        assert!(lease.renew(until));
        lease.spend().unwrap();
        assert!(!lease.renew(until));
        assert!(lease.renew(None) && !lease.ended());
        lease.spend().unwrap();
        assert_eq!(lease.count(), 2);
    }

    #[test]
    fn a_clock_that_is_set_ends_no_lease_and_sleep_does() {
        let lease = Lease::unrecorded(ClearClass::Paused, Some(unix_now() + 60_000));
        let deadline = lease.term().deadline.unwrap();
        // as if the time of day had gone past it since
        lease.term().deadline = Some(Deadline { unix_ms: 0, ..deadline });
        lease.spend().unwrap();
        let monotonic = Instant::now();
        lease.term().deadline = Some(Deadline { unix_ms: u64::MAX, monotonic, ..deadline });
        assert_eq!(lease.spend().err(), Some(LeaseError::Ended));
        let after = |slept| deadline.is_past_at(Instant::now(), deadline.slept + Duration::from_secs(slept));
        assert!(after(60) && !after(30));
    }

    #[test]
    fn a_clock_that_is_set_back_brings_no_lease_back() {
        let lease = Lease::unrecorded(ClearClass::Policy, Some(unix_now()));
        assert!(lease.ended());
        lease.term().deadline = Some(Deadline::at(unix_now() + 60_000));
        assert_eq!(lease.spend().err(), Some(LeaseError::Ended));
        assert_eq!(lease.count(), 0);
    }

    #[test]
    fn no_packet_is_counted_after_the_end_was_told() {
        for _ in 0..200 {
            let lease = Lease::unrecorded(ClearClass::Policy, Some(unix_now() + 2));
            std::thread::scope(|scope| {
                scope.spawn(|| while lease.spend().is_ok() {});
                while !lease.ended() {}
                let told = lease.count();
                std::thread::yield_now();
                assert_eq!(lease.count(), told);
            });
        }
    }

    #[test]
    fn a_network_change_suspends_it_until_somebody_who_knows_of_it_confirms_it() {
        let change_count = Arc::<ChangeCount>::default();
        let lease = Lease::new(7, ClearClass::Policy, None, &Counts::InMemory, change_count.clone()).unwrap();
        lease.spend().unwrap();
        assert!(change_count.note(1, Instant::now()) && !change_count.note(1, Instant::now()));
        assert_eq!((lease.spend().err(), lease.is_suspended()), (Some(LeaseError::Suspended), true));
        assert!(!lease.ended(), "it may be confirmed yet");
        change_count.note(2, Instant::now());
        lease.confirm(1);
        assert_eq!(lease.spend().err(), Some(LeaseError::Suspended), "decided before the second change");
        lease.confirm(2);
        lease.spend().unwrap();
        lease.confirm(1);
        lease.spend().unwrap();
        assert_eq!(lease.count(), 3);
        lease.revoke();
        change_count.note(3, Instant::now());
        assert_eq!((lease.spend().err(), lease.is_suspended()), (Some(LeaseError::Ended), false));
    }

    #[test]
    fn only_the_count_of_a_revoked_lease_is_the_last_one() {
        let lease = Lease::unrecorded(ClearClass::Policy, Some(unix_now()));
        lease.written(0);
        assert!(!lease.is_settled(), "it can still be renewed");
        lease.renew(None);
        lease.spend().unwrap();
        lease.revoke();
        lease.written(0);
        assert!(!lease.is_settled(), "the disk was full when one was counted");
        lease.written(1);
        assert!(lease.is_settled());
    }
}
