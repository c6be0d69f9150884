//! What every connection reads when it needs it: the settings, so that a change rebuilds no connection, and what was learned of
//! paths.

use std::sync::{PoisonError, RwLock};

use crate::config::ConnectionsConfig;
use crate::upstream::memory::black_holes::BlackHoles;
use crate::upstream::memory::encdns_memory::EncDnsMemory;
use crate::upstream::memory::network_change::NetworkChanges;

#[derive(Debug, Default)]
pub struct Connections {
    in_force: RwLock<ConnectionsConfig>,
    pub black_holes: BlackHoles,
    pub encdns: EncDnsMemory,
    pub network_changes: NetworkChanges,
}

impl Connections {
    pub fn settings(&self) -> ConnectionsConfig {
        *self.in_force.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set(&self, settings: ConnectionsConfig) {
        *self.in_force.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }
}
