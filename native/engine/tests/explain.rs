//! What `explain` says of a query is what then happens to it.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use sotto_engine::config::EngineConfig;
use sotto_engine::decision::{Decision, Destination, Fate};
use sotto_engine::describe::type_name;
use sotto_engine::events::event::Event;
use sotto_engine::explain::{Explanation, SupposedAsker};
use sotto_engine::outcome::{ClearClass, ClientProtocol, Outcome};
use sotto_engine::policy::special_use::SPECIAL_USE;
use sotto_engine::supposition::{SupposedQueries, SupposedQuery, Supposition};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::types;

use crate::stage::resolver::Resolver;
use crate::stage::{Stage, query};

const RULES: &[&str] =
    &["corp.example", "lab.corp.example", "test", "a\\.b.rule", "10.in-addr.arpa", "x\\000y.zone"];
const CASES: usize = 1500;

/// Names at, under, beside and above those in the rules and in the table of special names, and others.
fn names() -> impl Strategy<Value = String> {
    let special: Vec<String> =
        SPECIAL_USE.iter().map(|entry| entry.name.replace("16-31", "20").replace("64-127", "100")).collect();
    let known: Vec<String> = special.into_iter().chain(RULES.iter().map(|rule| (*rule).to_owned())).collect();
    let label = prop_oneof![
        "[a-z0-9_-]{1,12}",
        Just("*".to_owned()),
        Just("a\\.b".to_owned()),
        Just("\\000\\255".to_owned()),
        Just("\\@\\;".to_owned()),
        "[a-z]{63}",
    ];
    let below = (prop::collection::vec(label.clone(), 0..3), prop::sample::select(known.clone()))
        .prop_map(|(labels, zone)| labels.into_iter().chain([zone]).collect::<Vec<_>>().join("."));
    let beside = (label.clone(), prop::sample::select(known.clone()))
        .prop_map(|(label, zone)| format!("{label}{zone}"));
    let above = prop::sample::select(known)
        .prop_map(|zone| zone.split_once('.').map_or(".".to_owned(), |(_, parent)| parent.to_owned()));
    let wide = (label.clone(), prop::sample::select(vec!["com", "net"]))
        .prop_map(|(label, zone)| format!("{label}.{zone}"));
    let other = prop::collection::vec(label, 1..5).prop_map(|labels| labels.join("."));
    let name = prop_oneof![4 => below, 2 => beside, 1 => above, 1 => wide, 3 => other, 1 => Just("www.example".to_owned()), 1 => Just("exact.example".to_owned())];
    (name, any::<bool>())
        .prop_map(|(name, upper)| if upper { name.to_ascii_uppercase() } else { name })
        .prop_filter("a name has its limits", |name| Name::parse(name).is_ok())
}

fn kinds() -> impl Strategy<Value = u16> {
    prop_oneof![
        5 => Just(types::A), 3 => Just(types::AAAA), 1 => Just(types::DS), 1 => Just(types::SOA), 1 => Just(types::NS),
        1 => Just(types::PTR), 1 => Just(types::ANY), 1 => Just(types::AXFR), 1 => 256..65_280_u16,
    ]
}

/// An engine with rules, a group, and resolvers that respond; `mode` as in a configuration.
async fn scene(mode: impl Fn(&Resolver) -> Value) -> (Stage, Resolver) {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let mode = mode(&resolver);
    let upstreams = upstreams(&stage);
    stage.apply_with(upstreams, |config| ruled(config, mode, &resolver)).await;
    (stage, resolver)
}

fn upstreams(stage: &Stage) -> Vec<Value> {
    let mut corp = stage.dot();
    corp["id"] = "corp".into();
    corp["group"] = "corp".into();
    vec![stage.dot(), corp]
}

