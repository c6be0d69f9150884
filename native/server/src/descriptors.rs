//! Descriptors: each connection takes one.

use crate::limits::Limits;

/// What is open besides connections: files, listeners, what is asked behind.
const OTHERS: usize = 256;

/// Lets this process have as many as the system allows. It begins with fewer, mostly 1,024, because some programs cannot have more.
#[cfg(unix)]
pub fn allow_all() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

#[cfg(not(unix))]
pub fn allow_all() {}

/// How many this process may have.
#[cfg(unix)]
fn allowed() -> usize {
    use rustix::process::{Resource, getrlimit};

    getrlimit(Resource::Nofile).current.and_then(|most| most.try_into().ok()).unwrap_or(usize::MAX)
}

#[cfg(not(unix))]
fn allowed() -> usize {
    usize::MAX
}

impl Limits {
    /// No more connections than there are descriptors for, so that an idle one gives up its place before they run out.
    pub fn within_descriptors(self) -> Self {
        let allowed = allowed();
        Limits { connections: self.connections.min(allowed - OTHERS.min(allowed / 4)), ..self }
    }
}

/// Makes room for them before connections need it. The kernel enlarges a process's table of descriptors when one more does not fit, at
/// 256, 512, 1,024 and so on; with several threads, whoever accepts that connection then waits for 10 to 20 ms (synchronize_rcu in
/// expand_fdtable), and every query with it. Where the limit leaves no room, the table grows later.
#[cfg(target_os = "linux")]
pub fn make_room(connections: usize) {
    let last = connections.saturating_add(OTHERS).min(allowed().saturating_sub(1));
    // a descriptor of that number, which is closed at once
    let _ = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), i32::try_from(last).unwrap_or(i32::MAX));
}

#[cfg(not(target_os = "linux"))]
pub fn make_room(_connections: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::read_to_string;

    use super::*;

    fn table() -> u64 {
        let status = read_to_string("/proc/self/status").unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix("FDSize:")).unwrap();
        size.trim().parse().unwrap()
    }

    #[test]
    fn the_table_has_room_for_all_connections_and_nothing_stays_open() {
        make_room(3000);
        assert!(table() >= 3000, "{}", table());
        assert!(!std::path::Path::new("/proc/self/fd/3256").exists());
        make_room(usize::MAX);
    }

    #[test]
    fn there_are_no_more_connections_than_descriptors() {
        let connections =
            |wanted| Limits { connections: wanted, ..Limits::default() }.within_descriptors().connections;
        assert_eq!(connections(3), 3);
        assert!((allowed() * 3 / 4..allowed()).contains(&connections(usize::MAX)));
    }
}
