//! How a query ended, and what it cost.

use std::time::Duration;

use crate::words::words;

words!(
    /// What happens where no private path works. The strictest first.
    #[derive(Default)]
    Downgrade {
        #[default]
        Refuse = "refuse",
        Warn = "warn",
        Fallback = "fallback",
    }
);

words!(Outcome {
    Forwarded = "forwarded",
    Cached = "cached",
    Stale = "stale",
    Bypassed = "bypassed",
    Local = "local",
    Portal = "portal",
    Refused = "refused",
    Failed = "failed",
    Dropped = "dropped",
});

words!(
    /// What the connection cost this query: nothing new, an abbreviated handshake, a full one, or the wait for another query.
    Cost { None = "none", Reused = "reused", Resumed = "resumed", Cold = "cold", Queued = "queued" }
);

words!(TransportKind { None = "none", Tdns = "tdns", Dot = "dot", Tcp = "tcp", Udp = "udp", EncDns = "encdns" });

words!(ClientProtocol { Udp = "udp", Tcp = "tcp", Control = "control" });

words!(
    /// Why a query may leave in cleartext: the class of its entry in the ledger.
    ClearClass {
        None = "none",
        Policy = "policy",
        Off = "off",
        Paused = "paused",
        Bypass = "bypass",
        Portal = "portal",
        ServiceDown = "service-down",
        Contested = "contested",
        Explicit = "explicit",
    }
);

impl TransportKind {
    /// Whether everything but the dummy query travels inside TLS, which is authenticated except on the rung `unauthenticated`, or in
    /// boxes that one server opens.
    pub fn is_private(self) -> bool {
        matches!(self, Self::Tdns | Self::Dot | Self::EncDns)
    }
}

/// Where the time of a query went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stages {
    pub policy: Duration,
    pub cache: Duration,
    /// waiting for a connection: dial, STARTTLS, TLS
    pub connect: Duration,
    /// waiting for the upstream's response
    pub wait: Duration,
    pub response: Duration,
}
