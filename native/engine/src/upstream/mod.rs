//! From a question to an answer over the network.
//!
//! ```text
//! failover ─▶ transport (trait) ─▶ pool ─▶ dial (tdns · dot · tcp) ─▶ connection ─▶ driver: many questions, one stream
//!                     └──────────▶ udp: one socket a question
//! ```

pub mod backoff;
pub mod build;
pub mod certificate;
pub mod connection;
pub mod cookies;
pub mod dial;
pub mod dot;
pub mod driver;
pub mod failover;
pub mod failure;
pub mod outgoing;
pub mod outside;
pub mod pending;
pub mod plain;
pub mod pool;
pub mod starttls_memory;
pub mod tcp;
pub mod tdns;
pub mod tickets;
pub mod tls;
pub mod transport;
pub mod trust;
pub mod udp;
