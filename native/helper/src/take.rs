//! Taking over: what is there is read, the undo written down, and only then something changed.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::entry::{Entry, Undo};
use crate::journal::Journal;
use crate::mechanism::{State, System};
use crate::reply::{Code, Done, Failure, Taken};
use crate::request::{Link, Mechanism, Servers};
use crate::{boot, boot_forms, kernel_links, link_settings, network_manager, resolv_conf, resolvconf};

pub async fn link(system: &System<'_>, link: Link, servers: Servers) -> Result<Done, Failure> {
    kernel_links::require(&link)?;
    let before = link_settings::read(&system.bus, &link).await?;
    let undo = match link_settings::is_networkds(&system.bus, &link, &before).await? {
        true => Undo::Networkd(before),
        false => Undo::Resolved(before),
    };
    take(system, entry(Some(link), servers, undo)?).await
}

pub async fn network_manager(system: &System<'_>, link: Link, servers: Servers) -> Result<Done, Failure> {
    kernel_links::require(&link)?;
    let before = network_manager::read(&system.bus, &link).await?;
    take(system, entry(Some(link), servers, Undo::NetworkManager(before))?).await
}

pub async fn resolvconf(system: &System<'_>, servers: Servers) -> Result<Done, Failure> {
    resolvconf::require(system.place)?;
    take(system, entry(None, servers, Undo::Resolvconf)?).await
}

pub async fn file(system: &System<'_>, servers: Servers) -> Result<Done, Failure> {
    let before = resolv_conf::read(system.place)?;
    take(system, entry(None, servers, Undo::File(before))?).await
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
    journal.put(entry.clone())?;
    if let Err(failure) = system.apply(&entry).await {
        // What was ours before stays so; what was not is left as it was found.
        if held.is_none() && system.undo(&entry).await.is_ok() {
            journal.remove(&entry)?;
        }
        return Err(failure);
    }
    system.place.step();
    if entry.earlier.take().is_some() {
        journal.put(entry.clone())?;
    }
    // Its applied connections name us now. Where resolved was told, it goes on telling resolved nothing until a give-back: what it
    // knows of a link would go past us until somebody noticed.
    if entry.mechanism() == Mechanism::NetworkManager && boot_forms::network_manager_is_mute(system.place) {
        boot_forms::unmute_network_manager(system.place, &system.bus).await?;
    }
    Ok(Done::Taken { taken: Taken { mechanism: entry.mechanism(), link: entry.link } })
}

fn entry(link: Option<Link>, servers: Servers, undo: Undo) -> Result<Entry, Failure> {
    let boot = boot::id().map_err(|error| no_boot(&error))?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    Ok(Entry { since, boot, link, servers, earlier: None, giving_back: false, undo })
}

pub fn no_boot(error: &io::Error) -> Failure {
    Failure::new(Code::JournalFailed, format!("the kernel names no boot: {error}"), "mount /proc")
}
