//! Makes a configuration into groups that can be asked.

pub mod alternative;
pub mod rungs;
pub mod upstream;
pub mod upstreams;
