//! The data plane of Sotto.

pub mod answer;
pub mod wire;
