//! Which handshakes resume a session: by age, by network, and after a server has refused.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustls_pki_types::ServerName;
use serde_json::json;
use sotto_engine::clock::Clock;
use sotto_engine::config::ConnectionsConfig;
use sotto_engine::outcome::{ClientProtocol, Cost};
use sotto_engine::post_quantum::PostQuantum;
use sotto_engine::upstream::dial::hello::Hello;
use sotto_engine::upstream::dial::ticket_store::{Partition, TicketStore};
use sotto_engine::upstream::dial::tls::Tls;
use sotto_engine::upstream::dial::trust::{Pins, Roots, Trust};
use sotto_engine::upstream::memory::connections::Connections;
use sotto_engine::wire::types;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::stage::early_server::EarlyServer;
use crate::stage::{self, Stage};

const HOUR: u64 = 3600;
/// The clock reads the time once a millisecond.
const STALE: Duration = Duration::from_millis(2);

/// A server and a client's ticket store, with a clock that only counts sleep.
struct TicketStage {
    server: EarlyServer,
    ticket_store: TicketStore,
    connections: Arc<Connections>,
    slept: Arc<AtomicU64>,
}

impl TicketStage {
    fn new() -> Self {
        let (slept, connections) = (Arc::<AtomicU64>::default(), Arc::<Connections>::default());
        let reading = slept.clone();
        let clock = Clock::with_sleep(move || Duration::from_secs(reading.load(Ordering::SeqCst)));
        let ticket_store = TicketStore::new(Arc::new(clock), connections.clone());
        Self { server: EarlyServer::start(0), ticket_store, connections, slept }
    }

    fn keep_for(&self, ticket_hours: u32) {
        self.connections.set(ConnectionsConfig { ticket_hours, ..ConnectionsConfig::default() });
    }

    async fn sleep(&self, seconds: u64) {
        self.slept.fetch_add(seconds, Ordering::SeqCst);
        tokio::time::sleep(STALE).await;
    }

    fn on(&self, network: &str) -> Arc<Tls> {
        self.tls(network, vec![])
    }

    fn tls(&self, network: &str, more_names: Vec<ServerName<'static>>) -> Arc<Tls> {
        let name = ServerName::try_from(stage::NAME).unwrap();
        let names = std::iter::once(name.clone()).chain(more_names).collect();
        let trust = Trust::new(names, Pins::default(), Roots::from_pem(&self.server.authority).unwrap());
        self.ticket_store.tls(
            Partition::new(&network.into(), "one", &[self.server.address.into()]),
            name,
            trust,
            None,
            PostQuantum::Prefer,
        )
    }

    /// Opens a connection and sends a query; returns whether a session was resumed.
    async fn visit(&self, tls: &Tls) -> bool {
        let stream = TcpStream::connect(self.server.address).await.unwrap();
        let mut stream = tls.handshake(stream, Hello::Usual, None).await.unwrap().stream;
        let question = stage::query("www.example", types::A);
        stream.write_u16(question.len() as u16).await.unwrap();
        stream.write_all(&question).await.unwrap();
        stream.flush().await.unwrap();
        // tickets come before the response
        let length = stream.read_u16().await.unwrap();
        stream.read_exact(&mut vec![0; usize::from(length)]).await.unwrap();
        tls.facts(&stream).resumed
    }
}

#[tokio::test]
async fn a_ticket_is_as_old_as_the_machine_was_awake_and_asleep() {
    let tickets = TicketStage::new();
    tickets.keep_for(2);
    let home = tickets.on("home");
    assert!(!tickets.visit(&home).await);
    tickets.sleep(2 * HOUR - 60).await;
    assert!(tickets.visit(&home).await);
    tickets.sleep(2 * HOUR).await;
    assert!(!tickets.visit(&home).await);
}

#[tokio::test]
async fn a_server_may_give_less_time() {
    let tickets = TicketStage::new();
    tickets.server.give_tickets_for(HOUR as u32);
    let home = tickets.on("home");
    assert!(!tickets.visit(&home).await);
    tickets.sleep(HOUR - 60).await;
    assert!(tickets.visit(&home).await);
    tickets.sleep(HOUR + 1).await;
    assert!(!tickets.visit(&home).await);
}

#[tokio::test]
async fn with_no_hours_none_is_kept() {
    let tickets = TicketStage::new();
    tickets.keep_for(0);
    let home = tickets.on("home");
    assert!(!tickets.visit(&home).await);
    assert!(!tickets.visit(&home).await);
    tickets.keep_for(1);
    assert!(!tickets.visit(&home).await);
    assert!(tickets.visit(&home).await);
    tickets.keep_for(0);
    assert!(!tickets.visit(&home).await);
}

#[tokio::test]
async fn each_network_has_a_stock_of_its_own_and_finds_it_again() {
    let tickets = TicketStage::new();
    assert!(!tickets.visit(&tickets.on("home")).await);
    assert!(!tickets.visit(&tickets.on("café")).await, "what was given at home is not shown");
    assert!(tickets.visit(&tickets.on("home")).await);
}

