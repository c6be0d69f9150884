//! Files that must stay secret, and who may read them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::arguments::Arguments;
use crate::settings::identities;

const OTHERS_READ: u32 = 0o004;

/// One for each that everybody on this machine may open, as far as its own permissions say.
pub fn complaints(arguments: &Arguments) -> Vec<String> {
    let certificates = identities::keys(arguments).into_iter().map(|file| ("key", file));
    let boxes = arguments.encdns_key.iter().map(|file| ("encdns-key", file.clone()));
    let tickets = arguments.ticket_secret.iter().map(|file| ("ticket-secret", file.clone()));
    let is_open = |file: &std::path::PathBuf| {
        fs::metadata(file).is_ok_and(|found| found.permissions().mode() & OTHERS_READ != 0)
    };
    certificates
        .chain(boxes)
        .chain(tickets)
        .filter(|(_, file)| is_open(file))
        .map(|(key, file)| {
            format!("{key} {}: every account of this machine may read it: chmod o= it", file.display())
        })
        .collect()
}
