//! The EncDNS zone: names below it are boxed queries, which the backend answers.

mod authority;
mod keys;
mod parts;
mod puzzles;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use sotto_encdns::extended::{Asks, Says};
use sotto_encdns::name::{BoxedQuery, Format};
use sotto_encdns::nonces::{Nonces, Tail, count_of};
use sotto_encdns::puzzle::Puzzle;
use sotto_encdns::reply::BoxedReply;
use sotto_encdns::{PublicKey, SecretKey, SharedKey};
use sotto_wire::edns::ExtendedError;
use sotto_wire::header::{self, rcode};
use sotto_wire::name::Name;
use sotto_wire::types;

use crate::allowances::Allowances;
use crate::backend::{Backend, Responded};
use crate::cookies::NoRandomness;
use crate::network::network;
use crate::query::{Fault, Query};
use crate::response::{Owner, Response, Section, bare_header, refuse, refuse_unasked};
use crate::stats::Stats;
use crate::transport::{Terms, Transport};
use authority::{Authority, record};
use keys::{Opened, ZoneKeys};
use parts::Parts;
use puzzles::Puzzles;

/// Octets of replies that are kept for copies of a query: resolvers send two to six of each.
const REPLIES: u64 = 32 << 20;
/// A reply has to fit into a message of 65,535 octets, boxed and in character strings.
const LARGEST_TEXT: usize = 64_000;
/// Octets of a response besides question and data: header, head of the record, and an OPT with a cookie.
const AROUND: usize = 12 + 12 + 43;
/// Octets of a reply besides its text: two nonces and the seal.
const SEALING: usize = 24 + SharedKey::OVERHEAD;

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
    keys: ArcSwap<ZoneKeys>,
    nonces: Nonces,
    /// data of the TXT record, by the octets of the boxed query
    replies: Cache<Vec<u8>, Arc<[u8]>, Octets>,
    resolvers: Allowances<IpAddr>,
    clients: Allowances<PublicKey>,
    puzzles: Puzzles,
    parts: Parts,
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

enum NoReply {
    /// The first hop is over its limit; the box was sealed for another key, or changed on the way; it asks for what is not there any
    /// more; or there is no randomness for a nonce.
    Failed,
    /// The first hop is over its limit, and the client may do some work.
    Puzzle(Puzzle),
}

#[derive(Clone)]
struct Octets;

impl Weighter<Vec<u8>, Arc<[u8]>> for Octets {
    fn weight(&self, query: &Vec<u8>, reply: &Arc<[u8]>) -> u64 {
        (query.len() + reply.len() + 64) as u64
    }
}

impl BoxedZone {
    pub fn new(encdns: EncDns, backend: Backend, stats: Arc<Stats>) -> Result<Self, NoRandomness> {
        let EncDns { zone, secrets, addresses, limits } = encdns;
        let mut replies = OptionsBuilder::new();
        // nobody asks for most of them again: whoever came last is to stay, and not whoever came first
        replies.hot_allocation(0.05).ghost_allocation(0.0);
        replies.estimated_items_capacity(REPLIES as usize / 512).weight_capacity(REPLIES);
        let replies = replies.build().expect("both capacities are there");
        Ok(Self {
            zone,
            authority: Authority::new(zone, &addresses),
            puzzles: Puzzles::new(limits.per_resolver)?,
            keys: ArcSwap::from_pointee(ZoneKeys::new(secrets, stats.clone())),
            nonces: Nonces::new(),
            replies: Cache::with_options(
                replies,
                Octets,
                DefaultHashBuilder::default(),
                DefaultLifecycle::default(),
            ),
            resolvers: Allowances::per_second(limits.per_resolver),
            clients: Allowances::per_second(limits.per_client),
            parts: Parts::default(),
            backend,
            stats,
        })
    }

    /// The present key first. Replies that are kept stay good.
    pub fn replace_keys(&self, secrets: Vec<SecretKey>) {
        if self.keys.load().are(&secrets) {
            return;
        }
        self.keys.store(Arc::new(ZoneKeys::new(secrets, self.stats.clone())));
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
        let data = match self.kept_or_new(&boxed, room(&query, terms), first_hop).await {
            Ok(data) => data,
            Err(NoReply::Puzzle(puzzle)) => puzzle.reply(boxed.nonce).data().into(),
            Err(NoReply::Failed) => {
                refuse(&query, terms, rcode::SERVFAIL, &[], &mut out);
                return out;
            }
        };
        let mut response = Response::new(&query, terms, &mut out);
        response.set(header::AA);
        response.record(Section::Answer, Owner::QUESTION, &record(types::TXT, 0, &data));
        response.finish(rcode::NOERROR, &[]);
        out
    }

    /// Copies that come together are asked for once, and the others wait.
    async fn kept_or_new(
        &self,
        query: &BoxedQuery,
        room: usize,
        first_hop: FirstHop,
    ) -> Result<Arc<[u8]>, NoReply> {
        let octets = [&query.client.0[..], &query.nonce, &query.boxed].concat();
        match self.replies.get_value_or_guard_async(&octets).await {
            Ok(kept) => {
                self.stats.boxed_copy();
                Ok(kept)
            }
            Err(place) => {
                let reply = self.reply(query, room, first_hop).await?;
                let _ = place.insert(reply.clone());
                Ok(reply)
            }
        }
    }

