//! What upstreams said, for as long as they said it holds – never a verdict of ours.
//!
//! ```text
//! key ─▶ store: fresh · cut · stale · miss ─▶ failures ─▶ in_flight: lead or follow
//! ```

pub mod config;
pub mod cut;
pub mod entry;
pub mod failures;
pub mod flush;
pub mod hot_set;
pub mod in_flight;
pub mod key;
pub mod show;
pub mod store;
