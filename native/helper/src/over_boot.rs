//! What is to hold from the first moment of the next boot until the service is there. Settings of links live in memory and are
//! gone with a reboot or a power cut, so the wish is in the journal from the moment they are taken on; the boot's unit turns it
//! into files below /run that resolved and NetworkManager read when they start. Nothing of it outlives a boot by itself.

use serde::{Deserialize, Serialize};

use crate::boot;
use crate::entry::{Entry, Undo};
use crate::journal::Journal;
use crate::mechanism::{State, System};
use crate::place::Place;
use crate::reply::{Done, Failure};
use crate::request::{Mechanism, Only, Servers};
use crate::{boot_forms, give_back, network_manager, resolv_conf, take};

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverBoot {
    /// the way by which links were taken: systemd-resolved, networkd's links too
    pub mechanism: Mechanism,
    pub servers: Servers,
    /// unix milliseconds
    pub since: u64,
    /// the boot that it is in force in; `None`: it has been in none
    pub boot: Option<String>,
    pub giving_back: bool,
}

impl OverBoot {
    /// `None`: what was taken is there in the next boot by itself, or is brought back as it is.
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

    /// One link that leaves is no reason to let the next boot ask somebody else.
    pub fn is_meant_by(&self, only: Option<&Only>) -> bool {
        match only {
            None => true,
            Some(Only::Mechanism(mechanism)) => self.mechanism == *mechanism,
            Some(Only::Link(_)) => false,
        }
    }
}

/// At the start of a boot, before anybody resolves. Where the service will not come, everything is given back.
pub async fn keep(place: &Place, while_enabled: &str) -> Result<Done, Failure> {
    let system = System::at(place);
    if !boot::is_enabled(place, while_enabled) {
        return give_back::give_back(&system, None).await;
    }
    give_back::finish_begun(&system).await?;
    let boot = boot::id().map_err(|error| take::no_boot(&error))?;
    let mut kept = vec![];
    let mut journal = Journal::open(place)?;
    for wish in journal.over_boot().to_vec() {
        kept.push(wish.mechanism);
        journal.put_over_boot(OverBoot { boot: Some(boot.clone()), ..wish.clone() })?;
        place.step();
        boot_forms::write(place, &wish)?;
        place.step();
    }
    // Its lock is taken again for each of the others.
    drop(journal);
    kept.extend(again(&system).await?);
    Ok(Done::KeptOverBoot { kept })
}

/// A file is there as it was unless somebody has written it since; a record of resolvconf and what NetworkManager reads went with
/// /run: all anew.
async fn again(system: &System<'_>) -> Result<Vec<Mechanism>, Failure> {
    let entries = Journal::of_what_is_held(system.place)?.entries().to_vec();
    let mut kept = vec![];
    for entry in entries {
        // Links are nobody's yet, and there is no bus to ask.
        if entry.is_of_link() {
            continue;
        }
        let servers = entry.servers.clone();
        match (&entry.undo, system.state(&entry).await?) {
            (Undo::NetworkManager(before), state) => {
                network_manager::mute_from_its_start(system.place)?;
                if state != State::Ours {
                    resolv_conf::apply(system.place, &entry, before)?;
                }
            }
            (_, State::Ours) => {}
            (Undo::Resolvconf, _) => drop(take::resolvconf(system, servers).await?),
            _ => drop(take::file(system, servers).await?),
        }
        kept.push(entry.mechanism());
    }
    Ok(kept)
}
