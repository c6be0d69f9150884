//! Calls the file of the mechanism by which an entry was taken over, for its state, for applying it and for undoing it.

use crate::bus::Bus;
use crate::entry::{Entry, Undo};
use crate::failure::Failure;
use crate::place::Place;
use crate::state::State;
use crate::{link_settings, network_manager, resolv_conf, resolvconf};

pub struct System<'a> {
    pub place: &'a Place,
    pub bus: Bus<'a>,
}

impl<'a> System<'a> {
    pub fn at(place: &'a Place) -> Self {
        Self { place, bus: Bus::new(place) }
    }

    pub async fn state(&self, entry: &Entry) -> Result<State, Failure> {
        match &entry.undo {
            Undo::Resolved(before) | Undo::Networkd(before) => {
                link_settings::state(&self.bus, entry, before).await
            }
            Undo::NetworkManager(before) => network_manager::state(self.place, entry, before),
            Undo::Resolvconf => Ok(resolvconf::state(self.place, entry)),
            Undo::File(before) => resolv_conf::state(self.place, entry, before),
        }
    }

    pub async fn apply(&self, entry: &Entry) -> Result<(), Failure> {
        match &entry.undo {
            Undo::Resolved(before) => {
                link_settings::apply(&self.bus, link_settings::RESOLVED, entry, before).await
            }
            Undo::Networkd(before) => {
                link_settings::apply(&self.bus, link_settings::NETWORKD, entry, before).await
            }
            Undo::NetworkManager(before) => {
                network_manager::apply(self.place, &self.bus, entry, before).await
            }
            Undo::Resolvconf => resolvconf::apply(self.place, entry).await,
            Undo::File(before) => resolv_conf::apply(self.place, entry, before),
        }
    }

    /// Restores what was there before. For entries whose state is ours, partly ours or before. `stays_mute`: NetworkManager is kept
    /// from changing DNS, because another entry still needs that.
    pub async fn undo(&self, entry: &Entry, stays_mute: bool) -> Result<(), Failure> {
        match &entry.undo {
            Undo::Resolved(before) => link_settings::restore(&self.bus, entry, before).await,
            Undo::Networkd(_) => link_settings::revert_networkd(&self.bus, entry).await,
            Undo::NetworkManager(before) => {
                network_manager::restore(self.place, &self.bus, entry, before, stays_mute).await
            }
            Undo::Resolvconf => resolvconf::restore(self.place, entry).await,
            Undo::File(before) => resolv_conf::restore(self.place, entry, before),
        }
    }

    /// Leaves the system's DNS to the program that has changed it since, and deletes the copy of the old file: nobody needs it.
    pub fn leave(&self, entry: &Entry) {
        if matches!(entry.undo, Undo::File(_)) {
            resolv_conf::leave(self.place);
        }
    }
}
