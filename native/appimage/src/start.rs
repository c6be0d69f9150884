//! From the command line to AppRun.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use crate::image;

const HELP: &str = "\
An AppImage of Sotto: private DNS from the system tray.

  --appimage-extract   unpack it into squashfs-root/ here
  --appimage-offset    print where the squashfs begins in this file
  --appimage-clean     remove what it unpacked into the cache
  --appimage-help      print this

Everything else is for Sotto, as in \"status\" or \"run\"; without a word it starts the service and its page. It is unpacked into
$XDG_CACHE_HOME/sotto-appimage when it starts for the first time; it is not mounted.";

pub fn main() -> ExitCode {
    match run(env::args_os().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("sotto-appimage: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: Vec<OsString>) -> Result<(), String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    match words.first().and_then(|word| word.to_str()) {
        Some("--appimage-help") => println!("{HELP}"),
        Some("--appimage-offset") => println!("{}", image::offset(&own).map_err(|error| error.to_string())?),
        Some("--appimage-extract") => {
            let folder = PathBuf::from("squashfs-root");
            image::unpack(&own, &folder)?;
            println!("{}", folder.display());
        }
        Some("--appimage-clean") => clean(&cache()?)?,
        _ => return Err(become_app_run(&own, &unpacked(&own)?, &words)),
    }
    Ok(())
}

/// Returns only if it fails. The variables are those that the AppImage specification names.
fn become_app_run(own: &Path, folder: &Path, words: &[OsString]) -> String {
    let app_run = folder.join("AppRun");
    let error = Command::new(&app_run)
        .args(words)
        .env("APPIMAGE", own)
        .env("APPDIR", folder)
        .env("ARGV0", env::args_os().next().unwrap_or_default())
        .exec();
    format!("{}: {error}", app_run.display())
}

/// Unpacks beside the final place and then renames, so that a folder in the final place is whole.
fn unpacked(own: &Path) -> Result<PathBuf, String> {
    let cache = private_folder(cache()?)?;
    let folder = cache.join(image::name(own).map_err(|error| error.to_string())?);
    if folder.is_dir() {
        return Ok(folder);
    }
    eprintln!("sotto-appimage: unpacking into {} (once)", folder.display());
    let aside = cache.join(format!("{}.part", std::process::id()));
    let made = image::unpack(own, &aside).and_then(|()| match fs::rename(&aside, &folder) {
        // another process was faster
        Err(error) if !folder.is_dir() => Err(error.to_string()),
        _ => Ok(()),
    });
    if aside.exists() {
        let _ = fs::remove_dir_all(&aside);
    }
    made.map(|()| folder)
}

fn clean(cache: &Path) -> Result<(), String> {
    match fs::remove_dir_all(cache) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("{}: {error}", cache.display())),
        _ => Ok(()),
    }
}

fn cache() -> Result<PathBuf, String> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let parent = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(parent.ok_or("there is no home folder: set XDG_CACHE_HOME")?.join("sotto-appimage"))
}

/// A folder that other users may change or replace is not used: root, started with another user's home folder, has no cache
/// there.
fn private_folder(path: PathBuf) -> Result<PathBuf, String> {
    let words = |error: io::Error| format!("{}: {error}", path.display());
    DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(words)?;
    let own = fs::metadata("/proc/self").map_err(words)?.uid();
    let found = fs::symlink_metadata(&path).map_err(words)?;
    if !found.is_dir() || found.uid() != own || found.mode() & 0o022 != 0 {
        return Err(format!(
            "{} belongs to somebody else, or others may change it: remove it",
            path.display()
        ));
    }
    let place = path.canonicalize().map_err(words)?;
    let is_safe = |folder: &Path| {
        fs::metadata(folder).is_ok_and(|folder| {
            [0, own].contains(&folder.uid()) && (folder.mode() & 0o002 == 0 || folder.mode() & STICKY != 0)
        })
    };
    match place.ancestors().skip(1).find(|folder| !is_safe(folder)) {
        None => Ok(place),
        Some(folder) => Err(format!(
            "others may put something else in the place of {}, for {} is not yours alone: set XDG_CACHE_HOME to a folder that is",
            place.display(),
            folder.display(),
        )),
    }
}

/// In such a folder, users can't remove or rename the files of others.
const STICKY: u32 = 0o1000;

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    const SOMEBODY: u32 = 1234;

    #[test]
    fn what_others_may_replace_is_not_run() {
        let home = env::temp_dir().join(format!("sotto-appimage-{}", std::process::id()));
        let cache = || private_folder(home.join("cache/sotto-appimage"));
        assert_eq!(cache().unwrap(), home.canonicalize().unwrap().join("cache/sotto-appimage"));
        fs::set_permissions(home.join("cache"), Permissions::from_mode(0o777)).unwrap();
        assert!(cache().unwrap_err().contains("XDG_CACHE_HOME"));
        fs::set_permissions(home.join("cache"), Permissions::from_mode(0o1777)).unwrap();
        assert!(cache().is_ok());
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn what_is_below_somebody_elses_folder_is_not_run() {
        let home = env::temp_dir().join(format!("sotto-appimage-below-{}", std::process::id()));
        let cache = || private_folder(home.join("cache/sotto-appimage"));
        assert!(cache().is_ok());
        match chown(&home, Some(SOMEBODY), None) {
            Ok(()) => assert!(cache().is_err()),
            Err(error) => sotto_skip::skip(&format!("no folder of somebody else ({error}): run as root")),
        }
        fs::remove_dir_all(home).unwrap();
    }
}
