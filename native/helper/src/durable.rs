//! Small files in root's own folder that survive a power cut: either the old text or the new one is there, never a part.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use sotto_files::small_file;

/// Enough for hundreds of links, each with a resolv.conf.
const LONGEST: u64 = 64 << 20;

/// Root; in tests, the user who runs them.
pub fn owners() -> [u32; 1] {
    [rustix::process::geteuid().as_raw()]
}

pub fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Other users may read its files and connect to its sockets.
pub fn make_folder_for_all(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(folder)
}

pub fn write(folder: &Path, name: &str, octets: &[u8]) -> io::Result<()> {
    let next = folder.join(name).with_extension("next");
    remove_if_there(&next)?;
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&next)?;
    file.write_all(octets)?;
    file.sync_all()?;
    std::fs::rename(&next, folder.join(name))?;
    File::open(folder)?.sync_all()
}

/// `None`: there is no such file.
pub fn read(folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
    match small_file::read(&folder.join(name), &owners(), LONGEST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

pub fn remove(folder: &Path, name: &str) -> io::Result<()> {
    match remove_if_there(&folder.join(name))? {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

/// Whether there was such a file.
fn remove_if_there(path: &Path) -> io::Result<bool> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        other => other.map(|()| true),
    }
}
