//! Which network this machine is on, and when its clock jumps. The kernel reports it; nothing is polled.
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
    /// Links, addresses or routes are changing. Sent for each message of the kernel, as it comes; `Changed` has the result when the
    /// changes are over.
    Stirred {
        /// addresses that this machine no longer has
        gone: Vec<IpAddr>,
        /// as in `Snapshot::network_changes`; if the number has grown, the network is unknown until `Changed`
        network_changes: u64,
    },
    /// the network as it is now, whole
    Changed {
        snapshot: Snapshot,
    },
    Woke {
        slept_ms: u64,
    },
    /// The watch has broken down and starts again. What the kernel reported meanwhile is lost.
    Blind {
        why: String,
    },
    /// the wall clock was set: forward where positive
    ClockSet {
        by_ms: i64,
    },
}

/// Called on the watch's own thread; must not block.
pub type Deliver = Box<dyn Fn(Event) + Send>;

/// On other systems there is no watch so far. The control plane shows that; it is no error to recover from.
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
