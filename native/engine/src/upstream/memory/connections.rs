//! What every connection reads when it needs it: the settings, so that a change rebuilds no connection, and what was learned of
//! paths.

use std::sync::{PoisonError, RwLock};

use serde::Deserialize;

use crate::upstream::memory::black_holes::BlackHoles;
use crate::upstream::memory::encdns_memory::EncDnsMemory;
use crate::upstream::memory::network_change::NetworkChanges;

/// How connections to upstreams are opened and kept (docs/design/round-trips.md). A change is in force at once, also for open
/// connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineConnections"))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ConnectionsConfig {
    pub keep_warm: bool,
    /// dials to each upstream for which no query waits
    pub dials_per_hour: u32,
    /// the machine runs on its battery, so keep-warm does less
    pub spare_battery: bool,
    pub fast_open: bool,
    /// how old a ticket may become; 0: none is kept
    pub ticket_hours: u32,
}

impl Default for ConnectionsConfig {
    fn default() -> Self {
        Self { keep_warm: true, dials_per_hour: 60, spare_battery: false, fast_open: true, ticket_hours: 24 }
    }
}

#[derive(Debug)]
pub struct Connections {
    in_force: RwLock<ConnectionsConfig>,
    pub black_holes: BlackHoles,
    /// paths that do not let hellos with X25519MLKEM768 pass
    pub large_hellos: BlackHoles,
    pub encdns: EncDnsMemory,
    pub network_changes: NetworkChanges,
    chance: fn() -> u8,
}

impl Default for Connections {
    fn default() -> Self {
        Self::with(rand::random)
    }
}

impl Connections {
    /// `chance` returns another number each time.
    pub fn with(chance: fn() -> u8) -> Self {
        Self {
            in_force: RwLock::default(),
            black_holes: BlackHoles::default(),
            large_hellos: BlackHoles::default(),
            encdns: EncDnsMemory::default(),
            network_changes: NetworkChanges::default(),
            chance,
        }
    }

    pub fn chance(&self) -> u8 {
        (self.chance)()
    }

    pub fn settings(&self) -> ConnectionsConfig {
        *self.in_force.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What paths seemed to swallow.
    pub fn forget_paths(&self) {
        self.black_holes.forget();
        self.large_hellos.forget();
    }

    pub fn set(&self, settings: ConnectionsConfig) {
        *self.in_force.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }
}
