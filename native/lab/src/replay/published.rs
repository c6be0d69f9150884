//! What the T-DNS report published of connection reuse (ISI-TR-695, figures 3, 8 and 9), to stand beside a trace of one's own.

/// A value that was published, or the range of several traces.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    pub trace: &'static str,
    pub timeout: u32,
    pub low: f64,
    pub high: f64,
}

const fn published(trace: &'static str, timeout: u32, low: f64, high: f64) -> Published {
    Published { trace, timeout, low, high }
}

/// The share of all queries that find a connection open.
pub const SERVER_SIDE: [Published; 3] = [
    published("DNSChanger", 120, 0.97, 0.98),
    published("Level 3", 120, 0.98, 0.99),
    published("B-Root", 120, 0.94, 0.96),
];

/// The median client's share, and that of the upper quartile.
pub const CLIENT_SIDE: [Published; 3] = [
    published("DNSChanger", 60, 0.89, 0.95),
    published("Level 3", 60, 0.72, 0.91),
    published("B-Root", 60, 0.28, 0.67),
];

/// Open connections: 282,000 clients at a resolver, 3,118,000 at a root server.
pub const CONNECTIONS: [Published; 2] =
    [published("Level 3", 60, 24_000.0, 24_000.0), published("B-Root", 20, 49_000.0, 49_000.0)];
