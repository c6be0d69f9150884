//! A trace of queries, and what it costs to carry it over connections: the T-DNS report's models of connection reuse and latency.
//!
//! ```text
//! trace ─▶ Query ─▶ model (pairs of client and server, classes of gaps) ─▶ summary ─▶ table, JSON, plot
//!                     ├▶ concurrent: open connections by second            ▲
//!                     ├▶ keep_warm: clients that open them ahead of need   │
//!                     └▶ view: by client, by prefix, by server             └─ latency: equations 1 to 4
//!
//! generate: a trace made up, with a seed
//! play: the queries of a trace sent to a server, beside what the model says of them
//! ```

pub mod concurrent;
pub mod generate;
pub mod keep_warm;
pub mod latency;
pub mod model;
pub mod play;
pub mod plot;
pub mod published;
pub mod query;
pub mod run;
pub mod samples;
pub mod summary;
pub mod timeouts;
pub mod trace;
pub mod transport;
pub mod view;
pub mod window;
