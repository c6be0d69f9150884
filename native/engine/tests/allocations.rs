//! A response from the cache allocates nothing: not for reading the query, not for the response, not for its event. A program of its
//! own, because it counts with the process's allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::Arc;

use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::engine::Engine;
use sotto_engine::upstream::dial::sockets;
use sotto_engine::wire::edns::OptWriter;
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::{header, types};
use tokio::net::UdpSocket;

/// Counts for each thread separately: what the events' own thread does is no query's cost.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does the work; counting touches nothing but a number without a destructor
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Not more than the boxes that are kept for events, and fewer than one burst for the log.
const WARMING: usize = 1024;
const COUNTED: usize = 500;
/// An address of the name in the query, for an hour.
const ADDRESS: &[u8] = b"\xc0\x0c\0\x01\0\x01\0\0\x0e\x10\0\x04\xc6\x33\x64\x02";
/// The zone above the name's first label, which is `www`, says that there is nothing, for an hour.
const NOTHING: &[u8] =
    b"\xc0\x10\0\x06\0\x01\0\0\x0e\x10\0\x16\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\x0e\x10";

#[tokio::test]
async fn an_answer_from_cache_allocates_nothing_with_the_log_on() {
    allocates_nothing(true, false).await;
}

#[tokio::test]
async fn an_answer_from_cache_allocates_nothing_with_the_log_off() {
    allocates_nothing(false, false).await;
}

#[tokio::test]
async fn an_answer_from_cache_allocates_nothing_while_its_addresses_are_remembered() {
    allocates_nothing(false, true).await;
}

/// Engine and client share this thread, so that whatever the engine allocates is counted here.
async fn allocates_nothing(log: bool, audit: bool) {
    let engine = engine(log, audit).await;
    let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    client.connect(engine.status().listening[0]).await.unwrap();
    let questions = questions();
    warm(&engine, &client, &questions, log).await;
    let before = ALLOCATIONS.get();
    ask(&client, &questions, COUNTED).await;
    let allocations = ALLOCATIONS.get() - before;
    let cached = engine.status().outcomes["cached"];
    assert_eq!((cached as usize, allocations), (WARMING + COUNTED - questions.len(), 0), "log: {log}");
    engine.stop().await;
    let events = engine.status().events;
    assert_eq!(events.delivered, if log { (WARMING + COUNTED) as u64 } else { 0 });
}

async fn warm(engine: &Engine, client: &UdpSocket, questions: &[Vec<u8>], log: bool) {
    ask(client, questions, WARMING).await;
    while log && engine.status().events.delivered < WARMING as u64 {
        tokio::task::yield_now().await;
    }
    assert!(ALLOCATIONS.get() > 0, "asking upstream allocates, so this counts");
}

/// Sends these again and again, `count` in all, each after the response to the one before.
async fn ask(client: &UdpSocket, questions: &[Vec<u8>], count: usize) {
    let mut reply = [0; 1232];
    for question in questions.iter().cycle().take(count) {
        client.send(question).await.unwrap();
        let length = client.recv(&mut reply).await.unwrap();
        assert!(length > question.len() && reply[..2] == question[..2] && reply[3] & 0x0f == 0);
    }
}

/// In different cases, with and without EDNS, of types that exist and one that does not.
fn questions() -> Vec<Vec<u8>> {
    let question = |kind| Question { name: Name::parse("www.example").unwrap(), kind, class: types::IN };
    let plain = question(types::A).query(1, header::RD);
    let mut other_case = question(types::TXT).query(2, header::RD);
    other_case[13..16].copy_from_slice(b"WwW");
    let mut with_edns = question(types::A).query(3, header::RD);
    OptWriter::start(&mut with_edns, true, 0).finish();
    let mut nothing = question(types::AAAA).query(4, header::RD | header::AD);
    OptWriter::start(&mut nothing, false, 0).finish();
    vec![plain, other_case, with_edns, nothing]
}

async fn engine(log: bool, audit: bool) -> Engine {
    let runtime = tokio::runtime::Handle::current();
    let engine = Engine::within(
        runtime,
        Arc::new(sockets::System),
        Box::new(|_| true),
        Arc::new(|| {}),
        Counts::InMemory,
    );
    let config = serde_json::json!({
        "listen": ["127.0.0.1:0"], "mode": "private", "network": "n", "events": log, "audit": audit,
        "upstreams": [{"id": "up", "transport": "udp", "addresses": [upstream().await]}],
        "cache": {"entries": 1000, "serveStale": true, "staleHours": 24},
        "leases": [{"entry": 1, "class": "policy"}],
    });
    engine.apply(EngineConfig::parse(&config.to_string()).unwrap()).await.unwrap();
    engine
}

/// Has no AAAA.
async fn upstream() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut octets = [0; 1232];
        loop {
            let (length, from) = socket.recv_from(&mut octets).await.unwrap();
            let (question, end) = Question::read(&octets[..length]).unwrap();
            let exists = question.kind != types::AAAA;
            let mut reply = octets[..end].to_vec();
            reply[2] |= (header::QR >> 8) as u8;
            reply[6..12].copy_from_slice(&[0, u8::from(exists), 0, u8::from(!exists), 0, 0]);
            reply.extend_from_slice(if exists { ADDRESS } else { NOTHING });
            socket.send_to(&reply, from).await.unwrap();
        }
    });
    address
}
