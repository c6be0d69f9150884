//! What transports are made from, and who makes them.

use std::sync::Arc;

use crate::config::{ConfigError, UpstreamConfig};
use crate::holding::Holding;
use crate::upstream::clear::cookies::Cookies;
use crate::upstream::clear::lease::Lease;
use crate::upstream::connection::fitting::Place;
use crate::upstream::connection::link::Dial;
use crate::upstream::dial::sockets::Sockets;
use crate::upstream::dial::ticket_store::TicketStore;
use crate::upstream::memory::connections::Connections;
use crate::upstream::memory::starttls_memory::StarttlsMemory;

/// Everything by which queries leave: the [list](crate::upstream::transport::list) on the system's sockets, or a script in a test.
pub trait Transports: Sockets {
    /// How connections to an upstream are opened. `path` is its place in the configuration, for errors.
    fn dialer(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
    ) -> Result<Box<dyn Dial>, ConfigError>;

    /// The same for TLS without authentication; each query spends the lease.
    fn unauthenticated(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
        lease: Arc<Lease>,
    ) -> Result<Box<dyn Dial>, ConfigError>;

    /// By how much rests differ is left to chance, but in a simulation, which can be repeated.
    fn chance(&self) -> fn() -> u8 {
        rand::random
    }
}

/// What all upstreams of a group share.
#[derive(Clone)]
pub struct Surroundings {
    pub network: Arc<str>,
    pub transports: Arc<dyn Transports>,
    pub memory: Arc<StarttlsMemory>,
    pub cookies: Arc<Cookies>,
    pub connections: Arc<Connections>,
    pub ticket_store: Arc<TicketStore>,
    /// of class `policy`, for the group; cleartext upstreams spend it
    pub lease: Option<Arc<Lease>>,
    /// whoever waits for a path
    pub holding: Arc<Holding>,
}

impl Surroundings {
    pub fn path(&self) -> Place<'_> {
        Place { network: &self.network, large_hellos: &self.connections.large_hellos }
    }

    /// The lease for a transport in cleartext.
    pub fn permission(&self, config: &UpstreamConfig, path: &str) -> Result<Arc<Lease>, ConfigError> {
        self.lease.clone().ok_or_else(|| {
            ConfigError::new(
                "lease-missing",
                format!("{path}.transport"),
                format!(
                    "{} sends queries in cleartext and no ledger entry allows it",
                    config.transport.word()
                ),
                "use tdns or dot",
            )
        })
    }
}
