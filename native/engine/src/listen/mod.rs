//! The doors: UDP and TCP on each address.

pub mod accepting;
mod batch;
pub mod door;
pub mod here;
pub mod inherited;
pub mod keeping;
pub mod network;
pub mod presence;
pub mod seats;
pub mod slots;
pub mod tcp;
pub mod udp;
