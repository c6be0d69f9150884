//! Which of some units of the system's manager a control group belongs to. Outside `user.slice` only root makes units, so a program
//! can't give itself such a name. It could do so below a group that was handed to it, therefore only slices are entered on the way
//! to a unit.

use std::collections::HashMap;
use std::fs::{metadata, read_dir};
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::UnitFound;
use crate::control_groups::{processor_time, unified_hierarchy};

/// Looking takes this share of a processor's time at most: a program that makes a group for each query must not keep a query's thread busy.
const SHARE: u32 = 20;
/// After a rest, so much may be spent at once.
const SAVED: Duration = Duration::from_millis(50);
/// Of more groups than these, some are not found, and stay unknown.
const MOST_MET: usize = 2048;
const MOST_KNOWN: usize = 4096;
const DEEPEST: usize = 8;
/// Everybody's own groups.
const USERS: &str = "user.slice";

pub struct SystemUnits {
    root: PathBuf,
    names: Vec<Arc<str>>,
    /// by the number of the group. The kernel gives no number twice, so this stays true
    known: HashMap<u64, UnitFound>,
    /// when all that was spent will have been saved again
    even_at: Option<Instant>,
}

/// What one look has met.
struct Look<'a> {
    names: &'a [Arc<str>],
    found: Vec<(u64, UnitFound)>,
    met: usize,
}

impl SystemUnits {
    /// `names`: such as `backup.service`; other units are not told apart.
    pub fn of_system(names: Vec<Arc<str>>) -> Self {
        Self::at(unified_hierarchy(), names)
    }

    /// `root`: where the unified hierarchy is mounted.
    pub fn at(root: impl Into<PathBuf>, names: Vec<Arc<str>>) -> Self {
        Self { root: root.into(), names, known: HashMap::new(), even_at: None }
    }

    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// A number that was not met before is looked for at once, if there is time for it.
    pub fn unit(&mut self, group: u64, now: Instant) -> UnitFound {
        if let Some(known) = self.known.get(&group) {
            return known.clone();
        }
        if !self.may_look(now) {
            return UnitFound::Unknown;
        }
        let before = processor_time();
        let found = self.look(group);
        let cost = processor_time().saturating_sub(before) * SHARE;
        self.even_at = Some(self.even_at.map_or(now, |even| even.max(now)) + cost);
        found
    }

    fn may_look(&self, now: Instant) -> bool {
        self.even_at.is_none_or(|even| even <= now + SAVED * SHARE)
    }

    fn look(&mut self, group: u64) -> UnitFound {
        // Where the first version of control groups is in use, sockets may show the root instead of their group.
        let root = metadata(&self.root).ok().map(|folder| folder.ino());
        if root.is_none_or(|root| root == group) || !self.root.join("cgroup.controllers").exists() {
            return UnitFound::Unknown;
        }
        let mut look = Look { names: &self.names, found: vec![], met: 0 };
        for (name, path, _) in look.folders(&self.root, 0) {
            if is_slice(&name) && name != USERS {
                look.slice(&path, 1);
            }
        }
        let is_whole = look.met <= MOST_MET;
        let found = look.found;
        if self.known.len() + found.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.extend(found);
        match self.known.get(&group) {
            Some(unit) => unit.clone(),
            None if is_whole => self.known.entry(group).or_insert(UnitFound::Other).clone(),
            None => UnitFound::Unknown,
        }
    }
}

fn is_slice(name: &str) -> bool {
    name.ends_with(".slice")
}

