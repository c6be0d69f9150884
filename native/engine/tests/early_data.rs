//! The query that opens a connection, sent with the hello.

use serde_json::{Value, json};
use sotto_engine::events::event::Event;
use sotto_engine::outcome::{ClientProtocol, Cost};
use sotto_engine::wire::header::{Header, rcode};
use sotto_engine::wire::types;

use crate::stage::early_server::{ALLOWED, EarlyServer};
use crate::stage::tap::Tap;
use crate::stage::{self, Stage};

struct EarlyStage {
    stage: Stage,
    server: EarlyServer,
    asked: usize,
}

impl EarlyStage {
    async fn with(early_data: u32, change: impl FnOnce(&mut Value)) -> Self {
        let (stage, server) = (Stage::new(), EarlyServer::start(early_data));
        let mut upstream = json!({
            "id": "early", "transport": "dot", "addresses": [server.address], "names": [stage::NAME],
            "ca": server.authority, "earlyData": true,
        });
        change(&mut upstream);
        stage.apply(vec![upstream]).await;
        Self { stage, server, asked: 0 }
    }

    /// A query for a name that is not in the cache; it gets a response.
    async fn ask(&mut self) -> Event {
        self.asked += 1;
        let query = stage::query(&format!("n{}.wild.example", self.asked), types::A);
        let (reply, event) = self.stage.engine.ask_as(ClientProtocol::Udp, query).await;
        assert_eq!(Header::read(&reply).unwrap().rcode(), rcode::NOERROR);
        event.unwrap()
    }

    /// Ends the connection, so that the next query opens another.
    async fn cut(&self) {
        self.server.cut();
        self.stage.until_idle().await;
    }
}

#[tokio::test]
async fn a_question_with_the_hello_costs_no_round_trip_of_its_own() {
    let mut early = EarlyStage::with(ALLOWED, |_| {}).await;
    early.ask().await;
    assert_eq!(early.server.seen().early, 0, "never with a fresh session");
    early.cut().await;
    let second = early.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 2));
    let third = early.ask().await;
    assert_eq!((third.cost, third.round_trips), (Cost::Reused, 1));
    let seen = early.server.seen();
    assert_eq!((seen.full, seen.resumed, seen.early, seen.queries), (1, 1, 1, 3));
}

#[tokio::test]
async fn sotto_server_takes_it() {
    let stage = Stage::with(|config| config.early_data = true);
    let tap = Tap::before(stage.server.dot()[0]).await;
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([tap.address]);
    upstream["earlyData"] = json!(true);
    // with keep-warm, the connection would be open before the query that is to open it
    let client =
        stage.apply_with(vec![upstream], |config| config["connections"] = json!({"keepWarm": false})).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    tap.cut();
    stage.until_idle().await;
    let (_, event) =
        stage.engine.ask_as(ClientProtocol::Udp, stage::query("n1.wild.example", types::A)).await;
    let event = event.unwrap();
    assert_eq!((event.cost, event.round_trips), (Cost::Resumed, 2));
    let stats = stage.server.stats();
    assert_eq!((stats.handshakes.resumed, stats.handshakes.early, stats.queries.tls), (1, 1, 2));
}

#[tokio::test]
async fn without_the_setting_nothing_goes_early() {
    let mut early = EarlyStage::with(ALLOWED, |upstream| upstream["earlyData"] = json!(false)).await;
    early.ask().await;
    early.cut().await;
    let second = early.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3));
    assert_eq!(early.server.seen().early, 0);
}

#[tokio::test]
async fn a_test_of_the_upstream_says_what_it_would_take() {
    for (allowed, told) in [(ALLOWED, Some(ALLOWED as usize)), (0, None)] {
        let early = EarlyStage::with(allowed, |_| {}).await;
        let report = early.stage.engine.test_upstream("early").await.unwrap();
        assert!(report.ok, "{:?}", report.error);
        assert_eq!(report.early_data, told);
        assert_eq!(early.server.seen().early, 0, "and sends nothing early itself");
    }
}

#[tokio::test]
async fn it_goes_early_after_starttls_as_well() {
    let mut early = EarlyStage::with(ALLOWED, |upstream| upstream["transport"] = json!("tdns")).await;
    early.ask().await;
    early.cut().await;
    let second = early.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3));
    let seen = early.server.seen();
    assert_eq!((seen.resumed, seen.early, seen.queries), (1, 1, 2));
}

#[tokio::test]
async fn a_ticket_that_allows_none_is_used_without() {
    for allowed in [0, 100] {
        let mut early = EarlyStage::with(allowed, |_| {}).await;
        early.ask().await;
        early.cut().await;
        let second = early.ask().await;
        assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3), "{allowed}");
        assert_eq!((early.server.seen().early, early.server.seen().queries), (0, 2), "{allowed}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_it_is_asked_again_and_answers_once() {
    let mut early = EarlyStage::with(ALLOWED, |_| {}).await;
    early.ask().await;
    early.cut().await;
    early.server.allow(0);
    let second = early.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3));
    let seen = early.server.seen();
    assert_eq!((seen.resumed, seen.early, seen.queries), (1, 0, 2));
}

#[tokio::test]
async fn a_server_that_lost_its_keys_makes_a_full_handshake_and_answers() {
    let mut early = EarlyStage::with(ALLOWED, |_| {}).await;
    early.ask().await;
    early.cut().await;
    early.server.lose_keys(ALLOWED);
    let second = early.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Cold, 3));
    let seen = early.server.seen();
    assert_eq!((seen.full, seen.resumed, seen.early, seen.queries), (2, 0, 0, 2));
    early.cut().await;
    assert_eq!(early.ask().await.round_trips, 2, "the tickets in stock are those of the new keys");
}
