//! A folder, opened once. Its owner may rename what is in it, and what leads to it, at any moment; that changes nothing here.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::fs::{fstat, fsync, mkdirat, openat, readlinkat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

/// As many links as the kernel follows (path_resolution(7)).
const MOST_LINKS: usize = 40;

pub struct Folder {
    pub(crate) descriptor: OwnedFd,
}

impl Folder {
    /// Follows links of root's and our own. Another user's link could lead to a folder where that user may not write.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::walk(path, |_, _| Err(Errno::NOENT.into()))
    }

    /// The same, and makes what is missing, for nobody but its owner.
    pub fn make(path: &Path) -> io::Result<Self> {
        Self::walk(path, |place, part| match mkdirat(place, part, Mode::RWXU) {
            // somebody else was faster
            Ok(()) | Err(Errno::EXIST) => Ok(openat(place, part, step(), Mode::empty())?),
            Err(error) => Err(error.into()),
        })
    }

    fn walk(path: &Path, missing: impl Fn(&OwnedFd, &OsStr) -> io::Result<OwnedFd>) -> io::Result<Self> {
        let mut place = openat(CWD, ".", step(), Mode::empty())?;
        let mut rest = parts(path);
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            let next = match openat(&place, &part, step(), Mode::empty()) {
                Err(Errno::NOENT) => missing(&place, &part)?,
                opened => opened?,
            };
            let Some(target) = target(&next, &part, path)? else {
                place = next;
                continue;
            };
            links += 1;
            if links > MOST_LINKS {
                return Err(Errno::LOOP.into());
            }
            rest = parts(Path::new(&target)).into_iter().chain(rest).collect();
        }
        let reading = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { descriptor: openat(&place, ".", reading, Mode::empty())? })
    }

    /// The folder in which this file is, or will be.
    pub fn of(file: &Path) -> io::Result<Self> {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self::open(folder.unwrap_or(Path::new(".")))
    }

    pub fn into_file(self) -> File {
        self.descriptor.into()
    }

    /// User and group.
    pub fn owner(&self) -> io::Result<(u32, u32)> {
        let found = fstat(&self.descriptor)?;
        Ok((found.st_uid, found.st_gid))
    }

    /// Readers see the old file or the new one, never a part of it. What was there under that name is replaced and never opened.
    pub fn write(&self, name: &OsStr, octets: &[u8], mode: u32, owner: Option<(u32, u32)>) -> io::Result<()> {
        let mut unfinished = name.to_owned();
        unfinished.push(format!(".{:016x}.new", RandomState::new().hash_one(std::process::id())));
        let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&self.descriptor, &unfinished, new, Mode::RUSR | Mode::WUSR)?);
        let written = fill(file, octets, mode, owner)
            .and_then(|()| Ok(renameat(&self.descriptor, &unfinished, &self.descriptor, name)?))
            .and_then(|()| Ok(fsync(&self.descriptor)?));
        written.inspect_err(|_| {
            let _ = unlinkat(&self.descriptor, &unfinished, AtFlags::empty());
        })
    }
}

/// Where this part of a path leads, if it is a link of root's or our own. Another user's link is an error.
pub(crate) fn target(opened: &OwnedFd, part: &OsStr, path: &Path) -> io::Result<Option<OsString>> {
    let found = fstat(opened)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::Symlink {
        return Ok(None);
    }
    if ![0, geteuid().as_raw()].contains(&found.st_uid) {
        let why = format!("{} in {} is a link of user {}", part.display(), path.display(), found.st_uid);
        return Err(io::Error::new(ErrorKind::InvalidData, why));
    }
    Ok(Some(OsString::from_vec(readlinkat(opened, "", vec![])?.into_bytes())))
}

/// The link itself, where there is one.
pub(crate) fn step() -> OFlags {
    OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components().map(|part| part.as_os_str().to_owned()).collect()
}

