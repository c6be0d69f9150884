//! A journal that an administrator names: a file, `/dev/stdout` or `/dev/null`.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::process::geteuid;

/// Links of root's and one's own are followed, another user's are not. Nothing is waited for.
pub fn open(path: &Path) -> io::Result<File> {
    let following = match path.symlink_metadata() {
        Ok(found) if found.is_symlink() && ![0, geteuid().as_raw()].contains(&found.uid()) => {
            return Err(io::Error::new(ErrorKind::InvalidData, "it is a symbolic link of another user"));
        }
        Ok(found) if found.is_symlink() => 0,
        _ => libc::O_NOFOLLOW,
    };
    let neither_waited_for = libc::O_NONBLOCK | libc::O_NOCTTY;
    OpenOptions::new().append(true).create(true).custom_flags(following | neither_waited_for).open(path)
}
