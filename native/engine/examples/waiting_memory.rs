//! The memory that queries take which wait for a silent upstream: a flood of distinct names over UDP, the highest resident
//! memory, and what happened to the queries.
//!
//! `cargo run --release --manifest-path native/Cargo.toml -p sotto-engine --example waiting_memory [-- QUERIES]`

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::engine::Engine;
use sotto_engine::listen::slots::SLOTS;
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::{header, types};

const PIN: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

fn main() {
    let queries: usize = std::env::args().nth(1).map_or(1_000_000, |text| text.parse().expect("a number"));
    // accepts connections, and never sends anything
    let silent = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
    let upstream = silent.local_addr().expect("it is bound");
    let engine = Engine::start(Box::new(|_| true), Arc::new(|| {}), Counts::InMemory).expect("it starts");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
    let config = serde_json::json!({
        "listen": ["127.0.0.1:0"], "mode": "private", "network": "any",
        "upstreams": [{"id": "mute", "transport": "dot", "addresses": [upstream], "pins": [PIN], "alternative": null}],
        "cache": {"entries": 10_000, "serveStale": false, "staleHours": 24},
    });
    let config = EngineConfig::parse(&config.to_string()).expect("it is one");
    runtime.block_on(engine.apply(config)).expect("it is in force");
    let to = engine.status().listening[0];
    let before = resident();
    let began = Instant::now();
    let (highest, answered) = flood(to, queries);
    let told = engine.status().turned_away;
    println!("{queries} queries in {:.1} s, {SLOTS} slots", began.elapsed().as_secs_f64());
    println!("resident before {before} KiB, at most {highest} KiB: {} KiB more", highest - before);
    println!("{} KiB a slot; {} turned away, {answered} replies", (highest - before) / SLOTS, told.count);
}

/// Sends as fast as possible. Returns the highest resident memory seen, and how many responses came.
fn flood(to: SocketAddr, queries: usize) -> (usize, usize) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("loopback is there");
    socket.connect(to).expect("it listens");
    socket.set_nonblocking(true).expect("it can be");
    let (mut highest, mut answered, mut buffer) = (0, 0, [0; 2048]);
    for index in 0..queries {
        let name = Name::parse(&format!("n{index}.flood.example")).expect("a name");
        let query = Question { name, kind: types::A, class: types::IN }.query(index as u16, header::RD);
        while socket.send(&query).is_err() {
            std::thread::yield_now();
        }
        while socket.recv(&mut buffer).is_ok() {
            answered += 1;
        }
        if index % 1000 == 0 {
            highest = highest.max(resident());
            // datagrams that the socket can't hold are lost unseen: the engine shall read as many as it can
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    (highest.max(resident()), answered)
}

/// KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says so");
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).expect("it is there");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}
