//! A server to load, answering everything under zipf.example.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use sotto_server::{Config, Limits, Server, Signal, TicketSecret, Tickets, read_zone};

const ZONE: &str = "\
@ 60 SOA ns hostmaster 1 3600 600 86400 60
* 60 A 192.0.2.1
";

pub fn server(change: impl FnOnce(&mut Config)) -> Server {
    let zone = read_zone(ZONE.as_bytes(), Path::new("zipf.zone"), "zipf.example").unwrap();
    let mut config = Config {
        encdns: None,
        backend: zone.into(),
        starttls: vec!["127.0.0.1:0".parse().unwrap()],
        dot: vec![],
        handed_over: Default::default(),
        proxies: Default::default(),
        metrics: None,
        dnstap: None,
        identities: None,
        signal: Signal::Decline,
        early_data: false,
        tickets: Tickets::new(TicketSecret::generate(0).unwrap(), 0).unwrap(),
        unproven: sotto_server::Unproven::Full,
        delay: Duration::ZERO.into(),
        limits: Limits::default(),
    };
    change(&mut config);
    Server::start(config).unwrap()
}

/// Where nobody listens. The system gives the ports of this address to no other test.
pub fn nobody() -> SocketAddr {
    std::net::UdpSocket::bind("127.78.8.53:0").unwrap().local_addr().unwrap()
}

pub fn address(server: &Server) -> SocketAddr {
    server.starttls()[0]
}
