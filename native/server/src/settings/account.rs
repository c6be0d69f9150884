//! As whom root does what concerns a server that runs as somebody else. `sotto-server check` looks with that account's eyes, because root
//! may read everything; `sotto-server reload` waits as that account, so that the server can reach it.

use std::ffi::{CStr, CString, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;

use crate::report::Failure;

/// The account of the package's server.
const USUAL: &CStr = c"sotto-server";
const FLAG: &str = "--as";

/// Becomes the account that `--as` names, or the package's where root checks and there is one. Returns its name, where this is another one
/// than before. Call it while the process has one thread.
pub fn assume(words: &mut Vec<OsString>) -> Result<Option<String>, Failure> {
    let named = take_name(words)?;
    // SAFETY: it has no condition
    let is_root = unsafe { libc::geteuid() } == 0;
    let name = match &named {
        Some(name) => name.as_c_str(),
        None if is_root => USUAL,
        None => return Ok(None),
    };
    let said = name.to_string_lossy().into_owned();
    match (numbers(name), &named) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Failure::input(format!("--as {said}: there is no such account"))),
        (Some((user, _)), _) if user == unsafe { libc::geteuid() } => Ok(None),
        (Some((user, group)), _) => {
            become_it(name, user, group).map(|()| Some(said.clone())).map_err(|error| {
                Failure::system(format!("--as {said}: {error}; only root may check as somebody else"))
            })
        }
    }
}

/// Becomes the account of a process, where root runs and that is somebody else. Call it while the process has one thread.
pub fn assume_that_of(pid: i32) -> Result<(), Failure> {
    // SAFETY: it has no condition
    if unsafe { libc::geteuid() } != 0 {
        return Ok(());
    }
    let (user, group) = running_as(pid)
        .map_err(|error| Failure::system(format!("cannot see as whom process {pid} runs: {error}")))?;
    if user == 0 {
        return Ok(());
    }
    let become_it = || {
        // SAFETY: one group is read; groups come first, because only root may change them
        done(unsafe { libc::setgroups(1, &raw const group) })?;
        become_numbers(user, group)
    };
    become_it().map_err(|error| {
        Failure::system(format!("cannot become user {user}, who runs process {pid}: {error}"))
    })
}

/// User and group. The owner of its folder in /proc may be root instead.
fn running_as(pid: i32) -> io::Result<(libc::uid_t, libc::gid_t)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let effective = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    effective("Uid:").zip(effective("Gid:")).ok_or_else(|| io::Error::other("/proc does not say it"))
}

fn take_name(words: &mut Vec<OsString>) -> Result<Option<CString>, Failure> {
    let Some(place) = words.iter().position(|word| word == FLAG) else { return Ok(None) };
    words.remove(place);
    if place >= words.len() {
        return Err(Failure::input("--as needs the name of the account with which the server runs"));
    }
    let name = words.remove(place);
    CString::new(name.as_bytes()).map(Some).map_err(Failure::input)
}

/// User and group.
fn numbers(name: &CStr) -> Option<(libc::uid_t, libc::gid_t)> {
    // SAFETY: no other thread asks for an account, and what is returned is read before the next call
    unsafe {
        let found = libc::getpwnam(name.as_ptr());
        found.as_ref().map(|account| (account.pw_uid, account.pw_gid))
    }
}

fn become_it(name: &CStr, user: libc::uid_t, group: libc::gid_t) -> io::Result<()> {
    // SAFETY: the name ends in a zero; groups come first, because only root may change them
    done(unsafe { libc::initgroups(name.as_ptr(), group) })?;
    become_numbers(user, group)
}

fn become_numbers(user: libc::uid_t, group: libc::gid_t) -> io::Result<()> {
    // SAFETY: they have no condition
    done(unsafe { libc::setgid(group) })?;
    done(unsafe { libc::setuid(user) })
}

fn done(status: libc::c_int) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
