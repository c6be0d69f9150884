//! A second connection after the one that was tested: whether the first one's ticket shortens it, and how the server responds on
//! it. The queries are for the root and `resolver.arpa`, names that tell nothing about anyone.
//!
//! What a server does not say is `None`: silence counts neither for nor against it.

use serde::Serialize;
use tokio::time::{Instant, timeout_at};

use super::resolver_info::ResolverInfo;
use super::talk::{Asked, Response, ask};
use crate::endpoint::Endpoint;
use crate::upstream::connection::fitting::{self, Place};
use crate::upstream::connection::link::{Dial, How};
use crate::upstream::dial::fast_open::FastOpen;
use crate::upstream::dial::hello::Hello;
use crate::upstream::dial::protection::Protection;
use crate::upstream::failure::Failure;
use crate::upstream::failure::dial_error::DialError;
use crate::wire::header::{self, rcode};
use crate::wire::name::Name;
use crate::wire::types;
use crate::words::words;

/// Lengths of responses are multiples of this (RFC 8467 section 4.2); some servers use another one of these.
const BLOCKS: [usize; 4] = [468, 256, 128, 64];

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Examination {
    /// tickets that the first connection left for later ones
    pub tickets: usize,
    pub resumed: bool,
    pub round_trips: u8,
    pub handshake_ms: f64,
    pub fast_open: FastOpen,
    /// of the path
    pub round_trip_ms: f64,
    /// from a query to its response, on an open connection
    pub answer_ms: Option<f64>,
    /// how long an idle connection may stay open (RFC 7828); null: the server does not say
    pub keepalive_ms: Option<u64>,
    pub padding: Option<Padding>,
    /// what happened to several queries in one write; null: too few responses to tell
    pub together: Option<Together>,
    pub dnssec: Option<Dnssec>,
    pub resolver: Option<ResolverInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Padding {
    /// every response carried the option
    pub padded: bool,
    /// all lengths are multiples of it; null: of none that is usual
    pub block: Option<usize>,
}

words!(
    /// In which order the server responded to several queries that came in one write.
    Together {
        /// not in the order in which they came, so no response waits for a slow one
        OutOfOrder = "out-of-order",
        /// in their order, which does not show what it does with a slow one
        InOrder = "in-order",
        /// it did not respond to all of them
        Some = "some",
    }
);

/// How it responds about the root, which is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Dnssec {
    /// it sets AD: it validates, or believes a resolver that does
    pub authentic: bool,
    /// signatures come along where the query wants them
    pub signed: bool,
    /// it lets the client check for itself
    pub checking_disabled: bool,
}

/// `dialer` has what an earlier connection left: so many tickets.
pub async fn examine(
    dialer: &dyn Dial,
    address: Endpoint,
    fast_open: bool,
    place: &Place<'_>,
    tickets: usize,
    deadline: Instant,
) -> Result<Examination, Failure> {
    let how =
        How { watch: &|_| {}, hello: Hello::Usual, early: None, fast_open, patience: dialer.patience() };
    let link = match timeout_at(deadline, fitting::dial(dialer, address, &how, place)).await {
        Ok(Ok(link)) => link,
        Ok(Err(reason)) => return Err(DialError::new(address, reason).into()),
        Err(_) => return Err(Failure::TimedOut),
    };
    let (round_trip, resumed) = (link.round_trip(), link.protection.tls().is_some_and(|tls| tls.resumed));
    let proven = matches!(link.protection, Protection::Tls(_));
    // only streams of DNS messages are examined
    let Some(mut stream) = link.carrier.into_stream() else { return Err(Failure::Closed) };
    let first = ask(&mut *stream, &[Asked::of_the_root(types::NS)], deadline).await;
    let answer_ms = first.first().map(|response| response.after.as_secs_f64() * 1e3);
    let queries = queries();
    let rest = ask(&mut *stream, &queries, deadline).await;
    let resolver = rest.iter().find(|response| response.to == RESOLVER && proven);
    let all: Vec<&Response> = first.iter().chain(&rest).collect();
    Ok(Examination {
        tickets,
        resumed,
        round_trips: link.round_trips,
        handshake_ms: link.took.as_secs_f64() * 1e3,
        fast_open: link.fast_open,
        round_trip_ms: round_trip.as_secs_f64() * 1e3,
        answer_ms,
        keepalive_ms: all.iter().find_map(|response| keepalive(response)),
        padding: padding(&all),
        together: together(&rest, queries.len()),
        dnssec: dnssec(&rest),
        resolver: resolver.and_then(|response| ResolverInfo::read(&response.octets)),
    })
}

const SIGNED: usize = 0;
const UNCHECKED: usize = 1;
const RESOLVER: usize = 2;

fn queries() -> [Asked; 3] {
    let signed = Asked { dnssec_ok: true, ..Asked::of_the_root(types::SOA) };
    let unchecked = Asked { dnssec_ok: true, checking_disabled: true, ..Asked::of_the_root(types::DNSKEY) };
    let name = Name::parse("resolver.arpa").expect("it is a name");
    let resolver =
        Asked { name, kind: types::RESINFO, recursive: false, ..Asked::of_the_root(types::RESINFO) };
    [signed, unchecked, resolver]
}

fn keepalive(response: &Response) -> Option<u64> {
    let tenths = response.edns()?.keepalive??;
    Some(u64::from(tenths) * 100)
}

fn padding(responses: &[&Response]) -> Option<Padding> {
    if responses.is_empty() {
        return None;
    }
    let padded = responses.iter().all(|response| response.edns().is_some_and(|edns| edns.padded));
    let fits = |block: &usize| responses.iter().all(|response| response.octets.len().is_multiple_of(*block));
    Some(Padding { padded, block: BLOCKS.into_iter().find(fits).filter(|_| padded) })
}

fn together(responses: &[Response], asked: usize) -> Option<Together> {
    match responses.len() {
        0 => None,
        count if count < asked => Some(Together::Some),
        _ if responses.is_sorted_by_key(|response| response.to) => Some(Together::InOrder),
        _ => Some(Together::OutOfOrder),
    }
}

/// `None` where it has no data about the root.
fn dnssec(responses: &[Response]) -> Option<Dnssec> {
    let to = |wanted| responses.iter().find(move |response| response.to == wanted);
    let signed = to(SIGNED)
        .filter(|response| response.rcode() == rcode::NOERROR && response.answers_with(types::SOA))?;
    Some(Dnssec {
        authentic: signed.has(header::AD),
        signed: signed.answers_with(types::RRSIG),
        checking_disabled: to(UNCHECKED).is_some_and(|response| response.has(header::CD)),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn response(to: usize, octets: usize) -> Response {
        Response { to, octets: vec![0; octets], after: Duration::ZERO }
    }

    #[test]
    fn an_order_is_told_only_where_all_answered() {
        for (order, told) in [
            (&[][..], None),
            (&[1, 0], Some(Together::Some)),
            (&[0, 1, 2], Some(Together::InOrder)),
            (&[0, 2, 1], Some(Together::OutOfOrder)),
        ] {
            let responses: Vec<_> = order.iter().map(|to| response(*to, 12)).collect();
            assert_eq!(together(&responses, 3), told, "{order:?}");
        }
    }

    #[test]
    fn a_length_that_fits_by_chance_is_no_padding() {
        assert_eq!(padding(&[&response(0, 468)]), Some(Padding { padded: false, block: None }));
        assert_eq!(padding(&[]), None);
    }
}
