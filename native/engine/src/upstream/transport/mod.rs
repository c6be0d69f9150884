//! How an upstream is reached: one file for each transport, and `list.rs`, where each has its row.

pub mod dot;
pub mod encdns;
pub mod inside_tls;
pub mod list;
pub mod plain;
pub mod surroundings;
pub mod tcp;
pub mod tdns;
mod turns;
pub mod udp;
