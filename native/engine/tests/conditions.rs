//! Rules, groups and refusals that hold for some askers only. The clients are sockets of this process; who holds them says the kernel.
#![cfg(target_os = "linux")]

use std::path::Path;

use serde_json::{Value, json};
use sotto_engine::events::event::Event;
use sotto_engine::explain::SupposedAsker;
use sotto_engine::outcome::{ClearClass, ClientProtocol, Outcome};
use sotto_engine::policy::conditions::Fit;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_server::read_zone;
use sotto_skip::clock;
use tokio::net::UdpSocket;

use crate::stage::resolver::Resolver;
use crate::stage::{self, Client, NAME, Said, Stage, closed_port, query, server};

/// The last octet of what stage's zone says of the name, and of what a plain resolver says of every name.
const OF_UPSTREAM: u8 = 9;
const OF_RESOLVER: u8 = 7;
const OF_GROUP: u8 = 77;
const ATTEMPTS: usize = 100;
const INTERNAL: &str = "db.corp.example";

fn me() -> u32 {
    // SAFETY: it has no preconditions, and can't fail
    unsafe { libc::getuid() }
}

fn mine() -> Value {
    json!({"users": [me()]})
}

fn anothers() -> Value {
    json!({"users": [me() + 1]})
}

async fn last_octet(client: &Client, name: &str) -> u8 {
    let said = client.ask(name, types::A).await;
    assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1), "{name}: {said:?}");
    address(&said)
}

/// Whether the asker gets `expected`. On a busy machine a query may lie unread for so long that nobody knows any more who asked; then
/// it gets what is stricter, and is sent again.
async fn gets(client: &Client, name: &str, expected: u8, stricter: u8) -> bool {
    for _ in 0..ATTEMPTS {
        let found = last_octet(client, name).await;
        if found == expected {
            return true;
        }
        assert_eq!(found, stricter, "{name}");
    }
    false
}

/// The OPT stands behind the one record.
fn address(said: &Said) -> u8 {
    let before_opt = said.message.windows(4).position(|octets| octets[..3] == [198, 51, 100]);
    said.message[before_opt.unwrap_or_else(|| panic!("no address of the zones: {said:?}")) + 3]
}

/// A query whose socket is closed before anybody looks, as far as the kernel is concerned.
async fn ask_as_nobody(stage: &Stage, name: &str) -> Event {
    stage.engine.ask_as(ClientProtocol::Udp, query(name, types::A)).await.1.unwrap()
}

async fn with_rules(stage: &Stage, rules: Value, change: impl FnOnce(&mut Value)) -> Client {
    stage
        .apply_with(vec![stage.dot()], |config| {
            config["bypass"] = rules;
            config["leases"] =
                json!([{"entry": 1, "class": "bypass"}, {"entry": 2, "class": "policy", "rule": "example"}]);
            change(config);
        })
        .await
}

#[tokio::test]
async fn a_rule_holds_for_those_who_certainly_fit() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    for (when, expected) in [
        (mine(), OF_RESOLVER),
        (anothers(), OF_UPSTREAM),
        (json!({"users": [me() + 1], "unknownUsers": true}), OF_UPSTREAM),
        (json!({"users": [me()], "units": ["backup.service"]}), OF_UPSTREAM),
        (json!({}), OF_RESOLVER),
    ] {
        let rules = json!([{"rule": "corp.example", "below": ["corp.example"], "to": [resolver.address], "when": when}]);
        let client = with_rules(&stage, rules, |_| {}).await;
        assert!(gets(&client, INTERNAL, expected, OF_UPSTREAM).await, "{when}");
    }
}

#[tokio::test]
async fn unknown_askers_get_no_rule_with_a_condition() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let rules = json!([
        {"rule": "corp.example", "below": ["corp.example"], "to": [resolver.address], "when": mine()},
        {"rule": "=db.corp.example", "alone": ["db.corp.example"], "to": [resolver.address], "when": anothers()},
    ]);
    let client = with_rules(&stage, rules, |_| {}).await;
    let heard = resolver.heard().0;
    assert_eq!(ask_as_nobody(&stage, INTERNAL).await.outcome, Outcome::Forwarded);
    let control = stage.engine.ask_as(ClientProtocol::Control, query(INTERNAL, types::A)).await.1.unwrap();
    assert_eq!(control.outcome, Outcome::Cached);
    assert_eq!(resolver.heard().0, heard);
    assert!(gets(&client, INTERNAL, OF_RESOLVER, OF_UPSTREAM).await, "the cache has another's");
}

