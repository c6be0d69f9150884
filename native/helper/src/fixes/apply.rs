//! Writes what a fix wants. The undo is on the disk first.

use std::time::{SystemTime, UNIX_EPOCH};

use super::plan::{self, Change};
use super::record::{Done, Record, Written};
use super::{root_file, undo};
use crate::bridges;
use crate::failure::Failure;
use crate::fix::Fix;
use crate::mechanism::System;
use crate::network_manager;
use crate::place::Place;
use crate::readable;
use crate::reply::{self, FileChange, Fixed};

/// `dry`: says what would be written, and writes nothing.
pub async fn apply(system: &System<'_>, fix: Fix, dry: bool) -> Result<reply::Done, Failure> {
    let mut changes = plan::plan(system.place, fix)?;
    // A file may say it already although nothing listens on the bridges.
    if !dry && (!changes.is_empty() || fix == Fix::Docker) {
        let mut record = Record::open(system.place)?;
        // Another process may have changed the files before this one had the lock.
        changes = plan::changes(system.place, fix)?;
        carry_out(system, &mut record, fix, &changes).await?;
    }
    let files = changes.iter().map(|change| said(system.place, fix, change)).collect();
    Ok(reply::Done::Fixed { fixed: Fixed { fix, files } })
}

async fn carry_out(
    system: &System<'_>,
    record: &mut Record<'_>,
    fix: Fix,
    changes: &[Change],
) -> Result<(), Failure> {
    let held = record.find(fix).cloned();
    let done = noted(held.clone(), fix, changes);
    record.put(done.clone())?;
    let written = write(system, fix, changes).await;
    if written.is_err() && undo::files(system, &done, |file| is_among(file, changes)).await.is_ok() {
        match held {
            Some(held) => record.put(held)?,
            None => record.remove(fix)?,
        }
    }
    written
}

fn is_among(written: &Written, changes: &[Change]) -> bool {
    changes.iter().any(|change| change.file == written.file)
}

async fn write(system: &System<'_>, fix: Fix, changes: &[Change]) -> Result<(), Failure> {
    if fix == Fix::Docker {
        bridges::start(&system.bus).await?;
    }
    for Change { file, before, after } in changes {
        root_file::write(system.place, file, after, before.as_ref())?;
    }
    match fix {
        Fix::NetworkManager => network_manager::leaves_dns_alone(&system.bus).await,
        _ => Ok(()),
    }
}

/// A file that was written again keeps what was there just before: that is what its administrator wants by now.
fn noted(held: Option<Done>, fix: Fix, changes: &[Change]) -> Done {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let mut done = held.unwrap_or(Done { fix, since, undoing: false, files: vec![] });
    done.undoing = false;
    for Change { file, before, after } in changes {
        let earlier = done.files.iter().position(|written| written.file == *file);
        let folders = match earlier {
            Some(at) => done.files.remove(at).folders,
            None => root_file::missing_folders(file),
        };
        let (file, before, after) = (file.clone(), before.clone(), after.clone());
        done.files.push(Written { file, before, after, folders });
    }
    done
}

/// To the service, which may ask for a dry run only to read.
fn said(place: &Place, fix: Fix, Change { file, before, after }: &Change) -> FileChange {
    let file = file.clone();
    match readable::by_everybody(place, &file) {
        true => {
            let before = before.as_ref().map(|found| found.text.clone());
            FileChange { file, before, after: after.clone(), hidden: false }
        }
        false => FileChange { file, before: None, after: plan::alone(fix), hidden: true },
    }
}
