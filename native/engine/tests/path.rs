//! From a client's datagram to a server's response and back.

use aws_lc_rs::digest::{SHA256, digest};
use data_encoding::BASE64;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::json;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_server::{Identity, Signal};

use crate::stage::tap::Tap;
use crate::stage::{self, Stage, nobody, server};

#[tokio::test]
async fn a_question_is_answered_over_each_private_transport() {
    let stage = Stage::new();
    for upstream in [stage.dot(), stage.tdns()] {
        let client = stage.apply(vec![upstream]).await;
        stage.engine.flush_cache();
        let said = client.ask("www.example", types::A).await;
        assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1));
    }
    let stats = stage.server.stats();
    assert_eq!((stats.queries.tls, stats.queries.udp, stats.queries.tcp), (2, 0, 0));
    assert_eq!(stats.starttls.accepted, 1);
}

#[tokio::test]
async fn a_hundred_questions_share_one_connection() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let asked = (0..100).map(|index| {
        let name = format!("n{index}.wild.example");
        let client = &client;
        async move { client.ask(&name, types::A).await.rcode }
    });
    let codes = futures_join(asked.collect()).await;
    assert!(codes.iter().all(|code| *code == rcode::NOERROR));
    let stats = stage.server.stats();
    assert_eq!((stats.connections, stats.queries.tls), (1, 100));
}

#[tokio::test]
async fn the_second_answer_comes_from_the_cache_in_the_case_it_was_asked_in() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    client.ask("www.example", types::A).await;
    let mut mixed = stage::query("www.example", types::A);
    mixed[13..16].copy_from_slice(b"WwW");
    let said = client.send(&mixed).await;
    assert_eq!(&said.message[13..16], b"WwW");
    assert_eq!(stage.server.stats().queries.tls, 1);
    stage.until("cached", 1).await;
}

#[tokio::test]
async fn a_server_that_declines_starttls_is_not_asked_again_and_hears_no_name() {
    let stage = Stage::with(|config| config.signal = Signal::Decline);
    let client = stage.apply(vec![stage.tdns()]).await;
    for _ in 0..2 {
        let said = client.ask("www.example", types::A).await;
        assert_eq!(said.rcode, rcode::SERVFAIL);
        assert_eq!(said.errors[0].code, 22);
        assert!(said.errors[0].text.contains("no private path"), "{}", said.errors[0].text);
    }
    let stats = stage.server.stats();
    assert_eq!(stats.starttls.declined, 1);
    assert_eq!(stats.queries.tls + stats.queries.udp, 0);
    let offers = &serde_json::to_value(stage.engine.status()).unwrap()["ownProbes"][0];
    assert_eq!((&offers["kind"], &offers["count"]), (&json!("starttls"), &json!(1)));
}

#[tokio::test]
async fn each_way_a_certificate_can_be_wrong_has_its_own_words() {
    let stage = Stage::new();
    let (_other, foreign_authority, foreign_pin) = server(|_| {});
    for (field, value, words) in [
        ("names", json!(["wrong.example"]), "not for wrong.example"),
        ("pins", json!([foreign_pin]), "not pinned"),
        ("ca", json!(foreign_authority), "issuer is not trusted"),
    ] {
        let mut upstream = stage.dot();
        upstream[field] = value;
        let client = stage.apply(vec![upstream]).await;
        let said = client.ask("www.example", types::A).await;
        assert_eq!((said.rcode, said.errors[0].code), (rcode::SERVFAIL, 22));
        assert!(said.errors[0].text.contains(words), "{field}: {}", said.errors[0].text);
    }
    assert_eq!(stage.server.stats().queries.tls, 0);
}

