//! The EncDNS zone: names below it are boxed queries, which the backend answers. Everything else that resolvers ask on their way there is
//! answered as an authority does, and never with NXDOMAIN, because that would deny the boxes below it (RFC 8020, RFC 9156).

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sotto_encdns::name::BoxedQuery;
use sotto_encdns::nonces::{Nonces, Tail};
use sotto_encdns::reply::BoxedReply;
use sotto_encdns::{PublicKey, SecretKey, SharedKey};
use sotto_wire::header::{self, rcode};
use sotto_wire::name::Name;
use sotto_wire::types;

use crate::backend::{Backend, Responded};
use crate::query::{Fault, Query};
use crate::response::{Owner, Response, Section, bare_header, refuse, refuse_unasked};
use crate::transport::{Terms, Transport};

/// Clients whose shared key is remembered: computing it costs more than all else of a query.
const CLIENTS: usize = 100_000;
/// Octets of replies that are kept for copies of a query: resolvers send two to six of each.
const REPLIES: u64 = 32 << 20;
/// A reply has to fit into a message of 65,535 octets, boxed and in character strings.
const LARGEST_TEXT: usize = 64_000;
const DAY: u32 = 86_400;
/// Of names and types that are not there, in seconds.
const NEGATIVE: u32 = 3_600;

pub struct EncDns {
    zone: Name,
    secret: SecretKey,
    nonces: Nonces,
    shared: Cache<PublicKey, Arc<SharedKey>>,
    /// data of the TXT record, by the octets of the boxed query
    replies: Cache<Box<[u8]>, Arc<[u8]>, Octets>,
    soa: Vec<u8>,
    name_server: Name,
    ns: Vec<u8>,
    addresses: Vec<Vec<u8>>,
}

/// The box was sealed for another key, or changed on the way; or there is no randomness for a nonce.
struct NotOpened;

#[derive(Clone)]
struct Octets;

impl Weighter<Box<[u8]>, Arc<[u8]>> for Octets {
    fn weight(&self, query: &Box<[u8]>, reply: &Arc<[u8]>) -> u64 {
        (query.len() + reply.len() + 64) as u64
    }
}

impl EncDns {
    /// `addresses`: what the zone says of its name server, ns in the zone.
    pub fn new(zone: Name, secret: SecretKey, addresses: &[IpAddr]) -> Self {
        let below = |label: &[u8]| [&[label.len() as u8], label, zone.as_wire()].concat();
        let (name_server, hostmaster) = (below(b"ns"), below(b"hostmaster"));
        let numbers = [1, DAY, 7_200, 14 * DAY, NEGATIVE].map(u32::to_be_bytes).concat();
        Self {
            zone,
            secret,
            nonces: Nonces::new(),
            shared: Cache::new(CLIENTS),
            replies: Cache::with_weighter(REPLIES as usize / 512, REPLIES, Octets),
            soa: record(types::SOA, NEGATIVE, &[&name_server[..], &hostmaster, &numbers].concat()),
            ns: record(types::NS, DAY, &name_server),
            name_server: Name::read(&name_server, 0).map_or(Name::ROOT, |(name, _)| name),
            addresses: addresses.iter().map(|address| address_record(*address)).collect(),
        }
    }

    /// Whether a name is the zone's, or below it.
    pub fn has(&self, name: &Name) -> bool {
        name.ends_with(&self.zone)
    }

    pub fn respond(
        self: &Arc<Self>,
        query: &Query,
        message: &[u8],
        terms: Terms,
        backend: &Backend,
        out: &mut Vec<u8>,
    ) -> Responded {
        let is_boxed = query.question.kind == types::TXT && BoxedQuery::read(self.labels(query)).is_some();
        if !is_boxed {
            self.answer_of_zone(query, terms, out);
            return Responded::Written;
        }
        let (own, backend, message) = (self.clone(), backend.clone(), message.to_vec());
        Responded::Later(Box::pin(async move { own.answer_boxed(&message, terms, &backend).await }))
    }

