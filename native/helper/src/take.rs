//! Taking over: what is there is read, the undo written down, and only then something changed.

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
    let held = match journal.find(&fresh) {
        Some(held) if matches!(system.state(held).await?, State::Ours | State::Partly) => Some(held.clone()),
        _ => None,
    };
    let mut entry = match &held {
        Some(held) => Entry { earlier: Some(held.servers.clone()), giving_back: false, ..held.clone() },
        None => fresh.clone(),
    };
    entry.servers = fresh.servers;
    entry.search = fresh.search;
    journal.put(entry.clone())?;
    if entry.is_of_link() {
        keep_network_manager_from_links(system, &mut journal).await?;
    }
    let mut applied = system.apply(&entry).await;
    if applied.is_ok()
        && held.is_none()
        && let Some(before) = entry.undo.old_file_mut()
        && let Some(newer) = resolv_conf::written_meanwhile(system.place, before)
    {
        *before = newer;
        applied = journal.put(entry.clone());
        if applied.is_ok() {
            applied = system.apply(&entry).await;
        }
    }
    if let Err(failure) = applied {
        // What was ours before stays so; what was not is left as it was found.
        let stays_mute = journal.needs_network_manager_mute_besides(&entry);
        if held.is_none() && system.undo(&entry, stays_mute).await.is_ok() {
            journal.remove(&entry)?;
        }
        return Err(failure);
    }
    system.place.step();
    if entry.earlier.take().is_some() {
        journal.put(entry.clone())?;
    }
    Ok(Done::Taken { taken: Taken { mechanism: entry.mechanism(), link: entry.link } })
}

/// It would tell resolved the network's own resolvers at every change of a connection, before we could tell ours again. Where it
/// goes on doing so, that is a contest like any other.
async fn keep_network_manager_from_links(
    system: &System<'_>,
    journal: &mut Journal<'_>,
) -> Result<(), Failure> {
    let place = system.place;
    if network_manager::is_mute(place) || !place.network_manager_settings().exists() {
        return Ok(());
    }
    journal.say_in_force(&boot::id().map_err(|error| boot::unknown(&error))?)?;
    // The link is taken all the same: a file that can't be written must not keep DNS from us.
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
