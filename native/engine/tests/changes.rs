//! Which changes of an upstream the control plane is told, because something may follow from them (decision 0087).

use std::sync::atomic::Ordering;

use serde_json::json;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_skip::waiting::until;

use crate::stage::tap::Tap;
use crate::stage::{Client, Stage};

/// An engine with an open connection that can be cut.
async fn connected() -> (Stage, Tap, Client) {
    let stage = Stage::new();
    let tap = Tap::before(stage.server.dot()[0]).await;
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([tap.address]);
    let without_spares = |config: &mut serde_json::Value| config["connections"]["keepWarm"] = false.into();
    let client = stage.apply_with(vec![upstream], without_spares).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    (stage, tap, client)
}

fn told(stage: &Stage) -> usize {
    stage.changes.load(Ordering::Relaxed)
}

async fn until_told(stage: &Stage, times: usize) {
    until("it is told", || told(stage) >= times).await;
}

#[tokio::test]
async fn a_connection_that_ends_and_is_opened_again_is_not_told() {
    let (stage, tap, client) = connected().await;
    let before = told(&stage);
    for name in ["n1.wild.example", "n2.wild.example"] {
        tap.cut();
        stage.until_idle().await;
        assert_eq!(client.ask(name, types::A).await.rcode, rcode::NOERROR);
    }
    assert_eq!(stage.server.stats().handshakes.resumed, 2);
    assert_eq!(told(&stage), before);
}

#[tokio::test]
async fn a_server_that_is_gone_is_told_and_so_is_its_return() {
    let (stage, tap, client) = connected().await;
    tap.leave();
    stage.until_idle().await;
    let before = told(&stage);
    assert_eq!(client.ask("n1.wild.example", types::A).await.rcode, rcode::SERVFAIL);
    until_told(&stage, before + 1).await;

    tap.come_back().await;
    let before = told(&stage);
    stage.engine.reconnect();
    assert_eq!(client.ask("n2.wild.example", types::A).await.rcode, rcode::NOERROR);
    until_told(&stage, before + 2).await;
}

/// It proves that this network leads to the server, which nothing from before does.
#[tokio::test]
async fn the_first_connection_of_a_network_is_told() {
    let (stage, _tap, client) = connected().await;
    let before = told(&stage);
    stage.engine.reconnect();
    assert_eq!(client.ask("n1.wild.example", types::A).await.rcode, rcode::NOERROR);
    // the dial, and its success
    until_told(&stage, before + 2).await;
}