fn ruled(config: &mut Value, mode: Value, resolver: &Resolver) {
    let below =
        RULES.iter().map(|suffix| json!({"rule": suffix, "below": [suffix], "to": [resolver.address]}));
    let others = [
        json!({"rule": "=exact.example", "alone": ["exact.example"], "to": [resolver.address]}),
        json!({"rule": "=x.corp.example", "alone": ["x.corp.example"], "to": []}),
        json!({"rule": "*", "singleLabels": true, "to": [resolver.address]}),
        json!({"rule": "com", "below": ["com"], "class": "policy", "to": [resolver.address]}),
        json!({"rule": "net", "below": ["net"], "class": "policy", "to": [resolver.address]}),
    ];
    config["mode"] = mode;
    config["bypass"] = below.chain(others).collect();
    config["forwardSpecial"] = json!(["internal"]);
    config["groups"] = json!([{"id": "corp", "names": ["wild.example", "other.rule"]}]);
    config["leases"] = json!([
        {"entry": 1, "class": "bypass"},
        {"entry": 2, "class": "paused"},
        {"entry": 3, "class": "policy", "rule": "com"},
    ]);
}

async fn agree(stage: &Stage, name: &str, kind: u16) {
    let message = query(name, kind);
    let said = stage.engine.explain(&message, &SupposedAsker::default());
    let (_, event) = stage.engine.ask_as(ClientProtocol::Control, message).await;
    let event = event.expect("each query leaves an event");
    let case = format!("{name} {kind}: {said:?} and {event:?}");
    let Some(said) = said else {
        assert_eq!(event.outcome, Outcome::Dropped, "{case}");
        return;
    };
    assert_eq!((&said.rule, said.clear), (&event.rule, event.clear), "{case}");
    agree_on_outcome(&said, &event, &case);
    let silent =
        said.verdict == Destination::Local || said.cached.is_some() || event.outcome == Outcome::Refused;
    assert!(silent || said.servers.iter().any(|server| server == event.upstream), "{case}");
}

fn agree_on_outcome(said: &Explanation, event: &Event, case: &str) {
    let Explanation { verdict, rcode, servers, group, clear, cached, .. } = said;
    match verdict {
        Destination::Local => {
            let code = sotto_engine::describe::rcode_name(event.rcode);
            assert_eq!((event.outcome, rcode.as_ref()), (Outcome::Local, Some(&code)), "{case}");
        }
        Destination::Bypass => {
            let expected = if *clear == ClearClass::None { Outcome::Refused } else { Outcome::Bypassed };
            assert_eq!(event.outcome, expected, "{case}");
        }
        Destination::Direct => {
            assert_eq!((event.outcome, event.clear), (Outcome::Forwarded, ClearClass::Paused), "{case}")
        }
        Destination::Forward => {
            let kept = matches!(event.outcome, Outcome::Cached);
            assert_eq!(cached.is_some(), kept, "{case}");
            assert!(kept || event.outcome == Outcome::Forwarded, "{case}");
            assert_eq!(group.as_deref() == Some("corp"), *servers == ["corp"], "{case}");
        }
        other => panic!("no verdict {other:?}"),
    }
}

async fn agree_on_many(stage: &Stage) {
    let mut runner = TestRunner::default();
    for _ in 0..CASES {
        let (name, kind) = (names(), kinds()).new_tree(&mut runner).unwrap().current();
        agree(stage, &name, kind).await;
    }
}

#[tokio::test]
async fn explained_is_what_happens() {
    let (stage, _resolver) = scene(|_| json!("private")).await;
    agree_on_many(&stage).await;
}

#[tokio::test]
async fn explained_is_what_happens_while_paused() {
    let (stage, _resolver) =
        scene(|resolver| json!({"direct": {"class": "paused", "servers": [resolver.address]}})).await;
    agree_on_many(&stage).await;
}

#[tokio::test]
async fn explaining_is_no_question() {
    let (stage, resolver) = scene(|_| json!("private")).await;
    let before = serde_json::to_value(stage.engine.status().cache).unwrap();
    for name in ["www.example", "db.corp.example", "localhost"] {
        stage.engine.explain(&query(name, types::A), &SupposedAsker::default()).unwrap();
    }
    assert_eq!(serde_json::to_value(stage.engine.status().cache).unwrap(), before);
    assert_eq!(resolver.heard(), (0, 0));
    assert!(stage.engine.status().outcomes.values().all(|count| *count == 0));
}

