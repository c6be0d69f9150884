//! Which executable holds a socket, among the processes of a control group. `/proc/PID/fd` tells, and only to the process's own user
//! and to a privileged one; where it may not be read, nothing is said.

use std::collections::HashMap;
use std::fs::{File, read_dir, read_link, read_to_string};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A group with more is a build, or a server that does not ask through us.
const MOST_PROCESSES: usize = 256;
const MOST_FILES: usize = 1024;
const MOST_REMEMBERED: usize = 4096;
const KEPT: Duration = Duration::from_secs(10);
/// How long a group is left alone of which no process could be looked into.
const BETWEEN_ATTEMPTS: Duration = Duration::from_secs(60);

pub struct Executables {
    proc: PathBuf,
    /// the process that held a socket last: most likely it holds the next one, too
    last: HashMap<u64, u32>,
    closed: HashMap<u64, Instant>,
    /// by group and socket; numbers of sockets come again
    found: HashMap<(u64, u32), (Instant, Arc<str>)>,
}

impl Executables {
    /// `proc`: where the system's processes are, `/proc`.
    pub fn at(proc: impl Into<PathBuf>) -> Self {
        let (last, closed, found) = Default::default();
        Self { proc: proc.into(), last, closed, found }
    }

    /// Whether looking for one of its sockets may have a result.
    pub fn may_know(&self, group: u64, now: Instant) -> bool {
        self.closed.get(&group).is_none_or(|at| now.saturating_duration_since(*at) >= BETWEEN_ATTEMPTS)
    }

    /// Looks for the socket now, and says whether a process holds it; [`Executables::of`] tells which executable that is. `folder`: of
    /// the group, whose number is `group`.
    pub fn look(&mut self, group: u64, folder: &Path, socket: u32, now: Instant) -> bool {
        if !self.may_know(group, now) {
            return false;
        }
        let text = read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        let mut processes: Vec<u32> =
            text.lines().take(MOST_PROCESSES).filter_map(|line| line.parse().ok()).collect();
        if let Some(at) = processes.iter().position(|process| Some(process) == self.last.get(&group)) {
            processes.swap(0, at);
        }
        let mut readable = false;
        for number in processes {
            let Some(process) = Process::open(&self.proc, number) else { continue };
            match process.holds(socket) {
                Some(true) => {
                    self.keep(group, number, socket, process.executable(), now);
                    return true;
                }
                Some(false) => readable = true,
                None => {}
            }
        }
        if !readable {
            bound(&mut self.closed);
            self.closed.insert(group, now);
        }
        false
    }

    /// The path of the executable that held the socket when it was looked for.
    pub fn of(&self, group: u64, socket: u32, now: Instant) -> Option<Arc<str>> {
        let (at, executable) = self.found.get(&(group, socket))?;
        (now.saturating_duration_since(*at) < KEPT).then(|| executable.clone())
    }

    fn keep(&mut self, group: u64, process: u32, socket: u32, executable: Option<String>, now: Instant) {
        let Some(executable) = executable else { return };
        bound(&mut self.last);
        bound(&mut self.found);
        self.last.insert(group, process);
        self.found.insert((group, socket), (now, executable.into()));
    }
}

/// A process by its open folder in /proc. Once the process has ended nothing can be read there, even where another one has its number.
struct Process {
    folder: File,
}

impl Process {
    fn open(proc: &Path, number: u32) -> Option<Self> {
        File::open(proc.join(number.to_string())).ok().map(|folder| Self { folder })
    }

    /// `None`: it has ended, or may not be looked into.
    fn holds(&self, socket: u32) -> Option<bool> {
        let files = read_dir(self.path("fd")).ok()?;
        let wanted = format!("socket:[{socket}]");
        let is_it = |file: std::fs::DirEntry| {
            read_link(file.path()).is_ok_and(|to| to.as_os_str() == wanted.as_str())
        };
        Some(files.flatten().take(MOST_FILES).any(is_it))
    }

    fn executable(&self) -> Option<String> {
        let executable = read_link(self.path("exe")).ok()?;
        let path = executable.to_string_lossy();
        // an update has replaced the file since the program was started
        Some(path.strip_suffix(" (deleted)").unwrap_or(&path).into())
    }

    fn path(&self, name: &str) -> PathBuf {
        format!("/proc/self/fd/{}/{name}", self.folder.as_raw_fd()).into()
    }
}

fn bound<Key, Value>(map: &mut HashMap<Key, Value>) {
    if map.len() >= MOST_REMEMBERED {
        map.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, metadata, remove_dir_all, write};
    use std::net::UdpSocket;
    use std::os::unix::fs::MetadataExt;
    use std::process::Command;

    fn group(name: &str, processes: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sotto-executables-{name}-{}", std::process::id()));
        create_dir_all(&folder).unwrap();
        write(folder.join("cgroup.procs"), processes).unwrap();
        folder
    }

    fn inode(socket: &UdpSocket) -> u32 {
        metadata(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap().ino() as u32
    }

    #[test]
    fn the_process_that_has_the_socket_open_tells_its_executable() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let folder = group("holds", &format!("4194304\n{}\n", std::process::id()));
        let mut executables = Executables::at("/proc");
        let now = Instant::now();
        assert!(executables.look(7, &folder, inode(&socket), now));
        let own = std::env::current_exe().unwrap();
        let found = |group, after| executables.of(group, inode(&socket), now + after);
        assert_eq!(found(7, Duration::ZERO).as_deref(), own.to_str());
        assert_eq!(found(8, Duration::ZERO), None);
        assert_eq!(found(7, KEPT), None);
        remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_socket_that_is_gone_has_none_and_its_group_is_tried_again() {
        let folder = group("gone", &format!("{}\n", std::process::id()));
        let mut executables = Executables::at("/proc");
        let now = Instant::now();
        assert!(!executables.look(7, &folder, u32::MAX, now));
        assert_eq!(executables.of(7, u32::MAX, now), None);
        assert!(executables.may_know(7, now));
        remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_process_that_has_ended_is_not_taken_for_another_with_its_number() {
        let sleeping = || Command::new("sleep").arg("1000").spawn().unwrap();
        let mut first = sleeping();
        let process = Process::open(Path::new("/proc"), first.id()).unwrap();
        assert!(process.executable().is_some());
        first.kill().unwrap();
        first.wait().unwrap();
        assert_eq!((process.executable(), process.holds(1)), (None, None));
        for _ in 0..100 {
            if write("/proc/sys/kernel/ns_last_pid", (first.id() - 1).to_string()).is_err() {
                return sotto_skip::skip("the number of the next process can't be set: run it as root");
            }
            let mut second = sleeping();
            let is_reused = second.id() == first.id();
            if is_reused {
                assert!(Process::open(Path::new("/proc"), second.id()).unwrap().executable().is_some());
                assert_eq!((process.executable(), process.holds(1)), (None, None));
            }
            second.kill().unwrap();
            second.wait().unwrap();
            if is_reused {
                return;
            }
        }
        panic!("no other process got the number");
    }

    #[test]
    fn a_group_that_may_not_be_read_is_left_alone_for_a_while() {
        let folder = group("closed", "1\n");
        let mut executables = Executables::at(&folder);
        let now = Instant::now();
        executables.look(7, &folder, 1, now);
        assert!(!executables.may_know(7, now));
        assert!(executables.may_know(7, now + BETWEEN_ATTEMPTS));
        remove_dir_all(folder).unwrap();
    }
}
