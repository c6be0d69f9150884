//! An engine between a client and sotto-server, on free ports.

pub mod batch;
pub mod early_server;
pub mod encdns;
pub mod hop;
pub mod messages;
pub mod middlebox;
pub mod published_server;
pub mod resolver;
pub mod tap;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::engine::Engine;
use sotto_engine::upstream::dial::sockets::System;
use sotto_engine::upstream::stream::framing::framed;
use sotto_engine::wire::edns::{Edns, ExtendedError, OptWriter};
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;
use sotto_server::{Config, Identity, Limits, Server, Signal, TicketSecret, Tickets, read_zone};
use sotto_skip::clock;
pub use sotto_skip::nobody::nobody;
use sotto_skip::waiting::within;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::runtime::{Handle, RuntimeFlavor};

pub const NAME: &str = "dns.example";

const ZONE: &str = "$ORIGIN example.
$TTL 300
@ SOA ns hostmaster 1 3600 900 604800 60
@ NS ns
ns A 198.51.100.1
www A 198.51.100.2
*.wild A 198.51.100.3
private A 192.168.1.1
into.public CNAME db.corp.example.
db.corp A 198.51.100.9
";

pub struct Stage {
    pub server: Server,
    pub authority: String,
    pub engine: Engine,
    /// event records, as they were delivered
    pub records: Arc<Mutex<Vec<u8>>>,
    pub changes: Arc<AtomicUsize>,
}

pub fn server(change: impl FnOnce(&mut Config)) -> (Server, String, String) {
    let identity = Identity::self_signed(&[NAME.to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (authority, pin) = (identity.authority.clone().unwrap(), identity.pin.clone());
    let mut config = Config {
        encdns: None,
        backend: read_zone(ZONE.as_bytes(), Path::new("test.zone"), "example").unwrap().into(),
        starttls: vec![loopback()],
        dot: vec![loopback()],
        handed_over: Default::default(),
        proxies: Default::default(),
        metrics: None,
        dnstap: None,
        identities: Some(identity.into()),
        signal: Signal::Both,
        early_data: false,
        tickets: Tickets::new(TicketSecret::generate(0).unwrap(), 0).unwrap(),
        unproven: sotto_server::Unproven::Full,
        delay: Default::default(),
        limits: Limits::default(),
    };
    change(&mut config);
    (Server::start(config).unwrap(), authority, pin)
}

impl Stage {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// Server and engine have the test's own runtime where it has one thread. What they do after a time, they do by its clock, which
    /// does not go on while the machine stands still.
    pub fn with(change: impl FnOnce(&mut Config)) -> Self {
        let (server, authority, _) = server(change);
        let records: Arc<Mutex<Vec<u8>>> = Arc::default();
        let changes: Arc<AtomicUsize> = Arc::default();
        let (delivered, changed) = (records.clone(), changes.clone());
        let deliver = Box::new(move |batch: Vec<u8>| {
            delivered.lock().unwrap().extend(batch);
            true
        });
        let on_change = Arc::new(move || {
            changed.fetch_add(1, Ordering::Relaxed);
        });
        clock::goes_on_in_steps();
        let runtime = Handle::current();
        let engine = match runtime.runtime_flavor() {
            RuntimeFlavor::CurrentThread => {
                Engine::within(runtime, Arc::new(System), deliver, on_change, Counts::InMemory)
            }
            _ => Engine::start(deliver, on_change, Counts::InMemory).unwrap(),
        };
        Stage { server, authority, engine, records, changes }
    }

    pub fn dot(&self) -> Value {
        json!({"id": "dot", "transport": "dot", "addresses": [self.server.dot()[0]], "names": [NAME], "ca": self.authority})
    }

    pub fn tdns(&self) -> Value {
        json!({"id": "tdns", "transport": "tdns", "addresses": [self.server.starttls()[0]], "names": [NAME], "ca": self.authority})
    }

    /// Waits until the first upstream's connection has ended and the engine knows.
    pub async fn until_idle(&self) {
        let idle = async {
            while serde_json::to_value(self.engine.status()).unwrap()["upstreams"][0]["state"] != "idle" {
                tokio::task::yield_now().await;
            }
        };
        within("the end of a connection is noticed", idle).await;
    }

    /// Events are noted after their response has left, so a client may be faster than the count.
    pub async fn until(&self, outcome: &str, count: u64) {
        let counting = async {
            while self.engine.status().outcomes[outcome] < count {
                tokio::task::yield_now().await;
            }
        };
        within("the outcome is counted", counting).await;
    }

    pub async fn apply(&self, upstreams: Vec<Value>) -> Client {
        self.apply_with(upstreams, |_| {}).await
    }

    pub async fn apply_with(&self, upstreams: Vec<Value>, change: impl FnOnce(&mut Value)) -> Client {
        let mut config = json!({
            "listen": ["127.0.0.1:0"], "mode": "private", "network": "home", "upstreams": upstreams,
            "cache": {"entries": 1000, "serveStale": false, "staleHours": 24},
        });
        change(&mut config);
        self.engine.apply(EngineConfig::parse(&config.to_string()).unwrap()).await.unwrap();
        Client { to: self.engine.status().listening[0] }
    }
}

pub fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// A port of 127.0.0.1 at which nobody listens, as long as the socket is there. Whoever names the port may.
pub fn closed_port() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(loopback()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

/// A stub that sends one query by UDP and waits.
pub struct Client {
    pub to: SocketAddr,
}

#[derive(Debug)]
pub struct Said {
    pub message: Vec<u8>,
    pub rcode: u16,
    pub answers: u16,
    pub errors: Vec<ExtendedError>,
}

impl Said {
    pub fn is_truncated(&self) -> bool {
        Header::read(&self.message).unwrap().flags & header::TC != 0
    }
}

impl Client {
    /// By UDP, and again by TCP where the response says so.
    pub async fn ask(&self, name: &str, kind: u16) -> Said {
        let said = self.send(&query(name, kind)).await;
        if said.is_truncated() { self.ask_by_tcp(name, kind).await } else { said }
    }

    pub async fn ask_by_tcp(&self, name: &str, kind: u16) -> Said {
        let mut stream = TcpStream::connect(self.to).await.unwrap();
        stream.write_all(&framed(&query(name, kind))).await.unwrap();
        let mut reply = vec![0; usize::from(stream.read_u16().await.unwrap())];
        stream.read_exact(&mut reply).await.unwrap();
        said(reply)
    }

    pub async fn send(&self, message: &[u8]) -> Said {
        let socket = UdpSocket::bind(loopback()).await.unwrap();
        socket.send_to(message, self.to).await.unwrap();
        let mut reply = vec![0; 65_535];
        let length = within("a reply comes", socket.recv(&mut reply)).await.unwrap();
        reply.truncate(length);
        said(reply)
    }
}

pub fn query(name: &str, kind: u16) -> Vec<u8> {
    let question = Question { name: Name::parse(name).unwrap(), kind, class: types::IN };
    let mut message = question.query(rand::random(), header::RD);
    OptWriter::start(&mut message, false, 0).finish();
    message
}

pub fn said(message: Vec<u8>) -> Said {
    let header = Header::read(&message).unwrap();
    let edns = Edns::find(&message).unwrap().map(|(edns, _)| edns);
    Said {
        rcode: header.rcode(),
        answers: header.counts[1],
        errors: edns.map_or_else(Vec::new, |edns| edns.extended_errors),
        message,
    }
}
