//! Reads small files in a folder that another user may write. That user can replace a file at any moment, so the checks apply to
//! the opened file, never to its name. Opening follows no symbolic link and never blocks.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opening does not follow a link, does not wait for the other end of a pipe, and makes no terminal the controlling one. The
/// standard library adds O_CLOEXEC.
const NEITHER_FOLLOWED_NOR_WAITED_FOR: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;

/// Opens a regular file that belongs to one of these owners and has one name only: by a hard link, the folder's owner could pass
/// off another user's file.
pub fn open(path: &Path, options: &mut OpenOptions, owners: &[u32]) -> io::Result<File> {
    let opened = options.custom_flags(NEITHER_FOLLOWED_NOR_WAITED_FOR).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => not_believed("it is a symbolic link"),
        // a socket, or a pipe that nobody reads
        Some(libc::ENXIO) => not_believed("it is no regular file"),
        _ => error,
    })?;
    let found = file.metadata()?;
    match () {
        () if !found.is_file() => Err(not_believed("it is no regular file")),
        () if !owners.contains(&found.uid()) => {
            Err(not_believed(&format!("it belongs to user {}", found.uid())))
        }
        // a count of 0 is fine: the file was replaced while it was opened
        () if found.nlink() > 1 => Err(not_believed("it has a second name")),
        () => Ok(file),
    }
}

/// Fails if the file is longer than `longest` octets.
pub fn read(path: &Path, owners: &[u32], longest: u64) -> io::Result<Vec<u8>> {
    let mut octets = vec![];
    open(path, OpenOptions::new().read(true), owners)?.take(longest + 1).read_to_end(&mut octets)?;
    match octets.len() as u64 > longest {
        true => Err(not_believed(&format!("it is longer than {longest} octets"))),
        false => Ok(octets),
    }
}

fn not_believed(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;

    use super::*;

    const LONGEST: u64 = 100;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sotto-small-file-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Whoever runs the tests.
    fn owner(path: &Path) -> u32 {
        path.metadata().unwrap().uid()
    }

    fn make_pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn only_a_regular_file_of_its_owner_is_read() {
        type Make = fn(&Path, &Path);
        let folder = folder("impostors");
        let owner = owner(&folder);
        let genuine = folder.join("genuine");
        std::fs::write(&genuine, "words").unwrap();
        assert_eq!(read(&genuine, &[owner], LONGEST).unwrap(), b"words");

        let impostors: [(&str, Make, &str); 10] = [
            ("link", |path, genuine| symlink(genuine, path).unwrap(), "symbolic link"),
            ("broken link", |path, _| symlink("/nonexistent", path).unwrap(), "symbolic link"),
            ("link to a device", |path, _| symlink("/dev/zero", path).unwrap(), "symbolic link"),
            ("link to itself", |path, _| symlink(path, path).unwrap(), "symbolic link"),
            ("pipe", |path, _| make_pipe(path), "no regular file"),
            ("socket", |path, _| drop(UnixListener::bind(path).unwrap()), "no regular file"),
            ("folder", |path, _| std::fs::create_dir(path).unwrap(), "no regular file"),
            ("long", |path, _| std::fs::write(path, vec![b' '; 101]).unwrap(), "longer than 100 octets"),
            (
                "endless",
                |path, _| File::create(path).unwrap().set_len(1 << 40).unwrap(),
                "longer than 100 octets",
            ),
            (
                "hard link",
                |path, genuine| {
                    std::fs::copy(genuine, path.with_extension("of")).unwrap();
                    std::fs::hard_link(path.with_extension("of"), path).unwrap();
                },
                "a second name",
            ),
        ];
        for (name, make, why) in impostors {
            let path = folder.join(name);
            make(&path, &genuine);
            let error = read(&path, &[owner], LONGEST).expect_err(name);
            assert!(error.to_string().contains(why), "{name}: {error}");
        }
        assert_eq!(read(&folder.join("none"), &[owner], LONGEST).unwrap_err().kind(), ErrorKind::NotFound);
        let error = read(&genuine, &[owner + 1], LONGEST).unwrap_err();
        assert_eq!(error.to_string(), format!("it belongs to user {owner}"));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn nothing_is_written_to_what_stands_in_a_files_place() {
        let folder = folder("writing");
        let owner = owner(&folder);
        let victim = folder.join("victim");
        std::fs::write(&victim, "theirs").unwrap();
        for name in ["link", "hard link", "pipe"] {
            let path = folder.join(name);
            match name {
                "link" => symlink(&victim, &path).unwrap(),
                "hard link" => std::fs::hard_link(&victim, &path).unwrap(),
                _ => make_pipe(&path),
            }
            assert!(open(&path, OpenOptions::new().append(true).create(true), &[owner]).is_err(), "{name}");
        }
        assert_eq!(std::fs::read(&victim).unwrap(), b"theirs");
        assert!(open(&folder.join("new"), OpenOptions::new().append(true).create(true), &[owner]).is_ok());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_of_somebody_else_in_ones_own_folder_is_not_believed() {
        let folder = folder("owners");
        let path = folder.join("file");
        std::fs::write(&path, "words").unwrap();
        // only root can make one
        if chown(&path, Some(12_345), None).is_ok() {
            assert!(read(&path, &[0], LONGEST).is_err());
            assert!(read(&path, &[0, 12_345], LONGEST).is_ok());
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
