//! Room for descriptors before connections need it. The kernel enlarges a process's table of them when one more does not fit, at 256,
//! 512, 1,024 and so on; with several threads, whoever accepts that connection then waits for 10 to 20 ms (synchronize_rcu in
//! expand_fdtable), and every query with it.

/// What is open besides connections: files, listeners, what is asked behind.
#[cfg(target_os = "linux")]
const OTHERS: u64 = 256;

/// As far as the system's limit allows; where there is no room, the table grows later.
#[cfg(target_os = "linux")]
pub fn make_room(connections: usize) {
    use rustix::process::{Resource, getrlimit};

    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let last = (connections as u64 + OTHERS).min(allowed.saturating_sub(1));
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
}
