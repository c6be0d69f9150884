//! Opens the connection, on a task of its own.

use std::sync::Arc;

use tokio::sync::watch;

use crate::upstream::connection::Connection;
use crate::upstream::connection::carrier::End;
use crate::upstream::connection::early::Early;
use crate::upstream::dial::tls::EarlyData;
use crate::upstream::failure::dial_error::Gravity;
use crate::upstream::failure::{Failure, LastError};
use crate::upstream::paths::path::Arrived;
use crate::upstream::pool::fate::tell;
use crate::upstream::pool::seat::{Begun, Dialed, Dialing, Inner, Open, Seat, Slot};

impl Inner {
    /// Opens one for the next query. A spare that is being dialled is taken as it is.
    pub(super) fn start_dial(
        self: &Arc<Self>,
        seat: &mut Seat,
        early: Option<Arc<Early>>,
    ) -> watch::Receiver<Option<Dialed>> {
        let dialing = seat.spare.take().unwrap_or_else(|| self.dial(seat, early));
        let dialed = dialing.dialed.clone();
        seat.slot = Slot::Dialing(dialing);
        self.changed(seat);
        dialed
    }

    /// Dials on a task of its own: if the query that wanted the connection gives up, the others can still use it.
    pub(super) fn dial(self: &Arc<Self>, seat: &mut Seat, early: Option<Arc<Early>>) -> Dialing {
        let (tell, dialed) = watch::channel(None);
        let begun = Begun::now(&self.connections.network_changes);
        seat.tally.dials += 1;
        seat.serial += 1;
        let (inner, serial, round_trip) = (self.clone(), seat.serial, seat.round_trip);
        let task = tokio::spawn(async move {
            let arrived = inner.arrive(round_trip, early.as_deref(), begun.generation).await;
            let arrived = arrived.map_err(Failure::from);
            if let Some(result) = inner.settle(serial, begun, arrived, early.as_deref()) {
                tell.send_replace(Some(result));
            }
            inner.changed(&mut inner.seat());
        });
        Dialing { dialed, task: task.abort_handle(), network_change: begun.network_change }
    }

    /// `None`: it was abandoned meanwhile.
    pub(super) fn settle(
        self: &Arc<Self>,
        serial: u64,
        begun: Begun,
        result: Result<Arrived, Failure>,
        early: Option<&Early>,
    ) -> Option<Dialed> {
        let mut seat = self.seat();
        if seat.serial != serial {
            return None;
        }
        seat.note_route(result.as_ref().err(), &self.connections.network_changes);
        Some(match result {
            Ok(arrived) => {
                let open = Arc::new(self.open(serial, begun.network_change, arrived, early, &mut seat));
                seat.replace_by_spare();
                seat.backoff.succeeded();
                seat.tally.last_error = None;
                seat.tally.resumptions += u64::from(open.resumed);
                seat.last = Some(open.clone());
                seat.slot = Slot::Open(open.clone());
                seat.watch_silence();
                Ok(open)
            }
            // the open connection still works, and no query waits for another one
            Err(failure) if seat.spare.take().is_some() => Err(failure),
            // the network has changed meanwhile: queries wait for the next dial
            Err(_)
                if self.connections.network_changes.generation() != begun.generation
                    && self.dial_anew(&mut seat) =>
            {
                return None;
            }
            Err(failure) => {
                let gone = seat.was_reached()
                    && matches!(&failure, Failure::Dial(error) if error.gravity() == Gravity::Absent);
                seat.backoff.failed(gone, self.connections.chance());
                seat.failed_since = Some(begun.interruption);
                seat.tally.failed(&failure);
                seat.slot = Slot::Empty;
                seat.stalled.drain(..).for_each(|open| open.connection.leave(End::Died));
                Err(failure)
            }
        })
    }

    pub(super) fn open(
        self: &Arc<Self>,
        serial: u64,
        network_change: u64,
        mut arrived: Arrived,
        early: Option<&Early>,
        seat: &mut Seat,
    ) -> Open {
        seat.missed = arrived.missed.take().map(Failure::from).as_ref().map(LastError::of);
        let link = &arrived.link;
        seat.round_trip = Some(link.round_trip());
        seat.tally.handshake = Some(link.took);
        seat.tally.spent.opened(link.took);
        let accepted = matches!(link.early, EarlyData::Accepted { .. });
        let asked = early.filter(|_| accepted).and_then(Early::take);
        let inner = Arc::downgrade(self);
        let tell = move |fate| tell(&inner, serial, fate);
        Open::new(serial, network_change, arrived, |link| {
            Connection::with(link, asked, self.carried.clone(), tell)
        })
    }
}
