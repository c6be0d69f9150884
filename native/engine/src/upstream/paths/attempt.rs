//! One try at one address. Where the path's round trip is known, each step gets the time that it needs and no more; elsewhere the
//! steps' own limits hold.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::endpoint::Endpoint;
use crate::upstream::connection::early::Early;
use crate::upstream::connection::fitting::{self, Place};
use crate::upstream::connection::link::{How, Link};
use crate::upstream::dial::hello::Hello;
use crate::upstream::dial::step::Step;
use crate::upstream::failure::dial_error::{DialReason, TLS_HELLO};
use crate::upstream::paths::path::Path;

/// TCP sends a lost SYN again after a second (RFC 6298 section 2.1); a shorter limit would give up too soon.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(2);
/// The time allowed beyond three round trips.
const ALLOWANCE: Duration = Duration::from_millis(400);

/// When the server last gave a sign, and what it is expected to do next.
pub struct Progress<'a> {
    latest: Mutex<Latest>,
    /// it is told of each sign, too
    above: Option<&'a Progress<'a>>,
}

struct Latest {
    at: Instant,
    awaited: &'static str,
    heard: bool,
    deferred: bool,
}

impl<'a> Progress<'a> {
    /// For a dial that begins.
    pub fn start() -> Self {
        let latest = Latest { at: Instant::now(), awaited: "TCP", heard: false, deferred: false };
        Self { latest: Mutex::new(latest), above: None }
    }

    /// For one try among several.
    pub fn within(above: &'a Progress<'a>) -> Self {
        Self { above: Some(above), ..Self::start() }
    }

    pub fn since(&self) -> Instant {
        self.latest().at
    }

    /// The server gave a sign.
    pub fn has_heard(&self) -> bool {
        self.latest().heard
    }

    /// The first octets left with the SYN.
    pub fn is_deferred(&self) -> bool {
        self.latest().deferred
    }

    fn begin(&self) {
        self.latest().at = Instant::now();
    }

    /// For another try on the same path: what is above gives it time, too.
    fn begin_again(&self) {
        self.begin();
        if let Some(above) = self.above {
            above.begin_again();
        }
    }

    fn sign(&self, next: &'static str) {
        let mut latest = self.latest();
        (latest.at, latest.awaited, latest.heard) = (Instant::now(), next, true);
        drop(latest);
        if let Some(above) = self.above {
            above.sign(next);
        }
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().expect("nothing panics while noting a step")
    }
}

pub async fn attempt(
    path: &Path,
    to: Endpoint,
    round_trip: Option<Duration>,
    early: Option<&Early>,
    progress: &Progress<'_>,
    fast_open: bool,
    place: &Place<'_>,
) -> Result<Link, DialReason> {
    progress.begin();
    let note = |step: Step<'_>| match step {
        Step::Connected => progress.sign(path.dialer.first_response()),
        Step::Agreed(..) => progress.sign(TLS_HELLO),
        Step::Smaller => progress.begin_again(),
        // the first response acknowledges the SYN as well
        Step::Deferred => progress.latest().deferred = true,
        Step::Secured(..) => {}
    };
    let patience = path.dialer.patience();
    let how = How { watch: &note, fast_open, patience, hello: Hello::Usual, early };
    let mut dialing = Box::pin(fitting::dial(path.dialer.as_ref(), to, &how, place));
    let Some(limit) = round_trip.map(|round_trip| limit(round_trip) * patience) else { return dialing.await };
    loop {
        tokio::select! {
            result = &mut dialing => return result,
            () = sleep_until(progress.since() + limit) => {
                if progress.since() + limit <= Instant::now() {
                    return Err(DialReason::Silent(progress.latest().awaited));
                }
            }
        }
    }
}

fn limit(round_trip: Duration) -> Duration {
    (round_trip * 3 + ALLOWANCE).clamp(SHORTEST, LONGEST)
}
