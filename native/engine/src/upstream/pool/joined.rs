//! A dial that is under way when the network changes. What it has sent may be lost, and TCP would wait for a second before it
//! sends that again. So another dial joins it, unless a server has given a sign by then; the first to arrive is taken.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::upstream::connection::early::Early;
use crate::upstream::failure::dial_error::DialError;
use crate::upstream::paths::attempt::Progress;
use crate::upstream::paths::path::Arrived;
use crate::upstream::pool::seat::Inner;
use crate::upstream::running::BoxFuture;

/// How long the first sign is waited for. One change has many generations, and the dial that began in the last one needs no second.
const PATIENCE: Duration = Duration::from_millis(250);

type Arriving<'a> = BoxFuture<'a, Result<Arrived, DialError>>;

impl Inner {
    /// `generation` of network changes at its beginning. The dial that joined is replaced by the next one, if it is silent, too.
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
        // the errors of those that joined and failed before it
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

/// Never returns if there is none.
async fn of<T>(running: &mut Option<BoxFuture<'_, T>>) -> T {
    match running {
        Some(running) => running.await,
        None => std::future::pending().await,
    }
}
