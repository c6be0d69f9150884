//! Files of ours among the settings of resolved and NetworkManager, which they read whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::reply::{Code, Failure};

/// Under another name first; what begins with a dot is read by none of them.
pub fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let next = folder.join(".sotto.next");
    let written = DirBuilder::new().recursive(true).mode(0o755).create(folder).and_then(|()| {
        gone(fs::remove_file(&next))?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&next)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(Permissions::from_mode(0o644))?;
        file.sync_all()?;
        fs::rename(&next, path)?;
        File::open(folder)?.sync_all()
    });
    written.map_err(|error| not_possible(path, &error))
}

pub fn remove(path: &Path) -> Result<(), Failure> {
    gone(fs::remove_file(path)).map_err(|error| not_possible(path, &error))
}

fn gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => Ok(()),
        other => other,
    }
}

fn not_possible(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Code::ReadOnly,
        format!("{} can't be changed: {error}", path.display()),
        "make that folder writable for root",
    )
}
