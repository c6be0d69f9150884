//! From a query to a response over the network, in floors. Each floor imports from those below it, and from none above.
//!
//! ```text
//! assemble/     from the configuration to groups that can be asked: the one place where everything is put together
//! selection/    which upstream is asked, in which order, and what is tried when none answers: group, attempts, fallback ladder
//! pool/         one connection to each upstream: open, keep warm, back off, follow a network change
//! paths/        which private transport and which address of an upstream is tried when
//! transport/    tdns, dot, tcp, udp, encdns: one file each
//! stream/       many queries on one stream of octets, each with its length before it (RFC 7766)
//! backoff.rs    the rest between tries that fail
//! exchange.rs   what each of them is to the floor above it: a query in, a response out, with its cost
//! connection/   an open connection, as its owner and as the transport beneath it see it
//! dial/         sockets, Fast Open, proxy route, TLS, trust, tickets
//! memory/       what was learned of networks and servers, and outlives connections
//! failure/      why there was no response
//! outgoing.rs   the query as it leaves
//! clear/        what may leave in cleartext: lease, cookies
//! ```
//!
//! `build/rust-imports.test.ts` fails where something leads up the stairs.

pub mod assemble;
pub mod backoff;
pub mod clear;
pub mod condition;
pub mod connection;
pub mod dial;
pub mod exchange;
pub mod failure;
pub mod memory;
pub mod outgoing;
pub mod paths;
pub mod pool;
pub mod running;
pub mod selection;
pub mod stream;
pub mod transport;
