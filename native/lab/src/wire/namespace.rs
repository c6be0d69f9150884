//! Network namespaces by the names that `ip netns` gives them.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::thread;

const DIRECTORY: &str = "/run/netns";

/// Runs `open` inside the namespace, on a thread of its own: what it opens stays there, this process stays here.
pub fn inside<T: Send>(
    namespace: Option<&str>,
    open: impl FnOnce() -> Result<T, String> + Send,
) -> Result<T, String> {
    let Some(name) = namespace else {
        return open();
    };
    thread::scope(|scope| {
        let opened = scope.spawn(|| {
            enter(name).map_err(|error| {
                format!("can't enter the network namespace {name}: {error} (ip netns list; this needs root)")
            })?;
            open()
        });
        opened.join().unwrap_or_else(|_| Err(format!("a bug: the thread in {name} panicked")))
    })
}

fn enter(name: &str) -> io::Result<()> {
    let namespace = File::open(Path::new(DIRECTORY).join(name))?;
    // SAFETY: the descriptor is open; the call changes nothing but the namespace of this thread
    match unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
