//! A journal that an administrator names: a file, `/dev/stdout` or `/dev/null`. Its folder may belong to another user, who could have
//! put something else there.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::folder::{self, Folder};

/// Follows links of root's and our own, and waits for nothing. Root refuses a file with a second name, because any user can make one
/// (where `fs.protected_hardlinks` is 0) of a file of root's.
pub fn open(path: &Path) -> io::Result<File> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let folder = Folder::of(path)?.descriptor;
    let target = match openat(&folder, name, folder::step(), Mode::empty()) {
        Err(Errno::NOENT) => None,
        found => folder::target(&found?, name, path)?,
    };
    let writing = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
    let unwaited = writing | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mode = Mode::RUSR | Mode::WUSR;
    let file = File::from(match target {
        Some(target) => openat(&folder, target, unwaited, mode)?,
        None => openat(&folder, name, unwaited | OFlags::NOFOLLOW, mode)?,
    });
    let found = file.metadata()?;
    match found.is_file() && found.nlink() > 1 && geteuid().is_root() {
        true => Err(io::Error::new(ErrorKind::InvalidData, "it has a second name")),
        false => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{lchown, symlink};
    use std::path::PathBuf;

    use super::*;

    const SOMEBODY: u32 = 12_345;

    fn new_folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sotto-appended-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn append(file: &Path) -> io::Result<()> {
        open(file)?.write_all(b"line\n")
    }

    #[test]
    fn lines_come_one_behind_the_other_in_a_file_for_its_owner_alone() {
        let folder = new_folder("lines");
        fs::create_dir(folder.join("real")).unwrap();
        symlink("real", folder.join("link")).unwrap();
        symlink("link/journal", folder.join("own")).unwrap();
        append(&folder.join("link/journal")).unwrap();
        append(&folder.join("own")).unwrap();
        assert_eq!(fs::read(folder.join("real/journal")).unwrap(), b"line\nline\n");
        assert_eq!(folder.join("real/journal").metadata().unwrap().mode() & 0o777, 0o600);
        // as /dev/stdout is one, which may be a socket here
        let opened = fs::File::open(folder.join("real/journal")).unwrap();
        for device in ["/dev/null", &format!("/dev/fd/{}", opened.as_raw_fd())] {
            open(Path::new(device)).unwrap_or_else(|error| panic!("{device}: {error}"));
        }
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(append(&pipe).is_err(), "nobody reads it");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_another_user_put_in_its_place_is_not_written_to() {
        let folder = new_folder("impostors");
        let (roots, victim) = (folder.join("roots"), folder.join("roots/victim"));
        fs::create_dir(&roots).unwrap();
        fs::write(&victim, "root's").unwrap();
        for (name, to) in [("link", "roots"), ("last", "roots/victim"), ("new", "roots/journal")] {
            symlink(to, folder.join(name)).unwrap();
            // only root can make links of another user, and be led elsewhere
            if lchown(folder.join(name), Some(SOMEBODY), None).is_err() {
                return;
            }
        }
        fs::hard_link(&victim, folder.join("second")).unwrap();
        for name in ["link/journal", "last", "new", "second"] {
            assert!(append(&folder.join(name)).is_err(), "{name}");
        }
        assert_eq!(fs::read(&victim).unwrap(), b"root's");
        assert_eq!(fs::read_dir(roots).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
