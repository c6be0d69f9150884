//! A client's query, checked (RFC 1035, 6891, 8906, 8945, 9619; docs/design/unresolved-queries.md).

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::cache::key::{Partition, Parts};
use crate::outcome::ClientProtocol;
use crate::upstream::outgoing::Outgoing;
use crate::wire::edns::{Edns, ExtendedError};
use crate::wire::header::{self, Header, rcode};
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::{tsig, types, validity};

/// Which client a query came from, and when.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    pub protocol: ClientProtocol,
    pub address: SocketAddr,
    /// where it reached us
    pub to: SocketAddr,
    /// how long it lay in the socket's queue before it was read
    pub unread: Duration,
    pub arrived: Instant,
    pub arrived_at: SystemTime,
}

/// The address of a query that came over no socket.
pub const NOBODY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

impl Client {
    pub fn now(protocol: ClientProtocol, address: SocketAddr, to: SocketAddr) -> Self {
        Self {
            protocol,
            address,
            to,
            unread: Duration::ZERO,
            arrived: Instant::now(),
            arrived_at: SystemTime::now(),
        }
    }

    /// The same client with a query that arrives now.
    pub fn again(&self) -> Self {
        Self::now(self.protocol, self.address, self.to)
    }
}

#[derive(Debug, Clone)]
pub struct Query {
    pub header: Header,
    pub question: Question,
    pub edns: Option<Edns>,
    /// octets as received
    pub length: usize,
    /// name, type and class, in the case in which they came
    octets: [u8; 259],
    octets_used: u16,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // on the stack, for a moment
pub enum Received {
    Query(Query),
    /// It is not resolved; the response has this code, and sometimes the reason.
    Wrong(Query, u16, Option<ExtendedError>),
    /// It is signed with a key that we do not have: the record that says so.
    Signed(Query, Vec<u8>),
    /// The question can't be repeated in a response; the OPT is the one that came.
    Unreadable(Header, Option<Edns>, u16),
    /// It is no query at all, and a response would help a reflection attack (RFC 8906 section 3.2.2 allows silence).
    Noise,
}

impl Query {
    pub fn read(message: &[u8]) -> Received {
        let Ok(header) = Header::read(message) else {
            return Received::Noise;
        };
        if header.is_response() {
            return Received::Noise;
        }
        let unreadable = |code| {
            let edns = Edns::of_wrong(message);
            let code = if is_too_new(edns.as_ref()) { rcode::BADVERS } else { code };
            Received::Unreadable(header, edns, code)
        };
        if header.opcode() != 0 {
            return unreadable(rcode::NOTIMP);
        }
        if header.counts[0] != 1 {
            // RFC 7873 section 5.4: a client may ask for a cookie alone; there are none here
            let for_a_cookie =
                header.counts == [0, 0, 0, 1] && matches!(validity::check_query(message), Ok((_, Some(_))));
            return unreadable(if for_a_cookie { rcode::NOERROR } else { rcode::FORMERR });
        }
        let Ok((question, end)) = Question::read(message) else {
            return unreadable(rcode::FORMERR);
        };
        let asked = &message[header::LENGTH..end];
        let mut query = Self {
            header,
            question,
            edns: None,
            length: message.len(),
            octets: [0; 259],
            octets_used: asked.len() as u16,
        };
        query.octets[..asked.len()].copy_from_slice(asked);
        match validity::check_query(message) {
            Ok((edns, _)) => query.edns = edns,
            Err(_) => {
                query.edns = Edns::of_wrong(message);
                let code = if is_too_new(query.edns.as_ref()) { rcode::BADVERS } else { rcode::FORMERR };
                return Received::Wrong(query, code, None);
            }
        }
        if is_too_new(query.edns.as_ref()) {
            return Received::Wrong(query, rcode::BADVERS, None);
        }
        // most queries hold an OPT at most
        let records: u32 = header.counts[1..].iter().map(|count| u32::from(*count)).sum();
        if records > u32::from(query.edns.is_some()) {
            match tsig::refusal(message) {
                Ok(None) => {}
                Ok(Some(refusal)) => return Received::Signed(query, refusal),
                Err(_) => return Received::Wrong(query, rcode::FORMERR, None),
            }
        }
        match query.refusal() {
            Some((code, why)) => {
                let why = why.map(|why| ExtendedError::new(ExtendedError::NOT_SUPPORTED, why));
                Received::Wrong(query, code, why)
            }
            None => Received::Query(query),
        }
    }

    /// Why Sotto does not resolve it.
    fn refusal(&self) -> Option<(u16, Option<&'static str>)> {
        match (self.question.kind, self.question.class) {
            // no data can have these types (RFC 6895 section 3.1)
            (types::NONE | types::OPT | types::NXNAME | types::TSIG, _) => Some((rcode::FORMERR, None)),
            (types::TKEY | types::MAILB | types::MAILA, _) => Some((rcode::NOTIMP, None)),
            (types::AXFR | types::IXFR, _) => Some((rcode::REFUSED, Some("Sotto transfers no zones"))),
            (_, types::IN) => None,
            // rules, filters and special-use names speak of the Internet; Chaosnet queries ask about servers, and get nothing here
            _ => Some((rcode::REFUSED, Some("Sotto resolves names of the class IN only"))),
        }
    }

    /// The same query for another name, for which the first one is an alias.
    pub fn about(&self, name: Name) -> Self {
        let question = Question { name, ..self.question };
        let message = question.query(0, 0);
        let asked = &message[header::LENGTH..];
        let mut query = Self { question, octets_used: asked.len() as u16, ..self.clone() };
        query.octets[..asked.len()].copy_from_slice(asked);
        query
    }

    pub fn question_octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.octets_used)]
    }

    /// The key under which the cache keeps its response.
    pub fn parts(&self, generation: u32) -> Parts<'_> {
        let Question { name, kind, class } = &self.question;
        let (dnssec_ok, checking_disabled) = (self.dnssec_ok(), self.checking_disabled());
        let partition = Partition { dnssec_ok, checking_disabled, generation };
        Parts { name: name.as_wire(), kind: *kind, class: *class, partition }
    }

    pub fn outgoing(&self) -> Outgoing {
        let (disabled, dnssec_ok) = (self.checking_disabled(), self.dnssec_ok());
        Outgoing::new(self.question, self.question_octets(), disabled, dnssec_ok)
    }

    /// Whether upstreams may be asked for it; otherwise only an authority may answer (RFC 1035 section 4.1.1).
    pub fn wants_recursion(&self) -> bool {
        self.header.has(header::RD)
    }

    pub fn dnssec_ok(&self) -> bool {
        self.edns.as_ref().is_some_and(|edns| edns.dnssec_ok)
    }

    pub fn checking_disabled(&self) -> bool {
        self.header.has(header::CD)
    }

    /// Whether the client understands AD (RFC 6840 section 5.7).
    pub fn wants_authentic(&self) -> bool {
        self.header.has(header::AD) || self.dnssec_ok()
    }
}

/// BADVERS takes precedence over all other errors (RFC 6891 section 6.1.3).
fn is_too_new(edns: Option<&Edns>) -> bool {
    edns.is_some_and(|edns| edns.version > 0)
}
