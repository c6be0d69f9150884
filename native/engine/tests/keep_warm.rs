//! Connections that are open before they are needed, with real servers and real sockets.

use std::time::Duration;

use serde_json::Value;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_skip::waiting::until;

use crate::stage::Stage;
use crate::stage::tap::Tap;

fn upstream(stage: &Stage) -> Value {
    serde_json::to_value(stage.engine.status()).unwrap()["upstreams"][0].clone()
}

/// The server tells its limit with each response, and its connection is left before the limit.
#[tokio::test]
async fn the_next_connection_stands_before_the_server_closes_the_last() {
    let stage = Stage::with(|config| config.limits.idle = Duration::from_secs(1));
    for config in [stage.dot(), stage.tdns()] {
        let client = stage.apply(vec![config]).await;
        stage.engine.flush_cache();
        assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
        until("a second connection", || {
            upstream(&stage)["dials"] == 2 && upstream(&stage)["state"] == "ready"
        })
        .await;
        let warmth = upstream(&stage)["warmth"].clone();
        assert_eq!((&warmth["idleLimitMs"], &warmth["idleLimitBy"]), (&1000.into(), &"told".into()));
        assert_eq!((&warmth["dials"], &warmth["rests"]), (&1.into(), &Value::Null));
    }
}

#[tokio::test]
async fn without_keep_warm_the_connection_is_let_go() {
    let stage = Stage::with(|config| config.limits.idle = Duration::from_secs(1));
    let client =
        stage.apply_with(vec![stage.dot()], |config| config["connections"]["keepWarm"] = false.into()).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    until("it is let go", || upstream(&stage)["state"] == "idle").await;
    assert_eq!(upstream(&stage)["dials"], 1);
    assert_eq!(upstream(&stage)["warmth"]["rests"], "off");
}

/// The kernel's first report is enough: no query comes, and there is no new configuration yet.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_lost_address_is_left_at_once_and_no_ticket_is_shown_on_the_next() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    stage.engine.stirred(&["192.0.2.1".parse().unwrap()], 0);
    assert_eq!(upstream(&stage)["dials"], 1, "somebody else's address");
    stage.engine.stirred(&["127.0.0.1".parse().unwrap()], 0);
    until("another connection", || upstream(&stage)["dials"] == 2 && upstream(&stage)["state"] == "ready")
        .await;
    // the control plane has noticed, too, and says so twice
    stage.engine.reconnect();
    stage.engine.reconnect();
    stage.engine.flush_cache();
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(upstream(&stage)["dials"], 2, "what was dialled after the first word is kept");
    let handshakes = stage.server.stats().handshakes;
    assert_eq!((handshakes.full, handshakes.resumed), (2, 0));
}

/// The machine has moved to another network, and the control plane finds that out a moment later.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_was_in_flight_on_a_lost_address_is_asked_again_and_outlives_the_new_network() {
    // no liveness query, which would count as a query, is sent within this time
    let stage = Stage::with(|config| config.delay = Duration::from_millis(30).into());
    let client = stage.apply(vec![stage.dot()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    let asked = |count: u64| {
        let server = &stage.server;
        async move { until("asked", || server.stats().queries.tls == count).await }
    };
    let moving = async {
        asked(2).await;
        stage.engine.stirred(&["127.0.0.1".parse().unwrap()], 0);
        asked(3).await;
        stage.apply_with(vec![stage.dot()], |config| config["network"] = "café".into()).await;
    };
    let (said, ()) = tokio::join!(client.ask("n1.wild.example", types::A), moving);
    assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1));
    let stats = stage.server.stats();
    assert_eq!(stats.queries.tls, 3, "not asked a third time for what was known already");
    assert_eq!(stats.handshakes.resumed, 0);
}

/// The cable is pulled: the address is gone, no server can be reached, and a moment later everything is back.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_asked_while_there_is_no_network_waits_for_it_and_not_for_ever() {
    let stage = Stage::new();
    let tap = Tap::before(stage.server.dot()[0]).await;
    let mut upstream_config = stage.dot();
    upstream_config["addresses"] = serde_json::json!([tap.address]);
    let client = stage.apply(vec![upstream_config]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    tap.leave();
    stage.until_idle().await;
    // no report says that the network is gone: a query gets its error at once
    assert_eq!(client.ask("n1.wild.example", types::A).await.rcode, rcode::SERVFAIL);

    tap.come_back().await;
    stage.engine.stirred(&[], 0);
    until("it is back", || upstream(&stage)["state"] == "ready").await;
    tap.leave();
    stage.engine.stirred(&["127.0.0.1".parse().unwrap()], 0);
    let returning = async {
        until("a dial in vain", || upstream(&stage)["state"] == "resting").await;
        stage.engine.stirred(&[], 0);
        tap.come_back().await;
        stage.engine.stirred(&[], 0);
    };
    let (said, ()) = tokio::join!(client.ask("n2.wild.example", types::A), returning);
    assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1));

    tap.leave();
    stage.engine.stirred(&["127.0.0.1".parse().unwrap()], 0);
    assert_eq!(client.ask("n3.wild.example", types::A).await.rcode, rcode::SERVFAIL, "and nothing came");
}
