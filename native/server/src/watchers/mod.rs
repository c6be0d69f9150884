//! For programs that watch this one: figures and health over HTTP, and each exchange for a dnstap reader.
//!
//! ```text
//! stats, behind::figures ─▶ metrics ─▶ monitor
//!             responder ─▶ tap ─▶ dnstap, frame_stream
//! ```

mod dnstap;
mod frame_stream;
mod metrics;
pub mod monitor;
mod names;
pub mod tap;
