//! The settings that every connection looks at when it needs them, so that a change rebuilds none.

use std::sync::{PoisonError, RwLock};

use crate::config::ConnectionsConfig;

#[derive(Debug, Default)]
pub struct Connections {
    in_force: RwLock<ConnectionsConfig>,
}

impl Connections {
    pub fn settings(&self) -> ConnectionsConfig {
        *self.in_force.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set(&self, settings: ConnectionsConfig) {
        *self.in_force.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }
}