#[tokio::test]
async fn only_upstreams_of_the_names_group_are_asked_side_by_side() {
    let (stage, _resolver) = scene(|_| json!("private")).await;
    for (name, id, asked) in [
        ("www.example", "dot", true),
        ("www.example", "corp", false),
        ("x.wild.example", "corp", true),
        ("x.wild.example", "dot", false),
        ("www.example", "nobody", false),
        ("db.corp.example", "dot", false),
        ("localhost", "dot", false),
    ] {
        let response = stage.engine.ask_upstream(id, query(name, types::A)).await;
        assert_eq!(response.is_some(), asked, "{name} {id}");
        if let Some(response) = response {
            assert!(response.response.is_some() && response.error.is_none(), "{name}: {response:?}");
        }
    }
}

/// The decisions of one query, before and after; `None`: it is never resolved.
fn supposed(supposition: &Supposition, name: &str, kind: u16) -> Option<(Decision, Decision)> {
    let counts = |supposition: &Supposition| {
        let found = supposition.result();
        let pairs = found.pairs.iter().map(|pair| ((pair.before, pair.after), pair.queries));
        (pairs.collect::<HashMap<_, _>>(), found)
    };
    let (before, _) = counts(supposition);
    let query = SupposedQuery(name.into(), type_name(kind), 0, 1);
    supposition.add(&SupposedQueries { askers: vec![], queries: vec![query] });
    let (after, found) = counts(supposition);
    let grown = after.iter().find(|(pair, queries)| before.get(pair) != Some(*queries));
    grown.map(|((one, other), _)| (found.decisions[*one].clone(), found.decisions[*other].clone()))
}

fn happened(decision: Option<&Decision>, event: &Event, case: &str) {
    let Some(decision) = decision else {
        assert_eq!(event.outcome, Outcome::Dropped, "{case}");
        return;
    };
    assert_eq!((decision.rule, decision.clear), (event.rule, event.clear), "{case}");
    let expected: &[Outcome] = match (decision.fate, decision.verdict) {
        (Fate::Here, _) => &[Outcome::Local],
        (Fate::Refused, _) => &[Outcome::Refused],
        (Fate::Clear, Destination::Bypass) => &[Outcome::Bypassed],
        // a name above it that does not exist may be known by now
        (Fate::Private, _) => &[Outcome::Forwarded, Outcome::Cached],
        (Fate::Clear, _) => &[Outcome::Forwarded],
    };
    assert!(expected.contains(&event.outcome), "{case}");
    let is_sent = !matches!(event.outcome, Outcome::Local | Outcome::Refused | Outcome::Cached);
    assert!(!is_sent || decision.servers.iter().any(|server| server == event.upstream), "{case}");
}

/// Asks all of it first by supposition, then for real under the settings before, then under those after.
async fn agree_with_what_follows(mode: impl Fn(&Resolver) -> Value) {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    stage.apply_with(vec![stage.dot()], |_| {}).await;
    let mut next = json!({
        "listen": ["127.0.0.1:0"], "network": "home", "upstreams": upstreams(&stage),
        "cache": {"entries": 1000, "serveStale": false, "staleHours": 24},
    });
    ruled(&mut next, mode(&resolver), &resolver);
    let next = EngineConfig::parse(&next.to_string()).unwrap();
    let supposition = stage.engine.suppose(next.clone()).unwrap();
    let mut runner = TestRunner::default();
    let cases = std::iter::repeat_with(|| {
        let (name, kind) = (names(), kinds()).new_tree(&mut runner).unwrap().current();
        let decisions = supposed(&supposition, &name, kind);
        (name, kind, decisions)
    });
    let cases: Vec<_> = cases.take(CASES).collect();
    assert_eq!(resolver.heard(), (0, 0), "to suppose is not to ask");
    assert!(stage.engine.status().outcomes.values().all(|count| *count == 0));
    // the other one is in force, and may have been tried by now
    assert!(supposition.result().untried.iter().any(|id| id == "corp"));
    let ask = async |when: &str, decision: fn(&(Decision, Decision)) -> &Decision| {
        for (name, kind, decisions) in &cases {
            let (_, event) = stage.engine.ask_as(ClientProtocol::Control, query(name, *kind)).await;
            let event = event.expect("each query leaves an event");
            let case = format!("{when}: {name} {kind}: {decisions:?} and {event:?}");
            happened(decisions.as_ref().map(decision), &event, &case);
        }
    };
    ask("before", |(before, _)| before).await;
    stage.engine.apply(next).await.unwrap();
    stage.engine.flush_cache();
    ask("after", |(_, after)| after).await;
    let changed = cases.iter().filter(|(_, _, said)| said.as_ref().is_some_and(|(one, other)| one != other));
    assert!(changed.count() > CASES / 5, "most names have another decision than before");
}

