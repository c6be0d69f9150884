//! What was taken when everybody who looked after it died. Who comes back in time finds it as it was; where nobody does, it is
//! given back if policy allows, after a line on disk that the service takes over into its ledger.

use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::durable;
use crate::give_back::give_back;
use crate::journal::{Journal, unusable};
use crate::mechanism::System;
use crate::place::Place;
use crate::reply::{Done, Failure};
use crate::serve::Desk;

/// Whoever starts the service again has so long; after it DNS is back within the five seconds of design 5a.1.
const GRACE: Duration = Duration::from_millis(2500);
/// So long for a service that systemd restarts, after an update too.
const RESTART: Duration = Duration::from_secs(60);
/// A machine that goes down does not come so far.
const SHUTDOWN: Duration = Duration::from_secs(86_400);
/// What can't be given back now is tried again.
const PAUSE: Duration = Duration::from_secs(2);
const FILE: &str = "orphaned.json";
/// A service that never comes back to take them over needs the first of them.
const MOST: usize = 32;
const REASON: &str = "the service and its guardian died, and nobody started them again";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orphaned {
    /// unix milliseconds
    pub since: u64,
    pub reason: String,
}

/// Until this process ends.
pub async fn look_after(desk: Rc<Desk>) {
    loop {
        desk.holders.are_gone().await;
        if timeout(grace(&desk.place), desk.holders.come()).await.is_ok() {
            continue;
        }
        let mut is_noted = false;
        while !is_settled(&desk, &mut is_noted).await {
            sleep(PAUSE).await;
        }
        desk.holders.come().await;
    }
}

fn grace(place: &Place) -> Duration {
    let file = place.stop_reason();
    let age = || std::fs::metadata(&file).and_then(|file| file.modified()).ok()?.elapsed().ok();
    match std::fs::read_to_string(&file).as_deref() {
        Ok("restart\n") => age().map_or(GRACE, |age| RESTART.saturating_sub(age).max(GRACE)),
        Ok("shutdown\n") => SHUTDOWN,
        _ => GRACE,
    }
}

/// Whether there is nothing more to do until somebody holds it again. One line, however often it takes to give all of it back.
async fn is_settled(desk: &Desk, is_noted: &mut bool) -> bool {
    let _turn = desk.turn.lock().await;
    let is_held = Journal::of_what_is_held(&desk.place).is_ok_and(|journal| journal.is_held());
    if desk.holders.any() || !is_held {
        return true;
    }
    if !desk.left().await.is_some_and(|left| left.allows_giving_back()) {
        say(
            "nobody looks after what was taken; policy keeps it: \"sotto-helper give-back\" gives it back",
            &(),
        );
        return true;
    }
    if !*is_noted && let Err(failure) = note(&desk.place) {
        say("nothing is given back without a line that says so", &failure);
        return false;
    }
    *is_noted = true;
    match give_back(&System::at(&desk.place), None).await {
        Ok(Done::GivenBack { given, kept }) => {
            say(
                "nobody looked after what was taken; it was given back",
                &json!({ "given": given, "kept": kept }),
            );
            kept.is_empty()
        }
        Ok(_) => true,
        Err(failure) => {
            say("nobody looks after what was taken, and it can't be given back", &failure);
            false
        }
    }
}

fn say(message: &str, details: &impl Serialize) {
    eprintln!("{}", json!({ "msg": message, "details": details }));
}

/// On disk when it returns.
fn note(place: &Place) -> Result<(), Failure> {
    change(place, |noted, folder| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        noted.push(Orphaned { since, reason: REASON.into() });
        noted.truncate(MOST);
        durable::write(folder, FILE, &serde_json::to_vec(&noted)?)
    })
}

/// Those up to this moment are in the service's ledger.
pub fn forget(place: &Place, until: u64) -> Result<Done, Failure> {
    if noted(place).is_empty() {
        return Ok(Done::Forgotten { forgotten: true });
    }
    change(place, |noted, folder| {
        noted.retain(|one| one.since > until);
        match noted.is_empty() {
            true => durable::remove(folder, FILE),
            false => durable::write(folder, FILE, &serde_json::to_vec(&noted)?),
        }
    })?;
    Ok(Done::Forgotten { forgotten: true })
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
