//! EncDNS upstreams and the formats that servers know: published boxes for published servers, and what the extended format adds.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use serde_json::{Value, json};
use sotto_encdns::SecretKey;
use sotto_encdns::name::{BoxedQuery, Format, Labels};
use sotto_engine::wire::header::{self, rcode};
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;
use sotto_server::EncDnsLimits;
use sotto_skip::waiting::{until, within};
use tokio::net::UdpSocket;

use crate::stage::encdns::{
    LARGE, LONG_NAME, ZONE, assert_only_boxes, boxes, clients, secret, settled, stage, stage_with, upstream,
};
use crate::stage::hop::{Does, Hop};
use crate::stage::{self, Stage, published_server};

/// As the server does.
fn opened(query: &BoxedQuery) -> Vec<u8> {
    let shared = secret().shared(&query.client);
    shared.open(query.format, query.nonce, [0; 12], &query.boxed).unwrap()
}

fn of_extended(hop: &Hop) -> Vec<BoxedQuery> {
    boxes(hop).into_iter().flatten().filter(|query| query.format == Format::Extended).collect()
}

#[tokio::test]
async fn a_published_server_gets_published_boxes_and_is_asked_once_for_more() {
    let stage = Stage::new();
    let hop = Hop::before(published_server::start(secret()).await, Does::HandOn).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    for at in 0..20 {
        assert_eq!(client.ask(&format!("n{at}.example"), types::A).await.answers, 1);
    }
    // what fits into no box of that format goes to another upstream, and never in cleartext
    let said = client.ask(LONG_NAME, types::A).await;
    assert_eq!(said.rcode, rcode::SERVFAIL);
    assert!(said.errors[0].text.contains("too long for one EncDNS query"), "{:?}", said.errors);
    assert_only_boxes(&hop);
    let asked = boxes(&hop).into_iter().flatten();
    let asked: Vec<_> = asked.map(|query| (query.format, opened(&query))).collect();
    assert!(asked.iter().all(|(format, _)| *format == Format::Published));
    let for_formats = |text: &[u8]| text.windows(8).any(|octets| octets == b"\x07_encdns");
    assert_eq!(asked.iter().filter(|(_, text)| for_formats(text)).count(), 1);
    let client = stage.apply(vec![upstream(&hop), stage.dot()]).await;
    assert_eq!(client.ask(LONG_NAME, types::A).await.answers, 1);
}

#[tokio::test]
async fn lengths_of_boxes_tell_little() {
    let (stage, hop) = stage(Does::HandOn).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    for length in 1..=60 {
        let name = format!("{}.wild.example", "x".repeat(length));
        assert_eq!(client.ask(&name, types::A).await.answers, 1);
    }
    let lengths: BTreeSet<usize> = of_extended(&hop).iter().map(|query| query.boxed.len() - 16).collect();
    assert_eq!(Vec::from_iter(lengths), [64, 96, 128]);
    assert_only_boxes(&hop);
}

#[tokio::test]
async fn names_of_any_length_travel_whatever_the_resolver_does_to_names() {
    for (does, parts) in [(Does::HandOn, 2), (Does::LowerCase, 3), (Does::DropWhereCaseMatters, 3)] {
        let (stage, hop) = stage(does).await;
        let client = stage.apply(vec![upstream(&hop)]).await;
        // before the server's formats are known, too
        assert_eq!(client.ask(LONG_NAME, types::A).await.answers, 1, "through one that does {does:?}");
        let before = of_extended(&hop).len();
        assert_eq!(client.ask(&format!("x.{LONG_NAME}"), types::A).await.answers, 1);
        assert_eq!(of_extended(&hop).len() - before, parts);
        assert_only_boxes(&hop);
    }
}

#[tokio::test]
async fn what_is_lost_on_the_way_is_sent_again() {
    let (stage, hop) = stage(Does::Lose).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    for at in 0..3 {
        assert_eq!(client.ask(&format!("{at}.{LONG_NAME}"), types::A).await.answers, 1);
    }
    assert_eq!(usize::from(client.ask_by_tcp("large.example", types::A).await.answers), LARGE);
    assert_only_boxes(&hop);
}

#[tokio::test]
async fn a_large_response_comes_through_a_resolver_that_never_uses_tcp() {
    let (stage, hop) = stage(Does::NoTcp).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    let whole = client.ask_by_tcp("large.example", types::A).await;
    assert_eq!(usize::from(whole.answers), LARGE);
    let upstream = &serde_json::to_value(stage.engine.status()).unwrap()["upstreams"][0];
    assert_eq!((&upstream["failed"], &upstream["lastError"]), (&json!(0), &Value::Null));
}

#[tokio::test]
async fn a_puzzle_is_solved_when_others_flood_the_resolver() {
    let limits = EncDnsLimits { per_client: 0, per_resolver: 10 };
    let (stage, hop) = stage_with(Does::HandOn, limits).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    let puzzles = || stage.server.stats().encdns.over_resolver_limit;
    for at in 0.. {
        assert_eq!(client.ask(&format!("n{at}.wild.example"), types::A).await.answers, 1, "{at}");
        if puzzles() > 3 {
            break;
        }
    }
    assert_eq!(client.ask(LONG_NAME, types::A).await.answers, 1, "also for a query in parts");
    assert_only_boxes(&hop);
}

