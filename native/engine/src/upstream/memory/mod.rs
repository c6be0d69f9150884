//! What was learned of networks and servers. It outlives connections and configurations.

pub mod black_holes;
pub mod connections;
pub mod downgrade_evidence;
pub mod encdns_memory;
pub mod known;
pub mod network_change;
pub mod starttls_memory;
