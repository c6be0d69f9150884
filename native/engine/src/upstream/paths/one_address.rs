//! One address of an upstream: with Fast Open where nothing forbids it, joined by a try without where that stays silent. A path
//! that let the second through and not the first is remembered.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::endpoint::Endpoint;
use crate::upstream::connection::early::Early;
use crate::upstream::connection::link::Link;
use crate::upstream::dial::fast_open::FastOpen;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::memory::connections::Connections;
use crate::upstream::paths::attempt::{Progress, attempt};
use crate::upstream::paths::path::Path;

/// For an answer to what left with the SYN, as long as the path's round trip is not known.
const PATIENCE: Duration = Duration::from_millis(200);
/// Beyond one round trip, where it is.
const ALLOWANCE: Duration = Duration::from_millis(100);

/// Where connections are opened, and what is known of it.
#[derive(Clone)]
pub struct Surface {
    pub connections: Arc<Connections>,
    pub network: Arc<str>,
}

impl Surface {
    fn allows_fast_open(&self, path: &Path, address: Endpoint) -> bool {
        self.connections.settings().fast_open
            && path.dialer.fast_opens()
            && !self.connections.black_holes.is_known(&self.network, address)
    }

    fn swallowed(&self, address: Endpoint) {
        self.connections.black_holes.swallowed(&self.network, address);
    }

    fn passed(&self, address: Endpoint) {
        self.connections.black_holes.passed(&self.network, address);
    }
}

/// `above`: of all tries of this path.
pub async fn dial_address(
    path: &Path,
    address: Endpoint,
    round_trip: Option<Duration>,
    early: Option<&Early>,
    above: &Progress<'_>,
    surface: &Surface,
) -> Result<Link, DialReason> {
    let (progress, plain_progress) = (Progress::within(above), Progress::within(above));
    let without = || attempt(path, address, round_trip, early, &plain_progress, false);
    if !surface.allows_fast_open(path, address) {
        return without().await;
    }
    let mut with = Box::pin(attempt(path, address, round_trip, early, &progress, true));
    let soon = tokio::select! {
        result = &mut with => Some(result),
        () = silence(&progress, round_trip) => None,
    };
    match soon {
        Some(Err(reason)) if progress.is_deferred() && is_of_the_path(&reason) => {
            let link = without().await;
            if link.is_ok() {
                surface.swallowed(address);
            }
            return link;
        }
        Some(result) => return settled(result, address, surface),
        None => {}
    }
    let mut plain = Box::pin(without());
    tokio::select! {
        biased;
        result = &mut with => match result {
            Err(reason) if is_of_the_path(&reason) => {
                let link = plain.await;
                if link.is_ok() {
                    surface.swallowed(address);
                }
                link
            }
            result => settled(result, address, surface),
        },
        result = &mut plain => match result {
            Ok(link) => {
                surface.swallowed(address);
                Ok(link)
            }
            Err(without) => settled(with.await.map_err(|with| with.or_graver(without)), address, surface),
        },
    }
}

fn settled(
    result: Result<Link, DialReason>,
    address: Endpoint,
    surface: &Surface,
) -> Result<Link, DialReason> {
    if result.as_ref().is_ok_and(|link| link.fast_open == FastOpen::Accepted) {
        surface.passed(address);
    }
    result
}

/// What a path does that takes no octets with a SYN, and not what a server says.
fn is_of_the_path(reason: &DialReason) -> bool {
    matches!(reason, DialReason::Connect(_) | DialReason::Silent(_) | DialReason::Broken { .. })
}

/// Until no sign came for as long as an answer takes; never, once there was one.
async fn silence(progress: &Progress<'_>, round_trip: Option<Duration>) {
    let patience = round_trip.map_or(PATIENCE, |round_trip| round_trip + ALLOWANCE);
    sleep_until(Instant::now() + patience).await;
    if progress.has_heard() {
        std::future::pending::<()>().await;
    }
}
