//! The socket, ours or handed over as sd_listen_fds(3) says, and who is at its other end.

use std::ffi::{CStr, CString, OsStr};
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener as StdListener, UnixStream as StdStream};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

const FIRST_HANDED_OVER: i32 = 3;

pub fn listen(path: &Path) -> io::Result<UnixListener> {
    let listener = match handed_over() {
        Some(listener) => listener,
        None => bind(path)?,
    };
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}

fn handed_over() -> Option<StdListener> {
    let number = |name| std::env::var(name).ok()?.parse::<u32>().ok();
    if number("LISTEN_PID") != Some(std::process::id()) || number("LISTEN_FDS") != Some(1) {
        return None;
    }
    // SAFETY: the variables name this process, so the descriptor is its own, and no other code has used it yet
    Some(unsafe { StdListener::from_raw_fd(FIRST_HANDED_OVER) })
}

/// Anybody may connect; the kernel's credentials of the peer decide whose requests are read. The socket gets its name only once it
/// listens and its mode allows all users, so that nobody is refused in between.
fn bind(path: &Path) -> io::Result<StdListener> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o755).create(folder)?;
    }
    if StdStream::connect(path).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another helper serves there"));
    }
    let next = path.with_extension("next");
    match std::fs::remove_file(&next) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = StdListener::bind(&next)?;
    std::fs::set_permissions(&next, Permissions::from_mode(0o666))?;
    std::fs::rename(&next, path)?;
    Ok(listener)
}

/// The name is looked up each time: systemd's dynamic users exist only while the service runs.
pub fn is_heard(stream: &UnixStream, user: &str) -> bool {
    let Ok(peer) = stream.peer_cred() else { return false };
    peer.uid() == 0 || user_id(user) == Some(peer.uid())
}

pub fn user_id(user: &str) -> Option<u32> {
    if let Ok(id) = user.parse() {
        return Some(id);
    }
    let name = CString::new(user).ok()?;
    // SAFETY: only the first thread of this process looks for accounts, so nobody else calls it before the number is copied
    let found = unsafe { libc::getpwnam(name.as_ptr()).as_ref() };
    found.map(|found| found.pw_uid)
}

/// `user` is a name or a number. `None`: there is no such account, or it has no home.
pub fn home(user: &str) -> Option<PathBuf> {
    // SAFETY: as above
    let found = unsafe { libc::getpwuid(user_id(user)?).as_ref() }?;
    // SAFETY: a string of the same record
    let home = unsafe { CStr::from_ptr(found.pw_dir) };
    Some(PathBuf::from(OsStr::from_bytes(home.to_bytes())))
}