#[tokio::test]
async fn supposed_is_what_then_happens() {
    agree_with_what_follows(|_| json!("private")).await;
}

#[tokio::test]
async fn supposed_is_what_then_happens_while_paused() {
    agree_with_what_follows(|resolver| json!({"direct": {"class": "paused", "servers": [resolver.address]}}))
        .await;
}

#[tokio::test]
async fn whose_queries_they_are_counts() {
    let (stage, resolver) = scene(|_| json!("private")).await;
    let mut next = json!({
        "listen": ["127.0.0.1:0"], "network": "home", "upstreams": upstreams(&stage),
        "cache": {"entries": 1000, "serveStale": false, "staleHours": 24},
    });
    ruled(&mut next, json!("private"), &resolver);
    next["refuseFor"] = json!([{"users": [7]}]);
    next["leases"][2] = json!({"entry": 3, "class": "policy", "rule": "net"});
    let supposition = stage.engine.suppose(EngineConfig::parse(&next.to_string()).unwrap()).unwrap();
    let asker = |user| SupposedAsker { user, unit: Some(String::new()) };
    let queries = [Some(7), Some(8), None]
        .iter()
        .enumerate()
        .map(|(at, _)| SupposedQuery("a.net".into(), "A".into(), at, 10));
    supposition.add(&SupposedQueries {
        askers: vec![asker(Some(7)), asker(Some(8)), asker(None)],
        queries: queries.chain([SupposedQuery("a..net".into(), "A".into(), 0, 1)]).collect(),
    });
    let found = supposition.result();
    assert_eq!((found.queries, found.unresolved), (31, 1));
    let fates: Vec<_> = found
        .pairs
        .iter()
        .map(|pair| (found.decisions[pair.before].fate, found.decisions[pair.after].fate, pair.queries))
        .collect();
    // nobody knows whether the last one is user 7, so its queries stay private
    assert_eq!(fates, [(Fate::Refused, Fate::Private, 20), (Fate::Refused, Fate::Clear, 10)]);
    assert_eq!(found.pairs[0].names, ["a.net"], "each name once");
}

#[tokio::test]
async fn rules_of_a_list_are_one_decision() {
    let (stage, resolver) = scene(|_| json!("private")).await;
    let word = "list:2:0123456789abcdef";
    let mut next = json!({
        "listen": ["127.0.0.1:0"], "network": "home", "upstreams": upstreams(&stage),
        "cache": {"entries": 1000, "serveStale": false, "staleHours": 24},
    });
    ruled(&mut next, json!("private"), &resolver);
    let list = json!({"rule": word, "list": {"names": "a.listed\n=b.listed", "after": ""}, "to": [resolver.address]});
    next["bypass"].as_array_mut().unwrap().push(list);
    let supposition = stage.engine.suppose(EngineConfig::parse(&next.to_string()).unwrap()).unwrap();
    let queries = ["x.a.listed", "b.listed", "y.a.listed", "c.listed"]
        .map(|name| SupposedQuery(name.into(), "A".into(), 0, 1));
    supposition.add(&SupposedQueries { askers: vec![], queries: queries.into() });
    let found = supposition.result();
    let after: Vec<_> =
        found.pairs.iter().map(|pair| (found.decisions[pair.after].rule, pair.queries)).collect();
    assert_eq!(after, [(word, 3), ("", 1)]);
}
