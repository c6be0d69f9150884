//! Several connections to an upstream that closes a connection because of a query on it. Each close also loses the other queries on
//! that connection; they would share the next connection with the same query, and be lost again. So after such a close, queries are
//! spread over several connections for a while: each close loses fewer, and few share a connection with that query twice.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use crate::outcome::Cost;
use crate::upstream::pool::seat::{Got, Inner, Place, Spread};

const REMEMBERED: Duration = Duration::from_secs(60);

impl Inner {
    /// The connection of a query that travelled alone was closed.
    pub(super) fn closed_over_one(&self) {
        self.seat().closed_over_one = Some(Instant::now());
        self.spread.is_wanted.store(true, Ordering::Relaxed);
    }

    /// The connection in this place, or a new one for it. `None`: use the pool's own, also while another query opens this one, so
    /// that a dial that hangs holds up a single query.
    pub(super) async fn beside(&self, place: &Place, deadline: Instant) -> Option<Got> {
        let mut held = place.try_lock().ok()?;
        if let Some(open) = held.as_ref().filter(|open| open.connection.is_ready()) {
            return Some(Got { open: open.clone(), cost: Cost::Reused, early: None, turn: None });
        }
        // the pool's own dial reports why it can't be opened
        let (open, cost) = self.open_another(deadline).await.ok()?;
        *held = Some(open.clone());
        Some(Got { open, cost, early: None, turn: None })
    }

    /// Where the next query goes, if not to the pool's own connection.
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

/// Queries that wait for a response on one of them still get it.
fn close(spread: &Spread) {
    spread.is_wanted.store(false, Ordering::Relaxed);
    for place in &spread.beside {
        if let Ok(mut held) = place.try_lock() {
            *held = None;
        }
    }
}