fn fill(mut file: File, octets: &[u8], mode: u32, owner: Option<(u32, u32)>) -> io::Result<()> {
    file.write_all(octets)?;
    if let Some((user, group)) = owner {
        fchown(&file, Some(user), Some(group))?;
    }
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, lchown, symlink};
    use std::path::PathBuf;

    use super::*;

    const SOMEBODY: u32 = 12_345;

    fn new_folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sotto-folder-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn write(file: &Path, mode: u32, owner: Option<(u32, u32)>) -> io::Result<()> {
        Folder::of(file)?.write(file.file_name().unwrap(), b"ours", mode, owner)
    }

    #[test]
    fn what_stands_in_a_files_place_is_replaced_and_never_opened() {
        let folder = new_folder("replaced");
        let victim = folder.join("victim");
        fs::write(&victim, "theirs").unwrap();
        type Make = fn(&Path, &Path);
        let traps: [(&str, Make); 4] = [
            ("link", |path, victim| symlink(victim, path).unwrap()),
            ("broken link", |path, _| symlink("/nonexistent", path).unwrap()),
            ("hard link", |path, victim| fs::hard_link(victim, path).unwrap()),
            ("pipe", |path, _| {
                assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
            }),
        ];
        for (name, make) in traps {
            let path = folder.join(name);
            make(&path, &victim);
            write(&path, 0o640, None).unwrap();
            let found = path.symlink_metadata().unwrap();
            assert_eq!((found.is_file(), found.mode() & 0o7777), (true, 0o640), "{name}");
            assert_eq!(fs::read(&path).unwrap(), b"ours", "{name}");
            fs::remove_file(&path).unwrap();
        }
        assert_eq!(fs::read(&victim).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing unfinished is left");
        fs::create_dir(folder.join("folder")).unwrap();
        assert!(write(&folder.join("folder"), 0o600, None).is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing unfinished is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_link_of_another_users_does_not_lead_to_a_folder_and_ones_own_does() {
        let folder = new_folder("links");
        fs::create_dir(folder.join("real")).unwrap();
        symlink("real", folder.join("link")).unwrap();
        symlink(folder.join("link/../link"), folder.join("way")).unwrap();
        symlink("circle", folder.join("circle")).unwrap();
        write(&folder.join("way/file"), 0o600, None).unwrap();
        assert!(folder.join("real/file").is_file());
        assert!(write(&folder.join("circle/file"), 0o600, None).is_err());
        assert!(write(&folder.join("real/file/below"), 0o600, None).is_err());
        match lchown(folder.join("link"), Some(SOMEBODY), None) {
            Ok(()) => {
                let refused = write(&folder.join("link/other"), 0o600, None).unwrap_err();
                assert!(refused.to_string().contains("is a link of user 12345"), "{refused}");
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::PermissionDenied),
        }
        assert_eq!(fs::read_dir(folder.join("real")).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_missing_is_made_and_never_behind_a_link_of_another_users() {
        let folder = new_folder("made");
        symlink("real", folder.join("link")).unwrap();
        assert_eq!(Folder::open(&folder.join("link/a")).err().unwrap().kind(), ErrorKind::NotFound);
        for path in ["link/a/b", "link/a/b", "link/../c"] {
            Folder::make(&folder.join(path)).unwrap();
        }
        assert_eq!(folder.join("real/a/b").metadata().unwrap().mode() & 0o777, 0o700);
        assert!(folder.join("c").is_dir());
        if lchown(folder.join("link"), Some(SOMEBODY), None).is_ok() {
            assert!(Folder::make(&folder.join("link/other")).is_err());
            assert!(!folder.join("real/other").exists());
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn its_owner_is_the_one_that_was_opened() {
        let folder = new_folder("owner");
        fs::create_dir(folder.join("one")).unwrap();
        let opened = Folder::open(&folder.join("one")).unwrap();
        fs::rename(folder.join("one"), folder.join("moved")).unwrap();
        symlink("/nonexistent", folder.join("one")).unwrap();
        let owner = opened.owner().unwrap();
        opened.write(OsStr::new("file"), b"ours", 0o600, Some(owner)).unwrap();
        let found = folder.join("moved/file").metadata().unwrap();
        assert_eq!((found.uid(), found.gid()), owner);
        fs::remove_dir_all(folder).unwrap();
    }
}
