//! EncDNS where many queries are on their way, and the resolver gives back their responses in another order, or mixed up.

use std::path::Path;

use serde_json::{Value, json};
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::record::Records;
use sotto_engine::wire::types;
use sotto_server::read_zone;
use tokio::task::JoinSet;

use crate::stage::batch::{Order, SIZE};
use crate::stage::encdns::{answer_boxes, settled, upstream};
use crate::stage::hop::{Does, Hop};
use crate::stage::{Client, Said, Stage};

/// Each name has an address of its own.
fn stage() -> Stage {
    Stage::with(|config| {
        answer_boxes(config);
        let names = (1..=SIZE).map(|at| format!("n{at} A 203.0.113.{at}\n")).collect::<String>();
        let zone = format!(
            "$ORIGIN example.\n$TTL 300\n@ SOA ns hostmaster 1 3600 900 604800 60\n@ NS n1\n*.wild A 203.0.113.0\n{names}"
        );
        config.backend = read_zone(zone.as_bytes(), Path::new("order.zone"), "example").unwrap().into();
    })
}

async fn all_at_once(client: &Client) -> Vec<(usize, Said)> {
    let mut asking = JoinSet::new();
    for at in 1..=SIZE {
        let client = Client { to: client.to };
        asking.spawn(async move { (at, client.ask(&format!("n{at}.example"), types::A).await) });
    }
    asking.join_all().await
}

fn addresses(said: &Said) -> Vec<&[u8]> {
    let records = Records::of(&said.message).unwrap().map(Result::unwrap);
    let of_type_a = records.filter(|record| record.kind == types::A);
    of_type_a.map(|record| &said.message[record.data]).collect()
}

fn strays(stage: &Stage) -> u64 {
    let status: Value = serde_json::to_value(stage.engine.status()).unwrap();
    status["upstreams"][0]["strays"].as_u64().unwrap()
}

/// How many responses were to something else.
async fn strays_where_the_hop(order: Order, keys: &str) -> u64 {
    let stage = stage();
    let hop = Hop::before(stage.server.starttls()[0], Does::HandOn).await;
    let mut boxed = upstream(&hop);
    boxed["encdns"]["keys"] = json!(keys);
    let client = stage.apply(vec![boxed]).await;
    // from now on labels and format are known, so that each name makes one box
    settled(&client, &hop).await;
    hop.now(Does::HoldBack(order));
    for (at, said) in all_at_once(&client).await {
        assert_eq!(said.rcode, rcode::NOERROR, "n{at} with {order:?}");
        assert_eq!(addresses(&said), [[203, 0, 113, at as u8]], "n{at} with {order:?}");
    }
    strays(&stage)
}

#[tokio::test]
async fn each_query_gets_its_own_response_in_whatever_order_they_come() {
    for keys in ["session", "per-query"] {
        for order in [Order::Reverse, Order::Random] {
            assert_eq!(strays_where_the_hop(order, keys).await, 0, "{order:?}");
        }
    }
}

/// Nearly every socket hears some others' before its own.
#[tokio::test]
async fn responses_to_others_are_dropped_and_counted() {
    assert!(strays_where_the_hop(Order::ToEveryone, "session").await >= 1);
}

/// With one key pair the boxes differ in their nonces alone.
#[tokio::test]
async fn a_response_under_another_s_question_is_counted_and_its_query_sent_again() {
    for keys in ["session", "per-query"] {
        for order in [Order::Swapped, Order::SwappedWithNonce] {
            let strays = strays_where_the_hop(order, keys).await;
            assert!(strays >= SIZE as u64, "{strays} with {order:?}");
        }
    }
}