#[tokio::test]
async fn a_key_can_be_trusted_alone_and_one_of_several_names_is_enough() {
    let (server, authority, pin) = server(|_| {});
    let stage = Stage::new();
    let address = server.dot()[0];
    for upstream in [
        json!({"id": "pinned", "transport": "dot", "addresses": [address], "pins": [format!("sha256/{pin}")]}),
        json!({"id": "named", "transport": "dot", "addresses": [address], "names": ["other.example", stage::NAME], "ca": authority}),
        json!({"id": "addressed", "transport": "dot", "addresses": [address], "ca": authority}),
        json!({"id": "both", "transport": "dot", "addresses": [address], "names": [stage::NAME], "pins": [pin], "ca": authority}),
    ] {
        let client = stage.apply(vec![upstream.clone()]).await;
        stage.engine.flush_cache();
        assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR, "{upstream}");
    }
}

#[tokio::test]
async fn one_certificate_of_the_chain_has_to_be_pinned_beside_name_and_authority() {
    let chain = Chain::new();
    let (server, _, _) = server(|config| config.identities = Some(chain.identity().into()));
    let stage = Stage::new();
    let [leaf, between, root] = [&chain.leaf, &chain.between, &chain.root].map(|each| tbs_hash(each));
    let zero = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let refused = "no certificate of the chain is pinned";
    for (pins, name, words) in [
        (vec![&*leaf], stage::NAME, None),
        (vec![&*between], stage::NAME, None),
        (vec![zero, &*between], stage::NAME, None),
        (vec![zero], stage::NAME, Some(refused)),
        // not presented
        (vec![&*root], stage::NAME, Some(refused)),
        (vec![&*leaf], "wrong.example", Some("not for wrong.example")),
    ] {
        let upstream = json!({
            "id": "chain", "transport": "dot", "addresses": [server.dot()[0]], "names": [name],
            "ca": chain.root_pem, "certificatePins": pins,
        });
        let said = stage.apply(vec![upstream]).await.ask("www.example", types::A).await;
        let told = said.errors.first().map_or("", |error| error.text.as_str());
        match words {
            None => assert_eq!(said.rcode, rcode::NOERROR, "{pins:?}: {told}"),
            Some(words) => assert!(told.contains(words), "{pins:?}: {told}"),
        }
        stage.engine.flush_cache();
    }
}

/// A root, what it signed, and a leaf below that; each as DER.
struct Chain {
    leaf: Vec<u8>,
    between: Vec<u8>,
    root: Vec<u8>,
    root_pem: String,
    /// PEM, as a server reads it: leaf and intermediate
    presented: String,
    key: String,
}

impl Chain {
    fn new() -> Self {
        let issuer = |name: &str| {
            let mut params = CertificateParams::default();
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.distinguished_name.push(rcgen::DnType::CommonName, name);
            params
        };
        let [of_root, of_between, key] = [(); 3].map(|()| KeyPair::generate().unwrap());
        let root = CertifiedIssuer::self_signed(issuer("root"), of_root).unwrap();
        let between = CertifiedIssuer::signed_by(issuer("between"), of_between, &root).unwrap();
        let leaf =
            CertificateParams::new([stage::NAME.to_owned()]).unwrap().signed_by(&key, &between).unwrap();
        Chain {
            leaf: leaf.der().to_vec(),
            between: between.der().to_vec(),
            root: root.der().to_vec(),
            root_pem: root.pem(),
            presented: leaf.pem() + &between.pem(),
            key: key.serialize_pem(),
        }
    }

