//! Files of root's, written so that a death in between leaves a file that can be read.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::place::Place;

pub fn write_next(next: &Path, octets: &[u8], mode: u32, owner: Option<(u32, u32)>) -> io::Result<()> {
    remove_if_there(next)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(next)?;
    file.write_all(octets)?;
    if let Some((owner, group)) = owner {
        fchown(&file, Some(owner), Some(group))?;
    }
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

/// One write, and then the rest is cut off: after a death in between, the file still begins with the new text.
pub fn overwrite(place: &Place, path: &Path, octets: &[u8]) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    file.write_all(octets)?;
    place.step();
    file.set_len(octets.len() as u64)?;
    place.step();
    file.sync_all()
}

pub fn set_modified(path: &Path, (seconds, nanoseconds): (i64, u32)) -> io::Result<()> {
    let since = Duration::new(seconds.try_into().unwrap_or(0), nanoseconds);
    File::options()
        .write(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?
        .set_modified(SystemTime::UNIX_EPOCH + since)
}

/// In a read-only folder, even removing a file that does not exist fails.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        _ => fs::remove_file(path),
    }
}