#[tokio::test]
async fn a_query_in_parts_has_one_key_pair_of_its_own() {
    let (stage, hop) = stage(Does::HandOn).await;
    let mut boxed = upstream(&hop);
    boxed["encdns"]["keys"] = json!("per-query");
    let client = stage.apply(vec![boxed]).await;
    settled(&client, &hop).await;
    let before = clients(&hop).len();
    assert_eq!(client.ask(LONG_NAME, types::A).await.answers, 1);
    assert_eq!(clients(&hop).len(), before + 1);
    assert_eq!(usize::from(client.ask_by_tcp("large.example", types::A).await.answers), LARGE);
    assert_eq!(clients(&hop).len(), before + 2, "what asks for the rest of a response has its key");
}

/// A client that knows the format may work for its answers, whatever else the flood did to it.
#[tokio::test]
async fn a_path_that_was_lost_in_a_flood_is_found_by_work() {
    let limits = EncDnsLimits { per_client: 0, per_resolver: 10 };
    let (stage, hop) = stage_with(Does::HandOn, limits).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    hop.now(Does::Deny);
    assert_eq!(client.ask("lost.wild.example", types::A).await.answers, 0);
    let others = SecretKey::generate().unwrap().public();
    for at in 0..100_u8 {
        let boxed =
            BoxedQuery { format: Format::Published, client: others, nonce: [at; 12], boxed: vec![7; 60] };
        flood(stage.server.starttls()[0], &boxed.name(ZONE, Labels::Binary).unwrap()).await;
    }
    hop.now(Does::HandOn);
    let waiting = async { while client.ask("found.wild.example", types::A).await.answers == 0 {} };
    within("it is found", waiting).await;
    assert_eq!(boxes(&hop).pop().flatten().map(|query| query.format), Some(Format::Extended));
}

/// Until the server has responded.
async fn flood(server: SocketAddr, name: &[u8]) {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let head = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0";
    socket.send_to(&[&head[..], name, b"\0\x10\0\x01"].concat(), server).await.unwrap();
    socket.recv(&mut [0; 512]).await.unwrap();
}

/// The published box that asks for the server's formats: its name has this many octets.
async fn length_of_the_question_for_formats() -> usize {
    let (stage, hop) = stage(Does::HandOn).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    let asks = |query: &BoxedQuery| {
        query.format == Format::Published && opened(query).windows(8).any(|octets| octets == b"\x07_encdns")
    };
    let at = boxes(&hop).iter().position(|query| query.as_ref().is_some_and(asks)).unwrap();
    let query = &hop.seen()[at];
    // behind the name: type and class, and an OPT
    Question::read(query).unwrap().1 - 4 - header::LENGTH
}

#[tokio::test]
async fn a_carrier_that_drops_the_question_for_formats_does_not_see_lengths() {
    let length = length_of_the_question_for_formats().await;
    let (stage, hop) = stage(Does::DropOfLength(length)).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    let padded = async { settled(&client, &hop).await };
    within("boxes hide their lengths", padded).await;
}

async fn apply_knowing(stage: &Stage, hop: &Hop, known: &Value) -> stage::Client {
    let client = stage.apply_with(vec![upstream(hop)], |config| config["knownPrivate"] = known.clone());
    client.await
}

fn status(stage: &Stage) -> Value {
    serde_json::to_value(stage.engine.status()).unwrap()
}

/// As after a restart of ours: the service keeps what is known.
#[tokio::test]
async fn a_server_that_knew_the_format_gets_no_other_boxes() {
    let (first, hop) = stage(Does::HandOn).await;
    let client = first.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    let known = status(&first)["knownPrivate"].clone();
    for does in [Does::HandOn, Does::DropOfLength(length_of_the_question_for_formats().await)] {
        let (again, hop) = stage(does).await;
        let client = apply_knowing(&again, &hop, &known).await;
        assert_eq!(client.ask("www.example", types::A).await.answers, 1, "{does:?}");
        let formats: BTreeSet<_> =
            boxes(&hop).into_iter().flatten().map(|query| query.format as u8).collect();
        assert_eq!(Vec::from_iter(formats), [Format::Extended as u8], "{does:?}");
    }
    let (again, hop) = stage(Does::DropExtended).await;
    let client = apply_knowing(&again, &hop, &known).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    let asked = boxes(&hop).into_iter().flatten().filter(|query| query.format == Format::Published);
    let www = |query: &BoxedQuery| opened(query).windows(4).any(|octets| octets == b"\x03www");
    assert_eq!(asked.filter(www).count(), 0, "no name leaves with its length");
    let said = || status(&again)["upstreams"][0]["lastError"]["text"].to_string().contains("knew before");
    until("it is said", said).await;
}

/// As when a server is replaced by an older one. An administrator accepts that; whoever else lets it forget us changes nothing.
#[tokio::test]
async fn a_server_that_forgot_the_format_is_found_again_once_it_is_forgotten_here() {
    let (stage, hop) = stage(Does::HandOn).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    hop.is_before(published_server::start(secret()).await);
    assert_eq!(client.ask("again.example", types::A).await.answers, 0);
    for (upstream, name) in [(Some("boxed"), "one.example"), (None, "all.example")] {
        stage.engine.forget_us(upstream, false);
        assert_eq!(client.ask(name, types::A).await.answers, 0);
    }
    assert_ne!(status(&stage)["knownPrivate"], json!([]));
    stage.engine.forget_us(Some("boxed"), true);
    let waiting = async { while client.ask("again.example", types::A).await.answers == 0 {} };
    within("it is found", waiting).await;
    assert_only_boxes(&hop);
    assert_eq!(serde_json::to_value(stage.engine.status()).unwrap()["clear"], json!([]));
}
