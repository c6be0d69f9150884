//! The service as a child: started with the sockets, told to stop, killed.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use tokio::process::Child;

use crate::handed_over::FIRST;
use crate::hold::Held;

/// Variables for the service; other children must not inherit them.
const PROTOCOL: [&str; 7] = [
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
    "LISTEN_PID",
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "SOTTO_GUARDED",
];

/// Puts into our own environment what every service we start inherits.
///
/// # Safety
/// There is one thread so far.
pub unsafe fn prepare_environment(held: &Held, notify: &Path, watchdog: Duration) {
    // SAFETY: the caller's
    unsafe {
        std::env::set_var("LISTEN_FDS", held.count().to_string());
        std::env::set_var("LISTEN_FDNAMES", held.names());
        std::env::set_var("NOTIFY_SOCKET", notify);
        std::env::set_var("WATCHDOG_USEC", watchdog.as_micros().to_string());
        std::env::set_var("SOTTO_GUARDED", "1");
    }
}

/// A child may know its own number only once it has one: both variables are set between fork and exec. Nothing may change the
/// command's environment here, or the standard library would replace what the child has set.
pub fn start(words: &[OsString], sockets: usize) -> io::Result<Child> {
    let (program, arguments) = words.split_first().expect("clap asks for a command");
    let mut command = Command::new(program);
    command.args(arguments);
    let end = FIRST + sockets as RawFd;
    // SAFETY: this process has one thread, so that the child may allocate
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(&mut command, move || {
            for descriptor in FIRST..end {
                if libc::fcntl(descriptor, libc::F_SETFD, 0) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            let own = CString::new(std::process::id().to_string())?;
            for name in [c"LISTEN_PID", c"WATCHDOG_PID"] {
                if libc::setenv(name.as_ptr(), own.as_ptr(), 1) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    tokio::process::Command::from(command).spawn()
}

/// Runs a shell command that is not the service.
pub fn start_other(line: &str) -> io::Result<Child> {
    let mut command = tokio::process::Command::new("/bin/sh");
    command.arg("-c").arg(line).stdin(std::process::Stdio::null());
    for name in PROTOCOL {
        command.env_remove(name);
    }
    command.kill_on_drop(true).spawn()
}

pub fn signal(child: &Child, number: i32) {
    if let Some(pid) = child.id() {
        // SAFETY: the child has not been waited for, so its process number is not reused yet
        unsafe { libc::kill(pid as libc::pid_t, number) };
    }
}

/// The exit status as a shell reports it: 128 plus the number of the signal that ended it.
pub fn exit_code(status: ExitStatus) -> u8 {
    match status.code() {
        Some(code) => u8::try_from(code).unwrap_or(1),
        None => code_of(status.signal().unwrap_or(0)),
    }
}

pub fn code_of(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(1)
}

pub fn describe(status: ExitStatus) -> String {
    match status.signal() {
        Some(number) => format!("killed by signal {number}"),
        None => format!("ended with {}", exit_code(status)),
    }
}
