//! What happens to a connection once it is open.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::upstream::connection::carrier::{End, Fate};
use crate::upstream::pool::seat::{Inner, Route, Seat, Slot};

/// The pause between fresh connections to a server that acknowledges and does not respond. A server that is always late, or
/// responds in order, need not prove for each query that it lives.
const STALL_PAUSE: Duration = Duration::from_secs(10);

impl Inner {
    pub(super) fn ended(self: &Arc<Self>, serial: u64, end: End, silence: Option<Duration>) {
        let mut seat = self.seat();
        seat.stalled.retain(|open| open.serial != serial);
        if !seat.is_open(serial) {
            return;
        }
        match silence {
            _ if end == End::Died => {
                seat.backoff.died();
                self.start_dial(&mut seat, None);
            }
            Some(silence) => self.closed_idle(&mut seat, silence),
            None => {}
        }
        seat.promote_spare();
    }

    pub(super) fn abandon(&self, network_change: u64) {
        let mut seat = self.seat();
        if seat.network_change >= network_change {
            return;
        }
        let begun = match &seat.slot {
            Slot::Open(open) => open.network_change,
            Slot::Dialing(dialing) => dialing.network_change,
            Slot::Empty => 0,
        };
        if begun < network_change {
            self.leave(&mut seat, network_change);
        }
    }

    /// Leaves what is open or being dialled, and forgets what was learned of the path.
    pub(super) fn leave(&self, seat: &mut Seat, network_change: u64) {
        self.paths.forget();
        seat.network_change = network_change;
        seat.warm.network_changed();
        // failures on the earlier network say nothing about this one
        seat.backoff.succeeded();
        seat.tally.last_error = None;
        seat.missed = None;
        seat.route = Route::There;
        seat.round_trip = None;
        seat.serial += 1;
        seat.left(End::Abandoned);
        match std::mem::replace(&mut seat.slot, Slot::Empty) {
            Slot::Open(open) => open.connection.leave(End::Abandoned),
            Slot::Dialing(dialing) => dialing.task.abort(),
            Slot::Empty => {}
        }
    }

    /// A fresh connection shows whether the server hangs or is only slow, and takes the other queries.
    pub(super) fn stalled(self: &Arc<Self>, serial: u64) {
        let mut seat = self.seat();
        let paused = seat.last_stall.is_some_and(|last| last.elapsed() < STALL_PAUSE);
        if let Slot::Open(open) = &seat.slot
            && open.serial == serial
            && !paused
        {
            let open = open.clone();
            open.connection.drain();
            seat.last_stall = Some(Instant::now());
            seat.stalled.push(open);
            self.start_dial(&mut seat, None);
        }
    }
}

/// Handles what has happened to a connection.
pub(super) fn tell(inner: &Weak<Inner>, serial: u64, fate: Fate) {
    let Some(inner) = inner.upgrade() else { return };
    match fate {
        Fate::Stalled => inner.stalled(serial),
        Fate::Told(limit) => inner.told(serial, limit),
        Fate::Quiet => inner.quiet(serial),
        Fate::Ended { end, silence } => inner.ended(serial, end, silence),
    }
    inner.changed(&mut inner.seat());
}
