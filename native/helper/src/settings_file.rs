//! Our files among the settings of resolved and NetworkManager. A program that reads them finds the whole file or none.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::failure::{Code, Failure};

/// Written under another name first: neither program reads a file whose name begins with a dot.
pub fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let next = folder.join(".sotto.next");
    let written = make_folder(folder).and_then(|()| {
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

/// Its mode does not depend on our umask: resolved reads it as another user.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_folder(above)?;
    }
    fs::create_dir(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o755))
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
