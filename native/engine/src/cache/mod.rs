//! What upstreams said, for as long as they said it holds – never a verdict of ours.
//!
//! ```text
//! key ─▶ store: fresh · stale · miss ─▶ in_flight: lead or follow
//! ```

pub mod in_flight;
pub mod key;
pub mod store;
