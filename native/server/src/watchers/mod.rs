//! For programs that watch this one: figures and health over HTTP, and each exchange for a dnstap reader.
//!
//! ```text
//! stats, resolver_figures ─▶ metrics ─▶ monitor
//!               responder ─▶ tap ─▶ dnstap, frame_stream
//! ```

mod dnstap;
mod frame_stream;
mod metrics;
pub mod monitor;
pub mod resolver_figures;
pub mod tap;
