//! Below the private paths: rungs under a lease, queries that wait for a lease, counts that survive, and the way back.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use sotto_engine::config::{ConfigError, EngineConfig};
use sotto_engine::counts::Counts;
use sotto_engine::decision::Fate;
use sotto_engine::engine::Engine;
use sotto_engine::events::event::Event;
use sotto_engine::outcome::{ClearClass, ClientProtocol, Downgrade, Outcome, TransportKind};
use sotto_engine::supposition::{SupposedQueries, SupposedQuery};
use sotto_engine::wire::header::{self, rcode};
use sotto_engine::wire::types;
use sotto_server::Server;
use sotto_skip::clock::pass;
use sotto_skip::waiting::{until, within};
use tokio::net::TcpSocket;

use crate::stage::resolver::Resolver;
use crate::stage::{NAME, Said, Stage, closed_port, query, said, server};

const HOUR: Duration = Duration::from_secs(3600);

/// A private upstream at a port without a listener, and what is below it.
struct Below {
    stage: Stage,
    upstream: Value,
    group: Value,
    resolvers: Vec<SocketAddr>,
    private: SocketAddr,
    /// keeps the port of the private upstream
    _held: TcpSocket,
}

impl Below {
    fn new(clear: &Resolver, rungs: &[&str]) -> Self {
        let stage = Stage::new();
        let (_held, private) = closed_port();
        let upstream = json!({
            "id": "main", "transport": "dot", "addresses": [private], "names": [NAME], "ca": stage.authority,
            "clearPort": clear.address.port(), "alternative": null,
        });
        let group = json!({"id": "", "rungs": rungs});
        Self { stage, upstream, group, resolvers: vec![], private, _held }
    }

    fn config(&self, lease: Option<Value>) -> EngineConfig {
        let config = json!({
            "listen": [], "mode": "private", "network": "home", "upstreams": [self.upstream],
            "groups": [self.group], "networkResolvers": self.resolvers, "leases": Vec::from_iter(lease),
            "cache": {"entries": 1000, "serveStale": false, "staleHours": 24},
        });
        EngineConfig::parse(&config.to_string()).unwrap()
    }

    async fn apply(&self, lease: Option<Value>) -> Result<(), ConfigError> {
        self.stage.engine.apply(self.config(lease)).await
    }

    async fn ask(&self, name: &str) -> (Said, Event) {
        let asking = self.stage.engine.ask_as(ClientProtocol::Udp, query(name, types::A));
        let (reply, event) = within("a reply comes", asking).await;
        (said(reply), event.unwrap())
    }

    fn status(&self) -> Value {
        serde_json::to_value(self.stage.engine.status()).unwrap()
    }

    async fn until(&self, what: impl Fn(&Value) -> bool) {
        until("it comes to that", || what(&self.status())).await;
    }

    fn count(&self) -> u64 {
        self.status()["clear"][0]["count"].as_u64().unwrap()
    }
}

fn lease() -> Option<Value> {
    Some(json!({"entry": 7, "class": "policy"}))
}

#[tokio::test]
async fn without_a_lease_nothing_leaves_in_cleartext() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["unauthenticated", "tcp", "udp", "network"]);
    below.resolvers = vec![resolver.address];
    below.apply(None).await.unwrap();
    let (said, event) = below.ask("www.example").await;
    assert_eq!((said.rcode, event.outcome), (rcode::SERVFAIL, Outcome::Refused));
    assert!(said.errors[0].text.contains("no private path"), "{}", said.errors[0].text);
    assert_eq!(resolver.heard(), (0, 0));
    assert_eq!(below.status()["rungs"], json!([]));
}

#[tokio::test]
async fn what_a_lease_would_let_out_is_known_before() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["udp"]);
    below.group["policy"] = "fallback".into();
    below.apply(None).await.unwrap();
    below.ask("www.example").await;
    let supposition = below.stage.engine.suppose(below.config(lease())).unwrap();
    let query = SupposedQuery("www.example".into(), "A".into(), 0, 3);
    supposition.add(&SupposedQueries { askers: vec![], queries: vec![query] });
    let found = supposition.result();
    let [pair] = &found.pairs[..] else { panic!("one name has one pair: {found:?}") };
    let (before, after) = (&found.decisions[pair.before], &found.decisions[pair.after]);
    assert_eq!((before.fate, before.clear), (Fate::Refused, ClearClass::None));
    assert_eq!((after.fate, after.clear), (Fate::Clear, ClearClass::Policy));
    assert_eq!((after.below, pair.queries, found.untried.len()), (Some(Downgrade::Fallback), 3, 0));
    assert_eq!(
        (resolver.heard(), below.status()["clear"].clone()),
        ((0, 0), json!([])),
        "nothing left, and no lease is in force"
    );
    below.apply(lease()).await.unwrap();
    let (said, event) = below.ask("www.example").await;
    assert_eq!((said.rcode, event.clear), (rcode::NOERROR, ClearClass::Policy));
}

