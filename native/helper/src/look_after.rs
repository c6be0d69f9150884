//! Gives the system's DNS back once the service and its guardian have died. If one of them returns in time, nothing changes; if
//! neither does and policy allows it, the helper writes a line to the disk (`orphaned.rs`) and gives back.

use std::rc::Rc;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::desk::Desk;
use crate::give_back::give_back;
use crate::journal::Journal;
use crate::mechanism::System;
use crate::orphaned;
use crate::place::Place;
use crate::reply::Done;

/// A restart of the service may take this long. DNS then works again within five seconds after a death.
const GRACE: Duration = Duration::from_millis(2500);
/// A restart by systemd may take this long, also after an update.
const RESTART: Duration = Duration::from_secs(60);
/// A machine that shuts down is off before this ends.
const SHUTDOWN: Duration = Duration::from_secs(86_400);
/// Between two attempts to give back.
const PAUSE: Duration = Duration::from_secs(2);

/// Runs until this process ends.
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

/// Whether nothing is left to do until somebody holds it again. The helper notes one line, however many attempts a give-back takes.
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
    if !*is_noted && let Err(failure) = orphaned::note(&desk.place) {
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
