//! Carries out keep-warm: the next connection is dialled beside the one that will soon be closed, and replaces it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::change_count::KNOWN_WITHIN;
use crate::upstream::condition::Rest;
use crate::upstream::connection::carrier::End;
use crate::upstream::failure::Failure;
use crate::upstream::failure::dial_error::Gravity;
use crate::upstream::memory::network_change::{NetworkChanges, QUIET};
use crate::upstream::pool::keep_warm::IdleLimit;
use crate::upstream::pool::seat::{Inner, Route, Seat, Slot};

impl Inner {
    /// The upstream says how long a silence it waits before it closes.
    pub(super) fn told(&self, serial: u64, limit: Duration) {
        let mut seat = self.seat();
        seat.warm.told(limit);
        if let Slot::Open(open) = &seat.slot
            && open.serial == serial
        {
            seat.watch_silence();
        }
    }

    /// Nothing was sent for so long that the upstream is about to close.
    pub(super) fn quiet(self: &Arc<Self>, serial: u64) {
        let mut seat = self.seat();
        let Slot::Open(open) = &seat.slot else { return };
        if open.serial != serial {
            return;
        }
        let open = open.clone();
        if self.rests(&seat).is_none() {
            self.dial_spare(&mut seat);
        } else if matches!(seat.warm.limit(), Some(IdleLimit::Told(_))) {
            // leaving before the server does avoids the reset that a late query would meet
            open.connection.drain();
        }
    }

    /// The upstream closed after a silence of this length.
    pub(super) fn closed_idle(self: &Arc<Self>, seat: &mut Seat, silence: Duration) {
        seat.warm.closed(silence);
        if seat.spare.is_none() && seat.backoff.resting().is_none() && self.rests(seat).is_none() {
            self.dial_ahead(seat);
        }
    }

    /// An upstream that was last asked from that address is asked from another one, and does not see what was asked from there.
    pub(super) fn lose(self: &Arc<Self>, address: IpAddr, network_change: u64) {
        let mut seat = self.seat();
        if seat.last.as_ref().is_none_or(|last| last.local != Some(address)) {
            return;
        }
        let in_use = match &seat.slot {
            Slot::Open(open) => !open.connection.is_closed(),
            Slot::Dialing(_) => true,
            Slot::Empty => false,
        };
        self.connections.network_changes.lose(Instant::now());
        self.leave(&mut seat, network_change);
        if in_use {
            self.dial_ahead(&mut seat);
        }
    }

    /// If it rests, that is because of an earlier state of the network.
    pub(super) fn try_again(self: &Arc<Self>) {
        let mut seat = self.seat();
        seat.hear(Instant::now());
        if matches!(seat.slot, Slot::Empty) && seat.backoff.resting().is_some() {
            self.dial_anew(&mut seat);
        }
    }

    /// Dials because the network has changed. Changes may follow each other without end, so they use the budget; a dial for which
    /// no packet leaves costs nothing. False: the budget is used up.
    pub(super) fn dial_anew(self: &Arc<Self>, seat: &mut Seat) -> bool {
        if seat.route != Route::There {
            self.start_dial(seat, None);
            return true;
        }
        let may = seat.warm.has_budget(Instant::now(), &self.connections.settings());
        if may {
            self.dial_ahead(seat);
        }
        may
    }

    pub(super) fn rests(&self, seat: &Seat) -> Option<Rest> {
        if !self.warm {
            return Some(Rest::Off);
        }
        seat.warm.rests(Instant::now(), &self.connections.settings())
    }

    /// Dials beside the open one.
    fn dial_spare(self: &Arc<Self>, seat: &mut Seat) {
        if seat.spare.is_none() && seat.backoff.resting().is_none() {
            seat.warm.dialled(Instant::now());
            seat.spare = Some(self.dial(seat, None));
        }
    }

    pub(super) fn dial_ahead(self: &Arc<Self>, seat: &mut Seat) {
        seat.warm.dialled(Instant::now());
        self.start_dial(seat, None);
    }
}

impl Seat {
    /// What the result of a dial says about the route.
    pub(super) fn note_route(&mut self, failure: Option<&Failure>, network_changes: &NetworkChanges) {
        match failure {
            Some(Failure::Dial(error)) if error.gravity() == Gravity::NoRoute => {
                if self.route == Route::There {
                    let now = Instant::now();
                    let just = |word: &Instant| now.saturating_duration_since(*word) < KNOWN_WITHIN;
                    self.route = Route::Gone { since: now, told: network_changes.last_heard().filter(just) };
                }
            }
            _ => self.route = Route::There,
        }
    }

    /// The kernel removes a route before it reports that.
    fn hear(&mut self, now: Instant) {
        if let Route::Gone { since, told } = &mut self.route
            && now.saturating_duration_since(*since) < QUIET
        {
            told.get_or_insert(now);
        }
    }

    /// Lets the open connection tell when its upstream is about to close it.
    pub(super) fn watch_silence(&self) {
        let round_trip = self.round_trip.unwrap_or_default();
        if let (Slot::Open(open), Some(patience)) = (&self.slot, self.warm.patience(round_trip)) {
            open.connection.wait(patience);
        }
    }

    /// The open connection has ended; the one dialled beside it, if any, is next. Returns whether there is one.
    pub(super) fn promote_spare(&mut self) -> bool {
        let spare = self.spare.take();
        let promoted = spare.is_some();
        if let Some(dialing) = spare {
            self.slot = Slot::Dialing(dialing);
        }
        promoted
    }

    /// The connection that was dialled beside the open one replaces it.
    pub(super) fn replace_by_spare(&mut self) {
        if self.spare.take().is_none() {
            return;
        }
        let round_trip = self.round_trip.unwrap_or_default();
        if let Slot::Open(old) = &self.slot {
            if old.connection.is_ready() {
                self.warm.outlived(round_trip);
            }
            old.connection.drain();
        }
    }

    /// The open connection was ended, by either side.
    pub(super) fn left(&mut self, end: End) {
        self.spare.take().into_iter().for_each(|dialing| dialing.task.abort());
        let apart = self.apart.drain(..).filter_map(|open| open.upgrade());
        self.stalled.drain(..).chain(apart).for_each(|open| open.connection.leave(end));
    }
}
