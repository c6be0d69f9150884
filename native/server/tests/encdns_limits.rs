//! The limits of the EncDNS zone. The clock stands still unless a test moves it, and five seconds' worth of queries is held.

use std::time::Duration;

use domain::base::iana::Rcode;
use domain::base::{Message, Rtype};
use sotto_encdns::name::Labels;
use sotto_server::{EncDnsLimits, Unproven};
use sotto_skip::clock;
use sotto_wire::edns::{Edns, ExtendedError};
use tokio::net::TcpStream;

use crate::stage::Stage;
use crate::stage::clients::{datagram, datagram_from, exchange};
use crate::stage::encdns::{Client, ZONE, txt, zone};
use crate::stage::messages::{Question, Reply, ask};

const HELD: u8 = 5;
const SECOND: Duration = Duration::from_secs(1);
const COOKIE: u16 = 10;
const PADDING: u16 = 12;

fn stage(per_client: u32, per_resolver: u32) -> Stage {
    clock::stands_still();
    let limits = EncDnsLimits { per_client, per_resolver };
    Stage::with(|config| config.encdns = Some(zone().with_limits(limits)))
}

fn inner() -> Vec<u8> {
    Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets()
}

async fn ask_boxed(stage: &Stage, client: &Client, nonce: u8) -> Reply {
    datagram(stage.starttls(), &client.query(nonce, &inner(), Labels::Binary)).await
}

/// Of the response in the box.
async fn rcode_inside(stage: &Stage, client: &Client, nonce: u8) -> Rcode {
    let response = client.open(nonce, &ask_boxed(stage, client, nonce).await).unwrap();
    Message::from_octets(response).unwrap().header().rcode()
}

#[tokio::test]
async fn a_client_over_its_limit_is_refused_in_its_box_until_time_has_passed() {
    let (stage, client) = (stage(1, 0), Client::new());
    for nonce in 1..=HELD {
        assert_eq!(rcode_inside(&stage, &client, nonce).await, Rcode::NOERROR, "{nonce}");
    }
    let refused = client.open(10, &ask_boxed(&stage, &client, 10).await).unwrap();
    assert_eq!(refused[..2], [0, 1]);
    assert_eq!(Message::from_octets(&refused).unwrap().header().rcode(), Rcode::REFUSED);
    let (edns, _) = Edns::find(&refused).unwrap().unwrap();
    assert_eq!(
        edns.extended_errors,
        [ExtendedError::new(ExtendedError::OTHER, "too many queries per second")]
    );
    assert_eq!(rcode_inside(&stage, &Client::new(), 1).await, Rcode::NOERROR, "another client");
    clock::pass(SECOND).await;
    assert_eq!(rcode_inside(&stage, &client, 11).await, Rcode::NOERROR);
    assert_eq!(rcode_inside(&stage, &client, 12).await, Rcode::REFUSED);
}

#[tokio::test]
async fn copies_count_against_nobody() {
    let (stage, client) = (stage(1, 1), Client::new());
    let first = txt(&ask_boxed(&stage, &client, 1).await);
    for _ in 0..20 {
        assert_eq!(txt(&ask_boxed(&stage, &client, 1).await), first);
    }
    for nonce in 2..=HELD {
        assert_eq!(rcode_inside(&stage, &client, nonce).await, Rcode::NOERROR, "{nonce}");
    }
    assert_eq!(ask_boxed(&stage, &client, 10).await.rcode(), Rcode::SERVFAIL);
    assert_eq!(txt(&ask_boxed(&stage, &client, 1).await), first, "beyond the limits, too");
}

#[tokio::test]
async fn a_forged_box_does_not_use_up_what_its_client_may_send() {
    let (stage, client) = (stage(1, 0), Client::new());
    for nonce in 100..200 {
        let mut forged = client.query(nonce, &inner(), Labels::Binary);
        let last_of_box = forged.len() - ZONE.len() - 16;
        forged[last_of_box] ^= 1;
        assert_eq!(datagram(stage.starttls(), &forged).await.rcode(), Rcode::SERVFAIL);
    }
    for nonce in 1..=HELD {
        assert_eq!(rcode_inside(&stage, &client, nonce).await, Rcode::NOERROR, "{nonce}");
    }
}

