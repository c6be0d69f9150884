//! What is asked, of whom and for how long.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::report::Step;
use crate::config::UpstreamConfig;
use crate::upstream::clear::lease::Lease;
use crate::upstream::memory::connections::Connections;
use crate::upstream::memory::starttls_memory::StarttlsMemory;
use crate::upstream::outgoing::Outgoing;

/// How its addresses are asked, each of them.
pub(super) struct Course<'a> {
    pub config: &'a UpstreamConfig,
    /// made anew for each: it counts what it costs
    pub question: &'a (dyn Fn() -> Outgoing + Send + Sync),
    pub memory: Arc<StarttlsMemory>,
    pub connections: Arc<Connections>,
    pub lease: Option<Arc<Lease>>,
    /// of each
    pub timeout: Duration,
    /// of all; what works is examined until then at most, and not where there is no such time
    pub end: Option<Instant>,
    pub on_step: &'a (dyn Fn(&Step) + Send + Sync),
}
