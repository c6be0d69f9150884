//! Taking over: reads what is there, writes the undo down, and only then changes something.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::entry::{Entry, Undo};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::mechanism::System;
use crate::reply::{Done, Taken};
use crate::servers::{Search, Servers};
use crate::state::State;
use crate::target::Link;
use crate::{boot, kernel_links, link_settings, network_manager, resolv_conf, resolvconf};

pub async fn link(
    system: &System<'_>,
    link: Link,
    servers: Servers,
    search: Option<Search>,
) -> Result<Done, Failure> {
    kernel_links::require(&link)?;
    let before = link_settings::read(&system.bus, &link).await?;
    let undo = match link_settings::is_networkds(&system.bus, &link, &before).await? {
        true => Undo::Networkd(before),
        false => Undo::Resolved(before),
    };
    take(system, Entry { link: Some(link), search, ..entry(servers, undo)? }).await
}

pub async fn network_manager(
    system: &System<'_>,
    servers: Servers,
    search: Option<Search>,
) -> Result<Done, Failure> {
    let before = resolv_conf::read(system.place)?;
    take(system, Entry { search, ..entry(servers, Undo::NetworkManager(before))? }).await
}

pub async fn resolvconf(system: &System<'_>, servers: Servers) -> Result<Done, Failure> {
    resolvconf::require(system.place)?;
    take(system, entry(servers, Undo::Resolvconf)?).await
}

pub async fn file(system: &System<'_>, servers: Servers) -> Result<Done, Failure> {
    let before = resolv_conf::read(system.place)?;
    take(system, entry(servers, Undo::File(before))?).await
}

async fn take(system: &System<'_>, fresh: Entry) -> Result<Done, Failure> {
    let mut journal = Journal::open(system.place)?;
    let held = held(system, &journal, &fresh).await?;
    let mut entry = match &held {
        Some(held) => renewed(held.clone(), fresh),
        None => fresh,
    };
    journal.put(entry.clone())?;
    if entry.is_of_link() {
        keep_network_manager_from_links(system, &mut journal).await?;
    }
    if let Err(failure) = apply(system, &mut journal, &mut entry, held.is_none()).await {
        // What was ours before stays ours; anything else is left as it was found.
        if held.is_none() {
            leave_as_found(system, &mut journal, &entry).await?;
        }
        return Err(failure);
    }
    system.place.step();
    if entry.earlier.take().is_some() {
        journal.put(entry.clone())?;
    }
    Ok(Done::Taken { taken: Taken { mechanism: entry.mechanism(), link: entry.link } })
}

/// The journal's entry for the same place, if what it took over is still ours.
async fn held(system: &System<'_>, journal: &Journal<'_>, fresh: &Entry) -> Result<Option<Entry>, Failure> {
    match journal.find(fresh) {
        Some(held) if matches!(system.state(held).await?, State::Ours | State::Partly) => {
            Ok(Some(held.clone()))
        }
        _ => Ok(None),
    }
}

/// What was ours already, with the servers that are wanted now. A give-back still restores what was read first.
fn renewed(held: Entry, fresh: Entry) -> Entry {
    Entry {
        earlier: Some(held.servers),
        servers: fresh.servers,
        search: fresh.search,
        giving_back: false,
        ..held
    }
}

/// Another program may have written the file after it was read for a fresh entry. Its text is then what is given back.
async fn apply(
    system: &System<'_>,
    journal: &mut Journal<'_>,
    entry: &mut Entry,
    is_fresh: bool,
) -> Result<(), Failure> {
    system.apply(entry).await?;
    if is_fresh
        && let Some(before) = entry.undo.old_file_mut()
        && let Some(newer) = resolv_conf::written_meanwhile(system.place, before)
    {
        *before = newer;
        journal.put(entry.clone())?;
        system.apply(entry).await?;
    }
    Ok(())
}

async fn leave_as_found(
    system: &System<'_>,
    journal: &mut Journal<'_>,
    entry: &Entry,
) -> Result<(), Failure> {
    let stays_mute = journal.needs_network_manager_mute_besides(entry);
    match system.undo(entry, stays_mute).await {
        Ok(_) => journal.remove(entry),
        Err(_) => Ok(()),
    }
}

/// At every change of a connection, NetworkManager would tell resolved the network's own resolvers before we could set ours again.
/// Where it goes on doing so, it counts as a contest.
async fn keep_network_manager_from_links(
    system: &System<'_>,
    journal: &mut Journal<'_>,
) -> Result<(), Failure> {
    let place = system.place;
    if network_manager::is_mute(place) || !place.network_manager_settings().exists() {
        return Ok(());
    }
    journal.say_in_force(&boot::id().map_err(|error| boot::unknown(&error))?)?;
    // The link is taken over even if the file can't be written.
    let muted = match network_manager::mute_from_its_start(place) {
        Ok(()) => network_manager::if_there(network_manager::mute(place, &system.bus).await),
        failed => failed,
    };
    if let Err(failure) = muted {
        eprintln!(
            "{}",
            json!({ "msg": "NetworkManager goes on telling links of resolvers", "failed": failure })
        );
    }
    Ok(())
}

fn entry(servers: Servers, undo: Undo) -> Result<Entry, Failure> {
    let boot = boot::id().map_err(|error| boot::unknown(&error))?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    Ok(Entry { since, boot, link: None, servers, search: None, earlier: None, giving_back: false, undo })
}
