//! The second private transport of an upstream, with real servers and real sockets.

use std::net::SocketAddr;

use serde_json::{Value, json};
use sotto_engine::events::event;
use sotto_engine::events::names::Names;
use sotto_engine::outcome::TransportKind;
use sotto_engine::probe::{self, report::ProbeReport};
use sotto_engine::upstream::transport::list::{self, Means};
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_server::Signal;

use crate::stage::{self, Stage, closed_port, nobody, server};

fn status(stage: &Stage) -> Value {
    serde_json::to_value(stage.engine.status()).unwrap()
}

#[test]
fn each_transport_has_its_row_and_private_ones_stand_in_for_each_other() {
    for word in &TransportKind::WORDS[1..] {
        let kind: TransportKind = serde_json::from_value(json!(word)).unwrap();
        let row = list::of(kind).unwrap_or_else(|| panic!("{word} is not in the list"));
        let other = row.alternative.and_then(list::of);
        assert_eq!(row.kind, kind);
        let is_inside = matches!(row.means, Means::Inside(_));
        assert_eq!(row.unauthenticated.is_some(), kind.is_private() && !is_inside, "{word}");
        assert!(
            other.is_none_or(|other| other.kind.is_private() && other.alternative == Some(kind)),
            "{word}"
        );
    }
    assert!(list::of(TransportKind::None).is_none());
}

#[tokio::test]
async fn starttls_stands_in_where_the_tls_port_is_closed_and_tls_where_starttls_is() {
    let stage = Stage::new();
    for (transport, other, port) in
        [("dot", "tdns", stage.server.starttls()[0].port()), ("tdns", "dot", stage.server.dot()[0].port())]
    {
        let mut upstream = stage.dot();
        upstream["transport"] = json!(transport);
        let (_held, closed) = closed_port();
        upstream["addresses"] = json!([closed]);
        upstream["alternative"] = json!(port);
        let client = stage.apply(vec![upstream]).await;
        stage.engine.flush_cache();
        assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR, "{transport}");
        let status = status(&stage);
        assert_eq!(status["upstreams"][0]["path"], other);
        assert_eq!(status["upstreams"][0]["lastError"]["code"], "connect-failed");
    }
    let stats = stage.server.stats();
    assert_eq!((stats.queries.tls, stats.queries.udp, stats.queries.tcp), (2, 0, 0));
}

