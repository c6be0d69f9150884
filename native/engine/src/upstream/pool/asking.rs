//! Sends a query over the pool's connection: the one that is open, or the next.

use std::sync::Arc;

use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout_at};

use crate::outcome::Cost;
use crate::upstream::connection::carrier::{Ask, Verdict};
use crate::upstream::connection::early::Early;
use crate::upstream::exchange::Exchanged;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::pool::seat::{Asked, Dialed, Got, Inner, Slot};

const MOST_SENDS: usize = 3;

impl Inner {
    pub(super) async fn exchange(
        self: &Arc<Self>,
        query: Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        let started = Instant::now();
        if query.by_program {
            self.seat().warm.asked(started);
        }
        let here = Arc::as_ptr(self).addr();
        let mut lost = query.lost(here);
        while lost < MOST_SENDS {
            let alone = lost + 1 == MOST_SENDS;
            let at_once = (lost == 0).then_some(started);
            let (Got { open, cost, early, turn }, asked) = if alone {
                (Box::pin(self.connection_apart(deadline)).await?, Instant::now())
            } else {
                self.shared_connection(&query, deadline, at_once).await?
            };
            let asked = early.as_ref().map_or(asked, |early| early.at);
            // the round trip of early data was the handshake's last one
            let own = u8::from(early.is_none());
            let response = match early {
                Some(early) => early.answered.await.unwrap_or(Err(Failure::Closed)),
                None => open.connection.ask(query.clone(), deadline).await,
            };
            drop(turn);
            match response {
                Ok(response) => {
                    let (round_trips, handshake) = open.handshake_paid_by(cost);
                    return Ok(Exchanged {
                        response,
                        cost,
                        transport: open.kind,
                        connect: asked - started,
                        wait: asked.elapsed(),
                        round_trips: round_trips + own,
                        handshake,
                    });
                }
                Err(Failure::Closed) => {
                    lost = query.lose(here);
                    if alone {
                        self.closed_over_one();
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::Closed)
    }

    /// A connection that several queries use, and since when the query has it. `at_once`: the moment at which the query came, if
    /// this is its first try; it stands for now where nothing had to be waited for.
    async fn shared_connection(
        self: &Arc<Self>,
        query: &Arc<Outgoing>,
        deadline: Instant,
        at_once: Option<Instant>,
    ) -> Result<(Got, Instant), Failure> {
        if let Some(place) = self.place_beside()
            && let Some(got) = Box::pin(self.beside(place, deadline)).await
        {
            return Ok((got, Instant::now()));
        }
        match self.ready() {
            Some(got) => Ok((got, at_once.unwrap_or_else(Instant::now))),
            None => Ok((Box::pin(self.connection(query, deadline)).await?, Instant::now())),
        }
    }

    /// The connection, where one is open: most queries find it so.
    pub(super) fn ready(&self) -> Option<Got> {
        match &self.seat().slot {
            Slot::Open(open) if open.connection.is_ready() => {
                Some(Got { open: open.clone(), cost: Cost::Reused, early: None, turn: None })
            }
            _ => None,
        }
    }

    /// A connection that has to be waited for.
    pub(super) async fn connection(
        self: &Arc<Self>,
        query: &Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Got, Failure> {
        loop {
            let (early, answered) = self.early(query, deadline).unzip();
            let (mut dialed, first) = self.dialing(early)?;
            let dialed = timeout_at(deadline, dialed.wait_for(Option::is_some)).await;
            let open = match dialed {
                Ok(Ok(dialed)) => dialed.clone().expect("waited for it")?,
                // it was abandoned; the next one leads over the new network
                Ok(Err(_)) => continue,
                Err(_) => return Err(Failure::StillConnecting),
            };
            let cost = match (first, open.resumed) {
                (false, _) => Cost::Queued,
                (true, true) => Cost::Resumed,
                (true, false) => Cost::Cold,
            };
            let at = open.early.filter(|_| first);
            let early = at.zip(answered).map(|(at, answered)| Asked { at, answered });
            return Ok(Got { open, cost, early, turn: None });
        }
    }

    /// The dial under way, or a new one; `true` for a new one.
    pub(super) fn dialing(
        self: &Arc<Self>,
        early: Option<Arc<Early>>,
    ) -> Result<(watch::Receiver<Option<Dialed>>, bool), Failure> {
        let mut seat = self.seat();
        if let Slot::Dialing(dialing) = &seat.slot {
            return Ok((dialing.dialed.clone(), false));
        }
        if let Some(left) = seat.backoff.resting() {
            return Err(Failure::resting(left, seat.tally.last_error.as_ref()));
        }
        Ok((self.start_dial(&mut seat, early), true))
    }

    /// The query for the hello, and the channel for its response if the server accepts it there.
    pub(super) fn early(
        &self,
        query: &Arc<Outgoing>,
        deadline: Instant,
    ) -> Option<(Arc<Early>, oneshot::Receiver<Verdict>)> {
        self.early_data.then(|| {
            let (response, answered) = oneshot::channel();
            (Early::new(Ask { query: query.clone(), deadline, response }), answered)
        })
    }
}
