//! EncDNS upstreams: the engine, a resolver in the middle that does what resolvers do to names, and sotto-server.

use serde_json::{Value, json};
use sotto_encdns::SecretKey;
use sotto_engine::outcome::Outcome;
use sotto_engine::wire::header::{self, rcode};
use sotto_engine::wire::types;
use sotto_skip::waiting;

use crate::stage::encdns::{LARGE, LONG_NAME, assert_only_boxes, clients, inside, settled, stage, upstream};
use crate::stage::hop::Does;
use crate::stage::resolver::Resolver;
use crate::stage::{self, Stage, query};

fn with(mut upstream: Value, field: &str, value: Value) -> Value {
    upstream["encdns"][field] = value;
    upstream
}

fn status(stage: &Stage) -> Value {
    serde_json::to_value(stage.engine.status()).unwrap()
}

fn boxes_sent(status: &Value) -> u64 {
    let probes = status["ownProbes"].as_array().unwrap();
    probes.iter().find(|one| one["kind"] == "encdns").unwrap()["count"].as_u64().unwrap()
}

async fn until(stage: &Stage, what: &str, is: impl Fn(&Value) -> bool) {
    waiting::until(what, || is(&status(stage)["upstreams"][0])).await;
}

#[tokio::test]
async fn names_travel_in_boxes_whatever_the_resolver_does_to_names() {
    for does in [Does::HandOn, Does::LowerCase, Does::DropWhereCaseMatters, Does::EndAtZero, Does::Lose] {
        let (stage, hop) = stage(does).await;
        let client = stage.apply(vec![upstream(&hop)]).await;
        for name in ["www.example", "a.wild.example", "b.wild.example"] {
            let said = client.ask(name, types::A).await;
            assert_eq!(
                (said.rcode, said.answers),
                (rcode::NOERROR, 1),
                "{name} through one that does {does:?}"
            );
        }
        assert_only_boxes(&hop);
        // a packet of ours may be on its way
        waiting::until("each packet is counted", || boxes_sent(&status(&stage)) == hop.seen().len() as u64)
            .await;
        let status = status(&stage);
        assert_eq!(status["clear"], json!([]), "the ledger has nothing to tell");
        let upstream = &status["upstreams"][0];
        assert_eq!((&upstream["path"], &upstream["lastError"]), (&json!("encdns"), &Value::Null));
    }
}

#[tokio::test]
async fn labels_that_came_through_are_remembered() {
    let (stage, hop) = stage(Does::LowerCase).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    client.ask("www.example", types::A).await;
    until(&stage, "ready", |upstream| upstream["state"] == "ready").await;
    let (before, binary) = (hop.seen().len(), |query: &[u8]| query[header::LENGTH + 1..].starts_with(b" E"));
    client.ask("a.wild.example", types::A).await;
    // another configuration of the same network
    let client = stage.apply_with(vec![with(upstream(&hop), "keys", json!("interval"))], |_| {}).await;
    client.ask("b.wild.example", types::A).await;
    assert_eq!(hop.seen()[before..].iter().filter(|query| binary(query)).count(), 0);
    // a resolver of another network is not known
    let other = |config: &mut Value| config["network"] = json!("cafe");
    let client = stage.apply_with(vec![upstream(&hop)], other).await;
    let before = hop.seen().len();
    client.ask("c.wild.example", types::A).await;
    assert!(hop.seen()[before..].iter().any(|query| binary(query)));
}

#[tokio::test]
async fn a_first_hop_over_tls_hides_even_the_boxes() {
    let (stage, hop) = stage(Does::HandOn).await;
    // sotto-server is its own first hop here: it answers for the zone
    let first_hop = json!({"id": "hop", "transport": "dot", "addresses": [stage.server.dot()[0]],
        "names": [stage::NAME], "ca": stage.authority});
    let client = stage.apply(vec![inside(first_hop)]).await;
    assert_eq!(client.ask("www.example", types::A).await.answers, 1);
    assert_eq!((boxes_sent(&status(&stage)), hop.seen().len()), (0, 0));
}

#[tokio::test]
async fn a_new_key_pair_comes_when_it_was_wished() {
    for (keys, most) in [("session", 1), ("interval", 1), ("per-query", usize::MAX)] {
        let (stage, hop) = stage(Does::HandOn).await;
        let client = stage.apply(vec![with(upstream(&hop), "keys", json!(keys))]).await;
        for name in ["a.wild.example", "b.wild.example", "c.wild.example"] {
            client.ask(name, types::A).await;
        }
        let had = clients(&hop).len();
        assert!(had <= most && (most == 1 || had >= 3), "{had} with {keys}");
        stage.engine.reconnect();
        client.ask("d.wild.example", types::A).await;
        assert!(clients(&hop).len() > had, "the server would know the machine on each network");
    }
}

#[tokio::test]
async fn where_boxes_are_not_carried_nothing_leaves_and_the_reason_is_told() {
    for (does, reason) in [
        (Does::Deny, "responded NXDOMAIN instead of a boxed response"),
        (Does::Refuse, "responded REFUSED"),
        (Does::Fail, "responded SERVFAIL"),
        (Does::Tamper, "responded with what the server did not seal"),
    ] {
        let (stage, hop) = stage(does).await;
        let client = stage.apply(vec![upstream(&hop)]).await;
        let said = client.ask("www.example", types::A).await;
        assert_eq!(said.rcode, rcode::SERVFAIL);
        assert!(said.errors[0].text.contains(reason), "{:?}", said.errors);
        assert_only_boxes(&hop);
        stage.until(Outcome::Refused.word(), 1).await;
        assert_eq!(status(&stage)["clear"], json!([]));
        // and it comes back by itself
        hop.now(Does::HandOn);
        until(&stage, "rested", |upstream| upstream["state"] != "resting").await;
        assert_eq!(client.ask("www.example", types::A).await.answers, 1, "after {does:?}");
    }
}

