//! The doors: UDP and TCP on each address.

pub mod door;
pub mod tcp;
pub mod udp;
