//! Which network this machine is on, and when its clock jumps: told by the kernel, never polled.
//!
//! `Watch::start` reads a first `Snapshot` and leaves one thread waiting for events. A burst of them is one change.
//! Why so: docs/decisions/0009-network-watch.md.

mod clock;
mod debounce;
pub mod snapshot;

#[cfg(target_os = "linux")]
mod linux;

use std::net::IpAddr;

use serde::Serialize;
use snapshot::Snapshot;

#[cfg(target_os = "linux")]
pub use linux::Watch;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "NetworkEvent"))]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// Links, addresses or routes are changing right now; what it comes to is told when it is over. Told for each message of the
    /// kernel's, as it comes.
    Stirred {
        /// addresses that are ours no more
        gone: Vec<IpAddr>,
        /// as in `Snapshot::network_changes`; with more of them nobody knows what network this is
        network_changes: u64,
    },
    /// the network as it is now, whole
    Changed {
        snapshot: Snapshot,
    },
    Woke {
        slept_ms: u64,
    },
    /// The watch has broken down, and begins again: what the kernel told meanwhile is lost.
    Blind {
        why: String,
    },
    /// somebody set the wall clock: forward where positive
    ClockSet {
        by_ms: i64,
    },
}

/// Called on the watch's own thread; must not block.
pub type Deliver = Box<dyn Fn(Event) + Send>;

/// Where nobody has written a watch yet: a fact to show, not an error to recover from.
#[cfg(not(target_os = "linux"))]
pub struct Watch;

#[cfg(not(target_os = "linux"))]
impl Watch {
    pub fn start(_deliver: Deliver) -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    pub fn current(&self) -> Snapshot {
        Snapshot::default()
    }

    pub fn close(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::Event;
    use super::snapshot::{Address, DefaultRoute, Interface, Kind, Snapshot};

    #[test]
    fn the_shapes_are_the_services() {
        let mut module = sotto_typescript::Module::new("The network as the kernel tells of it.");
        module.shape::<Event>();
        module.shape::<Snapshot>();
        module.shape::<Interface>();
        module.shape::<Kind>();
        module.shape::<Address>();
        module.shape::<DefaultRoute>();
        module.must_be("app/service/network/kernel-network.ts");
    }
}
