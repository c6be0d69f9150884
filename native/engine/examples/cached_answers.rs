//! What a response from the cache costs the engine alone: real datagrams, every name in the cache, sent by dnsperf.
//!
//! `cargo run --release --manifest-path native/Cargo.toml -p sotto-engine --example cached_answers [off|full] [SECONDS]`
//!
//! It prints the id of its process, so that `perf record -p` can watch it.

use std::net::{SocketAddr, UdpSocket};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::engine::Engine;
use sotto_engine::wire::header;
use sotto_engine::wire::question::Question;

const NAMES: usize = 10_000;
/// An address of the name in the query.
const ADDRESS: &[u8] = b"\xc0\x0c\0\x01\0\x01\0\0\x0e\x10\0\x04\xc6\x33\x64\x02";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let log = arguments.next().is_none_or(|word| word == "full");
    let seconds: u64 = arguments.next().map_or(3, |word| word.parse().expect("seconds"));
    let engine =
        Engine::start(Box::new(|_| true), Arc::new(|| {}), Counts::InMemory).expect("the engine starts");
    engine.apply(config(upstream(), log)).await.expect("the configuration is sound");
    let door = engine.status().listening[0];
    let questions = std::env::temp_dir().join(format!("sotto-cached-answers-{}", std::process::id()));
    let lines: String = (0..NAMES).map(|index| format!("n{index}.held.example A\n")).collect();
    std::fs::write(&questions, lines).expect("a temporary file");
    println!("process {}, log {}", std::process::id(), if log { "full" } else { "off" });
    for _ in 0..2 {
        dnsperf(door, &questions, &["-n", "1"]);
    }
    let (before, began) = (processor_time(), Instant::now());
    let answered = dnsperf(door, &questions, &["-l", &seconds.to_string()]);
    let (spent, took) = (processor_time(), began.elapsed());
    let _ = std::fs::remove_file(&questions);
    let each = |index: usize| (spent[index] - before[index]).as_secs_f64() * 1e6 / answered as f64;
    println!(
        "{:.0} answers/s, {:.2} µs each: {:.2} the program's, {:.2} the system's",
        answered as f64 / took.as_secs_f64(),
        each(0) + each(1),
        each(0),
        each(1),
    );
}

fn config(upstream: SocketAddr, log: bool) -> EngineConfig {
    let text = serde_json::json!({
        "listen": ["127.0.0.1:0"], "mode": "private", "network": "n", "events": log,
        "upstreams": [{"id": "up", "transport": "udp", "addresses": [upstream]}],
        "cache": {"entries": 100_000, "serveStale": true, "staleHours": 24},
        "leases": [{"entry": 1, "class": "policy"}],
    });
    EngineConfig::parse(&text.to_string()).expect("it is well-formed")
}

/// Responds to every query with one address.
fn upstream() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port is free");
    let address = socket.local_addr().expect("it is bound");
    std::thread::spawn(move || {
        let mut octets = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut octets) {
            let (_, end) = Question::read(&octets[..length]).expect("the engine asks well");
            let mut reply = octets[..end].to_vec();
            reply[2] |= (header::QR >> 8) as u8;
            reply[6..12].copy_from_slice(&[0, 1, 0, 0, 0, 0]);
            reply.extend_from_slice(ADDRESS);
            let _ = socket.send_to(&reply, from);
        }
    });
    address
}

/// Returns how many responses there were.
fn dnsperf(door: SocketAddr, questions: &std::path::Path, more: &[&str]) -> u64 {
    let port = door.port().to_string();
    let output = Command::new("dnsperf")
        .args(["-s", "127.0.0.1", "-p", &port, "-q", "100", "-T", "1", "-c", "1", "-d"])
        .arg(questions)
        .args(more)
        .output()
        .expect("dnsperf is installed");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.contains("Queries completed:")).expect("dnsperf counts");
    line.split_whitespace().nth(2).and_then(|count| count.parse().ok()).expect("a number")
}

/// Of this process alone, without its children: in user and in system mode.
fn processor_time() -> [Duration; 2] {
    // SAFETY: all-zero is a valid value, and the kernel writes one such structure
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    [usage.ru_utime, usage.ru_stime].map(|time| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000))
}
