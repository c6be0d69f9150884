//! What is kept of a question once it is answered.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use crate::outcome::{ClearClass, ClientProtocol, Cost, Outcome, Stages, TransportKind};
use crate::upstream::outgoing::Traffic;
use crate::wire::question::Question;

/// How a question ended, for the count, and the whole story where somebody keeps it.
#[derive(Debug)]
pub struct Noted {
    pub outcome: Outcome,
    pub event: Option<Box<Event>>,
}

#[derive(Debug, Clone)]
pub struct Event {
    /// given by the ring; zero before
    pub id: u64,
    pub at: SystemTime,
    pub question: Question,
    pub outcome: Outcome,
    pub cost: Cost,
    pub transport: TransportKind,
    pub clear: ClearClass,
    /// of the reply, extended
    pub rcode: u16,
    /// RFC 8914 info-code of the first extended error in the reply
    pub extended_error: Option<u16>,
    pub total: Duration,
    pub stages: Stages,
    pub question_octets: u16,
    pub answer_octets: u16,
    pub round_trips: u8,
    /// what the connection that carried it took to open; zero where it was open
    pub handshake: Duration,
    /// its messages upstream, framing and padding included
    pub traffic: Traffic,
    pub authentic: bool,
    /// id of the upstream, or address of the plain resolver
    pub upstream: &'static str,
    /// what decided: a bypass suffix or a special-use name
    pub rule: &'static str,
    /// the text of the extended error
    pub reason: Option<Box<str>>,
    pub protocol: ClientProtocol,
    pub client: SocketAddr,
}
