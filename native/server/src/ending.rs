//! When a connection ends, and how.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::places::{Place, Urgency};

/// So long after it came, a stop waits for the first query of a connection. Clients should ask again what they lose with a connection
/// (RFC 7766 section 6.2.4), but kdig, for one, does not.
pub const NEWCOMER: Duration = Duration::from_secs(1);

/// Why a conversation has ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every response is out; the connection gets a close_notify.
    Polite,
    /// For too long, the client took nothing of what we sent.
    Stalled,
    /// Of memory or places, it or its network has most, and there are not enough.
    Expelled,
    /// The client has reset it, or it is not DNS: its first frame is too short for a message, or a response.
    Broken,
}

/// Resolves when a connection that has just come is not waited for any more.
pub async fn given_up(place: &Place) {
    let came = Instant::now();
    place.is_wanted(Urgency::Served).await;
    tokio::select! {
        () = place.is_wanted(Urgency::Soon) => {}
        () = sleep_until(came + NEWCOMER) => {}
    }
}
