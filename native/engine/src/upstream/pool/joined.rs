//! A dial under way when the network changes: what it has sent may have gone nowhere, and TCP would wait for a second before it
//! sends it again. Another joins it, unless a server has given a sign by then; whichever arrives first is taken.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::upstream::connection::early::Early;
use crate::upstream::failure::dial_error::DialError;
use crate::upstream::paths::attempt::Progress;
use crate::upstream::paths::path::Arrived;
use crate::upstream::pool::seat::Inner;
use crate::upstream::running::BoxFuture;

/// For the first sign. One change has many generations, and the dial that the last of them began needs no other beside it.
const PATIENCE: Duration = Duration::from_millis(250);

type Arriving<'a> = BoxFuture<'a, Result<Arrived, DialError>>;

impl Inner {
    /// `generation`: of network changes, when it began. The one that joined gives way to the next, if it is as silent.
    pub(super) async fn arrive(
        &self,
        round_trip: Option<Duration>,
        early: Option<&Early>,
        mut generation: u64,
    ) -> Result<Arrived, DialError> {
        let network_changes = &self.connections.network_changes;
        let patience = PATIENCE.max(round_trip.unwrap_or_default() * 5 / 4);
        let progress = Progress::start();
        let mut overdue = Instant::now() + patience;
        let mut first = Box::pin(self.paths.dial(round_trip, early, &progress));
        let mut joined: Option<Arriving<'_>> = None;
        // what those that joined and ended before it found
        let mut failed: Option<DialError> = None;
        loop {
            let overtaken = async {
                network_changes.newer_than(generation).await;
                sleep_until(overdue).await;
            };
            tokio::select! {
                biased;
                result = &mut first => {
                    let error = match result {
                        Ok(arrived) => return Ok(arrived),
                        Err(error) => error.after(failed),
                    };
                    return match joined {
                        Some(joined) => joined.await.map_err(|also| error.and(also)),
                        None => Err(error),
                    };
                },
                result = of(&mut joined) => match result {
                    Ok(arrived) => return Ok(arrived),
                    Err(error) => (joined, failed) = (None, Some(error.after(failed))),
                },
                () = overtaken, if !progress.has_heard() => {
                    if !progress.has_heard() {
                        generation = network_changes.generation();
                        overdue = Instant::now() + patience;
                        joined = Some(Box::pin(self.join(round_trip, early, &progress)));
                    }
                }
            }
        }
    }

    async fn join(
        &self,
        round_trip: Option<Duration>,
        early: Option<&Early>,
        progress: &Progress<'_>,
    ) -> Result<Arrived, DialError> {
        self.paths.dial(round_trip, early, &Progress::within(progress)).await
    }
}

/// Never, where there is none.
async fn of<T>(running: &mut Option<BoxFuture<'_, T>>) -> T {
    match running {
        Some(running) => running.await,
        None => std::future::pending().await,
    }
}
