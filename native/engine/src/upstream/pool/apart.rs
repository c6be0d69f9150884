//! Queries that two connections closed under. One of them may be the cause: a server that closes over a query it can't handle takes
//! everything else in flight along. From here on each such query travels alone, on a connection without any other. If that one
//! closes, too, this query was the cause.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use crate::outcome::Cost;
use crate::upstream::connection::Connection;
use crate::upstream::failure::Failure;
use crate::upstream::paths::path::Arrived;
use crate::upstream::pool::seat::{Begun, Got, Inner, Open};

/// Connections to one upstream at once: small servers accept ten from all clients together.
pub(super) const MOST: usize = 4;

impl Inner {
    pub(super) async fn connection_apart(self: &Arc<Self>, deadline: Instant) -> Result<Got, Failure> {
        let turn = timeout_at(deadline, self.turns_apart.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| Failure::StillConnecting)?.expect("it is never closed");
        let (open, cost) = self.open_another(deadline).await?;
        Ok(Got { open, cost, early: None, turn: Some(turn) })
    }

    /// Opens a connection that does not replace the pool's own.
    pub(super) async fn open_another(&self, deadline: Instant) -> Result<(Arc<Open>, Cost), Failure> {
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
        Ok((open, cost))
    }

    fn open_apart(&self, network_change: u64, arrived: Arrived) -> Open {
        Open::new(0, network_change, arrived, |link| Connection::start(link, self.carried.clone(), |_| {}))
    }
}
