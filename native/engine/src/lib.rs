//! The data plane of Sotto: a DNS stub that forwards over authenticated TLS. No Node in it, no JavaScript per query.
//!
//! ```text
//! listen ─▶ policy ─▶ cache ─▶ upstream ─▶ policy ─▶ response
//!                                                      └─▶ events
//! ```
//!
//! `native/README.md` follows one query through it.

mod ahead;
pub mod aliases;
mod arrivals;
pub mod attribution;
pub mod audit;
#[cfg(test)]
mod boundary;
pub mod cache;
pub mod change_count;
mod cleartext;
pub mod client_identity;
pub mod clock;
pub mod config;
pub mod counts;
pub mod cryptography;
pub mod decision;
pub mod describe;
mod domain_name;
mod draft;
pub mod endpoint;
pub mod engine;
pub mod envelope;
pub mod events;
pub mod explain;
mod forward;
pub mod holding;
mod in_force;
mod intern;
mod kept;
pub mod listen;
pub mod loop_guard;
pub mod outcome;
pub mod own_probes;
mod pace;
mod pending_response;
pub mod pipeline;
mod plan;
pub mod policy;
mod portal;
pub mod post_quantum;
pub mod probe;
pub mod query;
mod resolution;
pub mod response;
pub mod route;
pub mod rule_list;
mod same_ways;
pub mod side_by_side;
pub mod snapshot;
mod split_horizon;
pub mod status;
pub mod supposition;
pub mod upstream;
pub mod when;
mod words;
pub mod working;
pub mod zone;

pub use sotto_wire as wire;
