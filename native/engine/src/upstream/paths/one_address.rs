//! Opens a connection to one address of an upstream. Fast Open is used where nothing forbids it. Where that try stays silent, a
//! second one without Fast Open starts beside it. A path that let the second through and not the first is remembered.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::endpoint::Endpoint;
use crate::upstream::connection::early::Early;
use crate::upstream::connection::fitting::Place;
use crate::upstream::connection::link::Link;
use crate::upstream::dial::fast_open::FastOpen;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::memory::connections::Connections;
use crate::upstream::paths::attempt::{Progress, attempt};
use crate::upstream::paths::path::Path;

/// How long the try with Fast Open may be silent while the path's round trip is not known.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long it may be silent beyond one round trip, where that is known.
const ALLOWANCE: Duration = Duration::from_millis(100);

/// The network on which connections are opened, and what is known of it.
#[derive(Clone)]
pub struct Surface {
    pub connections: Arc<Connections>,
    pub network: Arc<str>,
}

impl Surface {
    fn place(&self) -> Place<'_> {
        Place { network: &self.network, large_hellos: &self.connections.large_hellos }
    }

    fn swallows_large_hellos(&self, address: Endpoint) -> bool {
        self.connections.large_hellos.is_known(&self.network, address)
    }
}

/// An address, and what is concluded about the path to it.
struct Target<'a> {
    surface: &'a Surface,
    address: Endpoint,
    /// it was known before that large hellos do not pass
    large_hellos_swallowed: bool,
}

impl<'a> Target<'a> {
    fn new(surface: &'a Surface, address: Endpoint) -> Self {
        Self { surface, address, large_hellos_swallowed: surface.swallows_large_hellos(address) }
    }

    fn allows_fast_open(&self, path: &Path) -> bool {
        self.surface.connections.settings().fast_open
            && path.dialer.fast_opens()
            && !self.surface.connections.black_holes.is_known(&self.surface.network, self.address)
    }

    /// Where it was the hello that did not pass, nothing is known about Fast Open.
    fn swallowed(&self) {
        let Self { surface, address, large_hellos_swallowed } = self;
        if surface.swallows_large_hellos(*address) == *large_hellos_swallowed {
            surface.connections.black_holes.swallowed(&surface.network, *address);
        }
    }

    fn passed(&self) {
        self.surface.connections.black_holes.passed(&self.surface.network, self.address);
    }
}

/// `above` is the progress of all tries of this path.
pub async fn dial_address(
    path: &Path,
    address: Endpoint,
    round_trip: Option<Duration>,
    early: Option<&Early>,
    above: &Progress<'_>,
    surface: &Surface,
) -> Tried {
    let (progress, plain_progress) = (Progress::within(above), Progress::within(above));
    let (place, target) = (surface.place(), &Target::new(surface, address));
    let without = || attempt(path, address, round_trip, early, &plain_progress, false, &place);
    if !target.allows_fast_open(path) {
        return without().await;
    }
    let mut with = Box::pin(attempt(path, address, round_trip, early, &progress, true, &place));
    let soon = tokio::select! {
        result = &mut with => Some(result),
        () = silence(&progress, round_trip) => None,
    };
    match soon {
        Some(Err(reason)) if progress.is_deferred() && is_of_the_path(&reason) => {
            plain_alone(without(), target).await
        }
        Some(result) => settled(result, target),
        None => whichever_connects(with, Box::pin(without()), target).await,
    }
}

type Tried = Result<Link, DialReason>;

/// Both tries at once, from the moment at which the one with Fast Open has been silent for too long.
async fn whichever_connects(
    mut with: impl Future<Output = Tried> + Unpin,
    mut plain: impl Future<Output = Tried> + Unpin,
    target: &Target<'_>,
) -> Tried {
    tokio::select! {
        biased;
        result = &mut with => match result {
            Err(reason) if is_of_the_path(&reason) => plain_alone(plain, target).await,
            result => settled(result, target),
        },
        result = &mut plain => match result {
            Ok(link) => {
                target.swallowed();
                Ok(link)
            }
            Err(without) => settled(with.await.map_err(|with| with.or_graver(without)), target),
        },
    }
}

/// The try without Fast Open, after the other one has failed. If it connects, the path swallows what a SYN carries.
async fn plain_alone(plain: impl Future<Output = Tried>, target: &Target<'_>) -> Tried {
    let link = plain.await;
    if link.is_ok() {
        target.swallowed();
    }
    link
}

/// The result of the try with Fast Open. If the server accepted it, the path lets it through.
fn settled(result: Tried, target: &Target<'_>) -> Tried {
    if result.as_ref().is_ok_and(|link| link.fast_open == FastOpen::Accepted) {
        target.passed();
    }
    result
}

/// Whether a path that takes no octets with a SYN may be the reason. What a server says is not of the path.
fn is_of_the_path(reason: &DialReason) -> bool {
    matches!(reason, DialReason::Connect(_) | DialReason::Silent(_) | DialReason::Broken { .. })
}

/// Returns when no sign has come for as long as a response takes. Never returns if there was a sign.
async fn silence(progress: &Progress<'_>, round_trip: Option<Duration>) {
    let patience = round_trip.map_or(PATIENCE, |round_trip| round_trip + ALLOWANCE);
    sleep_until(Instant::now() + patience).await;
    if progress.has_heard() {
        std::future::pending::<()>().await;
    }
}