/// So many are looked up in a second, and the clock stands still.
#[tokio::test]
async fn more_askers_than_are_looked_up_get_no_rule_with_a_condition() {
    clock::stands_still();
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let rules = json!([{"rule": "corp.example", "below": ["corp.example"], "to": [resolver.address], "when": mine()}]);
    let client = with_rules(&stage, rules, |_| {}).await;
    assert!(gets(&client, INTERNAL, OF_RESOLVER, OF_UPSTREAM).await);
    let heard = resolver.heard().0;
    let socket = UdpSocket::bind(stage::loopback()).await.unwrap();
    socket.connect(client.to).await.unwrap();
    let message = query(INTERNAL, types::A);
    let mut received = [0; 512];
    // one after the other, so that none is dropped on its way
    let (asked, mut sent_to_tcp) = (5_000, 0);
    for _ in 0..asked {
        socket.send(&message).await.unwrap();
        let length = socket.recv(&mut received).await.unwrap();
        let said = stage::said(received[..length].to_vec());
        sent_to_tcp += usize::from(said.is_truncated() || address(&said) != OF_UPSTREAM);
    }
    assert!(sent_to_tcp < asked, "all {asked} were looked up");
    assert_eq!(resolver.heard().0, heard, "nothing that came by UDP left in cleartext");
}

#[tokio::test]
async fn without_programs_in_the_log_a_condition_still_holds() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let rules = json!([{"rule": "corp.example", "below": ["corp.example"], "to": [resolver.address], "when": mine()}]);
    let client = with_rules(&stage, rules, |config| config["programs"] = false.into()).await;
    assert!(gets(&client, INTERNAL, OF_RESOLVER, OF_UPSTREAM).await);
    stage.until("bypassed", 1).await;
    stage.engine.stop().await;
    let records = stage.records.lock().unwrap().clone();
    let name = b"db.corp.example";
    assert!(records.windows(name.len()).any(|octets| octets == name));
    let user = std::env::var("USER").unwrap_or("root".into());
    assert!(!records.windows(user.len()).any(|octets| octets == user.as_bytes()));
}

fn group_server() -> (sotto_server::Server, Value) {
    let zone = "$ORIGIN example.\n$TTL 300\n@ SOA ns hostmaster 1 3600 900 604800 60\n@ NS ns\nns A 198.51.100.1\ndb.corp A 198.51.100.77\n";
    let (server, authority, _) = server(|config| {
        let zone = read_zone(zone.as_bytes(), Path::new("group.zone"), "example").unwrap();
        config.backend = zone.into();
    });
    let upstream = json!({
        "id": "corp", "transport": "dot", "addresses": [server.dot()[0]], "names": [NAME], "ca": authority, "group": "corp",
    });
    (server, upstream)
}

#[tokio::test]
async fn a_group_takes_names_from_those_who_fit_and_the_cache_keeps_them_apart() {
    let stage = Stage::new();
    let (_server, corp) = group_server();
    for (when, policy, mine, nobodys) in [
        (mine(), "refuse", OF_GROUP, "dot"),
        (anothers(), "refuse", OF_UPSTREAM, "dot"),
        (anothers(), "fallback", OF_UPSTREAM, "dot"),
        (Value::Null, "refuse", OF_GROUP, "corp"),
    ] {
        let client = stage
            .apply_with(vec![stage.dot(), corp.clone()], |config| {
                config["groups"] = json!([
                    {"id": "", "policy": "refuse"},
                    {"id": "corp", "names": ["corp.example"], "policy": policy, "when": when},
                ]);
            })
            .await;
        stage.engine.flush_cache();
        for _ in 0..2 {
            assert!(gets(&client, INTERNAL, mine, OF_UPSTREAM).await, "{when} {policy}");
            let event = ask_as_nobody(&stage, INTERNAL).await;
            assert_eq!(event.upstream, nobodys, "{when} {policy}");
        }
    }
}

#[tokio::test]
async fn an_unknown_asker_gets_the_group_with_the_stricter_policy() {
    let stage = Stage::new();
    let (_server, corp) = group_server();
    for (other, own, upstream) in
        [("fallback", "refuse", "corp"), ("refuse", "fallback", "dot"), ("warn", "warn", "dot")]
    {
        stage
            .apply_with(vec![stage.dot(), corp.clone()], |config| {
                config["groups"] = json!([
                    {"id": "", "policy": other},
                    {"id": "corp", "names": ["corp.example"], "policy": own, "when": mine()},
                ]);
            })
            .await;
        assert_eq!(ask_as_nobody(&stage, INTERNAL).await.upstream, upstream, "{own} beside {other}");
    }
}

