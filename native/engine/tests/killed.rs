//! An engine that is killed has counted each packet that it sent in cleartext. It is killed as a process of its own, which is this
//! program again.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::json;
use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::engine::Engine;
use sotto_engine::outcome::ClientProtocol;
use sotto_engine::wire::types;
use sotto_skip::waiting::LIMIT;

use crate::stage::query;
use crate::stage::resolver::answered;

const FILE: &str = "SOTTO_TEST_COUNTS";
const TO: &str = "SOTTO_TEST_RESOLVER";
const PACKETS: usize = 300;

#[test]
fn a_killed_engine_has_counted_what_it_sent() {
    if let (Ok(file), Ok(to)) = (std::env::var(FILE), std::env::var(TO)) {
        return asks_until_it_is_killed(file.into(), &to);
    }
    let resolver = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    resolver.set_read_timeout(Some(LIMIT)).unwrap();
    let file = std::env::temp_dir().join(format!("sotto-killed-{}", std::process::id()));
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::a_killed_engine_has_counted_what_it_sent"])
        .env(FILE, &file)
        .env(TO, resolver.local_addr().unwrap().to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut question = [0; 1500];
    let mut received = 0;
    while received < PACKETS {
        let (length, from) = resolver.recv_from(&mut question).expect("the child asks");
        received += 1;
        resolver.send_to(&answered(&question[..length]), from).unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    resolver.set_nonblocking(true).unwrap();
    while resolver.recv_from(&mut question).is_ok() {
        received += 1;
    }
    let octets = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let word = |at: usize| u64::from_le_bytes(octets[at..at + 8].try_into().unwrap());
    let (entry, counted) = (word(0), word(8) as usize);
    assert_eq!(entry, 42);
    assert!(counted == received || counted == received + 1, "{counted} counted, {received} received");
}

/// Runs in a process of its own for the test above.
#[tokio::main(flavor = "current_thread")]
async fn asks_until_it_is_killed(file: PathBuf, to: &str) {
    let counts = Counts::in_file(&file);
    let engine = Engine::start(Box::new(|_| true), Arc::new(|| {}), counts).unwrap();
    let config = json!({
        "listen": [], "mode": {"direct": {"class": "off", "servers": [to]}}, "network": "home", "upstreams": [],
        "leases": [{"entry": 42, "class": "off"}], "cache": {"entries": 10, "serveStale": false, "staleHours": 24},
    });
    engine.apply(EngineConfig::parse(&config.to_string()).unwrap()).await.unwrap();
    loop {
        engine.ask_as(ClientProtocol::Udp, query("www.example", types::A)).await;
    }
}
