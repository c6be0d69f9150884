//! When a connection ends, and how.

use std::time::Duration;

use tokio::time::sleep;

use crate::places::Place;

/// So long after it came, a stop waits for the first query of a connection: whoever has just come would lose it and, unlike a client
/// that loses a connection which it has used, would not ask again (RFC 7766 section 6.2.4).
pub const NEWCOMER: Duration = Duration::from_secs(1);

/// Why a conversation has ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every response is out; the connection gets a close_notify.
    Polite,
    /// For too long, the client took nothing of what we sent.
    Stalled,
    /// All connections hold too much memory, and this one most of it.
    TooHeavy,
    /// The client has reset it, or it is not DNS: a frame too short for a message, a response, one fault after another.
    Broken,
}

/// Resolves when a connection that has just come is not waited for any more.
pub async fn given_up(place: &Place) {
    let for_newcomers = sleep(NEWCOMER);
    place.is_wanted().await;
    if !place.is_lost() {
        for_newcomers.await;
    }
}
