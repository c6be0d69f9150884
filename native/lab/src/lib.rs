//! `sotto-lab`: load and misbehaviour for a DNS service, and what it makes of them.
//!
//! ```text
//! names ─▶ question ─▶ load ─▶ lane (UDP, TCP) ─▶ asked ─▶ tally ─▶ a line a second, a summary
//!             └──────▶ slow: idle, stuck and deaf TCP clients ─▶ what a probe sees meanwhile
//!
//! encdns: boxes that were sealed before ─▶ window ─▶ what came back out of them
//! tls: connections, handshakes and queries of a DNS-over-TLS server ─▶ how many, how fast
//! wire: a cable between two network interfaces, with delay, loss and hostile middleboxes
//! bus peer: a program on a D-Bus, whose responses a test makes up
//! ```

pub mod bus_peer;
pub mod descriptors;
pub mod encdns;
pub mod latency;
pub mod load;
pub mod names;
pub mod output;
pub mod question;
pub mod replay;
pub mod slow;
pub mod tls;
#[cfg(target_os = "linux")]
pub mod wire;
