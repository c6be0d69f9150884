//! The names of who asked: program, unit, container, executable and user. The courier finds them, so that no query waits for a file.

use std::sync::{Arc, Mutex, TryLockError};
use std::time::Instant;

use crossbeam_queue::ArrayQueue;
use sotto_attribution::accounts::Accounts;
use sotto_attribution::program::Program;
use sotto_attribution::{ControlGroups, Executables, Holder};

use crate::attribution::Asker;
use crate::pace::Pace;

/// Sockets that wait for a look. Of more at a time the rest is named by their control group alone.
const MOST_NEW: usize = 64;
/// A look goes through the open files of some processes, which takes milliseconds of the other core.
const LOOKS_PER_SECOND: f64 = 5.0;
/// A look for a socket that is closed already goes through all processes of its group.
const LOOKS_IN_VAIN: usize = 10;
/// A page asks for many names at once, after a rest.
const LOOKS_AT_ONCE: f64 = 50.0;

/// Empty where nothing is known.
#[derive(Debug, Default)]
pub struct Names {
    pub program: Arc<Program>,
    pub executable: Arc<str>,
    pub user: Arc<str>,
}

pub struct Naming {
    known: Mutex<Known>,
    new: ArrayQueue<Holder>,
}

struct Known {
    groups: ControlGroups,
    executables: Executables,
    accounts: Accounts,
    looks: Pace,
}

impl Naming {
    pub fn new(now: Instant) -> Self {
        let known = Known {
            groups: ControlGroups::of_system(),
            executables: Executables::at("/proc"),
            accounts: Accounts::in_file("/etc/passwd"),
            looks: Pace::new(LOOKS_PER_SECOND, LOOKS_AT_ONCE, now),
        };
        Self { known: Mutex::new(known), new: ArrayQueue::new(MOST_NEW) }
    }

    /// Whether [`Naming::look`] should run soon: the program may end, and its control group with it. Never waits.
    pub fn is_urgent(&self, asker: Asker) -> bool {
        let Some(holder) = asker.holder() else { return false };
        let Some(group) = holder.cgroup else { return false };
        let is_news = match self.known.try_lock() {
            Ok(mut known) => {
                !known.groups.knows(group) || known.may_look_for_executable(group, Instant::now())
            }
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Poisoned(_)) => false,
        };
        is_news && self.new.push(holder).is_ok()
    }

    /// When to look again: a program waits for its name until then, because the tree of control groups was read only just now.
    pub fn look(&self) -> Option<Instant> {
        for _ in 0..MOST_NEW {
            let holder = self.new.pop()?;
            let Ok(mut known) = self.known.lock() else { return None };
            let now = Instant::now();
            let again = holder.cgroup.and_then(|group| known.look(group, holder.inode, now));
            if again.is_some() {
                let _ = self.new.push(holder);
                return again;
            }
        }
        None
    }

    pub fn of(&self, asker: Option<Asker>) -> Names {
        let Some(Holder { user, inode, cgroup }) = asker.and_then(Asker::holder) else {
            return Names::default();
        };
        let Ok(mut known) = self.known.lock() else { return Names::default() };
        let now = Instant::now();
        Names {
            program: cgroup.and_then(|group| known.groups.program(group, now)).unwrap_or_default(),
            executable: cgroup.and_then(|group| known.executables.of(group, inode, now)).unwrap_or_default(),
            user: known.accounts.name(user, now),
        }
    }
}

impl Known {
    fn may_look_for_executable(&mut self, group: u64, now: Instant) -> bool {
        self.executables.may_know(group, now) && self.looks.wait_for(1, now).is_zero()
    }

    /// When to try again; `None`: what can be found is found.
    fn look(&mut self, group: u64, socket: u32, now: Instant) -> Option<Instant> {
        if !self.groups.knows(group) {
            let again = self.groups.readable_from(now);
            if again.is_some() {
                return again;
            }
            self.groups.program(group, now);
        }
        let folder = self.groups.folder(group)?;
        if self.may_look_for_executable(group, now) {
            let found = self.executables.look(group, &folder, socket, now);
            self.looks.grant(if found { 1 } else { LOOKS_IN_VAIN }, now);
        }
        None
    }
}
