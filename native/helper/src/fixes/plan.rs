//! Which file a fix makes what, or why it does not apply here. Nothing is changed.

use std::path::{Path, PathBuf};

use super::root_file::{self, Found};
use super::{json_key, managed_policies};
use crate::bridges;
use crate::failure::{Code, Failure};
use crate::fix::{Fix, Says};
use crate::journal::Journal;
use crate::place::Place;
use crate::target::Mechanism;

#[derive(Debug)]
pub struct Change {
    pub file: PathBuf,
    /// `None`: there is no such file
    pub before: Option<Found>,
    pub after: String,
}

/// Files that say it already are left out.
pub fn plan(place: &Place, fix: Fix) -> Result<Vec<Change>, Failure> {
    applies(place, fix)?;
    changes(place, fix)
}

/// The same where it is known that the fix applies.
pub fn changes(place: &Place, fix: Fix) -> Result<Vec<Change>, Failure> {
    if fix == Fix::Docker {
        // its bridge may be gone by now
        applies(place, fix)?;
    }
    let files = fix.files(place).into_iter();
    files.filter_map(|file| change(place, fix, file).transpose()).collect()
}

fn change(place: &Place, fix: Fix, file: PathBuf) -> Result<Option<Change>, Failure> {
    let before = root_file::read(place, &file)?;
    let after = after(fix, &file, before.as_ref())?;
    let is_so = before.as_ref().is_some_and(|found| found.text == after);
    Ok((!is_so).then_some(Change { file, before, after }))
}

/// Whether a text says what the fix wants, in whatever words.
pub fn says(fix: Fix, text: &str) -> bool {
    match fix.says() {
        Says::Whole(wanted) => text == wanted,
        Says::Key { path, value } => {
            json_key::get(text, path).is_ok_and(|said| said.is_some_and(|said| json_key::means(said, &value)))
        }
    }
}

fn after(fix: Fix, file: &Path, before: Option<&Found>) -> Result<String, Failure> {
    match (fix.says(), before) {
        (_, Some(found)) if says(fix, &found.text) => Ok(found.text.clone()),
        (Says::Whole(_), Some(_)) => Err(root_file::refused(file, "another program wrote it")),
        (Says::Whole(text), None) => Ok(text.into()),
        (Says::Key { path, value }, _) => {
            let text = before.map_or("{}\n", |found| &found.text);
            json_key::set(text, path, &value).map_err(|why| root_file::refused(file, why))
        }
    }
}

fn applies(place: &Place, fix: Fix) -> Result<(), Failure> {
    match fix {
        Fix::Firefox => hides_nothing(place),
        Fix::Chromium | Fix::Chrome | Fix::Edge | Fix::Brave => {
            let other = fix.files(place).iter().find_map(|file| managed_policies::conflicting(place, file));
            other.map_or(Ok(()), |other| {
                Err(not_applicable(
                    format!(
                        "{} sets DNS over HTTPS already, and a browser ignores one of two",
                        other.display()
                    ),
                    "take DnsOverHttpsMode and DnsOverHttpsTemplates out of that file, then fix it again",
                ))
            })
        }
        Fix::Docker => match bridges::docker_address() {
            Some(_) => Ok(()),
            None => Err(not_applicable(
                "there is no bridge docker0 with containers alone in it",
                "start Docker, then fix it again",
            )),
        },
        Fix::NetworkManager => is_for_network_manager(place),
    }
}

/// Firefox reads the file of its own folder only where there is none in /etc.
fn hides_nothing(place: &Place) -> Result<(), Failure> {
    if place.below("etc/firefox/policies/policies.json").symlink_metadata().is_ok() {
        return Ok(());
    }
    let shipped = ["usr/lib/firefox", "usr/lib64/firefox", "usr/lib/firefox-esr", "opt/firefox"]
        .map(|folder| place.below(folder).join("distribution/policies.json"));
    match shipped.iter().find(|file| file.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(file) => Err(not_applicable(
            format!("Firefox reads {}, and a new file in /etc would hide what it says", file.display()),
            "copy that file to /etc/firefox/policies/policies.json, then fix it again",
        )),
    }
}

/// Everything else keeps NetworkManager away by itself, and gives it back together with DNS.
fn is_for_network_manager(place: &Place) -> Result<(), Failure> {
    if !place.network_manager_settings().exists() {
        return Err(not_applicable("NetworkManager is not installed", "nothing is to be done"));
    }
    let journal = Journal::of_what_is_held(place)?;
    match journal.entries().iter().any(|entry| entry.mechanism() == Mechanism::File) {
        true => Ok(()),
        false => Err(not_applicable(
            "Sotto does not hold /etc/resolv.conf as a file, so that NetworkManager takes nothing from it",
            "take the system's DNS first (\"sotto system take\"); by another mechanism this fix is not needed",
        )),
    }
}

fn not_applicable(message: impl Into<String>, remedy: &str) -> Failure {
    Failure::new(Code::NotApplicable, message, remedy)
}
