//! What a give-back of resolv.conf restores, once DHCP has announced something newer than what was there when we took over.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::dhcp_answer::DhcpAnswer;
use crate::durable;
use crate::entry::OldFile;
use crate::failure::{Code, Failure};
use crate::place::Place;
use crate::resolv_conf::{self, LONGEST};
use crate::whole_file;

/// Like dhclient-script, this keeps the file's mode and owner. If the text is the same, the time stays, too.
pub fn said_anew(before: &OldFile, answer: &DhcpAnswer) -> OldFile {
    let [root] = durable::owners();
    let (old, mode, owner, group): (&[u8], _, _, _) = match before {
        OldFile::File { octets, mode, owner, group, .. } => (octets, *mode, *owner, *group),
        OldFile::None | OldFile::Link { .. } => (&[], 0o644, root, rustix::process::getegid().as_raw()),
    };
    let octets = answer.clone().or_servers_of(old).text().into_bytes();
    if octets == old {
        return before.clone();
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    OldFile::File {
        octets,
        mode,
        owner,
        group,
        modified: (now.as_secs() as i64, now.subsec_nanos()),
        inode: None,
    }
}

/// Writes it beside our file, for people, and for a service that follows it. If that fails, the journal still has it.
pub fn show(place: &Place, before: &OldFile) {
    let backup = place.resolv_conf_before();
    let _ = match before {
        OldFile::File { octets, mode, owner, group, modified, .. } if !resolv_conf::has(&backup, before) => {
            resolv_conf::put_before(place, octets, *mode, (*owner, *group), *modified)
        }
        // the target of the link was written; this tells programs that watch the folder
        OldFile::Link { .. } => touch_link(&backup),
        OldFile::File { .. } | OldFile::None => Ok(()),
    };
    place.step();
}

/// Setting an owner, also the same one, makes the kernel tell watchers of the folder. Nothing else changes.
fn touch_link(link: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(link)?;
    lchown(link, Some(metadata.uid()), Some(metadata.gid()))
}

/// If resolv.conf was a symbolic link, dhclient-script writes to its target. The same is done here, but only for a file in root's
/// own folders: no other user may choose where root writes.
pub fn write_behind(place: &Place, target: &Path, answer: &DhcpAnswer) -> Result<(), Failure> {
    let path = place.resolv_conf().with_file_name(target);
    let file = fs::canonicalize(&path).map_err(|error| not_written(&path, &error.to_string()))?;
    if let Some(why) = why_not_roots(&file) {
        return Err(not_written(&file, &why));
    }
    let old = resolv_conf::behind_link(place, target);
    let text = answer.clone().or_servers_of(&old).text();
    if old == text.as_bytes() {
        return Ok(());
    }
    whole_file::overwrite(place, &file, text.as_bytes())
        .map_err(|error| not_written(&file, &error.to_string()))
}

/// `None`: it is a plain file of root's, and all folders above it are root's. The path has no symbolic links.
fn why_not_roots(file: &Path) -> Option<String> {
    let roots = durable::owners();
    let folders = file.ancestors().skip(1).map(|folder| (folder, true));
    [(file, false)].into_iter().chain(folders).find_map(|(path, is_folder)| {
        let Ok(metadata) = fs::symlink_metadata(path) else {
            return Some(format!("{} is gone", path.display()));
        };
        let others_may_write = match is_folder {
            // in a folder with the sticky bit, other users can't rename root's files
            true => metadata.mode() & 0o022 != 0 && metadata.mode() & 0o1000 == 0,
            false => metadata.mode() & 0o022 != 0,
        };
        let is_short_file = metadata.is_file() && metadata.nlink() == 1 && metadata.len() <= LONGEST;
        if !is_folder && !is_short_file {
            return Some("it is no plain file of its own".to_owned());
        }
        let is_roots = (roots.contains(&metadata.uid()) || metadata.uid() == 0) && !others_may_write;
        (!is_roots).then(|| format!("{} is not root's alone", path.display()))
    })
}

fn not_written(path: &Path, why: &str) -> Failure {
    Failure::new(
        Code::NotAFile,
        format!("what DHCP said can't be written to {}: {why}", path.display()),
        "let /etc/resolv.conf lead to a file in root's own folders, or be one",
    )
}
