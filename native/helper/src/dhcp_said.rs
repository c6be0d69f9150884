//! `sotto-helper dhcp-said`. A DHCP client runs it as root; it is no request on the socket. While /etc/resolv.conf is ours, a
//! give-back restores what the DHCP client would have written there. build/system/dhclient-enter-hook calls it.

use std::io::{Read, stdin};

use crate::dhcp_answer::DhcpAnswer;
use crate::entry::{Entry, OldFile, Undo};
use crate::failure::{Code, Failure};
use crate::journal::Journal;
use crate::place::Place;
use crate::reply::Done;
use crate::state::State;
use crate::{resolv_conf, resolv_conf_before};

const LONGEST: u64 = 65_536;

/// Reads a resolv.conf from standard input. This happens before the journal is locked, so that no other operation waits for it.
pub fn read() -> Result<DhcpAnswer, Failure> {
    let mut text = vec![];
    let read = stdin().take(LONGEST + 1).read_to_end(&mut text);
    match read {
        Ok(length) if length as u64 <= LONGEST => Ok(DhcpAnswer::read(&text)),
        Ok(_) => Err(unreadable(&format!("it is longer than {LONGEST} octets"))),
        Err(error) => Err(unreadable(&error.to_string())),
    }
}

/// Each part is checked separately, so that the next message of DHCP completes what a death in between left undone.
pub fn keep(place: &Place, answer: DhcpAnswer) -> Result<Done, Failure> {
    let mut journal = Journal::of_what_is_held(place)?;
    let Some((entry, before)) = held(&journal) else { return Ok(said(false)) };
    let before = resolv_conf::latest(place, &before);
    let state = resolv_conf::state(place, &entry, &before)?;
    if answer.says_nothing() || !matches!(state, State::Ours | State::Partly) {
        return Ok(said(false));
    }
    let fresh = match &before {
        OldFile::Link { target } => {
            resolv_conf_before::write_behind(place, target, &answer)?;
            before.clone()
        }
        OldFile::None | OldFile::File { .. } => resolv_conf_before::said_anew(&before, &answer),
    };
    if fresh != before {
        journal.put(Entry { undo: Undo::File(fresh.clone()), ..entry })?;
    }
    resolv_conf_before::show(place, &fresh);
    // If another program has changed our file, this must not hide the change: the service has to notice it.
    if state == State::Ours {
        resolv_conf::search_as(place, &answer)?;
    }
    Ok(said(true))
}

/// An entry that is being given back is restored as it was.
fn held(journal: &Journal) -> Option<(Entry, OldFile)> {
    journal.entries().iter().find_map(|entry| match &entry.undo {
        Undo::File(before) if !entry.giving_back => Some((entry.clone(), before.clone())),
        _ => None,
    })
}

fn said(kept: bool) -> Done {
    Done::DhcpSaid { kept }
}

fn unreadable(why: &str) -> Failure {
    Failure::new(
        Code::BadRequest,
        format!("what DHCP said can't be read: {why}; nothing was changed"),
        "give it on standard input, as a DHCP client writes resolv.conf",
    )
}
