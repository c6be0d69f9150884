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

use crate::failure::Failure;
use crate::place::Place;

/// False: the kernel has no such table, or this process may not look.
pub fn stands() -> bool {
    matches!(kernel::table_number(table::NAME), Ok(Some(_)))
}

pub async fn remove(place: &Place) -> Result<(), Failure> {
    table::remove(place).await
}