#[tokio::test]
async fn the_configured_way_is_taken_where_it_works() {
    let stage = Stage::new();
    let mut upstream = stage.dot();
    upstream["alternative"] = json!(stage.server.starttls()[0].port());
    let client = stage.apply(vec![upstream]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(status(&stage)["upstreams"][0]["path"], "dot");
    assert_eq!(stage.server.stats().starttls.accepted, 0);
}

#[tokio::test]
async fn of_several_addresses_the_first_that_proves_itself_is_taken_and_kept() {
    let stage = Stage::new();
    // its kernel connects, and nothing is ever sent
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let live = stage.server.dot()[0];
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([nobody(), silent.local_addr().unwrap(), live]);
    upstream["alternative"] = json!(null);
    let client = stage.apply(vec![upstream.clone()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(status(&stage)["upstreams"][0]["address"], live.to_string());
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_ok(), "the silent one was tried before");

    stage.engine.reconnect();
    stage.engine.flush_cache();
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(stage.server.stats().queries.tls, 2);
}

#[tokio::test]
async fn without_an_alternative_nothing_else_is_tried() {
    let stage = Stage::new();
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([nobody()]);
    upstream["alternative"] = json!(null);
    let client = stage.apply(vec![upstream]).await;
    let said = client.ask("www.example", types::A).await;
    assert_eq!((said.rcode, said.errors[0].code), (rcode::SERVFAIL, 22));
    assert_eq!(stage.server.stats().connections, 0);
}

#[tokio::test]
async fn the_alternative_proves_the_same_and_a_wrong_certificate_is_told_though_it_works() {
    let stage = Stage::new();
    let (impostor, _, _) = server(|_| {});
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([impostor.dot()[0]]);
    upstream["alternative"] = json!(stage.server.starttls()[0].port());
    let client = stage.apply(vec![upstream]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    let told = status(&stage);
    assert_eq!(told["upstreams"][0]["path"], "tdns");
    let text = told["upstreams"][0]["lastError"]["text"].as_str().unwrap();
    assert!(text.contains("issuer is not trusted"), "{text}");
    assert_eq!(told["downgradeEvidence"], json!([]), "nothing was proven at that address before");

    let mut both_wrong = stage.dot();
    both_wrong["addresses"] = json!([impostor.dot()[0]]);
    both_wrong["alternative"] = json!(impostor.starttls()[0].port());
    let client = stage.apply(vec![both_wrong]).await;
    stage.engine.flush_cache();
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    assert_eq!(impostor.stats().queries.tls, 0);
}

#[tokio::test]
async fn the_log_names_the_way_that_was_taken() {
    let stage = Stage::new();
    let mut upstream = stage.dot();
    let (_held, closed) = closed_port();
    upstream["addresses"] = json!([closed]);
    upstream["alternative"] = json!(stage.server.starttls()[0].port());
    stage.apply(vec![upstream]).await;
    let asked = stage.engine.ask(stage::query("www.example", types::A)).await;
    let mut octets = Vec::new();
    let (_, event) = stage
        .engine
        .ask_as(sotto_engine::outcome::ClientProtocol::Udp, stage::query("n1.wild.example", types::A))
        .await;
    let event = event.unwrap();
    event::append(&event, &Names::default(), &mut octets);
    assert!(!asked.event.is_empty() && !octets.is_empty());
    assert_eq!(event.transport.word(), "tdns");
}

#[tokio::test]
async fn a_test_of_an_upstream_says_whether_the_other_way_works() {
    let stage = Stage::with(|config| config.signal = Signal::Decline);
    let mut upstream = stage.dot();
    upstream["alternative"] = json!(stage.server.starttls()[0].port());
    stage.apply(vec![upstream]).await;
    let report = stage.engine.test_upstream("dot").await.unwrap();
    assert!(report.ok, "{:?}", report.error);
    let other = report.alternative.unwrap();
    assert_eq!((other.ok, other.transport.word()), (false, "tdns"));
    assert_eq!(other.error.unwrap().code, "starttls-failed");
}

/// What each place says about an upstream: code, text, and the addresses that were tried in vain.
type Told = (Value, String, Vec<Value>);

fn told(error: &Value, text: &str, tried: &Value) -> Told {
    let addresses = tried.as_array().map_or(&[][..], Vec::as_slice).iter();
    let text = error[text].as_str().unwrap_or_default().to_owned();
    (error["code"].clone(), text, addresses.map(|one| one["address"].clone()).collect())
}

fn told_by_status(stage: &Stage) -> Told {
    let error = &status(stage)["upstreams"][0]["lastError"];
    told(error, "text", &error["tried"])
}

fn told_by_report(report: ProbeReport) -> Told {
    let report = serde_json::to_value(report).unwrap();
    told(&report["error"], "message", &report["tried"])
}

fn expect_impostor_first((code, text, addresses): Told, expected: &[SocketAddr]) {
    assert_eq!(code, "certificate-issuer", "{text}");
    assert_eq!(addresses, expected.iter().map(|address| json!(address.to_string())).collect::<Vec<_>>());
    assert!(text.starts_with(&expected[0].to_string()), "{text}");
    for address in expected {
        assert_eq!(text.matches(&format!("{address}: ")).count(), 1, "{text}");
    }
}

#[tokio::test]
async fn an_impostor_is_told_before_an_address_where_nobody_is() {
    let stage = Stage::new();
    let (impostor, _, _) = server(|_| {});
    let (away, impostor) = (nobody(), impostor.dot()[0]);
    for addresses in [[away, impostor], [impostor, away]] {
        let mut upstream = stage.dot();
        upstream["addresses"] = json!(addresses);
        upstream["alternative"] = json!(null);
        let client = stage.apply(vec![upstream]).await;
        let said = client.ask("www.example", types::A).await;
        assert_eq!(said.rcode, rcode::SERVFAIL);
        let text = &said.errors[0].text;
        assert!(
            text.starts_with(&format!("no private path: dot: {impostor}: the certificate's issuer")),
            "{text}"
        );
        assert!(text.contains(&away.to_string()), "{text}");
        expect_impostor_first(told_by_status(&stage), &[impostor, away]);
        let report = stage.engine.test_upstream("dot").await.unwrap();
        assert_eq!(report.address, impostor.to_string());
        assert_eq!(report.steps.last().unwrap().step.word(), "failed");
        expect_impostor_first(told_by_report(report), &[impostor, away]);

        let question = data_encoding::BASE64.encode(&stage::query("www.example", types::A));
        let request = json!({
            "transport": "dot", "addresses": addresses, "names": [stage::NAME], "ca": stage.authority, "query": question,
        });
        let report = probe::run(serde_json::from_value(request).unwrap(), &|_| {}).await.unwrap();
        expect_impostor_first(told_by_report(report), &[impostor, away]);
    }
}

#[tokio::test]
async fn an_impostor_on_the_other_way_is_told_before_a_port_that_is_closed() {
    let stage = Stage::new();
    let (impostor, _, _) = server(|_| {});
    let ((_held, away), port) = (closed_port(), impostor.starttls()[0].port());
    let there = SocketAddr::new(away.ip(), port);
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([away]);
    upstream["alternative"] = json!(port);
    let client = stage.apply(vec![upstream]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    expect_impostor_first(told_by_status(&stage), &[there, away]);
    let report = stage.engine.test_upstream("dot").await.unwrap();
    assert_eq!(report.alternative.as_ref().unwrap().error.as_ref().unwrap().code, "certificate-issuer");
    expect_impostor_first(told_by_report(report), &[there, away]);
}

#[tokio::test]
async fn an_impostor_is_listed_where_another_address_works() {
    let stage = Stage::new();
    let (impostor, _, _) = server(|_| {});
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([nobody(), impostor.dot()[0], stage.server.dot()[0]]);
    upstream["alternative"] = json!(null);
    stage.apply(vec![upstream]).await;
    let report = stage.engine.test_upstream("dot").await.unwrap();
    assert!(report.ok && report.error.is_none(), "{:?}", report.error);
    assert_eq!(report.address, stage.server.dot()[0].to_string());
    let codes: Vec<_> = report.tried.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["certificate-issuer", "connect-failed"]);
}

#[tokio::test]
async fn of_several_upstreams_the_impostor_is_told_first() {
    let stage = Stage::new();
    let (impostor, _, _) = server(|_| {});
    let of = |id: &str, address: SocketAddr| {
        let mut upstream = stage.dot();
        (upstream["id"], upstream["addresses"], upstream["alternative"]) =
            (json!(id), json!([address]), json!(null));
        upstream
    };
    let client = stage.apply(vec![of("first", nobody()), of("second", impostor.dot()[0])]).await;
    let said = client.ask("www.example", types::A).await;
    let text = &said.errors[0].text;
    assert!(text.starts_with("no private path: second: "), "{text}");
    assert!(text.contains("; first: "), "{text}");
}
