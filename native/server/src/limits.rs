//! How much a client may use (RFC 9210 section 4, RFC 7766 section 6.2).

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Open connections; see [`crate::places`] for one more.
    pub connections: usize,
    /// Octets that they may hold together for what is not through, see [`crate::memory`].
    pub memory: usize,
    /// New connections per second of one network, see [`crate::network`]; 0: no limit.
    pub new_connections: u32,
    /// Responses over UDP per second to one neighbourhood, see [`crate::network`], where the sender may be forged; 0: no limit.
    pub unproven_responses: u32,
    /// Queries without a response yet on one connection; no more are read until one is answered.
    pub in_flight: usize,
    /// Queries without a response yet over one UDP socket, shared by the networks as [`crate::slots`] has it; more are dropped.
    pub datagrams_in_flight: usize,
    /// A connection on which nothing happens for this long is closed.
    pub idle: Duration,
    /// From accept to the end of the TLS handshake.
    pub handshake: Duration,
    /// A client that takes no octet of its responses for this long is cut off.
    pub stalled: Duration,
    /// After our close_notify, how long the client may take to close TCP.
    pub farewell: Duration,
    /// After a stop, how long queries in flight may take.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 10_000,
            memory: 256 << 20,
            new_connections: 0,
            unproven_responses: 0,
            in_flight: 4_096,
            datagrams_in_flight: 8_192,
            idle: Duration::from_secs(60),
            handshake: Duration::from_secs(10),
            stalled: Duration::from_secs(10),
            farewell: Duration::from_secs(2),
            drain: Duration::from_secs(6),
        }
    }
}
