//! Files that must stay secret, and who may read or replace what is in them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use sotto_files::regular;

use crate::arguments::Arguments;
use crate::settings::identities;

const OTHERS_READ: u32 = 0o004;
const OTHERS_WRITE: u32 = 0o002;

/// One for each that everybody on this machine may open, as far as its own permissions say.
pub fn complaints(arguments: &Arguments) -> Vec<String> {
    let (chains, keys): (Vec<_>, Vec<_>) = identities::pairs(arguments).0.into_iter().unzip();
    let chains = chains.into_iter().filter(|file| !keys.contains(file) && holds_a_key(file));
    let chains = chains.map(|file| ("certificate, which holds a key,", file)).collect::<Vec<_>>();
    let keys = keys.into_iter().map(|file| ("key", file));
    let boxes = arguments.encdns_key.iter().map(|file| ("encdns-key", file.clone()));
    let tickets = arguments.ticket_secret.iter().map(|file| ("ticket-secret", file.clone()));
    let all = keys.chain(chains).chain(boxes).chain(tickets);
    all.filter_map(|(what, file)| {
        let may = open_to_others(&file)?;
        Some(format!("{what} {}: every account of this machine may {may} it: chmod o= it", file.display()))
    })
    .collect()
}

fn open_to_others(file: &Path) -> Option<&'static str> {
    let mode = fs::metadata(file).ok()?.permissions().mode();
    match (mode & OTHERS_READ != 0, mode & OTHERS_WRITE != 0) {
        (true, true) => Some("read and replace"),
        (true, false) => Some("read"),
        (false, true) => Some("replace"),
        (false, false) => None,
    }
}

/// Beside the certificates, as some programs want it.
fn holds_a_key(file: &Path) -> bool {
    regular::read(file).is_ok_and(|text| PrivateKeyDer::from_pem_slice(&text).is_ok())
}