impl Look<'_> {
    fn slice(&mut self, folder: &Path, depth: usize) {
        for (name, path, number) in self.folders(folder, depth) {
            match self.names.iter().find(|unit| ***unit == *name) {
                Some(unit) => {
                    let unit = UnitFound::Named(unit.clone());
                    self.found.push((number, unit.clone()));
                    self.below(&path, &unit, depth + 1);
                }
                None if is_slice(&name) => {
                    self.slice(&path, depth + 1);
                }
                None => {}
            }
        }
    }

    /// The groups that a unit has made for itself.
    fn below(&mut self, folder: &Path, unit: &UnitFound, depth: usize) {
        for (_, path, number) in self.folders(folder, depth) {
            self.found.push((number, unit.clone()));
            self.below(&path, unit, depth + 1);
        }
    }

    fn folders(&mut self, folder: &Path, depth: usize) -> Vec<(String, PathBuf, u64)> {
        let mut folders = vec![];
        let Ok(entries) = read_dir(folder) else { return folders };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            self.met += 1;
            if self.met > MOST_MET {
                break;
            }
            if depth == DEEPEST {
                self.met = MOST_MET + 1;
                break;
            }
            folders.push((entry.file_name().to_string_lossy().into_owned(), entry.path(), entry.ino()));
        }
        folders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, remove_dir_all, write};

    fn tree(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("sotto-units-{name}-{}", std::process::id()));
        create_dir_all(root.join("system.slice")).unwrap();
        write(root.join("cgroup.controllers"), "").unwrap();
        root
    }

    fn group(root: &Path, path: &str) -> u64 {
        let folder = root.join(path);
        create_dir_all(&folder).unwrap();
        metadata(folder).unwrap().ino()
    }

    fn units(root: &Path, names: &[&str]) -> SystemUnits {
        SystemUnits::at(root, names.iter().map(|name| (*name).into()).collect())
    }

    fn named(unit: &str) -> UnitFound {
        UnitFound::Named(unit.into())
    }

    #[test]
    fn units_are_those_that_root_made() {
        let root = tree("places");
        let mut units = units(&root, &["backup.service", "getty@tty1.service"]);
        for (path, expected) in [
            ("system.slice/backup.service", named("backup.service")),
            ("system.slice/backup.service/worker/inner", named("backup.service")),
            ("system.slice/system-getty.slice/getty@tty1.service", named("getty@tty1.service")),
            ("background.slice/background-low.slice/backup.service", named("backup.service")),
            ("system.slice/other.service", UnitFound::Other),
            ("system.slice/docker-1.scope/backup.service", UnitFound::Other),
            ("system.slice/docker-1.scope/system-x.slice/backup.service", UnitFound::Other),
            ("user.slice/user-1000.slice/user@1000.service/app.slice/backup.service", UnitFound::Other),
            ("backup.service", UnitFound::Other),
            ("", UnitFound::Unknown),
        ] {
            let number = group(&root, path);
            assert_eq!(units.unit(number, Instant::now()), expected, "{path}");
        }
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_unit_that_starts_again_is_found_by_its_new_number() {
        let root = tree("again");
        let mut units = units(&root, &["backup.service"]);
        let first = group(&root, "system.slice/backup.service");
        assert_eq!(units.unit(first, Instant::now()), named("backup.service"));
        std::fs::rename(root.join("system.slice/backup.service"), root.join("gone")).unwrap();
        let second = group(&root, "system.slice/backup.service");
        assert_ne!(first, second);
        assert_eq!(units.unit(second, Instant::now()), named("backup.service"));
        assert_eq!(units.unit(first, Instant::now()), named("backup.service"), "its last queries");
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn new_groups_without_end_are_unknown_once_the_time_is_spent() {
        let root = tree("spent");
        let mut units = units(&root, &["backup.service"]);
        let backup = group(&root, "system.slice/backup.service");
        let now = Instant::now();
        assert_eq!(units.unit(backup, now), named("backup.service"));
        let first = (1_000_000..).find(|number| units.unit(*number, now) == UnitFound::Unknown);
        assert!(first.is_some_and(|number| number > 1_000_000));
        assert_eq!(units.unit(backup, now), named("backup.service"), "it needs no look");
        assert_eq!(units.unit(1, now + Duration::from_secs(60)), UnitFound::Other);
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn in_a_tree_that_is_too_large_nobody_is_certain_to_be_another() {
        let root = tree("large");
        for number in 0..=MOST_MET {
            create_dir_all(root.join(format!("system.slice/g{number}.service"))).unwrap();
        }
        let other = group(&root, "user.slice");
        assert_eq!(units(&root, &["backup.service"]).unit(other, Instant::now()), UnitFound::Unknown);
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_the_unified_hierarchy_nothing_is_known() {
        assert_eq!(units(Path::new("/nowhere"), &["a.service"]).unit(1, Instant::now()), UnitFound::Unknown);
        let root = tree("first-version");
        std::fs::remove_file(root.join("cgroup.controllers")).unwrap();
        let number = group(&root, "system.slice/a.service");
        assert_eq!(units(&root, &["a.service"]).unit(number, Instant::now()), UnitFound::Unknown);
        remove_dir_all(root).unwrap();
    }
}
