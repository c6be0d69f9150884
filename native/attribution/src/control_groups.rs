//! Programs by the numbers of their control groups. The number that a socket shows is the inode of the group's folder; only a privileged
//! process may open a folder by it, so this reads the tree, and remembers what it has found. The kernel gives no number twice.

use std::collections::HashMap;
use std::fs::{metadata, read_dir};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::program::Program;

/// A program that makes a group for each query must not keep this busy: at most so often, and for a twentieth of a processor's time.
const BETWEEN_READINGS: Duration = Duration::from_millis(50);
const SHARE: u32 = 20;
/// More than a busy server has at a time. Any user may make groups below its own; of more than this, some have no name.
const MOST_KNOWN: usize = 4096;
/// Octets; systemd's own are shorter than 300.
const LONGEST_PATH: usize = 1024;
/// Links to a folder that holds none: its name and its own dot. Each group has dozens of files, so most of the time would go into lists
/// of them.
const WITHOUT_FOLDERS: u64 = 2;
/// Folders within folders.
const DEEPEST: usize = 32;

struct Group {
    /// below the root
    path: String,
    program: Arc<Program>,
}

pub struct ControlGroups {
    root: PathBuf,
    known: HashMap<u64, Group>,
    next_reading: Option<Instant>,
}

impl ControlGroups {
    pub fn of_system() -> Self {
        Self::at(unified_hierarchy())
    }

    /// `root`: where the unified hierarchy is mounted.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), known: HashMap::new(), next_reading: None }
    }

    /// `None`: the group is gone, or the tree was read only just now, see [`ControlGroups::readable_from`].
    pub fn program(&mut self, number: u64, now: Instant) -> Option<Arc<Program>> {
        if !self.known.contains_key(&number) && self.readable_from(now).is_none() {
            let before = processor_time();
            self.read();
            let spent = processor_time().saturating_sub(before);
            self.next_reading = Some(now + BETWEEN_READINGS.max(spent * SHARE));
        }
        self.known.get(&number).map(|group| group.program.clone())
    }

    /// When the tree may be read again; `None`: at once.
    pub fn readable_from(&self, now: Instant) -> Option<Instant> {
        self.next_reading.filter(|next| now < *next)
    }

    /// Whether it would be found without reading the tree.
    pub fn knows(&self, number: u64) -> bool {
        self.known.contains_key(&number)
    }

    pub fn folder(&self, number: u64) -> Option<PathBuf> {
        self.known.get(&number).map(|group| self.root.join(group.path.trim_start_matches('/')))
    }

    /// Groups that are gone stay known, because their last queries may still be waiting to be named.
    fn read(&mut self) {
        if self.known.len() > MOST_KNOWN / 2 {
            self.known.clear();
        }
        if let Ok(folder) = metadata(&self.root) {
            self.known.insert(folder.ino(), Group { path: String::new(), program: Arc::default() });
        }
        let mut unread = vec![(String::new(), 0)];
        let mut met = 0;
        while let Some((path, depth)) = unread.pop() {
            let Ok(entries) = read_dir(format!("{}{path}", self.root.display())) else { continue };
            let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            for folder in folders {
                met += 1;
                if met > MOST_KNOWN || self.known.len() >= MOST_KNOWN {
                    return;
                }
                let name = folder.file_name();
                let path = format!("{path}/{}", name.to_string_lossy());
                let Ok(folder) = folder.metadata() else { continue };
                if folder.nlink() != WITHOUT_FOLDERS && depth < DEEPEST && path.len() < LONGEST_PATH {
                    unread.push((path.clone(), depth + 1));
                }
                let program = Arc::new(Program::of_group(&path));
                self.known.insert(folder.ino(), Group { path, program });
            }
        }
    }
}

/// What this thread has used. Time in which other threads had the processor does not count (clock_gettime(2)).
pub(crate) fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes to this one structure
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Where systemd mounts it: alone, or beside those of the first version.
pub(crate) fn unified_hierarchy() -> &'static Path {
    let (alone, beside) = (Path::new("/sys/fs/cgroup"), Path::new("/sys/fs/cgroup/unified"));
    let is_mounted = |root: &Path| root.join("cgroup.controllers").exists();
    if !is_mounted(alone) && is_mounted(beside) { beside } else { alone }
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

    fn name(groups: &mut ControlGroups, number: u64, now: Instant) -> Option<String> {
        groups.program(number, now).map(|program| program.name.clone())
    }

    fn number(folder: PathBuf) -> u64 {
        metadata(folder).unwrap().ino()
    }

    #[test]
    fn names_the_root_and_what_is_below_it() {
        let root = tree("names");
        let mut groups = ControlGroups::at(&root);
        let now = Instant::now();
        assert_eq!(name(&mut groups, number(root.clone()), now), Some("".into()));
        let app = number(root.join("user.slice/app.scope"));
        assert_eq!(name(&mut groups, app, now), Some("app".into()));
        assert_eq!(groups.folder(app), Some(root.join("user.slice/app.scope")));
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_group_that_is_gone_keeps_its_name_and_one_that_never_was_has_none() {
        let root = tree("gone");
        let mut groups = ControlGroups::at(&root);
        let now = Instant::now();
        let app = number(root.join("user.slice/app.scope"));
        name(&mut groups, app, now);
        remove_dir(root.join("user.slice/app.scope")).unwrap();
        assert_eq!(name(&mut groups, app, now + BETWEEN_READINGS), Some("app".into()));
        assert_eq!(name(&mut groups, u64::MAX, now + 2 * BETWEEN_READINGS), None);
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn new_groups_do_not_make_it_read_without_a_pause() {
        let root = tree("pause");
        let mut groups = ControlGroups::at(&root);
        let now = Instant::now();
        name(&mut groups, 0, now);
        create_dir_all(root.join("new.scope")).unwrap();
        let new = number(root.join("new.scope"));
        let soon = now + BETWEEN_READINGS / 2;
        assert_eq!(name(&mut groups, new, soon), None);
        assert!(groups.readable_from(soon).is_some_and(|next| next >= now + BETWEEN_READINGS));
        assert_eq!(name(&mut groups, new, now + Duration::from_secs(60)), Some("new".into()));
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_tree_that_a_user_made_deep_or_wide_ends_somewhere() {
        let root = tree("vast");
        for number in 0..MOST_KNOWN {
            create_dir_all(root.join(format!("wide/g{number}"))).unwrap();
        }
        let mut groups = ControlGroups::at(&root);
        groups.program(0, Instant::now());
        assert!(groups.known.len() <= MOST_KNOWN);
        let deep = tree("deep");
        create_dir_all(deep.join("d/".repeat(500))).unwrap();
        let mut groups = ControlGroups::at(&deep);
        groups.program(0, Instant::now());
        assert!(groups.knows(number(deep.join("d/".repeat(DEEPEST)))));
        assert!(!groups.knows(number(deep.join("d/".repeat(DEEPEST + 2)))));
        remove_dir_all(deep).unwrap();
        remove_dir_all(root).unwrap();
    }

    #[test]
    fn where_there_is_no_tree_nothing_has_a_name() {
        let mut groups = ControlGroups::at("/nowhere");
        assert_eq!(name(&mut groups, 1, Instant::now()), None);
    }
}
