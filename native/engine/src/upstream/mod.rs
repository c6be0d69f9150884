//! From a question to an answer over the network.
//!
//! ```text
//! group ─▶ attempts ─▶ transport (trait) ─▶ pool ─▶ dial (tdns · dot · tcp) ─▶ connection ─▶ driver: many questions, one stream
//!   │                      │  └──────────▶ udp: one socket a question
//!   └─▶ ladder ────────────┘     under a lease of the group
//! ```

pub mod account;
pub mod alternative;
pub mod assemble;
pub mod attempt;
pub mod attempts;
pub mod backoff;
pub mod black_holes;
pub mod build;
pub mod certificate;
pub mod connection;
pub mod connections;
pub mod cookies;
pub mod dial;
pub mod dot;
pub mod downgrade_evidence;
pub mod driver;
pub mod early;
pub mod failover;
pub mod failure;
pub mod fast_open;
pub mod group;
pub mod happy_eyeballs;
pub mod keep_warm;
pub mod ladder;
pub mod liveness;
pub mod meter;
pub mod network_change;
pub mod outgoing;
pub mod outside;
pub mod pace;
pub mod pending;
pub mod place;
pub mod plain;
pub mod pool;
pub mod proxy_route;
pub mod reach;
pub mod rungs;
pub mod running;
pub mod socks5;
pub mod spread;
pub mod starttls_memory;
mod system_roots;
pub mod tcp;
pub mod tdns;
pub mod ticket_store;
pub mod tickets;
pub mod tls;
pub mod transport;
pub mod trust;
pub mod udp;
pub mod unauthenticated;
pub mod ways;
