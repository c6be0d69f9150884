//! A server that proved itself and then does something else is told, and one that never did is not.

mod world;

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_server::Signal;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use world::World;

fn downgrade_evidence(world: &World) -> Value {
    serde_json::to_value(world.engine.status()).unwrap()["downgradeEvidence"].clone()
}

/// The only one, without its times.
fn only(world: &World) -> Value {
    let all = downgrade_evidence(world);
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    let Value::Object(mut one) = all[0].clone() else { panic!("{all}") };
    assert!(one.remove("first").unwrap().as_u64() <= one.remove("last").unwrap().as_u64());
    one.into()
}

#[tokio::test]
async fn a_declined_starttls_is_a_sighting_only_of_a_server_that_is_known() {
    let world = World::with(|config| config.signal = Signal::Decline);
    let client = world.apply(vec![world.tdns()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    assert_eq!(downgrade_evidence(&world), json!([]));

    let address = world.server.starttls()[0];
    let changes = world.changes.load(Ordering::Relaxed);
    let known = |config: &mut Value| {
        config["knownPrivate"] = json!([address]);
        config["network"] = json!("cafe");
    };
    let client = world.apply_with(vec![world.tdns()], known).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    let one = only(&world);
    assert_eq!((&one["upstream"], &one["network"]), (&json!("tdns"), &json!("cafe")));
    assert_eq!((&one["what"], &one["address"]), (&json!("starttls-declined"), &json!(address)));
    assert!(one["text"].as_str().unwrap().contains("declined STARTTLS"), "{one}");
    assert!(world.changes.load(Ordering::Relaxed) > changes);
}

#[tokio::test]
async fn another_certificate_on_another_network_is_a_sighting() {
    let world = World::new();
    let client = world.apply(vec![world.dot()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    let mut upstream = world.dot();
    upstream["names"] = json!(["wrong.example"]);
    let client = world.apply_with(vec![upstream], |config| config["network"] = json!("cafe")).await;
    assert_eq!(client.ask("n1.wild.example", types::A).await.rcode, rcode::SERVFAIL);
    assert_eq!(only(&world)["what"], "certificate-wrong");
}

#[tokio::test]
async fn words_in_cleartext_and_an_end_instead_of_a_handshake_are_told_apart() {
    for (said, what) in [(&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "tls-refused"), (b"", "reset")] {
        let world = World::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                stream.readable().await.unwrap();
                let _ = stream.try_read(&mut [0; 4096]);
                let _ = stream.write_all(said).await;
            }
        });
        let mut upstream = world.dot();
        upstream["addresses"] = json!([address]);
        let known = |config: &mut Value| config["knownPrivate"] = json!([address]);
        let client = world.apply_with(vec![upstream], known).await;
        assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
        assert_eq!(only(&world)["what"], what);
    }
}