    /// Opens, asks, seals. `room`: for the text of the reply.
    async fn reply(
        &self,
        query: &BoxedQuery,
        room: usize,
        first_hop: FirstHop,
    ) -> Result<Arc<[u8]>, NoReply> {
        self.admit(query, &network(first_hop.address))?;
        let Some(Opened { text, shared }) = self.keys.load().open(query) else {
            self.stats.boxed_not_opened();
            return Err(NoReply::Failed);
        };
        let response = match query.format {
            Format::Published => self.respond_to(query, text, first_hop).await,
            Format::Extended => self.respond_in_parts(query, &text, room, first_hop).await?.write(room),
        };
        let server = self.nonces.next(Tail::Random).map_err(|_| NoReply::Failed)?;
        let boxed = shared.seal(query.format, query.nonce, server, &response);
        Ok(BoxedReply { client: query.nonce, server, boxed }.data().into())
    }

    /// Beyond the limit of its first hop, a client that can solve puzzles has to.
    fn admit(&self, query: &BoxedQuery, first_hop: &IpAddr) -> Result<(), NoReply> {
        if self.resolvers.take(first_hop) || self.puzzles.is_solved(query, first_hop) {
            return Ok(());
        }
        self.stats.boxed_over_resolver_limit();
        Err(match query.format {
            Format::Published => NoReply::Failed,
            Format::Extended => NoReply::Puzzle(self.puzzles.present()),
        })
    }

    async fn respond_in_parts(
        &self,
        query: &BoxedQuery,
        text: &[u8],
        room: usize,
        first_hop: FirstHop,
    ) -> Result<Says, NoReply> {
        let (whole, parts) = match Asks::read(text).ok_or(NoReply::Failed)? {
            Asks::Wish { query: whole, place } => {
                return self.parts.of_response(query.client, whole, place).ok_or(NoReply::Failed);
            }
            Asks::Part { place, count, octets } => {
                let whole = count_of(&query.nonce).wrapping_sub(place.into());
                (whole, self.parts.of_query(query.client, whole, place, count, octets))
            }
        };
        let Some(message) = parts else { return Ok(Says::Held) };
        let response = Says::parts(&self.respond_to(query, message, first_hop).await, room);
        Ok(self.parts.keep_response(query.client, whole, response))
    }

    /// The client is counted only when its box has opened: nobody else can use up what it may send.
    async fn respond_to(&self, query: &BoxedQuery, message: Vec<u8>, first_hop: FirstHop) -> Vec<u8> {
        if self.clients.take(&query.client) {
            let response = self.answer(message, true, first_hop).await;
            self.stats.boxed_answered();
            response
        } else {
            self.stats.boxed_over_client_limit();
            self.answer(message, false, first_hop).await
        }
    }

    /// The response to what was in the box, whatever it was. What is in the zone is answered here, and no box in a box is opened.
    async fn answer(&self, message: Vec<u8>, is_within_limit: bool, first_hop: FirstHop) -> Vec<u8> {
        let terms = Terms::from(Transport::Tcp { idle: Duration::ZERO }).at_most(LARGEST_TEXT);
        let mut out = Vec::new();
        match Query::parse(&message) {
            Ok(query) if refuse_unasked(&query, terms, &mut out) => out,
            Ok(query) if !is_within_limit => {
                let why = ExtendedError::new(ExtendedError::OTHER, "too many queries per second");
                refuse(&query, terms, rcode::REFUSED, &[why], &mut out);
                out
            }
            Ok(query) if self.has(&query.question.name) => {
                self.authority.answer(&query, terms, &mut out);
                out
            }
            Ok(_) => self.backend.answer(message, terms, first_hop.address).await,
            Err(Fault::Code { header, rcode, edns }) => {
                bare_header(header, rcode, edns.as_ref(), terms, &mut out);
                out
            }
            // in a box there is no address to prove
            Err(Fault::CookieWish { header, edns, .. }) => {
                bare_header(header, rcode::FORMERR, Some(&edns), terms, &mut out);
                out
            }
            Err(Fault::Silence) => out,
        }
    }
}

/// For how many octets of text there is room in the reply to this query.
fn room(query: &Query, terms: Terms) -> usize {
    let data = terms.limit(query).saturating_sub(AROUND + query.octets.len());
    // each 255 octets of it are a character string, which begins with its length
    (data * 255 / 256).saturating_sub(SEALING).min(LARGEST_TEXT)
}

/// Nothing is opened for an address that may be forged. If the sender is there, it comes again over TCP.
fn truncate(query: &Query, terms: Terms, out: &mut Vec<u8>) {
    let mut response = Response::new(query, terms, out);
    response.set(header::AA | header::TC);
    response.finish(rcode::NOERROR, &[]);
}

impl fmt::Debug for BoxedZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoxedZone({})", self.zone)
    }
}
