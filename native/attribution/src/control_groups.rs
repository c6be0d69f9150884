//! The paths of control groups, by their numbers. The number that a socket shows is the inode of the group's folder; only a privileged
//! process may open a folder by it, so this reads the tree, and remembers what it has found. The kernel gives no number twice.

use std::collections::HashMap;
use std::fs::{metadata, read_dir};
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A program that makes a group for each query must not keep this busy.
const BETWEEN_READINGS: Duration = Duration::from_millis(50);
/// More than a busy server has at a time.
const MOST_KNOWN: usize = 4096;

pub struct ControlGroups {
    root: PathBuf,
    known: HashMap<u64, Arc<str>>,
    last_reading: Option<Instant>,
}

impl ControlGroups {
    /// `root`: where the unified hierarchy is mounted, `/sys/fs/cgroup`.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), known: HashMap::new(), last_reading: None }
    }

    /// From the root, as `/user.slice/…`. `None`: the group is gone, or the tree was read only just now.
    pub fn path(&mut self, number: u64, now: Instant) -> Option<Arc<str>> {
        if !self.known.contains_key(&number) && self.may_read(now) {
            self.last_reading = Some(now);
            self.read();
        }
        self.known.get(&number).cloned()
    }

    /// Whether a path would be found without reading the tree.
    pub fn knows(&self, number: u64) -> bool {
        self.known.contains_key(&number)
    }

    fn may_read(&self, now: Instant) -> bool {
        self.last_reading.is_none_or(|last| now.saturating_duration_since(last) >= BETWEEN_READINGS)
    }

    /// Groups that are gone stay known, because their last queries may still be waiting to be named.
    fn read(&mut self) {
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let root = self.root.clone();
        if let Ok(folder) = metadata(&root) {
            self.known.insert(folder.ino(), "/".into());
        }
        self.read_folder(&root, "");
    }

    fn read_folder(&mut self, folder: &Path, path: &str) {
        let Ok(entries) = read_dir(folder) else { return };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{path}/{name}");
            self.read_folder(&entry.path(), &path);
            self.known.insert(entry.ino(), path.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, remove_dir, remove_dir_all};

    fn tree(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("sotto-groups-{name}-{}", std::process::id()));
        create_dir_all(root.join("user.slice/app.scope")).unwrap();
        root
    }

    fn number(folder: PathBuf) -> u64 {
        metadata(folder).unwrap().ino()
    }

    #[test]
    fn names_the_root_and_what_is_below_it() {
        let root = tree("names");
        let mut groups = ControlGroups::at(&root);
        let now = Instant::now();
        assert_eq!(groups.path(number(root.clone()), now).as_deref(), Some("/"));
        let app = number(root.join("user.slice/app.scope"));
        assert_eq!(groups.path(app, now).as_deref(), Some("/user.slice/app.scope"));
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_group_that_is_gone_keeps_its_name_and_one_that_never_was_has_none() {
        let root = tree("gone");
        let mut groups = ControlGroups::at(&root);
        let now = Instant::now();
        let app = number(root.join("user.slice/app.scope"));
        groups.path(app, now);
        remove_dir(root.join("user.slice/app.scope")).unwrap();
        assert_eq!(groups.path(app, now + BETWEEN_READINGS).as_deref(), Some("/user.slice/app.scope"));
        assert_eq!(groups.path(u64::MAX, now + 2 * BETWEEN_READINGS), None);
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn new_groups_do_not_make_it_read_without_a_pause() {
        let root = tree("pause");
        let mut groups = ControlGroups::at(&root);
        let now = Instant::now();
        groups.path(0, now);
        create_dir_all(root.join("new.scope")).unwrap();
        let new = number(root.join("new.scope"));
        assert_eq!(groups.path(new, now + BETWEEN_READINGS / 2), None);
        assert_eq!(groups.path(new, now + BETWEEN_READINGS).as_deref(), Some("/new.scope"));
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn where_there_is_no_tree_nothing_has_a_name() {
        let mut groups = ControlGroups::at("/nowhere");
        assert_eq!(groups.path(1, Instant::now()), None);
    }
}
