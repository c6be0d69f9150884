//! What root reads here is told to the service, whose user is no root. So it is told what every user may read, by the modes of the file
//! and of the folders above it; of anything else not even whether it exists.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::place::Place;

const OTHERS_READ: u32 = 0o004;
const OTHERS_SEARCH: u32 = 0o001;

/// Where there is no such file: whether every user could find that out.
pub fn by_everybody(place: &Place, path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let root = place.below("").canonicalize().unwrap_or_default();
    let folders = real.ancestors().skip(1).filter(|folder| !root.starts_with(folder));
    allows(&real, OTHERS_READ) && folders.into_iter().all(|folder| allows(folder, OTHERS_SEARCH))
}

/// Whether every user may list the names in a folder.
pub fn names_in(place: &Place, folder: &Path) -> bool {
    by_everybody(place, folder) && allows(folder, OTHERS_SEARCH)
}

fn allows(path: &Path, mode: u32) -> bool {
    path.symlink_metadata().map_or(true, |found| found.mode() & mode != 0)
}
