//! The EncDNS zone: names below it are boxed queries, which the backend answers.

mod allowances;
mod authority;
mod keys;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sotto_encdns::name::BoxedQuery;
use sotto_encdns::nonces::{Nonces, Tail};
use sotto_encdns::reply::BoxedReply;
use sotto_encdns::{PublicKey, SecretKey};
use sotto_wire::edns::ExtendedError;
use sotto_wire::header::{self, rcode};
use sotto_wire::name::Name;
use sotto_wire::types;

use crate::backend::{Backend, Responded};
use crate::query::{Fault, Query};
use crate::response::{Owner, Response, Section, bare_header, refuse, refuse_unasked};
use crate::stats::Stats;
use crate::transport::{Terms, Transport};
use allowances::{Allowances, network};
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
    limits: EncDnsLimits,
}

/// Boxed queries in a second; 0: without a limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct EncDnsLimits {
    /// By the client's key.
    pub per_client: u32,
    /// By the address from which they come: one resolver carries those of many people.
    pub per_resolver: u32,
}

impl EncDns {
    /// Without limits. `addresses`: what the zone says of its name server, ns in the zone.
    pub fn new(zone: Name, secret: SecretKey, addresses: &[IpAddr]) -> Self {
        Self { zone, secrets: vec![secret], addresses: addresses.to_vec(), limits: EncDnsLimits::default() }
    }

    /// Boxes for these keys are opened, too.
    pub fn with_older_keys(mut self, older: impl IntoIterator<Item = SecretKey>) -> Self {
        self.secrets.extend(older);
        self
    }

    pub fn with_limits(self, limits: EncDnsLimits) -> Self {
        Self { limits, ..self }
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
    replies: Cache<Vec<u8>, Arc<[u8]>, Octets>,
    resolvers: Allowances<IpAddr>,
    clients: Allowances<PublicKey>,
    backend: Backend,
    stats: Arc<Stats>,
}

/// Who brought a query to us: a resolver, or the client itself.
#[derive(Debug, Clone, Copy)]
pub struct FirstHop {
    pub address: IpAddr,
    /// It came in a datagram, whose sender has shown no cookie of ours.
    pub may_be_forged: bool,
}

/// The first hop is over its limit; the box was sealed for another key, or changed on the way; or there is no randomness for a nonce.
struct NoReply;

#[derive(Clone)]
struct Octets;

impl Weighter<Vec<u8>, Arc<[u8]>> for Octets {
    fn weight(&self, query: &Vec<u8>, reply: &Arc<[u8]>) -> u64 {
        (query.len() + reply.len() + 64) as u64
    }
}

impl BoxedZone {
    pub fn new(encdns: EncDns, backend: Backend, stats: Arc<Stats>) -> Self {
        let EncDns { zone, secrets, addresses, limits } = encdns;
        Self {
            zone,
            authority: Authority::new(zone, &addresses),
            keys: ZoneKeys::new(secrets, stats.clone()),
            nonces: Nonces::new(),
            replies: Cache::with_weighter(REPLIES as usize / 512, REPLIES, Octets),
            resolvers: Allowances::per_second(limits.per_resolver),
            clients: Allowances::per_second(limits.per_client),
            backend,
            stats,
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
        first_hop: FirstHop,
        out: &mut Vec<u8>,
    ) -> Responded {
        let is_boxed = query.question.kind == types::TXT && BoxedQuery::read(self.labels(query)).is_some();
        if !is_boxed {
            self.authority.answer(query, terms, out);
            return Responded::Written;
        }
        if first_hop.may_be_forged {
            truncate(query, terms, out);
            return Responded::Written;
        }
        let (own, message) = (self.clone(), message.to_vec());
        Responded::Later(Box::pin(async move { own.answer_boxed(&message, terms, first_hop).await }))
    }

    /// What stands before the zone, in the case in which it came.
    fn labels<'a>(&self, query: &Query<'a>) -> &'a [u8] {
        let name = query.question.name.as_wire().len();
        &query.octets[..name - self.zone.as_wire().len()]
    }

    async fn answer_boxed(&self, message: &[u8], terms: Terms, first_hop: FirstHop) -> Vec<u8> {
        let mut out = Vec::new();
        let Ok(query) = Query::parse(message) else { return out };
        let Some(boxed) = BoxedQuery::read(self.labels(&query)) else { return out };
        match self.kept_or_new(&boxed, first_hop).await {
            Ok(data) => {
                let mut response = Response::new(&query, terms, &mut out);
                response.set(header::AA);
                response.record(Section::Answer, Owner::QUESTION, &record(types::TXT, 0, &data));
                response.finish(rcode::NOERROR, &[]);
            }
            Err(NoReply) => refuse(&query, terms, rcode::SERVFAIL, &[], &mut out),
        }
        out
    }

    /// Copies that come together are asked for once, and the others wait.
    async fn kept_or_new(&self, query: &BoxedQuery, first_hop: FirstHop) -> Result<Arc<[u8]>, NoReply> {
        let octets = [&query.client.0[..], &query.nonce, &query.boxed].concat();
        match self.replies.get_value_or_guard_async(&octets).await {
            Ok(kept) => {
                self.stats.boxed_copy();
                Ok(kept)
            }
            Err(place) => {
                let reply = self.reply(query, first_hop).await?;
                let _ = place.insert(reply.clone());
                Ok(reply)
            }
        }
    }

    /// Opens, asks, seals. The client is counted only when its box has opened: nobody else can use up what it may send.
    async fn reply(&self, query: &BoxedQuery, first_hop: FirstHop) -> Result<Arc<[u8]>, NoReply> {
        if !self.resolvers.take(&network(first_hop.address)) {
            self.stats.boxed_over_resolver_limit();
            return Err(NoReply);
        }
        let Some(Opened { text, shared }) = self.keys.open(query) else {
            self.stats.boxed_not_opened();
            return Err(NoReply);
        };
        let response = if self.clients.take(&query.client) {
            let response = answer(text, Some(&self.backend)).await;
            self.stats.boxed_answered();
            response
        } else {
            self.stats.boxed_over_client_limit();
            answer(text, None).await
        };
        let server = self.nonces.next(Tail::Random).map_err(|_| NoReply)?;
        let boxed = shared.seal(query.nonce, server, &response);
        Ok(BoxedReply { client: query.nonce, server, boxed }.data().into())
    }
}

/// Nothing is opened for an address that may be forged. If the sender is there, it comes again over TCP.
fn truncate(query: &Query, terms: Terms, out: &mut Vec<u8>) {
    let mut response = Response::new(query, terms, out);
    response.set(header::AA | header::TC);
    response.finish(rcode::NOERROR, &[]);
}

/// The response to what was in the box, whatever it was. Without a backend: the client is over its limit.
async fn answer(text: Vec<u8>, backend: Option<&Backend>) -> Vec<u8> {
    let terms = Terms::from(Transport::Tcp { idle: Duration::ZERO }).at_most(LARGEST_TEXT);
    let mut out = Vec::new();
    match Query::parse(&text) {
        Ok(query) if refuse_unasked(&query, terms, &mut out) => out,
        Ok(query) => match backend {
            Some(backend) => backend.answer(text, terms).await,
            None => {
                let why = ExtendedError::new(ExtendedError::OTHER, "too many queries per second");
                refuse(&query, terms, rcode::REFUSED, &[why], &mut out);
                out
            }
        },
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
