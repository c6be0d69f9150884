//! Addresses of real responses are remembered while an audit is wanted, and what that costs. With figures:
//! `SOTTO_AUDIT_ROUNDS=15 cargo test --release -p sotto-engine --test main audit:: -- --nocapture`.

use std::env;
use std::net::SocketAddr;
use std::time::Instant;

use sotto_engine::outcome::ClientProtocol;
use sotto_engine::wire::types;
use tokio::net::UdpSocket;

use crate::stage::{self, Stage};

const AT_ONCE: u16 = 32;
const BURSTS: usize = 100;
const BURSTS_MEASURED: usize = 4_000;

async fn apply(stage: &Stage, audit: bool) {
    let change = move |config: &mut serde_json::Value| {
        config["audit"] = audit.into();
        config["listen"] = serde_json::json!(["127.0.0.1:0"]);
    };
    stage.apply_with(vec![stage.dot()], change).await;
}

async fn remembered(stage: &Stage) -> Option<usize> {
    stage.engine.audit().await.map(|report| report.addresses)
}

#[tokio::test]
async fn what_responses_gave_is_remembered_while_it_is_wanted() {
    let stage = Stage::new();
    apply(&stage, false).await;
    let ask = |name: &str| stage.engine.ask_as(ClientProtocol::Udp, stage::query(name, types::A));
    ask("n1.wild.example").await;
    assert_eq!(remembered(&stage).await, None);
    apply(&stage, true).await;
    assert_eq!(remembered(&stage).await, Some(0));
    let (_, event) = ask("n1.wild.example").await;
    assert_eq!(event.unwrap().outcome.word(), "cached");
    assert_eq!(remembered(&stage).await, Some(1), "a response from the cache gives it, too");
    ask("localhost").await;
    assert_eq!(remembered(&stage).await, Some(2), "and one of our own");
    stage.engine.forget_audit();
    assert_eq!(remembered(&stage).await, Some(0));
    apply(&stage, false).await;
    assert_eq!(remembered(&stage).await, None);
}

/// Seconds for so many bursts, of which each is answered before the next is sent.
async fn cached(to: SocketAddr, bursts: usize) -> f64 {
    let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    client.connect(to).await.unwrap();
    let query = stage::query("n1.wild.example", types::A);
    let mut response = [0; 1232];
    let begun = Instant::now();
    for _ in 0..bursts {
        for _ in 0..AT_ONCE {
            client.send(&query).await.unwrap();
        }
        for _ in 0..AT_ONCE {
            let length = client.recv(&mut response).await.unwrap();
            assert!(length > query.len() && response[3] & 0x0f == 0);
        }
    }
    begun.elapsed().as_secs_f64()
}

#[tokio::test]
async fn cached_responses_come_with_and_without_it() {
    let rounds = env::var("SOTTO_AUDIT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let bursts = if rounds.is_some() { BURSTS_MEASURED } else { BURSTS };
    let stage = Stage::new();
    let mut ratios = Vec::new();
    let mut rates = [0.0, 0.0];
    for round in 0..rounds.unwrap_or(1) {
        let mut seconds = [0.0, 0.0];
        for turn in 0..2 {
            let audit = (turn + round) % 2 == 1;
            apply(&stage, audit).await;
            let listening = stage.engine.status().listening[0];
            cached(listening, BURSTS).await;
            seconds[usize::from(audit)] = cached(listening, bursts).await;
            assert_eq!(remembered(&stage).await, audit.then_some(1));
        }
        ratios.push(seconds[0] / seconds[1]);
        rates = seconds.map(|seconds| bursts as f64 * f64::from(AT_ONCE) / seconds);
    }
    ratios.sort_by(f64::total_cmp);
    let [without, with] = rates;
    println!(
        "cached responses a second: {without:.0} without the audit, {with:.0} with it (last round); \
         median ratio {:.3} of {} rounds",
        ratios[ratios.len() / 2],
        ratios.len(),
    );
}
