//! A trace of queries, and what it costs to carry it over connections: the T-DNS report's models of connection reuse and latency.

pub mod concurrent;
pub mod keep_warm;
pub mod model;
pub mod query;
pub mod samples;
pub mod timeouts;
pub mod trace;
pub mod view;
pub mod window;