#[tokio::test]
async fn another_trust_begins_anew() {
    let tickets = TicketStage::new();
    assert!(!tickets.visit(&tickets.on("home")).await);
    let also = ServerName::try_from("also.example").unwrap();
    assert!(!tickets.visit(&tickets.tls("home", vec![also])).await);
    assert!(!tickets.visit(&tickets.on("home")).await, "what had been kept went with the settings");
}

#[tokio::test]
async fn what_is_forgotten_is_forgotten_on_every_network() {
    let tickets = TicketStage::new();
    for network in ["home", "café"] {
        tickets.visit(&tickets.on(network)).await;
    }
    assert_eq!(tickets.ticket_store.forget(Some("other")), 0);
    assert!(tickets.ticket_store.forget(Some("one")) >= 2);
    assert_eq!(tickets.ticket_store.forget(None), 0);
    for network in ["home", "café"] {
        assert!(!tickets.visit(&tickets.on(network)).await, "{network}");
    }
}

#[tokio::test]
async fn lost_keys_cost_one_full_handshake() {
    let tickets = TicketStage::new();
    let home = tickets.on("home");
    tickets.visit(&home).await;
    tickets.visit(&home).await;
    tickets.server.lose_keys(0);
    assert!(!tickets.visit(&home).await);
    assert!(tickets.visit(&home).await);
}

#[tokio::test]
async fn a_refused_resumption_is_followed_by_a_full_handshake() {
    let tickets = TicketStage::new();
    let home = tickets.on("home");
    tickets.visit(&home).await;
    let (refusing, address) = listener().await;
    let refusing = tokio::spawn(async move {
        let (mut stream, _) = refusing.accept().await.unwrap();
        // a fatal alert: handshake_failure
        stream.write_all(&[21, 3, 3, 0, 2, 2, 40]).await.unwrap();
        stream
    });
    let stream = TcpStream::connect(address).await.unwrap();
    assert!(home.handshake(stream, Hello::Usual, None).await.is_err());
    drop(refusing.await.unwrap());
    assert!(!tickets.visit(&home).await);
    assert!(tickets.visit(&home).await);
}

#[tokio::test]
async fn after_two_hellos_in_vain_comes_one_without_a_ticket() {
    let tickets = TicketStage::new();
    let home = tickets.on("home");
    tickets.visit(&home).await;
    tickets.visit(&home).await;
    for _ in 0..2 {
        let (silent, address) = listener().await;
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut heard, _) = silent.accept().await.unwrap();
        tokio::select! {
            _ = home.handshake(stream, Hello::Usual, None) => panic!("nobody answered"),
            octet = heard.read_u8() => octet.map(drop).unwrap(),
        }
    }
    assert!(!tickets.visit(&home).await);
    assert!(tickets.visit(&home).await, "a finished handshake gives the stock back");
}

/// A server or a path that takes a connection and closes it over the hello.
async fn is_broken_off(tls: &Tls) {
    let (breaking, address) = listener().await;
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut heard, _) = breaking.accept().await.unwrap();
    let closing = async move {
        heard.read_u8().await.unwrap();
    };
    let (broken, ()) = tokio::join!(tls.handshake(stream, Hello::Usual, None), closing);
    assert!(broken.is_err());
}

#[tokio::test]
async fn where_hellos_with_a_ticket_are_broken_off_and_others_pass_none_are_kept_for_a_while() {
    let tickets = TicketStage::new();
    let home = tickets.on("home");
    tickets.visit(&home).await;
    tickets.visit(&home).await;
    for _ in 0..2 {
        is_broken_off(&home).await;
    }
    for _ in 0..4 {
        assert!(!tickets.visit(&home).await);
        assert_eq!(home.tickets(), 0);
    }
    tickets.sleep(HOUR).await;
    assert!(!tickets.visit(&home).await);
    assert!(tickets.visit(&home).await, "it is tried again");
}

#[tokio::test]
async fn a_server_that_breaks_off_every_hello_for_a_while_loses_no_ticket() {
    let tickets = TicketStage::new();
    let home = tickets.on("home");
    tickets.visit(&home).await;
    tickets.visit(&home).await;
    for _ in 0..3 {
        is_broken_off(&home).await;
    }
    assert!(!tickets.visit(&home).await);
    assert!(tickets.visit(&home).await);
}

#[tokio::test]
async fn the_engine_comes_back_to_a_network_with_the_tickets_of_that_network() {
    let (stage, server) = (Stage::new(), EarlyServer::start(0));
    let upstream = json!({
        "id": "one", "transport": "dot", "addresses": [server.address], "names": [stage::NAME], "ca": server.authority,
    });
    let mut asked = 0;
    let mut costs = vec![];
    for network in ["home", "café", "home"] {
        stage.apply_with(vec![upstream.clone()], |config| config["network"] = json!(network)).await;
        asked += 1;
        let query = stage::query(&format!("n{asked}.wild.example"), types::A);
        let (_, event) = stage.engine.ask_as(ClientProtocol::Udp, query).await;
        costs.push(event.unwrap().cost);
    }
    assert!(costs.iter().all(|cost| *cost != Cost::None), "{costs:?}");
    let seen = server.seen();
    assert_eq!((seen.full, seen.resumed), (2, 1));
}

async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(stage::loopback()).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}
