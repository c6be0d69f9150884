//! Which queries a network that wants a login may get, and from whom (docs/design/portals.md).

use serde_json::{Value, json};
use sotto_engine::engine::Purpose;
use sotto_engine::explain::SupposedAsker;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;

use crate::stage::resolver::Resolver;
use crate::stage::{Client, Said, Stage, query, said};

const SITE: &str = "login.hotel.example";
const PROBE: &str = "probe.example";

/// A private upstream, and a network whose resolver responds to everything.
async fn scene(leases: Value) -> (Stage, Resolver, Client) {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let client = configure(&stage, &resolver, leases).await;
    (stage, resolver, client)
}

async fn configure(stage: &Stage, resolver: &Resolver, leases: Value) -> Client {
    let portal = json!({"resolvers": [resolver.address], "probes": [PROBE]});
    stage
        .apply_with(vec![stage.dot()], |config| {
            config["portal"] = portal;
            config["leases"] = leases;
        })
        .await
}

async fn log_in(stage: &Stage, name: &str) -> Said {
    said(stage.engine.ask_network(query(name, types::A), Purpose::Login).await)
}

async fn probe(stage: &Stage, name: &str) -> Said {
    said(stage.engine.ask_network(query(name, types::A), Purpose::Probe).await)
}

fn status(stage: &Stage) -> Value {
    serde_json::to_value(stage.engine.status()).unwrap()
}

#[tokio::test]
async fn without_a_lease_no_name_but_a_probes_reaches_the_network() {
    let (stage, resolver, _) = scene(json!([])).await;
    for name in [SITE, "x.probe.example", "example", "."] {
        for refused in [log_in(&stage, name).await, probe(&stage, name).await] {
            assert_eq!((refused.rcode, refused.answers), (rcode::SERVFAIL, 0), "{name}");
            assert!(refused.errors[0].text.contains("no ledger entry"), "{:?}", refused.errors);
        }
    }
    assert_eq!(log_in(&stage, PROBE).await.rcode, rcode::SERVFAIL, "a login is no probe");
    assert_eq!(resolver.heard(), (0, 0));
    assert_eq!(probe(&stage, "PROBE.example").await.answers, 1);
    assert_eq!(resolver.heard().0, 1);
    assert_eq!(status(&stage)["outcomes"]["portal"], 0, "a probe is nobody's question");
    let probes = &status(&stage)["ownProbes"][1];
    assert_eq!((&probes["kind"], &probes["count"]), (&json!("portal-names"), &json!(1)));
    assert!(probes["last"].is_u64());
    assert_eq!(status(&stage)["outcomes"]["refused"], 9);
}

#[tokio::test]
async fn a_login_asks_the_network_and_every_packet_is_counted() {
    let (stage, resolver, client) = scene(json!([{"entry": 7, "class": "portal"}])).await;
    assert_eq!(log_in(&stage, SITE).await.answers, 1);
    assert_eq!(log_in(&stage, "cdn.hotel.example").await.answers, 1);
    assert_eq!(resolver.heard(), (2, 0));
    let now = status(&stage);
    assert_eq!(
        now["clear"],
        json!([{"entry": 7, "class": "portal", "count": 2, "ended": false, "suspended": false}])
    );
    assert_eq!(now["outcomes"]["portal"], 2);

    let private = client.ask("www.example", types::A).await;
    assert_eq!((private.rcode, private.answers), (rcode::NOERROR, 1));
    assert_eq!(resolver.heard(), (2, 0), "programs go on being private");
}

