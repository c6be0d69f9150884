//! A server on free ports and clients to ask it, for every test file.

pub mod clients;
pub mod encdns;
pub mod messages;
pub mod program;
pub mod resolver;
pub mod watching;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use sotto_server::delay::Delay;
use sotto_server::{
    Backend, Config, Forwarder, Identified, Identity, Limits, Server, ServerAddress, Signal, Snapshot,
    TicketSecret, Tickets, Way, read_zone,
};
pub use sotto_skip::nobody::nobody;
use sotto_skip::{clock, waiting};

pub const NAME: &str = "dns.test";

pub const ZONE: &str = include_str!("test.zone");

pub struct Stage {
    pub server: Server,
    pub authority: String,
    identity: Identity,
}

pub fn zone_backend() -> Backend {
    read_zone(ZONE.as_bytes(), Path::new("test.zone"), "test").unwrap().into()
}

/// To a resolver over UDP.
pub fn forwarding_to(address: SocketAddr) -> Backend {
    let resolver = ServerAddress { way: Way::Udp, address, identified: Identified::ByAddress };
    Backend::Forward(Arc::new(Forwarder::new(vec![resolver], vec![], None).unwrap()))
}

pub fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

pub fn config() -> Config {
    Config {
        backend: zone_backend(),
        encdns: None,
        starttls: vec![loopback()],
        dot: vec![loopback()],
        handed_over: Default::default(),
        proxies: Default::default(),
        metrics: None,
        dnstap: None,
        identities: Some(Identity::self_signed(&[NAME.to_owned(), "127.0.0.1".to_owned()]).unwrap().into()),
        signal: Signal::Both,
        early_data: false,
        tickets: Tickets::new(TicketSecret::generate(0).unwrap(), 0).unwrap(),
        unproven: sotto_server::Unproven::Full,
        delay: Delay::default(),
        limits: Limits::default(),
    }
}

impl Stage {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// What it does after a time, it does by the runtime's clock, which does not go on while the machine stands still.
    pub fn with(change: impl FnOnce(&mut Config)) -> Self {
        clock::goes_on_in_steps();
        let mut config = config();
        change(&mut config);
        let identity = config.identities.as_ref().unwrap().first().clone();
        Stage {
            server: Server::start(config).unwrap(),
            authority: identity.authority.clone().unwrap(),
            identity,
        }
    }

    pub fn same_identity(&self) -> Identity {
        self.identity.clone()
    }

    pub fn starttls(&self) -> SocketAddr {
        self.server.starttls()[0]
    }

    pub fn dot(&self) -> SocketAddr {
        self.server.dot()[0]
    }

    /// Waits until the counters meet the condition.
    pub async fn until(&self, condition: impl Fn(&Snapshot) -> bool) {
        waiting::until("the counters get there", || condition(&self.server.stats())).await;
    }
}
