//! A middlebox that lets no hello of more than one segment pass. The same path is tried with a smaller one before anything else is.

use data_encoding::BASE64;
use serde_json::json;
use sotto_engine::config::EngineConfig;
use sotto_engine::outcome::{ClearClass, ClientProtocol};
use sotto_engine::probe;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;

use crate::stage::middlebox::{Middlebox, Refusal};
use crate::stage::resolver::Resolver;
use crate::stage::{NAME, Stage, query, said};

const HYBRID: &str = "X25519MLKEM768";

/// A server behind a middlebox, and a resolver in cleartext that a lease allows to ask.
struct Behind {
    stage: Stage,
    middlebox: Middlebox,
    clear: Resolver,
    transport: &'static str,
}

impl Behind {
    async fn new(transport: &'static str, refusal: Refusal) -> Self {
        let stage = Stage::new();
        let server = if transport == "dot" { stage.server.dot()[0] } else { stage.server.starttls()[0] };
        let middlebox = Middlebox::before(server, refusal).await;
        Self { stage, middlebox, clear: Resolver::start().await, transport }
    }

    /// Under `fallback`, with a lease that is open.
    async fn apply(&self, id: &str, network: &str, post_quantum: &str) {
        let upstream = json!({
            "id": id, "transport": self.transport, "addresses": [self.middlebox.address], "names": [NAME],
            "ca": self.stage.authority, "clearPort": self.clear.address.port(), "alternative": null,
            "postQuantum": post_quantum,
        });
        let config = json!({
            "listen": [], "mode": "private", "network": network, "upstreams": [upstream],
            "groups": [{"id": "", "rungs": ["tcp", "udp"], "policy": "fallback"}],
            "leases": [{"entry": 7, "class": "policy"}],
            "cache": {"entries": 0, "serveStale": false, "staleHours": 24},
        });
        self.stage.engine.apply(EngineConfig::parse(&config.to_string()).unwrap()).await.unwrap();
    }

    /// How the response came, and which key exchange the connection began with.
    async fn ask(&self) -> (u16, ClearClass, String) {
        let (reply, event) =
            self.stage.engine.ask_as(ClientProtocol::Udp, query("www.example", types::A)).await;
        let status = serde_json::to_value(self.stage.engine.status()).unwrap();
        let group = status["upstreams"][0]["tls"]["group"].as_str().unwrap_or_default().to_owned();
        (said(reply).rcode, event.unwrap().clear, group)
    }
}

fn privately(group: &str) -> (u16, ClearClass, String) {
    (rcode::NOERROR, ClearClass::None, group.to_owned())
}

const REFUSALS: [Refusal; 4] = [Refusal::Reset, Refusal::Close, Refusal::Alert, Refusal::Silence];

#[tokio::test]
async fn a_hello_that_fits_is_tried_before_cleartext_and_remembered_on_the_network() {
    for transport in ["dot", "tdns"] {
        for refusal in REFUSALS {
            let behind = Behind::new(transport, refusal).await;
            behind.apply("main", "home", "prefer").await;
            let what = format!("{transport}, {refusal:?}");
            assert_eq!(behind.ask().await, privately("X25519"), "{what}");
            let (large, small) = behind.middlebox.hellos();
            assert!(large >= 1 && small >= 1, "{what}: {large}, {small}");
            behind.apply("again", "home", "prefer").await;
            assert_eq!(behind.ask().await, privately("X25519"), "{what}, again");
            assert_eq!(behind.middlebox.hellos().0, large, "{what}: it is remembered");
            behind.apply("again", "cafe", "prefer").await;
            assert_eq!(behind.ask().await, privately("X25519"), "{what}, elsewhere");
            assert!(behind.middlebox.hellos().0 > large, "{what}: another network may let it pass");
            assert_eq!(behind.clear.heard(), (0, 0), "{what}: nothing left in cleartext");
        }
    }
}

#[tokio::test]
async fn what_is_required_is_not_given_up_and_what_is_off_is_not_offered() {
    for transport in ["dot", "tdns"] {
        let behind = Behind::new(transport, Refusal::Reset).await;
        behind.apply("main", "home", "off").await;
        assert_eq!(behind.ask().await, privately("X25519"), "{transport}");
        assert_eq!(behind.middlebox.hellos().0, 0, "{transport}");
        let (_, small) = behind.middlebox.hellos();
        behind.apply("main", "home", "require").await;
        assert_eq!(behind.ask().await.1, ClearClass::Policy, "{transport}: no private path is left");
        assert_eq!(
            behind.middlebox.hellos().1,
            small,
            "{transport}: neither a smaller hello nor an old ticket"
        );
    }
}

/// Nobody is between.
#[tokio::test]
async fn where_large_hellos_pass_they_are_used_and_a_setting_in_force_holds_for_open_connections() {
    let stage = Stage::new();
    for (post_quantum, group) in
        [("prefer", HYBRID), ("off", "X25519"), ("require", HYBRID), ("prefer", HYBRID)]
    {
        let mut upstream = stage.dot();
        upstream["postQuantum"] = post_quantum.into();
        let client = stage.apply(vec![upstream]).await;
        stage.engine.flush_cache();
        assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR, "{post_quantum}");
        let status = serde_json::to_value(stage.engine.status()).unwrap();
        assert_eq!(status["upstreams"][0]["tls"]["group"], group, "{post_quantum}");
    }
}

/// `sotto upstream test`, and everything else that asks one server directly.
#[tokio::test]
async fn a_test_of_the_server_says_that_the_hello_was_too_large() {
    for refusal in REFUSALS {
        let behind = Behind::new("dot", refusal).await;
        let request = json!({
            "transport": "dot", "addresses": [behind.middlebox.address], "names": [NAME],
            "ca": behind.stage.authority, "query": BASE64.encode(&query("www.example", types::A)),
        });
        let report = probe::run(serde_json::from_value(request).unwrap(), &|_| {}).await.unwrap();
        assert!(report.ok, "{refusal:?}: {:?}", report.tried);
        assert!(report.steps.iter().any(|step| step.text.contains(HYBRID)), "{refusal:?}");
        assert_eq!(report.tls.unwrap().group, "X25519", "{refusal:?}");
    }
}
