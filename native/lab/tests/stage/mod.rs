//! A server to load, answering everything under zipf.example.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use sotto_server::{Config, Limits, Server, Signal, TicketSecret, Tickets, read_zone};
use sotto_skip::clock;
pub use sotto_skip::nobody::nobody;

const ZONE: &str = "\
@ 60 SOA ns hostmaster 1 3600 600 86400 60
* 60 A 192.0.2.1
";

/// What it does after a time, it does by the runtime's clock, which does not go on while the machine stands still.
pub fn server(change: impl FnOnce(&mut Config)) -> Server {
    clock::goes_on_in_steps();
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

pub fn address(server: &Server) -> SocketAddr {
    server.starttls()[0]
}
