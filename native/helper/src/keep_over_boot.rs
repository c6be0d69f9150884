//! What the unit of the boot runs: each wish of the journal becomes files below /run that resolved and NetworkManager read when they
//! start. These files are gone with the next reboot.

use crate::entry::Undo;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::mechanism::System;
use crate::over_boot::OverBoot;
use crate::place::Place;
use crate::reply::Done;
use crate::state::State;
use crate::target::Mechanism;
use crate::{boot, boot_forms, give_back, network_manager, resolv_conf, take};

/// Runs at the start of a boot, before any program resolves names. If the service is not enabled, everything is given back.
pub async fn keep(place: &Place, while_enabled: &str) -> Result<Done, Failure> {
    let system = System::at(place);
    if !boot::is_enabled(place, while_enabled) {
        return give_back::give_back(&system, None).await;
    }
    give_back::finish_begun(&system).await?;
    let boot = boot::id().map_err(|error| boot::unknown(&error))?;
    let mut kept = vec![];
    let mut journal = Journal::open(place)?;
    for wish in journal.over_boot().to_vec() {
        kept.push(wish.mechanism);
        journal.put_over_boot(OverBoot { boot: Some(boot.clone()), ..wish.clone() })?;
        place.step();
        boot_forms::write(place, &wish)?;
        place.step();
    }
    // `again` locks the journal for each entry.
    drop(journal);
    kept.extend(again(&system).await?);
    Ok(Done::KeptOverBoot { kept })
}

/// Takes over again what a reboot undid: the record of resolvconf and the settings that NetworkManager reads are in /run, which is
/// empty after a boot. A file is only taken over again if another program has written it since.
async fn again(system: &System<'_>) -> Result<Vec<Mechanism>, Failure> {
    let entries = Journal::of_what_is_held(system.place)?.entries().to_vec();
    let mut kept = vec![];
    for entry in entries {
        // The links do not exist yet, and neither does the bus.
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
