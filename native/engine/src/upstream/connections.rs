//! What every connection looks at when it needs it: the settings, so that a change rebuilds none, and what was learned of paths.

use std::sync::{PoisonError, RwLock};

use super::black_holes::BlackHoles;
use super::network_change::NetworkChanges;
use crate::config::ConnectionsConfig;

#[derive(Debug, Default)]
pub struct Connections {
    in_force: RwLock<ConnectionsConfig>,
    pub black_holes: BlackHoles,
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
