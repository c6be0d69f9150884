//! Small files of root's own folder that survive a power cut: the old one or the new one, never half of one.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

pub fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Others may look into it, and reach what listens there.
pub fn make_folder_for_all(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(folder)
}

pub fn write(folder: &Path, name: &str, octets: &[u8]) -> io::Result<()> {
    let next = folder.join(name).with_extension("next");
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&next)?;
    file.write_all(octets)?;
    file.sync_all()?;
    std::fs::rename(&next, folder.join(name))?;
    File::open(folder)?.sync_all()
}

/// `None`: it is not there.
pub fn read(folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
    match std::fs::read(folder.join(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

pub fn remove(folder: &Path, name: &str) -> io::Result<()> {
    match std::fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::open(folder)?.sync_all()
}
