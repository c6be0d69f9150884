//! Undoes what a fix wrote, where it is still so. Where another program has written the file since, our key alone is taken out.

use super::record::{Done, Record, Written};
use super::{json_key, root_file};
use crate::bridges;
use crate::failure::Failure;
use crate::fix::{Fix, Says};
use crate::journal::Journal;
use crate::mechanism::System;
use crate::network_manager;
use crate::place::Place;
use crate::reply::{self, FileOutcome, Undone, UndoneFile};
use crate::target::Mechanism;

pub async fn undo(system: &System<'_>, fix: Fix) -> Result<reply::Done, Failure> {
    let mut record = Record::of_what_was_done(system.place)?;
    let files = one(system, &mut record, fix).await?;
    Ok(reply::Done::Undone { undone: vec![Undone { fix, files }] })
}

/// Everything, before Sotto is removed. What can't be undone does not keep the rest.
pub async fn undo_all(system: &System<'_>) -> Result<reply::Done, Failure> {
    undo_those(system, |_| true).await
}

/// For the start of a process: what an earlier one had begun to undo.
pub async fn finish_begun(system: &System<'_>) -> Result<(), Failure> {
    undo_those(system, |done| done.undoing).await.map(drop)
}

/// Without Sotto in /etc/resolv.conf, NetworkManager has to write it again.
pub async fn end_with_dns(system: &System<'_>) -> Result<(), Failure> {
    let is_held = {
        let journal = Journal::of_what_is_held(system.place)?;
        journal.entries().iter().any(|entry| entry.mechanism() == Mechanism::File)
    };
    match is_held {
        true => Ok(()),
        false => undo_those(system, |done| done.fix == Fix::NetworkManager).await.map(drop),
    }
}

async fn undo_those(system: &System<'_>, is_meant: impl Fn(&Done) -> bool) -> Result<reply::Done, Failure> {
    let mut record = Record::of_what_was_done(system.place)?;
    let fixes: Vec<Fix> = record.all().iter().filter(|done| is_meant(done)).map(|done| done.fix).collect();
    let (mut undone, mut failed) = (vec![], None);
    for fix in fixes.into_iter().rev() {
        match one(system, &mut record, fix).await {
            Ok(files) => undone.push(Undone { fix, files }),
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    failed.map_or(Ok(reply::Done::Undone { undone }), Err)
}

async fn one(system: &System<'_>, record: &mut Record<'_>, fix: Fix) -> Result<Vec<UndoneFile>, Failure> {
    let Some(done) = record.find(fix).cloned() else { return Ok(vec![]) };
    // It goes on if the disk is full. The note only matters if this process dies before it is finished.
    let _ = record.put(Done { undoing: true, ..done.clone() });
    let undone = files(system, &done, |_| true).await?;
    record.remove(fix)?;
    Ok(undone)
}

/// Of one fix, those that are meant.
pub async fn files(
    system: &System<'_>,
    done: &Done,
    is_meant: impl Fn(&Written) -> bool,
) -> Result<Vec<UndoneFile>, Failure> {
    let (mut undone, mut failed) = (vec![], None);
    for written in done.files.iter().rev().filter(|written| is_meant(written)) {
        match file(system.place, done.fix, written) {
            Ok(outcome) => undone.push(UndoneFile { file: written.file.clone(), outcome }),
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    let ended = match done.fix {
        Fix::NetworkManager => network_manager::read_settings_anew(&system.bus).await,
        Fix::Docker => bridges::stop(&system.bus).await,
        _ => Ok(()),
    };
    network_manager::if_there(ended)?;
    failed.map_or(Ok(undone), Err)
}

fn file(place: &Place, fix: Fix, written: &Written) -> Result<FileOutcome, Failure> {
    let Written { file, before, after, folders } = written;
    let now = root_file::read(place, file)?;
    let Some(now) = now else {
        root_file::remove(file, folders)?;
        return Ok(FileOutcome::Gone);
    };
    let earlier = before.as_ref().map(|found| found.text.as_str());
    if Some(now.text.as_str()) == earlier {
        root_file::remove_what_a_death_left(file);
        return Ok(FileOutcome::Restored);
    }
    if now.text == *after {
        match before {
            None => root_file::remove(file, folders)?,
            Some(found) => root_file::write(place, file, &found.text, Some(found))?,
        }
        return Ok(FileOutcome::Restored);
    }
    let Says::Key { path, .. } = fix.says() else { return Ok(FileOutcome::ChangedSince) };
    if !has_ours(&now.text, path, after) {
        return Ok(FileOutcome::ChangedSince);
    }
    let text = json_key::put_back(&now.text, path, earlier.unwrap_or("{}"))
        .map_err(|why| root_file::not_fitting(place, file, why))?;
    match before.is_none() && json_key::means(&text, "{}") {
        true => root_file::remove(file, folders)?,
        false => root_file::write(place, file, &text, Some(&now))?,
    }
    Ok(FileOutcome::KeyTakenOut)
}

fn has_ours(now: &str, path: &[&str], after: &str) -> bool {
    match (json_key::get(now, path), json_key::get(after, path)) {
        (Ok(Some(now)), Ok(Some(ours))) => json_key::means(now, ours),
        _ => false,
    }
}
