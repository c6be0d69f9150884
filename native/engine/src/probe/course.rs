//! Which query is sent, to which addresses, and for how long.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::report::Step;
use crate::config::UpstreamConfig;
use crate::upstream::clear::lease::Lease;
use crate::upstream::memory::connections::Connections;
use crate::upstream::memory::starttls_memory::StarttlsMemory;
use crate::upstream::outgoing::Outgoing;

/// How each of the addresses is asked.
pub(super) struct Course<'a> {
    pub config: &'a UpstreamConfig,
    /// made anew for each address, because it counts its own traffic
    pub query: &'a (dyn Fn() -> Outgoing + Send + Sync),
    pub memory: Arc<StarttlsMemory>,
    pub connections: Arc<Connections>,
    pub lease: Option<Arc<Lease>>,
    /// for each address
    pub timeout: Duration,
    /// for all addresses; one that works is examined until then; `None`: it is not examined
    pub end: Option<Instant>,
    pub on_step: &'a (dyn Fn(&Step) + Send + Sync),
}
