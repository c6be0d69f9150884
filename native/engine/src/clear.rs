//! Permission to send a question in clear.
//!
//! A socket without TLS is only reachable through a [`Lease`], and each packet spends one [`Permit`] of it. A lease comes
//! from the ledger (the control plane wrote its entry to disk first), counts what left, and ends by itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::outcome::ClearClass;

#[derive(Debug)]
pub struct Lease {
    pub entry: u64,
    pub class: ClearClass,
    deadline: Option<Deadline>,
    revoked: AtomicBool,
    count: AtomicU64,
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
    pub fn new(entry: u64, class: ClearClass, until: Option<u64>) -> Self {
        let deadline = until.map(|unix_ms| Deadline {
            monotonic: Instant::now() + std::time::Duration::from_millis(unix_ms.saturating_sub(unix_now())),
            unix_ms,
        });
        Self { entry, class, deadline, revoked: AtomicBool::new(false), count: AtomicU64::new(0) }
    }

    /// Counts one packet that carries a name in clear; to be called right before it is handed to the kernel.
    pub fn spend(&self) -> Result<Permit, LeaseEnded> {
        if self.ended() {
            return Err(LeaseEnded);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        Ok(Permit(()))
    }

    /// Takes it back, also from questions that are under way.
    pub fn revoke(&self) {
        self.revoked.store(true, Ordering::Release);
    }

    pub fn ended(&self) -> bool {
        self.revoked.load(Ordering::Acquire) || self.past_deadline()
    }

    fn past_deadline(&self) -> bool {
        self.deadline.is_some_and(|until| Instant::now() >= until.monotonic || unix_now() >= until.unix_ms)
    }

    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.map(|until| until.monotonic)
    }

    pub fn until(&self) -> Option<u64> {
        self.deadline.map(|until| until.unix_ms)
    }
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_is_counted_until_the_end() {
        let lease = Lease::new(1, ClearClass::Bypass, None);
        assert!(lease.spend().is_ok() && lease.spend().is_ok());
        assert_eq!(lease.count(), 2);
    }

    #[test]
    fn a_revoked_lease_ends_for_questions_under_way_too() {
        let lease = Lease::new(1, ClearClass::Off, None);
        lease.spend().unwrap();
        lease.revoke();
        assert!(lease.spend().is_err());
        assert_eq!(lease.count(), 1);
    }

    #[test]
    fn an_ended_lease_lets_nothing_out_and_counts_nothing() {
        let lease = Lease::new(1, ClearClass::Paused, Some(unix_now()));
        assert_eq!(lease.spend().err(), Some(LeaseEnded));
        assert_eq!(lease.count(), 0);
    }
}
