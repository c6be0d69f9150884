//! `sotto-lab`: load and misbehaviour for a DNS service, and what it makes of them.
//!
//! ```text
//! names ─▶ question ─▶ load ─▶ lane (UDP, TCP) ─▶ asked ─▶ tally ─▶ a line a second, a summary
//!             └──────▶ slow: idle, stuck and deaf TCP clients ─▶ what a probe sees meanwhile
//! ```

pub mod descriptors;
pub mod latency;
pub mod load;
pub mod names;
pub mod question;
pub mod slow;
