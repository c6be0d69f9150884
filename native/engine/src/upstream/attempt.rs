//! One try at one address. Where the path's round trip is known, each step has the time it needs and no more; where it is not,
//! the steps' own limits hold.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::dial::{Dial, How, Link, Step};
use super::failure::DialReason;
use crate::outcome::TransportKind;

/// A lost SYN is sent again after a second (RFC 6298 section 2.1): less would give up what TCP is about to mend.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(2);
/// Beyond three round trips.
const ALLOWANCE: Duration = Duration::from_millis(400);

/// When the server last gave a sign, and what it is expected to do next.
pub struct Progress {
    last: Mutex<(Instant, &'static str)>,
}

impl Progress {
    /// Of a dial that begins.
    pub fn start() -> Self {
        Self { last: Mutex::new((Instant::now(), "TCP")) }
    }

    pub fn since(&self) -> Instant {
        self.last.lock().expect("nothing panics while noting a step").0
    }

    fn awaited(&self) -> &'static str {
        self.last.lock().expect("nothing panics while noting a step").1
    }

    fn expect(&self, next: &'static str) {
        *self.last.lock().expect("nothing panics while noting a step") = (Instant::now(), next);
    }
}

pub async fn attempt(
    dialer: &dyn Dial,
    kind: TransportKind,
    address: SocketAddr,
    round_trip: Option<Duration>,
    progress: &Progress,
) -> Result<Link, DialReason> {
    progress.expect("TCP");
    let note = |step: Step<'_>| match step {
        Step::Connected if kind == TransportKind::Tdns => progress.expect("STARTTLS"),
        Step::Connected | Step::StarttlsAccepted => progress.expect("the TLS hello"),
        Step::Secured(..) => {}
    };
    let how = How { watch: &note };
    let mut dialing = dialer.dial(address, &how);
    let Some(limit) = round_trip.map(limit) else { return dialing.await };
    loop {
        tokio::select! {
            result = &mut dialing => return result,
            () = sleep_until(progress.since() + limit) => {
                if progress.since() + limit <= Instant::now() {
                    return Err(DialReason::Silent(progress.awaited()));
                }
            }
        }
    }
}

fn limit(round_trip: Duration) -> Duration {
    (round_trip * 3 + ALLOWANCE).clamp(SHORTEST, LONGEST)
}