#[tokio::test]
async fn what_a_login_asks_counts_also_where_a_probe_asks_it() {
    let (stage, resolver, _) = scene(json!([{"entry": 7, "class": "portal"}])).await;
    assert_eq!(log_in(&stage, PROBE).await.answers, 1);
    assert_eq!(probe(&stage, PROBE).await.answers, 1);
    assert_eq!(probe(&stage, SITE).await.rcode, rcode::SERVFAIL, "a lease of a login is not a probe's");
    assert_eq!(resolver.heard(), (2, 0));
    let now = status(&stage);
    assert_eq!((&now["clear"][0]["count"], &now["outcomes"]["portal"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn a_login_ends_with_its_lease() {
    let (stage, resolver, _) = scene(json!([{"entry": 7, "class": "portal", "until": 1}])).await;
    assert_eq!(log_in(&stage, SITE).await.rcode, rcode::SERVFAIL);
    configure(&stage, &resolver, json!([{"entry": 8, "class": "portal"}])).await;
    assert_eq!(log_in(&stage, SITE).await.answers, 1);
    configure(&stage, &resolver, json!([])).await;
    assert_eq!(log_in(&stage, SITE).await.rcode, rcode::SERVFAIL);
    assert_eq!(resolver.heard(), (1, 0));
}

#[tokio::test]
async fn a_login_waits_until_it_is_confirmed_where_the_machine_is_now() {
    let (stage, resolver, _) = scene(json!([{"entry": 7, "class": "portal"}])).await;
    stage.engine.stirred(&[], 1);
    let asked = async {
        let said = log_in(&stage, SITE).await;
        (said.rcode, said.answers)
    };
    let confirmed = async {
        // this lets the network's resolver run
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(resolver.heard(), (0, 0), "it may be another network");
        stage
            .apply_with(vec![stage.dot()], |config| {
                config["portal"] = json!({"resolvers": [resolver.address], "probes": [PROBE]});
                config["leases"] = json!([{"entry": 7, "class": "portal"}]);
                config["networkChanges"] = json!(1);
            })
            .await
    };
    let (said, _) = tokio::join!(asked, confirmed);
    assert_eq!((said, resolver.heard()), ((rcode::NOERROR, 1), (1, 0)));
}

#[tokio::test]
async fn a_lease_for_one_site_is_for_that_name_alone() {
    let (stage, resolver, client) = scene(json!([{"entry": 7, "class": "portal", "rule": SITE}])).await;
    assert_eq!(client.ask("LOGIN.hotel.example", types::A).await.answers, 1);
    assert_eq!(resolver.heard(), (1, 0));
    for name in ["hotel.example", "www.login.hotel.example", "www.example"] {
        client.ask(name, types::A).await;
    }
    assert_eq!(resolver.heard(), (1, 0), "names beside, above and below it stay private");
    assert_eq!(log_in(&stage, SITE).await.rcode, rcode::SERVFAIL, "it is no login");
    assert_eq!(status(&stage)["outcomes"]["portal"], 1);
    let explained = stage.engine.explain(&query(SITE, types::A), &SupposedAsker::default()).unwrap();
    assert_eq!((explained.verdict.word(), explained.clear.word()), ("portal", "portal"));

    configure(&stage, &resolver, json!([])).await;
    let private = client.ask(SITE, types::A).await;
    assert_eq!((private.rcode, private.answers, resolver.heard()), (rcode::NXDOMAIN, 0, (1, 0)));
}

#[tokio::test]
async fn without_resolvers_of_the_network_nobody_is_asked() {
    let stage = Stage::new();
    stage
        .apply_with(vec![stage.dot()], |config| config["leases"] = json!([{"entry": 7, "class": "portal"}]))
        .await;
    let refused = log_in(&stage, SITE).await;
    assert_eq!(refused.rcode, rcode::SERVFAIL);
    assert!(refused.errors[0].text.contains("not known"), "{:?}", refused.errors);
}

#[tokio::test]
async fn a_message_that_is_no_question_is_not_carried() {
    let (stage, resolver, _) = scene(json!([{"entry": 7, "class": "portal"}])).await;
    let mut response = query(SITE, types::A);
    response[2] |= 0x80;
    for message in [vec![], vec![0; 5], response] {
        assert!(stage.engine.ask_network(message, Purpose::Login).await.is_empty());
    }
    assert_eq!(resolver.heard(), (0, 0));
}
