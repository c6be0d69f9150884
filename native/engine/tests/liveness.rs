//! Dead and slow servers on real sockets, where the kernel's acknowledgements count, too.

use std::time::Duration;

use serde_json::json;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;

use crate::stage::{self, Stage, server};

#[tokio::test]
async fn a_slow_server_keeps_its_names_though_even_its_sign_of_life_is_late() {
    let stage = Stage::with(|config| config.delay = Duration::from_millis(1200).into());
    let (other, authority, _) = server(|_| {});
    let second = json!({
        "id": "second", "transport": "dot", "addresses": [other.dot()[0]], "names": [stage::NAME], "ca": authority,
    });
    let client = stage.apply(vec![stage.dot(), second]).await;
    for name in ["www.example", "n1.wild.example"] {
        assert_eq!(client.ask(name, types::A).await.rcode, rcode::NOERROR);
    }
    let status = serde_json::to_value(stage.engine.status()).unwrap();
    assert_eq!(
        (&status["upstreams"][0]["answered"], &status["upstreams"][1]["answered"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(other.stats().queries.tls, 0);
}

/// The server accepts connections and never sends anything. Its kernel acknowledges, so a fresh connection has to show that it
/// hangs.
#[tokio::test]
async fn a_server_that_hangs_loses_its_questions_to_the_next() {
    let stage = Stage::new();
    let tap = stage::tap::Tap::before(stage.server.dot()[0]).await;
    let (other, authority, _) = server(|_| {});
    let mut first = stage.dot();
    first["addresses"] = json!([tap.address]);
    let second = json!({
        "id": "second", "transport": "dot", "addresses": [other.dot()[0]], "names": [stage::NAME], "ca": authority,
    });
    let client = stage.apply(vec![first, second]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    tap.hang();
    assert_eq!(client.ask("n1.wild.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(other.stats().queries.tls, 1);
}

/// Queries in flight are sent again on a new connection to the same server. The network is the same, so a ticket is shown.
#[tokio::test]
async fn what_is_in_flight_survives_a_link_that_comes_back() {
    let stage = Stage::with(|config| config.delay = Duration::from_millis(60).into());
    let client = stage.apply(vec![stage.dot()]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    let resumed = stage.server.stats().handshakes.resumed;
    let asking = client.ask("n1.wild.example", types::A);
    let leaving = async {
        while stage.server.stats().queries.tls < 2 {
            tokio::task::yield_now().await;
        }
        stage.engine.reconnect();
    };
    let (said, ()) = tokio::join!(asking, leaving);
    assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1));
    let handshakes = stage.server.stats().handshakes;
    assert_eq!((handshakes.full, handshakes.resumed), (1, resumed + 1));
}