#[tokio::test]
async fn a_lease_of_another_group_or_class_opens_nothing() {
    let resolver = Resolver::start().await;
    let below = Below::new(&resolver, &["tcp", "udp"]);
    below.apply(Some(json!({"entry": 1, "class": "bypass"}))).await.unwrap();
    assert_eq!(below.ask("www.example").await.0.rcode, rcode::SERVFAIL);
    let error = below.apply(Some(json!({"entry": 1, "class": "policy", "group": "x"}))).await.unwrap_err();
    assert_eq!((error.code, error.path.as_str()), ("group-unknown", "leases[0].group"));
    assert_eq!(resolver.heard(), (0, 0));
}

#[tokio::test]
async fn no_rung_leads_to_an_upstream_that_answers_nobody_in_cleartext() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["tcp", "udp", "network"]);
    below.upstream["clearPort"] = Value::Null;
    below.apply(lease()).await.unwrap();
    assert_eq!(below.ask("www.example").await.0.rcode, rcode::SERVFAIL);
    assert_eq!(resolver.heard(), (0, 0));
    below.resolvers = vec![resolver.address];
    below.apply(lease()).await.unwrap();
    assert_eq!(below.ask("www.example").await.0.rcode, rcode::NOERROR, "the rung below is taken");
}

#[tokio::test]
async fn each_rung_in_cleartext_is_counted_and_never_called_authentic() {
    for (rung, transport) in
        [("tcp", TransportKind::Tcp), ("udp", TransportKind::Udp), ("network", TransportKind::Udp)]
    {
        let resolver = Resolver::start().await;
        let mut below = Below::new(&resolver, &[rung]);
        below.resolvers = vec![resolver.address];
        below.apply(lease()).await.unwrap();
        for (index, name) in ["a.example", "b.example"].iter().enumerate() {
            let (said, event) = below.ask(name).await;
            assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1), "{rung}");
            assert_eq!((event.clear, event.transport), (ClearClass::Policy, transport), "{rung}");
            assert_eq!(said.message[3] & header::AD as u8, 0, "{rung}: a liar sets AD too");
            let (datagrams, streamed) = resolver.heard();
            assert_eq!((datagrams + streamed, below.count()), (index + 1, index as u64 + 1), "{rung}");
        }
        let status = below.status();
        assert_eq!(status["rungs"][0]["rung"], rung);
        assert_eq!(status["rungs"][0]["state"], "ready");
    }
}

#[tokio::test]
async fn unauthenticated_tls_spends_the_lease_and_is_not_private() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["unauthenticated"]);
    let (_, stranger, _) = server(|_| {});
    below.upstream["addresses"] = json!([below.stage.server.dot()[0]]);
    below.upstream["ca"] = json!(stranger);
    below.apply(None).await.unwrap();
    let (said, _) = below.ask("www.example").await;
    assert!(said.errors[0].text.contains("issuer is not trusted"), "{}", said.errors[0].text);
    assert_eq!(below.stage.server.stats().queries.tls, 0);
    below.apply(lease()).await.unwrap();
    let (said, event) = below.ask("www.example").await;
    assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1));
    assert_eq!((event.clear, event.transport), (ClearClass::Policy, TransportKind::Dot));
    assert_eq!((below.count(), below.stage.server.stats().queries.tls), (1, 1));
}

#[tokio::test]
async fn a_dead_rung_is_left_behind_and_the_one_that_works_remembered() {
    let (dead, network) = (Resolver::silent().await, Resolver::start().await);
    let mut below = Below::new(&dead, &["tcp", "network"]);
    below.resolvers = vec![network.address];
    below.apply(lease()).await.unwrap();
    for name in ["a.example", "b.example", "c.example"] {
        let (said, event) = below.ask(name).await;
        assert_eq!((said.rcode, event.upstream), (rcode::NOERROR, &*network.address.to_string()));
    }
    assert_eq!((dead.heard(), network.heard()), ((0, 1), (3, 0)));
    assert_eq!(below.count(), 4);
}

#[tokio::test]
async fn the_first_private_path_that_is_back_takes_the_next_question() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["udp"]);
    let start = returning(&mut below);
    below.apply(lease()).await.unwrap();
    assert_eq!(below.ask("www.example").await.1.clear, ClearClass::Policy);
    let back = start();
    below.until(|status| status["upstreams"][0]["state"] == "ready").await;
    let (said, event) = below.ask("ns.example").await;
    assert_eq!(
        (said.rcode, event.clear, event.transport),
        (rcode::NOERROR, ClearClass::None, TransportKind::Dot)
    );
    assert_eq!((below.count(), back.stats().queries.tls), (1, 1));
}

