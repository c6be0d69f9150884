//! Which upstream gets which query: groups by name, and strategies within them.

use serde_json::{Value, json};
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_server::Server;
use sotto_skip::waiting::until;
use std::time::Duration;

use crate::stage::{Client, NAME, Stage, nobody, server};

/// Two upstreams of one zone; the first one is slow.
struct Two {
    stage: Stage,
    servers: [Server; 2],
    upstreams: Vec<Value>,
}

impl Two {
    fn new(first_takes: Duration) -> Self {
        let (first, first_authority, _) = server(|config| config.delay = first_takes.into());
        let (second, second_authority, _) = server(|_| {});
        let upstream = |id: &str, server: &Server, authority: &str| json!({"id": id, "transport": "dot", "addresses": [server.dot()[0]], "names": [NAME], "ca": authority});
        let upstreams =
            vec![upstream("first", &first, &first_authority), upstream("second", &second, &second_authority)];
        Self { stage: Stage::new(), servers: [first, second], upstreams }
    }

    async fn with_strategy(&self, strategy: &str) -> Client {
        self.apply(self.upstreams.clone(), json!([{"id": "", "strategy": strategy}])).await
    }

    async fn apply(&self, upstreams: Vec<Value>, groups: Value) -> Client {
        self.stage.apply_with(upstreams, |config| config["groups"] = groups).await
    }

    fn asked(&self) -> [u64; 2] {
        self.servers.each_ref().map(|server| server.stats().queries.tls)
    }

    /// Without the liveness queries that a server gets that is slow for a moment.
    fn answered(&self) -> [u64; 2] {
        [0, 1].map(|index| self.status(index)["answered"].as_u64().unwrap())
    }

    fn status(&self, index: usize) -> Value {
        serde_json::to_value(self.stage.engine.status()).unwrap()["upstreams"][index].clone()
    }
}

#[tokio::test]
async fn names_go_to_their_group_and_no_others() {
    let mut two = Two::new(Duration::ZERO);
    two.upstreams[1]["group"] = json!("corp");
    let groups = json!([{"id": "corp", "names": ["corp.example"]}]);
    let client = two.apply(two.upstreams.clone(), groups).await;
    assert_eq!(client.ask("db.corp.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(two.asked(), [0, 1]);
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(client.ask("localhost", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(two.asked(), [1, 1]);
    assert_eq!((two.status(0)["group"].as_str(), two.status(1)["group"].as_str()), (Some(""), Some("corp")));
}

#[tokio::test]
async fn the_dead_of_one_group_do_not_send_its_names_to_another() {
    let mut two = Two::new(Duration::ZERO);
    two.upstreams[1]["group"] = json!("corp");
    two.upstreams[1]["addresses"] = json!([nobody()]);
    let groups = json!([{"id": "corp", "names": ["corp.example"]}]);
    let client = two.apply(two.upstreams.clone(), groups).await;
    assert_eq!(client.ask("db.corp.example", types::A).await.rcode, rcode::SERVFAIL);
    assert_eq!(two.asked(), [0, 0]);
}

#[tokio::test]
async fn a_group_that_is_not_there_or_twice_is_refused() {
    let two = Two::new(Duration::ZERO);
    for (groups, code) in
        [(json!([{"id": "a"}, {"id": "a"}]), "group-duplicate"), (json!([{"id": "a"}]), "group-unknown")]
    {
        let mut upstream = two.upstreams[0].clone();
        upstream["group"] = json!("b");
        let config = json!({
            "listen": [], "mode": "private", "network": "home", "upstreams": [upstream], "groups": groups,
            "cache": {"entries": 10, "serveStale": false, "staleHours": 24},
        });
        let config = sotto_engine::config::EngineConfig::parse(&config.to_string()).unwrap();
        assert_eq!(two.stage.engine.apply(config).await.unwrap_err().code, code);
    }
}

#[tokio::test]
async fn a_race_is_won_by_the_quicker_and_counts_the_other() {
    let two = Two::new(Duration::from_millis(500));
    let client = two.with_strategy("race").await;
    // both are connected first, so that the responses race and not the dials
    for id in [0, 1] {
        two.stage.engine.test_upstream(["first", "second"][id]).await;
    }
    until("both connect", || [0, 1].iter().all(|index| two.status(*index)["state"] == "ready")).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    until("both are counted", || two.status(0)["outrun"] == 1 && two.status(1)["answered"] == 1).await;
}

#[tokio::test]
async fn the_fastest_is_asked_once_each_was_tried() {
    let two = Two::new(Duration::from_millis(200));
    let client = two.with_strategy("fastest").await;
    for index in 0..12 {
        let said = client.ask(&format!("n{index}.wild.example"), types::A).await;
        assert_eq!(said.rcode, rcode::NOERROR);
    }
    assert_eq!(two.answered(), [1, 11]);
}

#[tokio::test]
async fn a_slow_answer_moves_no_name() {
    let two = Two::new(Duration::from_millis(600));
    let client = two.with_strategy("ordered").await;
    for index in 0..3 {
        client.ask(&format!("n{index}.wild.example"), types::A).await;
    }
    assert_eq!((two.status(0)["answered"].as_u64(), two.asked()[1]), (Some(3), 0));
}

#[tokio::test]
async fn a_domain_sticks_to_its_upstream_and_moves_only_when_it_dies() {
    let two = Two::new(Duration::ZERO);
    let client = two.with_strategy("spread").await;
    let mut of_first = Vec::new();
    for index in 0..40 {
        let before = two.answered();
        for host in ["www", "mail", "a.b"] {
            client.ask(&format!("{host}.d{index}.com"), types::A).await;
        }
        let now = two.answered();
        let [first, second] = [now[0] - before[0], now[1] - before[1]];
        assert!([first, second] == [3, 0] || [first, second] == [0, 3], "d{index}: {first} and {second}");
        if first == 3 {
            of_first.push(index);
        }
    }
    assert!((5..35).contains(&of_first.len()), "each has its share: {of_first:?}");
    let mut dead = two.upstreams.clone();
    dead[0]["addresses"] = json!([nobody()]);
    let groups = json!([{"id": "", "strategy": "spread"}]);
    let client = two.apply(dead, groups).await;
    let before = two.asked();
    for index in &of_first {
        client.ask(&format!("new.d{index}.com"), types::A).await;
    }
    assert_eq!(two.asked(), [before[0], before[1] + of_first.len() as u64]);
    let client = two.with_strategy("spread").await;
    for index in &of_first {
        client.ask(&format!("back.d{index}.com"), types::A).await;
    }
    assert_eq!(two.asked()[0], before[0] + of_first.len() as u64, "they come back with it");
}
