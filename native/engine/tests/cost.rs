//! What queries cost: events and status compared with what went over the wire.

use serde_json::{Value, json};
use sotto_engine::events::event::Event;
use sotto_engine::outcome::{ClientProtocol, Cost};
use sotto_engine::wire::header::{Header, rcode};
use sotto_engine::wire::types;

use crate::stage::tap::Tap;
use crate::stage::{self, Stage};

/// What one TLS 1.3 record has around its content: its header, the type inside, and the tag.
const RECORD: u64 = 5 + 1 + 16;

struct TappedStage {
    stage: Stage,
    tap: Tap,
}

impl TappedStage {
    /// One connection is open, and carried a query.
    async fn warm() -> Self {
        let stage = Stage::new();
        let tap = Tap::before(stage.server.dot()[0]).await;
        let mut upstream = stage.dot();
        upstream["addresses"] = json!([tap.address]);
        // with keep-warm, the next connection would be open before the query that is to pay for it
        stage.apply_with(vec![upstream], |config| config["connections"] = json!({"keepWarm": false})).await;
        let tapped = Self { stage, tap };
        tapped.ask("n0.wild.example").await;
        tapped
    }

    async fn ask(&self, name: &str) -> Event {
        let query = stage::query(name, types::A);
        let (reply, event) = self.stage.engine.ask_as(ClientProtocol::Udp, query).await;
        assert_eq!(Header::read(&reply).unwrap().rcode(), rcode::NOERROR);
        event.unwrap()
    }

    fn status(&self) -> Value {
        serde_json::to_value(self.stage.engine.status()).unwrap()["upstreams"][0].clone()
    }

    fn count(&self, what: &str) -> u64 {
        self.status()["cost"][what].as_u64().unwrap()
    }

    fn octets(&self) -> (u64, u64) {
        let octets = &self.status()["cost"]["octets"];
        (octets["sent"].as_u64().unwrap(), octets["received"].as_u64().unwrap())
    }
}

#[tokio::test]
async fn the_status_counts_questions_by_cost_and_handshakes() {
    let tapped = TappedStage::warm().await;
    let first = tapped.status()["cost"]["handshakeMeanMs"].as_f64().unwrap();
    tapped.stage.engine.forget_us(None, true);
    tapped.stage.until_idle().await;
    let reused = tapped.count("reused");
    let cold = tapped.ask("n1.wild.example").await;
    assert_eq!(cold.cost, Cost::Cold);
    let of_nothing = tapped.ask("n2.wild.example").await;
    assert_eq!((of_nothing.cost, of_nothing.handshake.as_nanos()), (Cost::Reused, 0));
    tapped.tap.cut();
    tapped.stage.until_idle().await;
    let resumed = tapped.ask("n3.wild.example").await;
    assert_eq!(resumed.cost, Cost::Resumed);
    let counts = ["reused", "resumed", "cold", "handshakes"].map(|what| tapped.count(what));
    assert_eq!(counts, [reused + 1, 1, 1, 3]);
    assert_eq!(tapped.tap.first_flights().len(), 3, "as many as were seen");
    let ms = |event: &Event| event.handshake.as_secs_f64() * 1e3;
    let (status, mean) = (tapped.status(), (first + ms(&cold) + ms(&resumed)) / 3.0);
    let near = |value: &Value, wanted: f64| (value.as_f64().unwrap() - wanted).abs() < 1e-3;
    assert!(near(&status["handshakeMs"], ms(&resumed)), "{status:#} {resumed:?}");
    assert!(near(&status["cost"]["handshakeMeanMs"], mean), "{status:#} {mean}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_status_counts_the_octets_of_the_wire() {
    let tapped = TappedStage::warm().await;
    tapped.ask("n2.wild.example").await;
    assert_eq!(tapped.status()["cost"]["octets"]["by"], "system");
    assert_eq!(tapped.octets(), tapped.tap.octets());
    tapped.tap.cut();
    tapped.stage.until_idle().await;
    tapped.ask("n3.wild.example").await;
    let ((sent, received), wire) = (tapped.octets(), tapped.tap.octets());
    assert_eq!(sent, wire.0, "the connection that was cut is still counted");
    // the end of the stream counts as one
    assert!(received == wire.1 || received == wire.1 + 1, "{received} and {}", wire.1);
}

#[tokio::test]
async fn an_event_tells_the_octets_of_its_messages() {
    let tapped = TappedStage::warm().await;
    let before = tapped.tap.octets();
    let event = tapped.ask("n1.wild.example").await;
    let after = tapped.tap.octets();
    assert_eq!((event.cost, event.round_trips), (Cost::Reused, 1));
    assert_eq!(after.0 - before.0, event.traffic.sent + RECORD);
    assert_eq!(after.1 - before.1, event.traffic.received + RECORD);
    assert_eq!(tapped.tap.first_flights().len(), 1, "and no handshake, of which it tells none");
    assert!(event.handshake.is_zero());
}
