//! Gives back what the journal holds, newest first. The journal notes which entries are being given back, so that the next process
//! can finish if this one dies.

use crate::boot;
use crate::boot_forms;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::fixes;
use crate::gate;
use crate::journal::Journal;
use crate::mechanism::System;
use crate::over_boot::OverBoot;
use crate::reply::{Done, Given, Kept, Outcome};
use crate::state::State;
use crate::target::{Mechanism, Only};

pub async fn give_back(system: &System<'_>, only: Option<&Only>) -> Result<Done, Failure> {
    let mut journal = Journal::of_what_is_held(system.place)?;
    // Giving back goes on even if the disk is full. The note only matters if this process dies before it is finished.
    let _ = journal.begin_giving_back(only);
    let is_meant = |entry: &Entry| entry.is_meant_by(only);
    let done = finish(system, journal, is_meant, |wish| wish.is_meant_by(only)).await;
    let done = with_fixes(system, done).await;
    if only.is_none() {
        gate::end(system.place).await?;
    }
    done
}

/// For the start of a process: gives back only what an earlier process had begun to give back.
pub async fn finish_begun(system: &System<'_>) -> Result<Done, Failure> {
    let journal = Journal::of_what_is_held(system.place)?;
    let done = finish(system, journal, |entry| entry.giving_back, |wish| wish.giving_back).await;
    with_fixes(system, done).await
}

/// A fix that needs the system's DNS with us ends with it.
async fn with_fixes(system: &System<'_>, done: Result<Done, Failure>) -> Result<Done, Failure> {
    match (done?, fixes::end_with_dns(system).await) {
        (Done::GivenBack { given, mut kept }, Err(failed)) => {
            kept.push(Kept { mechanism: Mechanism::NetworkManager, link: None, failed });
            Ok(Done::GivenBack { given, kept })
        }
        (done, _) => Ok(done),
    }
}

async fn finish(
    system: &System<'_>,
    mut journal: Journal<'_>,
    is_meant: impl Fn(&Entry) -> bool,
    is_meant_over_boot: impl Fn(&OverBoot) -> bool,
) -> Result<Done, Failure> {
    let (mut given, mut kept) = (vec![], vec![]);
    let mut noted = Ok(());
    let newest_first: Vec<Entry> =
        journal.entries().iter().rev().filter(|entry| is_meant(entry)).cloned().collect();
    for entry in newest_first {
        let (mechanism, link) = (entry.mechanism(), entry.link.clone());
        match one(system, &entry, journal.needs_network_manager_mute_besides(&entry)).await {
            Ok(outcome) => {
                system.place.step();
                noted = journal.remove(&entry);
                given.push(Given { mechanism, link, outcome });
            }
            Err(failed) => kept.push(Kept { mechanism, link, failed }),
        }
    }
    let boot = boot::id().map_err(|error| boot::unknown(&error))?;
    let wishes: Vec<OverBoot> =
        journal.over_boot().iter().filter(|wish| is_meant_over_boot(wish)).cloned().collect();
    for wish in wishes {
        let mechanism = wish.mechanism;
        // A wish that is not in force in this boot has changed nothing.
        if wish.is_in_force(&boot) {
            let was_asked_instead = system.place.resolved_at_boot().exists();
            let stays_mute = journal.entries().iter().any(Entry::is_network_managers);
            if let Err(failed) = boot_forms::withdraw(system.place, &system.bus, stays_mute).await {
                kept.push(Kept { mechanism, link: None, failed });
                continue;
            }
            system.place.step();
            if was_asked_instead {
                given.push(Given { mechanism, link: None, outcome: Outcome::Restored });
            }
        }
        noted = journal.remove_over_boot(&wish);
    }
    noted.map(|()| Done::GivenBack { given, kept })
}

async fn one(system: &System<'_>, entry: &Entry, stays_mute: bool) -> Result<Outcome, Failure> {
    match system.state(entry).await? {
        State::Gone => Ok(Outcome::Gone),
        State::Other => {
            system.leave(entry);
            Ok(Outcome::ChangedSince)
        }
        State::Ours | State::Partly | State::Before => {
            system.undo(entry, stays_mute).await.map(|()| Outcome::Restored)
        }
    }
}
