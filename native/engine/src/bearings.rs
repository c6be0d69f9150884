//! Whether it is known on which network this machine is.
//!
//! The watch counts how often the machine may have left the network it was on: an address or the default route is gone, a gateway
//! is another, the watch itself missed something. Whatever the control plane decides says how many of these it knew of. So a
//! decision from before a move, and the silence of a control plane that hangs, are told from one that holds here.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// By then the control plane has said so, if this is another network.
pub const ASTRAY: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Bearings(watch::Sender<Moved>);

#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    moves: u64,
    /// the last of them
    at: Option<Instant>,
}

impl Default for Bearings {
    fn default() -> Self {
        Self(watch::Sender::new(Moved::default()))
    }
}

impl Bearings {
    /// The watch has counted so many. Whether that is more than before.
    pub fn lose(&self, moves: u64, now: Instant) -> bool {
        self.0.send_if_modified(|moved| {
            let more = moves > moved.moves;
            if more {
                *moved = Moved { moves, at: Some(now) };
            }
            more
        })
    }

    /// Whether somebody who knows of so many moves knows of all.
    pub fn knows(&self, moves: u64) -> bool {
        moves >= self.0.borrow().moves
    }

    /// Until the machine may have moved once more than that.
    pub async fn outdated(&self, moves: u64) {
        let mut moved = self.0.subscribe();
        // we hold the sender
        let _ = moved.wait_for(|moved| moved.moves > moves).await;
    }

    /// By then the control plane has said where we are, unless it hangs.
    pub fn found_by(&self, now: Instant) -> Option<Instant> {
        self.0.borrow().at.map(|at| at + ASTRAY).filter(|found| now < *found)
    }
}
