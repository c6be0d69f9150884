//! What must happen while there is one thread and no open descriptor, in this order.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, setrlimit};
use sotto_files::Folder;
use tokio::runtime::Builder;
use tokio::time::Instant;

use crate::arguments::Arguments;
use crate::child;
use crate::guard::Guard;
use crate::handed_over::Superior;
use crate::helper_lease;
use crate::hold::Held;
use crate::pace::Pace;
use crate::signals::Signals;
use crate::signs::{Signs, socket_path};

pub fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(reason) => {
            eprintln!("sotto-guardian: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Arguments) -> Result<u8, String> {
    leave_no_core()?;
    // SAFETY: nothing is open yet
    let held = unsafe { Held::take(&arguments.listen) }?;
    let superior = Superior::from_environment();
    make_private_folder(&arguments.state)?;
    // the service may change its working folder, so the paths it gets must be absolute
    arguments.state = std::path::absolute(&arguments.state).map_err(|error| error.to_string())?;
    let notify = socket_path(&arguments.state)?;
    // SAFETY: the runtime below is the first to start anything, and it stays on this thread
    unsafe { child::prepare_environment(&held, &notify, arguments.watchdog) };
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let signs = Signs::open(&notify).map_err(|error| format!("{}: {error}", notify.display()))?;
        let signals = Signals::install().map_err(|error| format!("signals: {error}"))?;
        let program = arguments.command.first().map(|word| word.display().to_string()).unwrap_or_default();
        tokio::spawn(superior.clone().tell_that_we_live());
        if let Some(socket) = arguments.helper.clone() {
            tokio::spawn(helper_lease::hold(socket));
        }
        let guard = Guard {
            arguments,
            superior,
            held,
            signs,
            signals,
            pace: Pace::new(Instant::now()),
            outage: None,
        };
        let ended = guard.run().await.map_err(|error| format!("{program}: {error}"));
        let _ = std::fs::remove_file(&notify);
        ended
    })
}

/// Names that were asked for are in the service's memory, and it inherits this. One octet, not none: the kernel pipes a core to
/// the program that collects them under any other limit (umh_pipe_setup() in fs/coredump.c).
fn leave_no_core() -> Result<(), String> {
    let limit = Rlimit { current: Some(1), maximum: Some(1) };
    match setrlimit(Resource::Core, limit) {
        // the hard limit is lower, and only root could raise it
        Err(Errno::PERM | Errno::INVAL) | Ok(()) => Ok(()),
        Err(error) => Err(format!("can't refuse to leave cores: {error}")),
    }
}

/// Whoever owns the folder, or may write to it, could pass itself off as the service and allow a give-back.
fn make_private_folder(path: &Path) -> Result<(), String> {
    let failed = |what: &str, error: io::Error| {
        format!("can't {what} {}: {error} – choose another --state", path.display())
    };
    // what is opened is what is looked at and closed, whatever happens to its name meanwhile
    let folder = Folder::make(path).map_err(|error| failed("make", error))?.into_file();
    let found = folder.metadata().map_err(|error| failed("look at", error))?;
    let own = rustix::process::geteuid().as_raw();
    if found.uid() != own {
        return Err(format!(
            "{} belongs to user {}, who could speak for the service – start as that user, choose another --state, \
             or make it yours: chown {own}",
            path.display(),
            found.uid()
        ));
    }
    let mode = found.permissions().mode() & 0o7777;
    match mode & 0o022 {
        0 => Ok(()),
        _ => folder
            .set_permissions(Permissions::from_mode(mode & !0o022))
            .map_err(|error| failed("close", error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_others_may_write_is_closed_and_one_of_somebody_else_refused() {
        let folder = std::env::temp_dir().join(format!("sotto-state-{}", std::process::id()));
        let mode = || folder.metadata().unwrap().permissions().mode() & 0o7777;
        make_private_folder(&folder).unwrap();
        assert_eq!(mode(), 0o700);
        for (found, closed) in [(0o777, 0o755), (0o775, 0o755), (0o755, 0o755), (0o1777, 0o1755)] {
            std::fs::set_permissions(&folder, Permissions::from_mode(found)).unwrap();
            make_private_folder(&folder).unwrap();
            assert_eq!(mode(), closed, "{found:o}");
        }
        // only root can give it away
        if std::os::unix::fs::chown(&folder, Some(12_345), None).is_ok() {
            let refused = make_private_folder(&folder).unwrap_err();
            assert!(refused.contains("belongs to user 12345"), "{refused}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
