//! Permission to send a question in clear.
//!
//! A socket without TLS is only reachable through a [`Lease`], and each packet spends one [`Permit`] of it. A lease comes
//! from the ledger (the control plane wrote its entry to disk first), counts what left, and ends by itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::counts::{Counter, Counts, NoCounter};
use crate::outcome::ClearClass;

#[derive(Debug)]
pub struct Lease {
    pub entry: u64,
    pub class: ClearClass,
    deadline: Mutex<Option<Deadline>>,
    revoked: AtomicBool,
    /// its last count was read after it had ended for good
    settled: AtomicBool,
    counter: Counter,
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
#[error("the permission to send in clear has ended")]
pub struct LeaseEnded;

impl Lease {
    /// `until`: unix milliseconds; `None` lasts as long as the configuration that carries it.
    pub fn new(
        entry: u64,
        class: ClearClass,
        until: Option<u64>,
        counts: &Counts,
    ) -> Result<Self, NoCounter> {
        Ok(Self {
            entry,
            class,
            deadline: Mutex::new(until.map(Deadline::at)),
            revoked: AtomicBool::new(false),
            settled: AtomicBool::new(false),
            counter: counts.counter(entry)?,
        })
    }

    /// That no ledger knows of, counted nowhere else.
    pub fn unrecorded(class: ClearClass, until: Option<u64>) -> Self {
        Self::new(0, class, until, &Counts::InMemory).expect("memory always counts")
    }

    /// Counts one packet that carries a name in clear; to be called right before it is handed to the kernel.
    pub fn spend(&self) -> Result<Permit, LeaseEnded> {
        if self.ended() {
            return Err(LeaseEnded);
        }
        self.counter.add_one();
        Ok(Permit(()))
    }

    /// The ledger has moved its end. `true`: it was another one.
    pub fn renew(&self, until: Option<u64>) -> bool {
        let mut deadline = self.deadline_now();
        let other = deadline.map(|deadline| deadline.unix_ms) != until;
        if other {
            *deadline = until.map(Deadline::at);
        }
        other
    }

    /// Takes it back, also from questions that are under way.
    pub fn revoke(&self) {
        self.revoked.store(true, Ordering::Release);
    }

    pub fn ended(&self) -> bool {
        self.revoked.load(Ordering::Acquire) || self.deadline_now().is_some_and(|until| until.is_past())
    }

    pub fn count(&self) -> u64 {
        self.counter.read()
    }

    /// The count, for whoever keeps the ledger. Once it was read of a revoked lease it is the last one.
    pub fn tell_count(&self) -> u64 {
        let revoked = self.revoked.load(Ordering::Acquire);
        let count = self.count();
        if revoked {
            self.settled.store(true, Ordering::Release);
        }
        count
    }

    /// Whoever keeps the ledger has its last count.
    pub fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Acquire)
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline_now().map(|until| until.monotonic)
    }

    fn deadline_now(&self) -> MutexGuard<'_, Option<Deadline>> {
        self.deadline.lock().expect("nothing panics while holding a deadline")
    }
}

/// A count that nobody has read stays in its file.
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
        assert_eq!(lease.spend().err(), Some(LeaseEnded));
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
    fn only_the_count_of_a_revoked_lease_is_the_last_one() {
        let lease = Lease::unrecorded(ClearClass::Policy, Some(unix_now()));
        lease.tell_count();
        assert!(!lease.is_settled(), "it can still be renewed");
        lease.revoke();
        lease.tell_count();
        assert!(lease.is_settled());
    }
}
