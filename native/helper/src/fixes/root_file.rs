//! Files of settings below /etc that only root could have written: anything else is refused, and nothing is ever written through a
//! symbolic link.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sotto_files::small_file;

use crate::durable;
use crate::failure::{Code, Failure};
use crate::place::Place;
use crate::readable;
use crate::whole_file;

const LONGEST: u64 = 65_536;
const OTHERS_MAY_WRITE: u32 = 0o022;
const NEXT: &str = ".sotto.next";

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    pub text: String,
    pub mode: u32,
    pub group: u32,
}

/// `None`: there is no such file.
pub fn read(place: &Place, file: &Path) -> Result<Option<Found>, Failure> {
    if !folders_are_roots(place, file)? {
        return Ok(None);
    }
    match read_roots(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(not_fitting(place, file, &error.to_string())),
        Ok(found) => Ok(Some(found)),
    }
}

/// The folders above the file that do not exist yet, the outermost first.
pub fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1);
    let mut missing: Vec<PathBuf> =
        above.take_while(|folder| folder.symlink_metadata().is_err()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// A program that reads the file finds the old text or the new one.
pub fn write(place: &Place, file: &Path, text: &str, like: Option<&Found>) -> Result<(), Failure> {
    let Some(folder) = file.parent() else { return Ok(()) };
    durable::make_folder_for_all(folder).map_err(|error| not_written(file, &error))?;
    folders_are_roots(place, file)?;
    let next = folder.join(NEXT);
    let mode = like.map_or(0o644, |found| found.mode);
    let owner = like.map(|found| (durable::owners()[0], found.group));
    let written = whole_file::write_next(&next, text.as_bytes(), mode, owner).and_then(|()| {
        place.step();
        fs::rename(&next, file)?;
        fs::File::open(folder)?.sync_all()
    });
    if written.is_err() {
        let _ = whole_file::remove_if_there(&next);
    }
    written.map_err(|error| not_written(file, &error))?;
    place.step();
    Ok(())
}

/// Removes the folders, too, if nothing else is in them.
pub fn remove(file: &Path, folders: &[PathBuf]) -> Result<(), Failure> {
    remove_what_a_death_left(file);
    whole_file::remove_if_there(file).map_err(|error| not_written(file, &error))?;
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

pub fn remove_what_a_death_left(file: &Path) {
    let _ = whole_file::remove_if_there(&file.with_file_name(NEXT));
}

/// Why a text is not as it has to be is told where every user may read the text.
pub fn not_fitting(place: &Place, file: &Path, why: &str) -> Failure {
    match readable::by_everybody(place, file) {
        true => refused(file, why),
        false => refused(file, "what it says does not fit, and only root may read it"),
    }
}

pub fn refused(file: &Path, why: &str) -> Failure {
    Failure::new(
        Code::FileRefused,
        format!("{} is left alone: {why}", file.display()),
        "let root alone own and write it, as a plain file of its own, or change it by hand",
    )
}

fn not_written(file: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Code::ReadOnly,
        format!("{} can't be written: {error}", file.display()),
        "make room on that disk, and its folder writable for root",
    )
}

/// Another user who may write a folder could put anything in a file's place. False: a folder is missing.
fn folders_are_roots(place: &Place, file: &Path) -> Result<bool, Failure> {
    let root = place.below("");
    let mut above: Vec<&Path> =
        file.ancestors().skip(1).take_while(|folder| folder.starts_with(&root) && *folder != root).collect();
    above.reverse();
    for folder in above {
        let found = match folder.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(refused(folder, &error.to_string())),
            Ok(found) => found,
        };
        match () {
            () if found.is_symlink() => return Err(refused(folder, "it is a symbolic link")),
            () if !found.is_dir() => return Err(refused(folder, "it is no folder")),
            () if found.uid() != durable::owners()[0] => {
                return Err(refused(folder, &format!("it belongs to user {}", found.uid())));
            }
            () if found.mode() & OTHERS_MAY_WRITE != 0 => {
                return Err(refused(folder, "others than root may write it"));
            }
            () => {}
        }
    }
    Ok(true)
}

fn read_roots(file: &Path) -> io::Result<Found> {
    let opened = small_file::open(file, OpenOptions::new().read(true), &durable::owners())?;
    let found = opened.metadata()?;
    let not_believed = |why: &str| Err(io::Error::new(ErrorKind::InvalidData, why));
    if found.mode() & OTHERS_MAY_WRITE != 0 {
        return not_believed("others than root may write it");
    }
    let mut octets = vec![];
    opened.take(LONGEST + 1).read_to_end(&mut octets)?;
    if octets.len() as u64 > LONGEST {
        return not_believed("it is longer than 64 KiB");
    }
    match String::from_utf8(octets) {
        Ok(text) => Ok(Found { text, mode: found.mode() & 0o7777, group: found.gid() }),
        Err(_) => not_believed("it is no UTF-8"),
    }
}
