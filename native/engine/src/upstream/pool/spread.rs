//! Several connections to an upstream that closes over queries. Each close takes along whatever else is on that connection, and
//! what was taken along would meet the disliked query again on the next one, where all of them go. Where an upstream was seen
//! closing so, queries are spread for a while: each close takes fewer along, and few meet the same query twice.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use crate::outcome::Cost;
use crate::upstream::pool::seat::{Got, Inner, Place, Spread};

const REMEMBERED: Duration = Duration::from_secs(60);

impl Inner {
    /// A query that travelled alone was closed over.
    pub(super) fn closed_over_one(&self) {
        self.seat().closed_over_one = Some(Instant::now());
        self.spread.is_wanted.store(true, Ordering::Relaxed);
    }

    /// The connection that is in this place, or is opened for it. `None`: the pool's own is to be asked on, also while somebody else
    /// opens this one, so that one that hangs holds up a single query.
    pub(super) async fn beside(&self, place: &Place, deadline: Instant) -> Option<Got> {
        let mut held = place.try_lock().ok()?;
        if let Some(open) = held.as_ref().filter(|open| open.connection.is_ready()) {
            return Some(Got { open: open.clone(), cost: Cost::Reused, early: None, turn: None });
        }
        // what keeps it from being opened is told by the dial of the pool's own
        let (open, cost) = self.open_another(deadline).await.ok()?;
        *held = Some(open.clone());
        Some(Got { open, cost, early: None, turn: None })
    }

    /// Where the next query goes, if not on the pool's own connection.
    pub(super) fn place_beside(&self) -> Option<&Place> {
        if !self.spread.is_wanted.load(Ordering::Relaxed) {
            return None;
        }
        let mut seat = self.seat();
        let since = seat.closed_over_one?;
        if since.elapsed() >= REMEMBERED {
            seat.closed_over_one = None;
            close(&self.spread);
            return None;
        }
        if seat.backoff.is_failing() {
            return None;
        }
        let turn = self.spread.turn.fetch_add(1, Ordering::Relaxed) % (self.spread.beside.len() + 1);
        turn.checked_sub(1).and_then(|place| self.spread.beside.get(place))
    }
}

/// Whoever waits for an answer on one of them still gets it.
fn close(spread: &Spread) {
    spread.is_wanted.store(false, Ordering::Relaxed);
    for place in &spread.beside {
        if let Ok(mut held) = place.try_lock() {
            *held = None;
        }
    }
}