/// The first query runs out of time, because it waits for the labels about which nothing is said.
#[tokio::test]
async fn what_was_said_of_one_box_is_not_hidden_by_silence_about_another() {
    let (stage, hop) = stage(Does::Truncate).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    until(&stage, "resting", |upstream| upstream["state"] == "resting").await;
    let reason = "responded with a truncated message instead of a boxed response";
    let told = status(&stage)["upstreams"][0]["lastError"]["text"].to_string();
    assert!(told.contains(reason), "{told}");
    assert_only_boxes(&hop);
}

/// Whoever runs the servers of a name can have resolvers give up on it.
#[tokio::test]
async fn an_error_for_one_name_cuts_nothing_off() {
    let (stage, hop) = stage(Does::HandOn).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    settled(&client, &hop).await;
    hop.now(Does::FailForThree);
    let said = client.ask("a.wild.example", types::A).await;
    assert_eq!(said.rcode, rcode::SERVFAIL);
    assert!(said.errors[0].text.contains("no answer in time"), "{:?}", said.errors);
    let upstream = &status(&stage)["upstreams"][0];
    assert_eq!((&upstream["state"], &upstream["path"]), (&json!("ready"), &json!("encdns")));
    assert_eq!(client.ask("b.wild.example", types::A).await.answers, 1);
    assert_only_boxes(&hop);
}

/// With a ladder below it, as under fallback.
#[tokio::test]
async fn only_a_lost_path_lets_names_leave_in_cleartext() {
    let (stage, hop) = stage(Does::HandOn).await;
    let network = Resolver::start().await;
    let client = stage
        .apply_with(vec![upstream(&hop)], |config| {
            config["groups"] = json!([{"id": "", "rungs": ["unauthenticated", "tcp", "udp", "network"]}]);
            config["networkResolvers"] = json!([network.address]);
            config["leases"] = json!([{"entry": 1, "class": "policy"}]);
        })
        .await;
    settled(&client, &hop).await;
    assert_eq!(client.ask(LONG_NAME, types::A).await.answers, 1);
    hop.now(Does::FailForThree);
    assert_eq!(client.ask("a.wild.example", types::A).await.answers, 0);
    assert_eq!(network.heard(), (0, 0), "neither a long name nor a slow one");
    hop.now(Does::Deny);
    assert_eq!(client.ask("b.wild.example", types::A).await.answers, 1);
    assert_eq!(network.heard(), (1, 0));
    assert_eq!(status(&stage)["clear"][0]["count"], 1, "the ledger knows");
    hop.now(Does::HandOn);
    until(&stage, "reached", |upstream| upstream["path"] == "encdns").await;
    assert_eq!(client.ask("c.wild.example", types::A).await.answers, 1);
    assert_eq!(network.heard(), (1, 0), "private again");
    assert_only_boxes(&hop);
}

#[tokio::test]
async fn with_another_key_no_box_opens() {
    let (stage, hop) = stage(Does::HandOn).await;
    let other = SecretKey::from_octets([8; 32]).public().to_string();
    let client = stage.apply(vec![with(upstream(&hop), "key", json!(other))]).await;
    let said = client.ask("www.example", types::A).await;
    assert_eq!(said.rcode, rcode::SERVFAIL);
    assert_only_boxes(&hop);
}

#[tokio::test]
async fn a_large_response_comes_whole() {
    let (stage, hop) = stage(Does::HandOn).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    let whole = client.ask_by_tcp("large.example", types::A).await;
    assert_eq!(usize::from(whole.answers), LARGE);
    assert_only_boxes(&hop);
}

#[tokio::test]
async fn a_silent_first_hop_is_cut_off_and_found_again() {
    let (stage, hop) = stage(Does::HandOn).await;
    let client = stage.apply(vec![upstream(&hop)]).await;
    assert_eq!(client.ask("www.example", types::A).await.answers, 1);
    hop.now(Does::Nothing);
    let said = client.ask("a.wild.example", types::A).await;
    assert_eq!(said.rcode, rcode::SERVFAIL);
    // a query of ours shows that it was not the name's own server that was silent
    until(&stage, "resting", |upstream| upstream["state"] == "resting").await;
    hop.now(Does::HandOn);
    until(&stage, "rested", |upstream| upstream["state"] != "resting").await;
    assert_eq!(client.ask("a.wild.example", types::A).await.answers, 1);
    assert_only_boxes(&hop);
}

#[tokio::test]
async fn without_a_resolver_of_the_network_it_says_so() {
    let (stage, _) = stage(Does::HandOn).await;
    let client = stage.apply(vec![inside(json!({"id": "hop", "transport": "udp", "addresses": []}))]).await;
    let said = client.send(&query("www.example", types::A)).await;
    assert!(said.errors[0].text.contains("the network's own resolvers are not known"), "{:?}", said.errors);
}
