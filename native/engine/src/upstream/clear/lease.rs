//! Permission to send a question in clear.
//!
//! A socket without TLS is only reachable through a [`Lease`], and each packet spends one [`Permit`] of it. A lease comes
//! from the ledger (the control plane wrote its entry to disk first), counts what left, and ends by itself. It is of one network:
//! where the machine may have left that, nothing leaves under it until the control plane has confirmed it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::bearings::Bearings;
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
    bearings: Arc<Bearings>,
}

#[derive(Debug)]
struct Term {
    deadline: Option<Deadline>,
    /// seen to be over, which only the ledger undoes: a clock that is set back does not
    over: bool,
    revoked: bool,
    /// of the machine, that were known when it was given or confirmed last
    moves: u64,
    /// its last count is in the ledger
    settled: bool,
}

/// Both clocks, because either can mislead: the monotonic one stands still in sleep, the wall clock can be set back.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Deadline {
    monotonic: Instant,
    unix_ms: u64,
}

/// One packet may leave now. Only a lease makes it, and sending consumes it.
#[derive(Debug)]
pub struct Permit(());

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPermit {
    #[error("the permission to send in clear has ended")]
    Ended,
    #[error("the network has changed, and the permission to send in clear is not confirmed for this one yet")]
    Suspended,
}

impl Lease {
    /// `until`: unix milliseconds; `None` lasts as long as the configuration that carries it. Suspended until it is confirmed,
    /// if the machine has moved.
    pub fn new(
        entry: u64,
        class: ClearClass,
        until: Option<u64>,
        counts: &Counts,
        bearings: Arc<Bearings>,
    ) -> Result<Self, NoCounter> {
        Ok(Self::counted_by(counts.counter(entry)?, entry, class, until, bearings))
    }

    /// For names that nobody asked for, which are counted beside the ledger, and of no network.
    pub fn of_ours(class: ClearClass, probes: Arc<OwnProbes>) -> Self {
        Self::counted_by(Counter::Ours(probes), 0, class, None, Arc::default())
    }

    fn counted_by(
        counter: Counter,
        entry: u64,
        class: ClearClass,
        until: Option<u64>,
        bearings: Arc<Bearings>,
    ) -> Self {
        let deadline = until.map(Deadline::at);
        let term = Term { deadline, over: false, revoked: false, moves: 0, settled: false };
        Self { entry, class, term: Mutex::new(term), counter, bearings }
    }

    /// That no ledger knows of, counted nowhere else, and of no network.
    pub fn unrecorded(class: ClearClass, until: Option<u64>) -> Self {
        Self::new(0, class, until, &Counts::InMemory, Arc::default()).expect("memory always counts")
    }

    pub fn is_unrecorded(&self) -> bool {
        self.entry == 0
    }

    /// Counts one packet that carries a name in clear; to be called right before it is handed to the kernel.
    pub fn spend(&self) -> Result<Permit, NoPermit> {
        let mut term = self.term();
        if term.has_ended() {
            return Err(NoPermit::Ended);
        }
        if !self.bearings.knows(term.moves) {
            return Err(NoPermit::Suspended);
        }
        self.counter.add_one();
        Ok(Permit(()))
    }

    /// The ledger has moved its end. `true`: it was another one.
    pub fn renew(&self, until: Option<u64>) -> bool {
        let mut term = self.term();
        let other = term.deadline.map(|deadline| deadline.unix_ms) != until;
        if other {
            term.deadline = until.map(Deadline::at);
            term.over = false;
        }
        other
    }

    /// Takes it back, also from questions that are under way.
    pub fn revoke(&self) {
        self.term().revoked = true;
    }

    /// It holds on the network that the machine is on after so many moves. What is not known to be confirmed by now is
    /// suspended.
    pub fn confirm(&self, moves: u64) {
        let mut term = self.term();
        term.moves = term.moves.max(moves);
    }

    /// It has not ended, and may be confirmed yet.
    pub fn is_suspended(&self) -> bool {
        let mut term = self.term();
        !term.has_ended() && !self.bearings.knows(term.moves)
    }

    /// Until the machine moves: what is under way then shall not arrive on another network.
    pub async fn suspended(&self) -> NoPermit {
        let moves = self.term().moves;
        self.bearings.outdated(moves).await;
        NoPermit::Suspended
    }

    pub fn ended(&self) -> bool {
        self.term().has_ended()
    }

    pub fn count(&self) -> u64 {
        self.counter.read()
    }

    /// This count is in the ledger, on disk. Of a revoked lease none comes after it.
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

/// A count that the ledger has not stays in its file.
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
        // a deadline beyond the clock's range is none of a lifetime's concern
        let monotonic = Instant::now().checked_add(left).unwrap_or_else(|| Instant::now() + CENTURY);
        Self { monotonic, unix_ms }
    }

    fn is_past(self) -> bool {
        Instant::now() >= self.monotonic || unix_now() >= self.unix_ms
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
    fn a_revoked_lease_ends_for_questions_under_way_too() {
        let lease = Lease::unrecorded(ClearClass::Off, None);
        lease.spend().unwrap();
        lease.revoke();
        assert!(lease.spend().is_err());
        assert_eq!(lease.count(), 1);
    }

    #[test]
    fn an_ended_lease_lets_nothing_out_and_counts_nothing() {
        let lease = Lease::unrecorded(ClearClass::Paused, Some(unix_now()));
        assert_eq!(lease.spend().err(), Some(NoPermit::Ended));
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
    fn a_clock_that_is_set_back_brings_no_lease_back() {
        let lease = Lease::unrecorded(ClearClass::Policy, Some(unix_now()));
        assert!(lease.ended());
        lease.term().deadline = Some(Deadline::at(unix_now() + 60_000));
        assert_eq!(lease.spend().err(), Some(NoPermit::Ended));
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
    fn a_move_suspends_it_until_it_is_confirmed_by_somebody_who_knows_of_that_move() {
        let bearings = Arc::<Bearings>::default();
        let lease = Lease::new(7, ClearClass::Policy, None, &Counts::InMemory, bearings.clone()).unwrap();
        lease.spend().unwrap();
        assert!(bearings.lose(1, Instant::now()) && !bearings.lose(1, Instant::now()));
        assert_eq!((lease.spend().err(), lease.is_suspended()), (Some(NoPermit::Suspended), true));
        assert!(!lease.ended(), "it may be confirmed yet");
        bearings.lose(2, Instant::now());
        lease.confirm(1);
        assert_eq!(lease.spend().err(), Some(NoPermit::Suspended), "decided before the second move");
        lease.confirm(2);
        lease.spend().unwrap();
        lease.confirm(1);
        lease.spend().unwrap();
        assert_eq!(lease.count(), 3);
        lease.revoke();
        bearings.lose(3, Instant::now());
        assert_eq!((lease.spend().err(), lease.is_suspended()), (Some(NoPermit::Ended), false));
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
