//! One upstream of a group, and the source that a response came from.

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
    /// what it spends, if it is asked in cleartext
    pub lease: Option<Arc<Lease>>,
    /// it was found to ask us
    pub looping: AtomicBool,
    pub pace: Pace,
    /// queries that somebody else answered sooner
    pub outrun: AtomicU64,
}

/// Who answered, and by which transport.
#[derive(Debug, Clone)]
pub struct Source {
    /// id of the upstream, or address of the network's resolver
    pub upstream: &'static str,
    pub transport: TransportKind,
    /// what allowed to ask in cleartext; none: it was asked privately
    pub lease: Option<Arc<Lease>>,
}

impl Upstream {
    pub fn is_private(&self) -> bool {
        self.kind.is_private()
    }

    /// `transport`: that was taken.
    pub fn source(&self, transport: TransportKind) -> Source {
        Source { upstream: self.id, transport, lease: self.lease.clone() }
    }
}

impl Source {
    /// Over TLS that proved whose it is.
    pub fn is_private(&self) -> bool {
        self.lease.is_none()
    }
}
