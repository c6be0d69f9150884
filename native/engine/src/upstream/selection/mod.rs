//! Which upstream is asked, in which order, and what is tried when none responds.

pub mod attempts;
pub mod group;
pub mod ladder;
pub mod none_responded;
pub mod pace;
pub mod spread;
pub mod upstream;
pub mod upstreams;
