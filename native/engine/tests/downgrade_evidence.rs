//! A server that proved itself and then does something else is reported; one that never proved itself is not.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_server::Signal;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::stage::Stage;

fn downgrade_evidence(stage: &Stage) -> Value {
    serde_json::to_value(stage.engine.status()).unwrap()["downgradeEvidence"].clone()
}

/// The only evidence, without its times.
fn only(stage: &Stage) -> Value {
    let all = downgrade_evidence(stage);
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    let Value::Object(mut one) = all[0].clone() else { panic!("{all}") };
    assert!(one.remove("first").unwrap().as_u64() <= one.remove("last").unwrap().as_u64());
    one.into()
}

#[tokio::test]
async fn a_declined_starttls_is_a_sighting_only_of_a_server_that_is_known() {
    let stage = Stage::with(|config| config.signal = Signal::Decline);
    let client = stage.apply(vec![stage.tdns()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    assert_eq!(downgrade_evidence(&stage), json!([]));

    let address = stage.server.starttls()[0];
    let changes = stage.changes.load(Ordering::Relaxed);
    let known = |config: &mut Value| {
        config["knownPrivate"] = json!([address]);
        config["network"] = json!("cafe");
    };
    let client = stage.apply_with(vec![stage.tdns()], known).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    let one = only(&stage);
    assert_eq!((&one["upstream"], &one["network"]), (&json!("tdns"), &json!("cafe")));
    assert_eq!((&one["what"], &one["address"]), (&json!("starttls-declined"), &json!(address)));
    assert!(one["text"].as_str().unwrap().contains("declined STARTTLS"), "{one}");
    assert!(stage.changes.load(Ordering::Relaxed) > changes);
}

#[tokio::test]
async fn another_certificate_on_another_network_is_a_sighting() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    let mut upstream = stage.dot();
    upstream["names"] = json!(["wrong.example"]);
    let client = stage.apply_with(vec![upstream], |config| config["network"] = json!("cafe")).await;
    assert_eq!(client.ask("n1.wild.example", types::A).await.rcode, rcode::SERVFAIL);
    assert_eq!(only(&stage)["what"], "certificate-wrong");
}

#[tokio::test]
async fn words_in_cleartext_and_an_end_instead_of_a_handshake_are_told_apart() {
    for (said, what) in [(&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "tls-refused"), (b"", "reset")] {
        let stage = Stage::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                stream.readable().await.unwrap();
                let _ = stream.try_read(&mut [0; 4096]);
                let _ = stream.write_all(said).await;
            }
        });
        let mut upstream = stage.dot();
        upstream["addresses"] = json!([address]);
        let known = |config: &mut Value| config["knownPrivate"] = json!([address]);
        let client = stage.apply_with(vec![upstream], known).await;
        assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
        assert_eq!(only(&stage)["what"], what);
    }
}
