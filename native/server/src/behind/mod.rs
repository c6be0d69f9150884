//! The servers behind this one: resolvers for every name, and the authorities of stub zones for names below these. What they say is
//! passed on as it is.
//!
//! ```text
//! forwarder ─▶ group ─▶ server ─┬▶ datagram           (UDP, and TCP for what that does not bring)
//!                               ├▶ streamed ─▶ opening (TCP, DoT, T-DNS)
//!             (slots, habits)   └▶ opportunistic       (RFC 9539: both of them)
//! ```

mod address;
mod datagram;
mod failure;
pub mod figures;
mod forwarder;
mod group;
mod habits;
mod health;
mod opening;
mod opportunistic;
mod outgoing;
mod patience;
mod readiness;
mod relay;
mod server;
mod soundness;
mod streamed;

pub use address::{Identified, ServerAddress, StubZone, Way};
pub use figures::ServerSnapshot as ServerBehind;
pub use forwarder::Forwarder;
pub use opening::Unusable;