    /// What stands before the zone, in the case in which it came.
    fn labels<'a>(&self, query: &Query<'a>) -> &'a [u8] {
        let name = query.question.name.as_wire().len();
        &query.octets[..name - self.zone.as_wire().len()]
    }

    async fn answer_boxed(&self, message: &[u8], terms: Terms, backend: &Backend) -> Vec<u8> {
        let mut out = Vec::new();
        let Ok(query) = Query::parse(message) else { return out };
        let Some(boxed) = BoxedQuery::read(self.labels(&query)) else { return out };
        let identity = [&boxed.client.0[..], &boxed.nonce, &boxed.boxed].concat().into_boxed_slice();
        let replied = self.replies.get_or_insert_async(&identity, self.reply(&boxed, backend)).await;
        match replied {
            Ok(data) => {
                let mut response = Response::new(&query, terms, &mut out);
                response.set(header::AA);
                response.record(Section::Answer, Owner::QUESTION, &record(types::TXT, 0, &data));
                response.finish(rcode::NOERROR, &[]);
            }
            Err(NotOpened) => refuse(&query, terms, rcode::SERVFAIL, &[], &mut out),
        }
        out
    }

    /// Opens, asks, seals.
    async fn reply(&self, query: &BoxedQuery, backend: &Backend) -> Result<Arc<[u8]>, NotOpened> {
        let shared = self.shared_with(&query.client);
        let text = shared.open(query.nonce, [0; 12], &query.boxed).ok_or(NotOpened)?;
        let response = answer(text, backend).await;
        let server = self.nonces.next(Tail::Random).map_err(|_| NotOpened)?;
        let boxed = shared.seal(query.nonce, server, &response);
        Ok(BoxedReply { client: query.nonce, server, boxed }.data().into())
    }

    fn shared_with(&self, client: &PublicKey) -> Arc<SharedKey> {
        let compute = || Ok::<_, std::convert::Infallible>(Arc::new(self.secret.shared(client)));
        match self.shared.get_or_insert_with(client, compute) {
            Ok(shared) => shared,
        }
    }

    /// SOA, NS and addresses; of all other names and types, that there is nothing.
    fn answer_of_zone(&self, query: &Query, terms: Terms, out: &mut Vec<u8>) {
        let mut response = Response::new(query, terms, out);
        response.set(header::AA);
        let before = response_records(self, query);
        for record in &before {
            response.record(Section::Answer, Owner::QUESTION, record);
        }
        if before.is_empty() {
            let name = query.question.name.as_wire().len();
            let apex = header::LENGTH + name - self.zone.as_wire().len();
            response.record(Section::Authority, Owner::At(apex), &self.soa);
        }
        response.finish(rcode::NOERROR, &[]);
    }
}

fn response_records<'a>(own: &'a EncDns, query: &Query) -> Vec<&'a [u8]> {
    let kind = query.question.kind;
    let all = [own.soa.as_slice(), &own.ns];
    let of_name: Vec<&[u8]> = if query.question.name == own.zone {
        all.to_vec()
    } else if query.question.name == own.name_server {
        own.addresses.iter().map(Vec::as_slice).collect()
    } else {
        vec![]
    };
    of_name.into_iter().filter(|record| record[..2] == kind.to_be_bytes()).collect()
}

/// The response to what was in the box, whatever it was.
async fn answer(text: Vec<u8>, backend: &Backend) -> Vec<u8> {
    let terms = Terms::from(Transport::Tcp { idle: Duration::ZERO }).at_most(LARGEST_TEXT);
    let mut out = Vec::new();
    match Query::parse(&text) {
        Ok(query) if refuse_unasked(&query, terms, &mut out) => out,
        Ok(_) => backend.answer(text, terms).await,
        Err(Fault::Code { header, rcode, edns }) => {
            bare_header(header, rcode, edns.as_ref(), terms, &mut out);
            out
        }
        Err(Fault::Silence) => out,
    }
}

/// Type, class, TTL, length and data.
fn record(kind: u16, ttl: u32, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u16).to_be_bytes();
    [&kind.to_be_bytes()[..], &types::IN.to_be_bytes(), &ttl.to_be_bytes(), &length, data].concat()
}

fn address_record(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(v4) => record(types::A, DAY, &v4.octets()),
        IpAddr::V6(v6) => record(types::AAAA, DAY, &v6.octets()),
    }
}

impl fmt::Debug for EncDns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncDns({})", self.zone)
    }
}