#[tokio::test]
async fn a_held_question_is_answered_as_soon_as_the_lease_is_there() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["udp"]);
    below.group["hold"] = json!(true);
    below.apply(None).await.unwrap();
    let waiting = async {
        below.until(|status| status["holding"] == 1).await;
        assert_eq!(resolver.heard(), (0, 0));
        let told = below.stage.changes.load(Ordering::Relaxed);
        assert!(told > 0, "whoever writes the lease was told");
        below.apply(lease()).await.unwrap();
    };
    let ((said, event), ()) = tokio::join!(below.ask("www.example"), waiting);
    assert_eq!((said.rcode, event.clear), (rcode::NOERROR, ClearClass::Policy));
    assert_eq!((resolver.heard(), below.count()), ((1, 0), 1));
    assert_eq!(below.status()["holding"], 0);
}

#[tokio::test]
async fn a_held_question_is_answered_by_a_private_path_that_comes_back() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["udp"]);
    below.group["hold"] = json!(true);
    let start = returning(&mut below);
    below.apply(None).await.unwrap();
    let waiting = async {
        below.until(|status| status["holding"] == 1).await;
        start()
    };
    let ((said, event), back) = tokio::join!(below.ask("www.example"), waiting);
    assert_eq!((said.rcode, event.clear), (rcode::NOERROR, ClearClass::None));
    assert_eq!((resolver.heard(), back.stats().queries.tls), ((0, 0), 1));
}

#[tokio::test]
async fn a_held_question_hears_why_at_its_deadline() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["udp"]);
    below.group["hold"] = json!(true);
    below.apply(None).await.unwrap();
    let (said, event) = below.ask("www.example").await;
    assert_eq!((said.rcode, event.outcome), (rcode::SERVFAIL, Outcome::Refused));
    assert!(said.errors[0].text.contains("no private path"), "{}", said.errors[0].text);
    assert_eq!(resolver.heard(), (0, 0));
}

#[tokio::test]
async fn what_was_heard_in_cleartext_is_forgotten_with_the_lease() {
    let resolver = Resolver::start().await;
    let below = Below::new(&resolver, &["udp"]);
    below.apply(lease()).await.unwrap();
    below.ask("www.example").await;
    let (_, event) = below.ask("www.example").await;
    assert_eq!(event.outcome, Outcome::Cached);
    below.apply(None).await.unwrap();
    let (said, event) = below.ask("www.example").await;
    assert_eq!((said.rcode, event.outcome), (rcode::SERVFAIL, Outcome::Refused));
}

#[tokio::test]
async fn what_was_heard_in_cleartext_is_forgotten_when_the_lease_runs_out() {
    let resolver = Resolver::start().await;
    let below = Below::new(&resolver, &["udp"]);
    let until = unix_now() + HOUR.as_millis() as u64;
    below.apply(Some(json!({"entry": 7, "class": "policy", "until": until}))).await.unwrap();
    assert_eq!(below.ask("www.example").await.0.rcode, rcode::NOERROR);
    pass(HOUR).await;
    below.until(|status| status["cache"]["entries"] == 0).await;
    assert_eq!(below.status()["clear"][0]["ended"], true);
    assert_eq!(below.ask("www.example").await.0.rcode, rcode::SERVFAIL);
    assert_eq!(resolver.heard(), (1, 0));
}

#[tokio::test]
async fn a_renewed_lease_goes_on_counting() {
    let resolver = Resolver::start().await;
    let below = Below::new(&resolver, &["udp"]);
    for (index, name) in ["a.example", "b.example", "c.example"].iter().enumerate() {
        let until = unix_now() + HOUR.as_millis() as u64 + index as u64;
        below.apply(Some(json!({"entry": 7, "class": "policy", "until": until}))).await.unwrap();
        below.ask(name).await;
        assert_eq!(below.count(), index as u64 + 1);
        assert_eq!(below.status()["clear"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn leases_that_can_not_be_counted_are_not_granted() {
    let resolver = Resolver::start().await;
    let mut below = Below::new(&resolver, &["udp"]);
    let counts = Counts::in_file(&std::env::temp_dir().join("sotto-no-such-folder/counts"));
    below.stage.engine = Engine::start(Box::new(|_| true), Arc::new(|| {}), counts).unwrap();
    below.apply(None).await.unwrap();
    let error = below.apply(lease()).await.unwrap_err();
    assert_eq!((error.code, error.path.as_str()), ("counts-unwritable", "leases[0]"));
    assert_eq!(below.ask("www.example").await.0.rcode, rcode::SERVFAIL);
    assert_eq!(resolver.heard(), (0, 0));
}

/// Makes the upstream known by the pin of a key that no server has yet. The returned function starts a server with that key.
fn returning(below: &mut Below) -> impl FnOnce() -> Server + use<> {
    let identity = sotto_server::Identity::self_signed(&[NAME.to_owned()]).unwrap();
    let private = below.private;
    below.upstream["ca"] = Value::Null;
    below.upstream["names"] = json!([]);
    below.upstream["pins"] = json!([identity.pin]);
    move || {
        let (server, ..) = server(|config| {
            config.dot = vec![private];
            config.identities = Some(identity.into());
        });
        server
    }
}

fn unix_now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64
}
