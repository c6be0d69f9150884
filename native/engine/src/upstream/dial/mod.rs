//! Everything between an endpoint and an open stream.
//!
//! ```text
//! proxy_route ─▶ socks5 ─▶ open ─▶ fast_open, meter        secure ─▶ tls ─▶ trust, identity, hello ─▶ tickets
//! ```

pub mod certificate;
pub mod fast_open;
pub mod hello;
pub mod identity;
pub mod meter;
pub mod open;
pub mod protection;
pub mod proxy_route;
pub mod secure;
pub mod sockets;
pub mod socks5;
pub mod step;
pub mod system_roots;
pub mod ticket_store;
pub mod tickets;
pub mod tls;
pub mod trust;
pub mod unauthenticated;
