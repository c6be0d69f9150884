//! Whether the engine knows on which network this machine is.
//!
//! The watch counts how often the machine may have changed its network: an address or the default route is gone, the gateway is
//! another machine, or the watch itself missed something. Each decision of the control plane says how many of these changes it
//! knew. So the engine can tell a decision for this network from one made before the last change, and from the silence of a
//! control plane that hangs.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How long after a change the control plane may take to say which network this is.
pub const KNOWN_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct ChangeCount(watch::Sender<Counted>);

#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    changes: u64,
    /// the time of the last one
    at: Option<Instant>,
}

impl Default for ChangeCount {
    fn default() -> Self {
        Self(watch::Sender::new(Counted::default()))
    }
}

impl ChangeCount {
    /// Takes over the count of the watch, and returns whether it is higher than before.
    pub fn note(&self, changes: u64, now: Instant) -> bool {
        self.0.send_if_modified(|counted| {
            let more = changes > counted.changes;
            if more {
                *counted = Counted { changes, at: Some(now) };
            }
            more
        })
    }

    /// Whether a decision that knew so many changes knew all of them.
    pub fn knows(&self, changes: u64) -> bool {
        changes >= self.0.borrow().changes
    }

    /// Waits until there are more changes than these.
    pub async fn outdated(&self, changes: u64) {
        let mut counted = self.0.subscribe();
        // it can't fail: this object holds the sender
        let _ = counted.wait_for(|counted| counted.changes > changes).await;
    }

    /// By when the control plane will have said which network this is, unless it hangs. `None`: that time has passed.
    pub fn known_by(&self, now: Instant) -> Option<Instant> {
        self.0.borrow().at.map(|at| at + KNOWN_WITHIN).filter(|known| now < *known)
    }
}
