//! Questions that two connections closed under. One of them may be why: a server that can't bear a question and closes over it
//! takes along whatever else is in flight. From here on each travels alone, on a connection that nothing else is asked on, and
//! if that closes too it was the one.

use std::sync::{Arc, Weak};

use tokio::time::{Instant, timeout_at};

use super::{Begun, Got, Inner, Open};
use crate::outcome::Cost;
use crate::upstream::connection::Connection;
use crate::upstream::failure::Failure;
use crate::upstream::meter::Meter;
use crate::upstream::ways::Arrived;

/// At once, to one upstream: small servers take ten connections from everybody.
pub(super) const MOST: usize = 4;

/// Gone with the question that it was dialled for.
pub(super) type Apart = Vec<Weak<Open>>;

impl Inner {
    pub(super) async fn connection_apart(self: &Arc<Self>, deadline: Instant) -> Result<Got, Failure> {
        let place = timeout_at(deadline, self.places_apart.clone().acquire_owned()).await;
        let place = place.map_err(|_| Failure::StillConnecting)?.expect("it is never closed");
        let begun = Begun::now(&self.connections.network_changes);
        let round_trip = self.seat().round_trip;
        let arriving = timeout_at(deadline, self.arrive(round_trip, None, begun.generation));
        let arrived = arriving.await.map_err(|_| Failure::StillConnecting)??;
        let open = Arc::new(self.open_apart(begun.network_change, arrived));
        let mut seat = self.seat();
        seat.tally.dials += 1;
        seat.tally.resumptions += u64::from(open.resumed);
        seat.tally.spent.opened(open.took);
        if seat.network_change > begun.network_change {
            return Err(Failure::Closed);
        }
        seat.apart.retain(|open| open.strong_count() > 0);
        seat.apart.push(Arc::downgrade(&open));
        let cost = if open.resumed { Cost::Resumed } else { Cost::Cold };
        Ok(Got { open, cost, early: None, place: Some(place) })
    }

    fn open_apart(&self, network_change: u64, arrived: Arrived) -> Open {
        let Arrived { link, kind, address, .. } = arrived;
        let resumed = link.protection.tls().is_some_and(|tls| tls.resumed);
        let (round_trips, took) = (link.round_trips, link.took);
        let local = link.meter.as_ref().and_then(Meter::local);
        let connection = Connection::start(link, self.account.clone(), |_| {});
        Open {
            serial: 0,
            network_change,
            connection,
            kind,
            address,
            local,
            resumed,
            round_trips,
            took,
            early: None,
        }
    }
}
