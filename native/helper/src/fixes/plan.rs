//! Which file a fix makes what, or why it does not apply here. Nothing is changed.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::root_file::{self, Found};
use super::{json_key, managed_policies};
use crate::bridges;
use crate::durable::owners;
use crate::failure::{Code, Failure};
use crate::fix::{Fix, Says};
use crate::journal::Journal;
use crate::place::Place;
use crate::readable;
use crate::target::Mechanism;

const EMPTY: &str = "{}\n";

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
    let after = after(fix, before.as_ref()).map_err(|why| root_file::not_fitting(place, &file, why))?;
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

/// The text of a file in which a fix says what it wants, and nobody else anything.
pub fn alone(fix: Fix) -> String {
    match fix.says() {
        Says::Whole(text) => text.into(),
        Says::Key { path, value } => json_key::set(EMPTY, path, &value).expect("an object takes any key"),
    }
}

fn after(fix: Fix, before: Option<&Found>) -> Result<String, json_key::Why> {
    let Some(found) = before else { return Ok(alone(fix)) };
    match fix.says() {
        _ if says(fix, &found.text) => Ok(found.text.clone()),
        Says::Whole(_) => Err("another program wrote it"),
        Says::Key { path, value } => json_key::set(&found.text, path, &value),
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
                        as_everybody_may_know(place, &other)
                    ),
                    "take DnsOverHttpsMode and DnsOverHttpsTemplates out of that file, then fix it again",
                ))
            })
        }
        Fix::Docker => is_for_docker(place),
        Fix::NetworkManager => is_for_network_manager(place),
    }
}

fn as_everybody_may_know(place: &Place, file: &Path) -> String {
    match file.parent() {
        Some(folder) if !readable::names_in(place, folder) || !readable::by_everybody(place, file) => {
            format!("a file in {} that only root may read", folder.display())
        }
        _ => file.display().to_string(),
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

fn is_for_docker(place: &Place) -> Result<(), Failure> {
    if bridges::docker_address().is_none() {
        return Err(not_applicable(
            "there is no bridge docker0 with containers alone in it",
            "start Docker, then fix it again",
        ));
    }
    match dockerd_was_told(&place.below("proc")) {
        true => Err(not_applicable(
            "dockerd was started with --dns, and does not start again where its file says it, too",
            "take --dns out of dockerd's command line (systemctl cat docker), restart Docker, then fix it again",
        )),
        false => Ok(()),
    }
}

/// Its resolvers, as an argument. Others may name a program of theirs like it.
fn dockerd_was_told(proc: &Path) -> bool {
    let processes = std::fs::read_dir(proc).into_iter().flatten().flatten();
    processes.filter(|process| process.metadata().is_ok_and(|data| owners().contains(&data.uid()))).any(
        |process| {
            let is_dockerd =
                std::fs::read(process.path().join("comm")).is_ok_and(|name| name == b"dockerd\n");
            let arguments = || std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let is_dns = |word: &[u8]| {
                matches!(word, b"--dns" | b"-dns")
                    || word.starts_with(b"--dns=")
                    || word.starts_with(b"-dns=")
            };
            is_dockerd && arguments().split(|octet| *octet == 0).any(is_dns)
        },
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dockerd_with_resolvers_as_an_argument() {
        for (name, words, expected) in [
            ("dockerd", "dockerd\0-H\0fd://\0--dns\x001.1.1.1\0", true),
            ("dockerd", "/usr/bin/dockerd\0--dns=1.1.1.1\0", true),
            ("dockerd", "dockerd\0--dns-search\0corp.example\0--dns-opt=ndots:1\0", false),
            ("dockerd", "dockerd\0", false),
            ("docker", "docker\0run\0--dns\x001.1.1.1\0", false),
        ] {
            let proc = std::env::temp_dir().join(format!("sotto-dockerd-{}", std::process::id()));
            let process = proc.join("4711");
            std::fs::create_dir_all(&process).unwrap();
            std::fs::write(process.join("comm"), format!("{name}\n")).unwrap();
            std::fs::write(process.join("cmdline"), words).unwrap();
            assert_eq!(dockerd_was_told(&proc), expected, "{words:?}");
            std::fs::remove_dir_all(proc).unwrap();
        }
    }
}
