//! What is kept of a query once it is answered, and the record that carries it to Node.
//!
//! A record is its length (u16, the whole record), the layout's version (u8), the numbers below in their order, and the texts:
//! the name with a length of u16 before it, the others with one of u8. Everything is little-endian. The control plane's side of it
//! is generated from here (`boundary.rs`), and so are the columns of the query log.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sotto_attribution::program::Program;

use super::names::Names;
use crate::attribution::Asker;
use crate::outcome::{ClearClass, Cost, Outcome, Stages, TransportKind};
use crate::query::Client;
use crate::upstream::outgoing::Traffic;
use crate::wire::question::Question;

/// How a query ended, for the count, and the whole story where somebody keeps it.
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
    /// of the response, extended
    pub rcode: u16,
    /// RFC 8914 info-code of the first extended error in the response
    pub extended_error: Option<u16>,
    pub total: Duration,
    pub stages: Stages,
    pub query_octets: u16,
    pub response_octets: u16,
    /// records in the answer section of the response
    pub answers: u16,
    pub round_trips: u8,
    pub handshake: Duration,
    pub traffic: Traffic,
    pub authentic: bool,
    /// id of the upstream, or address of the plain resolver
    pub upstream: &'static str,
    /// what decided: a bypass suffix or a special-use name
    pub rule: &'static str,
    /// the text of the extended error
    pub reason: Option<Box<str>>,
    pub client: Client,
    /// `None`: nobody has looked it up yet
    pub asker: Option<Asker>,
}

pub const LAYOUT: u8 = 5;
pub const NO_EXTENDED_ERROR: u16 = u16::MAX;
pub const AUTHENTIC: u8 = 1;

/// Declares the numbers of a record: what is written of an event, in this order, and what the generator must know of it. Words are
/// written as their position.
macro_rules! numbers {
    ($event:ident; $($(#[doc = $meaning:literal])* $name:ident: $number:ident $(($words:ident))? = $value:expr;)+) => {
        fn append_numbers($event: &Event, batch: &mut Vec<u8>) {
            $(batch.extend_from_slice(&<$number>::to_le_bytes($value));)+
        }

        #[cfg(test)]
        pub const NUMBERS: &[Number] = &[$(Number {
            name: stringify!($name),
            meaning: concat!($($meaning,)*),
            octets: size_of::<$number>(),
            words: [$(stringify!($words),)? ""][0],
        }),+];
    };
}

numbers! { event;
    outcome: u8 (Outcome) = event.outcome as u8;
    cost: u8 (Cost) = event.cost as u8;
    transport: u8 (TransportKind) = event.transport as u8;
    client_protocol: u8 (ClientProtocol) = event.client.protocol as u8;
    clear: u8 (ClearClass) = event.clear as u8;
    /// rises, unique while the engine runs
    id: u64 = event.id;
    /// unix microseconds, when the query arrived
    at: u64 = event.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
    r#type: u16 = event.question.kind;
    class: u16 = event.question.class;
    /// of the response, extended
    rcode: u16 = event.rcode;
    /// info-code of RFC 8914, or `noExtendedError`
    extended_error: u16 = event.extended_error.unwrap_or(NO_EXTENDED_ERROR);
    /// microseconds
    total: u32 = micros(event.total);
    /// microseconds
    policy: u32 = micros(event.stages.policy);
    /// microseconds
    cache: u32 = micros(event.stages.cache);
    /// microseconds that it waited for a connection
    connect: u32 = micros(event.stages.connect);
    /// microseconds that it waited for the upstream
    wait: u32 = micros(event.stages.wait);
    /// microseconds
    response: u32 = micros(event.stages.response);
    /// as received from the client
    query_octets: u16 = event.query_octets;
    /// as sent to the client
    response_octets: u16 = event.response_octets;
    /// records in the response's answer section: 0 where the name has none of this type
    answers: u16 = event.answers;
    client_port: u16 = event.client.address.port();
    /// spent upstream, handshakes included
    round_trips: u8 = event.round_trips;
    /// `authenticDataFlag`: AD is set in the response
    flags: u8 = if event.authentic { AUTHENTIC } else { 0 };
    /// octets of its messages on the upstream's connection, framing and padding included, TLS records not; each time it was sent
    /// counts. 0 where it shared another query's resolution
    sent: u32 = at_most(event.traffic.sent);
    /// likewise
    received: u32 = at_most(event.traffic.received);
    /// microseconds that opening its connection took; 0 where that was open
    handshake: u32 = micros(event.handshake);
    attribution: u8 (Attribution) = event.asker.unwrap_or_default().attribution() as u8;
}

/// The texts after the name, each at most 255 octets long.
#[cfg(test)]
pub const TEXTS: [&str; 9] =
    ["upstream", "rule", "reason", "client_address", "program", "unit", "container", "executable", "user"];

#[cfg(test)]
pub struct Number {
    pub name: &'static str,
    pub meaning: &'static str,
    pub octets: usize,
    /// the enum whose position it is; empty: of none
    pub words: &'static str,
}

/// Writes the record of an event. `names`: of who asked, as far as they are known.
pub fn append(event: &Event, names: &Names, batch: &mut Vec<u8>) {
    let start = batch.len();
    batch.extend_from_slice(&[0, 0, LAYOUT]);
    append_numbers(event, batch);
    let name = event.question.name.to_string();
    batch.extend_from_slice(&(name.len() as u16).to_le_bytes());
    batch.extend_from_slice(name.as_bytes());
    let reason = event.reason.as_deref().unwrap_or_default();
    let address = event.client.address.ip().to_string();
    let Names { program, executable, user } = names;
    let Program { name, unit, container } = &**program;
    for text in [event.upstream, event.rule, reason, &address, name, unit, container, executable, user] {
        append_text(text, batch);
    }
    let length = (batch.len() - start) as u16;
    batch[start..start + 2].copy_from_slice(&length.to_le_bytes());
}

/// Cut at 255 octets, between characters.
fn append_text(text: &str, batch: &mut Vec<u8>) {
    let end = (0..=text.len().min(255)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    batch.push(end as u8);
    batch.extend_from_slice(&text.as_bytes()[..end]);
}

fn micros(duration: Duration) -> u32 {
    u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)
}

fn at_most(octets: u64) -> u32 {
    u32::try_from(octets).unwrap_or(u32::MAX)
}
