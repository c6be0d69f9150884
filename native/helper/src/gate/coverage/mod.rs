//! Counts what goes past Sotto: a table of our own, `inet sotto_coverage`, which rejects nothing (docs/design/coverage.md).
//!
//! ```text
//! table (made with nft) ─▶ kernel (netlink: what its sets hold) ─▶ element (one key, one count) ─▶ counter (names, reply)
//! ```

mod counter;
mod element;
mod kernel;
mod table;

pub use counter::{Counted, Counter};
pub use table::{remove, stands};
