//! One event for each query, handed over in batches.
//!
//! ```text
//! pipeline ─▶ ring (bounded, never waited for) ─▶ courier thread ─▶ encoded batch ─▶ Node
//! ```

pub mod courier;
pub mod event;
pub mod names;
