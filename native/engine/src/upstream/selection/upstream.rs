//! One upstream of a group, and the source of a response.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::config::UpstreamConfig;
use crate::outcome::TransportKind;
use crate::upstream::clear::lease::Lease;
use crate::upstream::exchange::Exchange;
use crate::upstream::selection::pace::Pace;

pub struct Upstream {
    pub id: &'static str,
    pub kind: TransportKind,
    pub config: UpstreamConfig,
    pub transport: Box<dyn Exchange>,
    /// the lease it spends, if it is asked in cleartext
    pub lease: Option<Arc<Lease>>,
    /// it was found to lead back to us
    pub looping: AtomicBool,
    pub pace: Pace,
    /// queries to which another upstream responded sooner
    pub outrun: AtomicU64,
}

/// Which upstream responded, and over which transport.
#[derive(Debug, Clone)]
pub struct Source {
    /// id of the upstream, or address of the network's resolver
    pub upstream: &'static str,
    pub transport: TransportKind,
    /// the lease under which it was asked in cleartext; `None`: it was asked privately
    pub lease: Option<Arc<Lease>>,
}

impl Upstream {
    pub fn is_private(&self) -> bool {
        self.kind.is_private()
    }

    /// `transport` is the one that was used.
    pub fn source(&self, transport: TransportKind) -> Source {
        Source { upstream: self.id, transport, lease: self.lease.clone() }
    }
}

impl Source {
    /// Over authenticated TLS.
    pub fn is_private(&self) -> bool {
        self.lease.is_none()
    }
}
