//! Files that an administrator names. Links are followed, because certificates are often links. Something that is no regular file is
//! refused without waiting for it: the owner of its folder could have put a pipe or a device there.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opening does not wait for the other end of a pipe, and makes no terminal the controlling one.
const NOT_WAITED_FOR: i32 = libc::O_NONBLOCK | libc::O_NOCTTY;

pub fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(NOT_WAITED_FOR).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(ErrorKind::InvalidData, "it is no regular file")),
    }
}

pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut octets = vec![];
    open(path)?.read_to_end(&mut octets)?;
    Ok(octets)
}

/// Fails if the file is longer than `longest` octets, or no UTF-8.
pub fn read_text(path: &Path, longest: u64) -> io::Result<String> {
    let mut text = String::new();
    let length = open(path)?.take(longest + 1).read_to_string(&mut text)?;
    match length as u64 > longest {
        true => Err(io::Error::new(ErrorKind::InvalidData, format!("it is longer than {longest} octets"))),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_followed_and_nothing_is_waited_for() {
        let folder = std::env::temp_dir().join(format!("sotto-regular-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let (file, link, pipe) = (folder.join("file"), folder.join("link"), folder.join("pipe"));
        std::fs::write(&file, "words").unwrap();
        symlink(&file, &link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(read(&link).unwrap(), b"words");
        assert_eq!(read_text(&file, 5).unwrap(), "words");
        assert_eq!(read_text(&file, 4).unwrap_err().to_string(), "it is longer than 4 octets");
        for other in [&pipe, Path::new("/dev/zero"), &folder] {
            assert_eq!(read(other).unwrap_err().to_string(), "it is no regular file", "{}", other.display());
        }
        assert_eq!(read(&folder.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