#[tokio::test]
async fn who_is_refused_cleartext_stays_private_while_others_go_direct() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    for (refuse_for, expected) in [(mine(), OF_UPSTREAM), (anothers(), OF_RESOLVER)] {
        let client = stage
            .apply_with(vec![stage.dot()], |config| {
                config["mode"] = json!({"direct": {"class": "paused", "servers": [resolver.address]}});
                config["refuseFor"] = json!([refuse_for]);
                config["leases"] = json!([{"entry": 1, "class": "paused"}]);
            })
            .await;
        assert!(gets(&client, INTERNAL, expected, OF_UPSTREAM).await, "{refuse_for}");
        let event = ask_as_nobody(&stage, INTERNAL).await;
        assert_eq!(event.clear, ClearClass::None, "nobody knows whether it may");
        assert_eq!(event.upstream, "dot");
    }
}

#[tokio::test]
async fn who_is_refused_cleartext_has_bypass_rules_but_no_downgrades() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let rules = json!([
        {"rule": "example", "below": ["example"], "to": [resolver.address], "class": "policy"},
        {"rule": "wild.example", "below": ["wild.example"], "to": [resolver.address]},
    ]);
    for (refuse_for, at_downgrade) in [(mine(), OF_UPSTREAM), (anothers(), OF_RESOLVER)] {
        let client =
            with_rules(&stage, rules.clone(), |config| config["refuseFor"] = json!([refuse_for])).await;
        assert!(gets(&client, INTERNAL, at_downgrade, OF_UPSTREAM).await, "{refuse_for}");
        assert_eq!(last_octet(&client, "a.wild.example").await, OF_RESOLVER, "{refuse_for}");
    }
}

#[tokio::test]
async fn who_is_refused_cleartext_never_goes_down_the_ladder() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let (_held, dead) = closed_port();
    let upstream = json!({
        "id": "main", "transport": "dot", "addresses": [dead], "names": [NAME], "ca": stage.authority,
        "clearPort": resolver.address.port(), "alternative": null,
    });
    let clear = json!({"id": "main", "transport": "udp", "addresses": [resolver.address]});
    for (word, upstream) in [("ladder", upstream), ("clear", clear)] {
        for (refuse_for, code) in [(mine(), rcode::SERVFAIL), (anothers(), rcode::NOERROR)] {
            let before = resolver.heard().0;
            let client = stage
                .apply_with(vec![upstream.clone()], |config| {
                    config["groups"] = json!([{"id": "", "rungs": ["udp"], "policy": "fallback"}]);
                    config["refuseFor"] = json!([refuse_for]);
                    config["leases"] = json!([{"entry": 1, "class": "policy"}]);
                })
                .await;
            let mut said = client.ask(&format!("{word}.example"), types::A).await;
            for _ in 0..ATTEMPTS {
                if said.rcode == code {
                    break;
                }
                assert_eq!(said.rcode, rcode::SERVFAIL, "{refuse_for}: {said:?}");
                said = client.ask(&format!("{word}.example"), types::A).await;
            }
            assert_eq!(said.rcode, code, "{refuse_for}: {said:?}");
            assert_eq!(resolver.heard().0 > before, code == rcode::NOERROR, "{refuse_for}");
        }
    }
}

#[tokio::test]
async fn explaining_says_which_condition_was_judged_and_how() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let when = json!({"users": [7], "units": ["backup.service"]});
    let rules = json!([{"rule": "corp.example for backup", "below": ["corp.example"], "to": [resolver.address], "when": when}]);
    with_rules(&stage, rules, |config| config["refuseFor"] = json!([{"users": [8]}])).await;
    let said = |user, unit: Option<&str>| {
        let asker = SupposedAsker { user, unit: unit.map(Into::into) };
        let said = stage.engine.explain(&query(INTERNAL, types::A), &asker).unwrap();
        let fits: Vec<_> = said.conditions.iter().map(|judged| judged.fit).collect();
        (said.rule, fits, said.private_only)
    };
    let rule = "corp.example for backup";
    assert_eq!(said(Some(7), Some("backup.service")), (rule, vec![Fit::No, Fit::Yes], false));
    assert_eq!(said(Some(7), None), ("", vec![Fit::No, Fit::Unknown], false));
    assert_eq!(said(Some(7), Some("")), ("", vec![Fit::No, Fit::No], false));
    assert_eq!(said(Some(8), Some("backup.service")), ("", vec![Fit::Yes, Fit::No], true));
    assert_eq!(said(None, None), ("", vec![Fit::Unknown, Fit::Unknown], true));
}
