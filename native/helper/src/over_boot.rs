//! A wish for the next boot: that the system asks us from its first moment on, before the service runs. systemd-resolved keeps
//! the settings of links in memory only and loses them at a reboot or a power cut. The journal therefore holds the wish from the
//! moment at which a link is taken over, and `keep_over_boot.rs` carries it out.

use serde::{Deserialize, Serialize};

use crate::entry::{Entry, Undo};
use crate::servers::Servers;
use crate::target::{Mechanism, Only};

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverBoot {
    /// the mechanism by which links were taken over; systemd-resolved includes networkd's links
    pub mechanism: Mechanism,
    pub servers: Servers,
    /// unix milliseconds
    pub since: u64,
    /// the boot in which it is in force; `None`: in none so far
    pub boot: Option<String>,
    pub giving_back: bool,
}

impl OverBoot {
    /// `None`: what was taken over is still there in the next boot, or is restored as it is.
    pub fn of(entry: &Entry) -> Option<Self> {
        let mechanism = match entry.undo {
            Undo::Resolved(_) | Undo::Networkd(_) => Mechanism::Resolved,
            Undo::NetworkManager(_) | Undo::Resolvconf | Undo::File(_) => return None,
        };
        let servers = entry.servers.clone();
        Some(Self { mechanism, servers, since: entry.since, boot: None, giving_back: false })
    }

    pub fn is_in_force(&self, boot: &str) -> bool {
        self.boot.as_deref() == Some(boot)
    }

    /// Giving back one link does not remove the wish: in the next boot, the other links need it.
    pub fn is_meant_by(&self, only: Option<&Only>) -> bool {
        match only {
            None => true,
            Some(Only::Mechanism(mechanism)) => self.mechanism == *mechanism,
            Some(Only::Link(_)) => false,
        }
    }
}