#[tokio::test]
async fn fresh_keys_from_one_address_are_bounded_and_other_addresses_are_not() {
    let stage = stage(1, 1);
    for _ in 0..HELD {
        assert_eq!(rcode_inside(&stage, &Client::new(), 1).await, Rcode::NOERROR);
    }
    for _ in 0..20 {
        let reply = ask_boxed(&stage, &Client::new(), 1).await;
        assert_eq!((reply.rcode(), txt(&reply)), (Rcode::SERVFAIL, None));
    }
    let counted = stage.server.stats().encdns;
    assert_eq!((counted.over_resolver_limit, counted.shared_keys), (20, HELD.into()), "nothing is computed");
    let client = Client::new();
    let query = client.query(1, &inner(), Labels::Binary);
    let elsewhere = datagram_from("127.0.0.2", stage.starttls(), &query).await;
    assert!(client.open(1, &elsewhere).is_some());
    assert_eq!(datagram(stage.starttls(), &ask(1, "www.test", Rtype::A)).await.rcode(), Rcode::NOERROR);
    assert_eq!(datagram(stage.starttls(), &ask(1, "enc.example", Rtype::NS)).await.answers().len(), 1);
    clock::pass(SECOND).await;
    assert_eq!(rcode_inside(&stage, &Client::new(), 1).await, Rcode::NOERROR);
}

#[tokio::test]
async fn without_limits_there_are_none() {
    let (stage, client) = (stage(0, 0), Client::new());
    for nonce in 0..100 {
        assert_eq!(rcode_inside(&stage, &client, nonce).await, Rcode::NOERROR);
    }
}

#[tokio::test]
async fn a_box_whose_sender_may_be_forged_is_not_opened_and_its_copy_over_tcp_is() {
    let limits = EncDnsLimits { per_client: 1, per_resolver: 1 };
    let stage = Stage::with(|config| {
        config.encdns = Some(zone().with_limits(limits));
        config.unproven = Unproven::Truncated;
    });
    let client = Client::new();
    let query = client.query(1, &inner(), Labels::Binary);
    let padded = with_options(query.clone(), &[(PADDING, &[0; 400])]);
    for datagram_sent in std::iter::repeat_n(&query, 20).chain(std::iter::repeat_n(&padded, 20)) {
        let reply = datagram(stage.starttls(), datagram_sent).await;
        assert!(reply.truncated() && reply.octets() <= datagram_sent.len());
        assert_eq!((reply.rcode(), txt(&reply)), (Rcode::NOERROR, None));
    }
    assert_eq!(stage.server.stats().encdns.shared_keys, 0);
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    let reply = exchange(&mut tcp, &query).await;
    assert!(client.open(1, &reply).is_some(), "nothing was counted before");
}

#[tokio::test]
async fn a_resolver_that_shows_a_cookie_is_answered_over_udp() {
    let stage = Stage::with(|config| {
        config.encdns = Some(zone());
        config.unproven = Unproven::Truncated;
    });
    let client = Client::new();
    let query = client.query(1, &inner(), Labels::Binary);
    let room = (PADDING, &[0; 16][..]);
    let asks = with_options(query.clone(), &[(COOKIE, b"resolver"), room]);
    let first = datagram(stage.starttls(), &asks).await;
    assert!(first.truncated());
    let cookie = first.option(COOKIE).unwrap();
    let second = datagram(stage.starttls(), &with_options(query, &[(COOKIE, &cookie)])).await;
    assert!(client.open(1, &second).is_some());
}

/// In the OPT at the end, which has none yet.
fn with_options(mut query: Vec<u8>, options: &[(u16, &[u8])]) -> Vec<u8> {
    query.truncate(query.len() - 2);
    let mut data = Vec::new();
    for (code, value) in options {
        data.extend(code.to_be_bytes());
        data.extend((value.len() as u16).to_be_bytes());
        data.extend(*value);
    }
    query.extend((data.len() as u16).to_be_bytes());
    query.extend(data);
    query
}