    fn identity(&self) -> Identity {
        let folder = std::env::temp_dir().join(format!("sotto-chain-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [certificate, key] = ["chain.pem", "key.pem"].map(|name| folder.join(name));
        std::fs::write(&certificate, &self.presented).unwrap();
        std::fs::write(&key, &self.key).unwrap();
        let identity = Identity::from_files(&certificate, &key).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        identity
    }
}

/// Cut as `openssl asn1parse -strparse 4` cuts it.
fn tbs_hash(der: &[u8]) -> String {
    let tbs = &der[4..];
    let length = match tbs[1] {
        0x81 => 3 + usize::from(tbs[2]),
        _ => 4 + usize::from(u16::from_be_bytes([tbs[2], tbs[3]])),
    };
    assert_eq!((&der[..2], tbs[0]), (&[0x30, 0x82][..], 0x30));
    BASE64.encode(digest(&SHA256, &tbs[..length]).as_ref())
}

#[tokio::test]
async fn the_next_upstream_answers_when_the_first_can_not() {
    let stage = Stage::new();
    let mut dead = stage.dot();
    dead["id"] = json!("dead");
    dead["addresses"] = json!([nobody()]);
    let client = stage.apply(vec![dead, stage.dot()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    let status = serde_json::to_value(stage.engine.status()).unwrap();
    assert_eq!(status["upstreams"][0]["lastError"]["code"], "connect-failed");
    assert_eq!(status["upstreams"][1]["answered"], 1);
}

#[tokio::test]
async fn an_answer_may_not_point_inside() {
    let stage = Stage::new();
    let bypass = |config: &mut serde_json::Value| {
        config["bypass"] =
            json!([{"rule": "corp.example", "below": ["corp.example"], "to": ["127.0.0.1:9"]}]);
    };
    let client = stage.apply_with(vec![stage.dot()], bypass).await;
    for name in ["private.example", "into.public.example"] {
        let said = client.ask(name, types::A).await;
        assert_eq!((said.rcode, said.answers), (rcode::SERVFAIL, 0), "{name}");
        assert_eq!(said.errors[0].code, 15);
    }
    let allowing = |config: &mut serde_json::Value| config["allowPrivate"] = json!(["private.example"]);
    let client = stage.apply_with(vec![stage.dot()], allowing).await;
    assert_eq!(client.ask("private.example", types::A).await.answers, 1);
}

#[tokio::test]
async fn a_configuration_with_one_fault_changes_nothing() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let config = json!({
        "listen": ["127.0.0.1:0", taken.local_addr().unwrap()], "mode": "private", "network": "home",
        "upstreams": [], "cache": {"entries": 10, "serveStale": false, "staleHours": 24},
    });
    let config = sotto_engine::config::EngineConfig::parse(&config.to_string()).unwrap();
    let error = stage.engine.apply(config).await.unwrap_err();
    assert_eq!((error.code, error.path.as_str()), ("listen-failed", "listen[1]"));
    assert_eq!(stage.engine.status().listening, [client.to]);
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
}

#[tokio::test]
async fn a_resuming_hello_fits_one_syn() {
    let stage = Stage::new();
    let tap = Tap::before(stage.server.dot()[0]).await;
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([tap.address]);
    let client = stage.apply(vec![upstream]).await;
    client.ask("www.example", types::A).await;
    tap.cut();
    client.ask("n1.wild.example", types::A).await;
    let hellos = tap.first_flights();
    let stats = stage.server.stats().handshakes;
    assert_eq!((stats.full, stats.resumed), (1, 1));
    assert!(hellos[0] > 1400, "a full hello holds the hybrid key share: {hellos:?}");
    assert!(hellos[1] <= 1400, "a resuming one has to fit: {hellos:?}");
}

#[tokio::test]
async fn questions_on_a_connection_that_dies_move_to_the_next() {
    let slow = |config: &mut sotto_server::Config| {
        config.delay = std::time::Duration::from_millis(300).into();
    };
    let stage = Stage::with(slow);
    let tap = Tap::before(stage.server.dot()[0]).await;
    let mut upstream = stage.dot();
    upstream["addresses"] = json!([tap.address]);
    let client = stage.apply(vec![upstream]).await;
    client.ask("www.example", types::A).await;
    let cutting = async {
        while stage.server.stats().queries.tls < 51 {
            tokio::task::yield_now().await;
        }
        tap.cut();
    };
    let asking = (0..50).map(|index| {
        let name = format!("n{index}.wild.example");
        let client = &client;
        async move { client.ask(&name, types::A).await.answers }
    });
    let (answers, ()) = tokio::join!(futures_join(asking.collect()), cutting);
    assert_eq!(answers, [1; 50]);
    // perhaps with a liveness query, because the server is slow
    assert!(stage.server.stats().queries.tls >= 101);
}

async fn futures_join<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, slot) in futures.iter_mut().zip(&mut done) {
            if slot.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *slot = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
