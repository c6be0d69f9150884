//! The gate: while it is closed, the kernel rejects every DNS packet of this machine that goes past Sotto. It is a process of its
//! own, the only one of Sotto's with CAP_NET_ADMIN, and its rules outlive all of us (docs/design/the-gate.md). It counts, too.
//!
//! ```text
//! serve (socket, peer) ─▶ request (close, open, status) ─▶ record (in /run) ─▶ rules (nftables) ─▶ reply
//!                      ─▶ request (count, uncount, counted) ─▶ coverage (a table of its own) ─▶ reply
//! ```

mod coverage;
mod end;
mod record;
mod rules;
mod serve;

pub use end::end;
pub use serve::serve;
