//! The EncDNS zone: names below it are boxed queries, which the backend answers.

mod authority;
mod keys;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sotto_encdns::SecretKey;
use sotto_encdns::name::BoxedQuery;
use sotto_encdns::nonces::Nonces;
use sotto_encdns::reply::BoxedReply;
use sotto_wire::header::{self, rcode};
use sotto_wire::name::Name;
use sotto_wire::types;

use crate::backend::{Backend, Responded};
use crate::query::{Fault, Query};
use crate::response::{Owner, Response, Section, bare_header, refuse, refuse_unasked};
use crate::transport::{Terms, Transport};
use authority::{Authority, record};
use keys::{Opened, ZoneKeys};

/// Octets of replies that are kept for copies of a query: resolvers send two to six of each.
const REPLIES: u64 = 32 << 20;
/// A reply has to fit into a message of 65,535 octets, boxed and in character strings.
const LARGEST_TEXT: usize = 64_000;

/// What an operator chooses.
pub struct EncDns {
    zone: Name,
    /// the present one first
    secrets: Vec<SecretKey>,
    addresses: Vec<IpAddr>,
}

impl EncDns {
    /// `addresses`: what the zone says of its name server, ns in the zone.
    pub fn new(zone: Name, secret: SecretKey, addresses: &[IpAddr]) -> Self {
        Self { zone, secrets: vec![secret], addresses: addresses.to_vec() }
    }

    /// Boxes for these keys are opened, too.
    pub fn with_older_keys(mut self, older: impl IntoIterator<Item = SecretKey>) -> Self {
        self.secrets.extend(older);
        self
    }
}

impl fmt::Debug for EncDns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncDns({})", self.zone)
    }
}

pub struct BoxedZone {
    zone: Name,
    authority: Authority,
    keys: ZoneKeys,
    nonces: Nonces,
    /// data of the TXT record, by the octets of the boxed query
    replies: Cache<Box<[u8]>, Arc<[u8]>, Octets>,
    backend: Backend,
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

impl BoxedZone {
    pub fn new(encdns: EncDns, backend: Backend) -> Self {
        let EncDns { zone, secrets, addresses } = encdns;
        Self {
            zone,
            authority: Authority::new(zone, &addresses),
            keys: ZoneKeys::new(secrets),
            nonces: Nonces::new(),
            replies: Cache::with_weighter(REPLIES as usize / 512, REPLIES, Octets),
            backend,
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
        out: &mut Vec<u8>,
    ) -> Responded {
        let is_boxed = query.question.kind == types::TXT && BoxedQuery::read(self.labels(query)).is_some();
        if !is_boxed {
            self.authority.answer(query, terms, out);
            return Responded::Written;
        }
        let (own, message) = (self.clone(), message.to_vec());
        Responded::Later(Box::pin(async move { own.answer_boxed(&message, terms).await }))
    }

    /// What stands before the zone, in the case in which it came.
    fn labels<'a>(&self, query: &Query<'a>) -> &'a [u8] {
        let name = query.question.name.as_wire().len();
        &query.octets[..name - self.zone.as_wire().len()]
    }

    async fn answer_boxed(&self, message: &[u8], terms: Terms) -> Vec<u8> {
        let mut out = Vec::new();
        let Ok(query) = Query::parse(message) else { return out };
        let Some(boxed) = BoxedQuery::read(self.labels(&query)) else { return out };
        let identity = [&boxed.client.0[..], &boxed.nonce, &boxed.boxed].concat().into_boxed_slice();
        let replied = self.replies.get_or_insert_async(&identity, self.reply(&boxed)).await;
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
    async fn reply(&self, query: &BoxedQuery) -> Result<Arc<[u8]>, NotOpened> {
        let Opened { text, shared } = self.keys.open(query).ok_or(NotOpened)?;
        let response = answer(text, &self.backend).await;
        let server = self.nonces.next().map_err(|_| NotOpened)?;
        let boxed = shared.seal(query.nonce, server, &response);
        Ok(BoxedReply { client: query.nonce, server, boxed }.data().into())
    }
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

impl fmt::Debug for BoxedZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoxedZone({})", self.zone)
    }
}
