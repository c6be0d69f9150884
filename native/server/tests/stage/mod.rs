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
use std::time::Duration;

use sotto_server::delay::Delay;
use sotto_server::{
    Backend, Config, Forwarder, Identified, Identity, Limits, Server, ServerAddress, Signal, Snapshot,
    TicketSecret, Tickets, Way, read_zone,
};

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

/// Where nobody listens. The system gives the ports of this address to no other test.
pub fn nobody() -> SocketAddr {
    std::net::UdpSocket::bind("127.78.8.53:0").unwrap().local_addr().unwrap()
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

    pub fn with(change: impl FnOnce(&mut Config)) -> Self {
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
        let waiting = async {
            while !condition(&self.server.stats()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(20), waiting).await;
        assert!(waited.is_ok(), "the counters never got there: {:?}", self.server.stats());
    }
}
