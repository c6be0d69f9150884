//! What the journal holds, and whether it is still in place.

use crate::boot;
use crate::entry::{Before, Entry, OldFile, Undo};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::mechanism::System;
use crate::orphaned;
use crate::over_boot::OverBoot;
use crate::place::Place;
use crate::readable;
use crate::reply::{Done, Held, Wished};
use crate::resolv_conf;
use crate::state::State;

pub async fn status(system: &System<'_>) -> Result<Done, Failure> {
    let journal = Journal::of_what_is_held(system.place)?;
    let mut held = vec![];
    for entry in journal.entries() {
        let state = system.state(entry).await;
        held.push(Held {
            mechanism: entry.mechanism(),
            link: entry.link.clone(),
            servers: entry.servers.clone(),
            search: entry.search.clone(),
            since: entry.since,
            in_place: state.ok().map(|state| state == State::Ours),
            giving_back: entry.giving_back,
            before: before(system.place, entry),
        });
    }
    let boot = boot::id().unwrap_or_default();
    let wished = |wish: &OverBoot| Wished {
        mechanism: wish.mechanism,
        servers: wish.servers.clone(),
        since: wish.since,
        in_force: wish.is_in_force(&boot) && system.place.resolved_at_boot().exists(),
    };
    let over_boot = journal.over_boot().iter().map(wished).collect();
    Ok(Done::Status { held, over_boot, orphaned: orphaned::noted(system.place) })
}

/// The target of a symbolic link is kept current by the program that writes it.
fn before(place: &Place, entry: &Entry) -> Before {
    match &entry.undo {
        Undo::File(OldFile::Link { target })
            if readable::by_everybody(place, &place.resolv_conf().with_file_name(target)) =>
        {
            Before::of_resolv_conf(&String::from_utf8_lossy(&resolv_conf::behind_link(place, target)))
        }
        Undo::File(before) => {
            let latest = resolv_conf::latest(place, before);
            let is_hidden = matches!(latest, OldFile::File { mode, .. } if mode & 0o004 == 0);
            if is_hidden { Before::default() } else { Undo::File(latest).before() }
        }
        others => others.before(),
    }
}
