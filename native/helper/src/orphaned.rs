//! The record of what was given back while nobody was there to decide. Each give-back writes one line to the disk first; the
//! service takes the lines over into its ledger when it runs again.

use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::durable;
use crate::failure::Failure;
use crate::journal::unusable;
use crate::place::Place;

const FILE: &str = "orphaned.json";
/// If the service never comes back, the first lines matter most.
const MOST: usize = 32;
const REASON: &str = "the service and its guardian died, and nobody started them again";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orphaned {
    /// unix milliseconds
    pub since: u64,
    pub reason: String,
}

/// The line is on disk when this returns.
pub fn note(place: &Place) -> Result<(), Failure> {
    change(place, |noted, folder| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        noted.push(Orphaned { since, reason: REASON.into() });
        noted.truncate(MOST);
        durable::write(folder, FILE, &serde_json::to_vec(&noted)?)
    })
}

/// The service's ledger has the lines up to this moment.
pub fn forget(place: &Place, until: u64) -> Result<(), Failure> {
    if noted(place).is_empty() {
        return Ok(());
    }
    change(place, |noted, folder| {
        noted.retain(|one| one.since > until);
        match noted.is_empty() {
            true => durable::remove(folder, FILE),
            false => durable::write(folder, FILE, &serde_json::to_vec(&noted)?),
        }
    })
}

pub fn noted(place: &Place) -> Vec<Orphaned> {
    read(&place.journal_folder()).unwrap_or_default()
}

fn change(
    place: &Place,
    how: impl FnOnce(&mut Vec<Orphaned>, &Path) -> io::Result<()>,
) -> Result<(), Failure> {
    let folder = place.journal_folder();
    let changed = durable::make_folder(&folder).and_then(|()| how(&mut read(&folder)?, &folder));
    changed.map_err(|error| unusable(place, &error))
}

fn read(folder: &Path) -> io::Result<Vec<Orphaned>> {
    let text = durable::read(folder, FILE)?;
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default())
}
