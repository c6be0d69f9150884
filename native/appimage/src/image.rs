//! What lies behind the program in its file: where it begins, its name, and how it is unpacked.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use backhand::{FilesystemReader, InnerNode};

/// Octets of the name, at the end of the file.
const NAME: usize = 32;

/// Octets of the program itself, computed from its ELF header: the table of sections is its last part.
pub fn offset(file: &Path) -> io::Result<u64> {
    let mut header = [0; 64];
    File::open(file)?.read_exact(&mut header)?;
    let word = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let sections = u64::from_le_bytes(header[40..48].try_into().expect("eight octets"));
    if header[..6] != *b"\x7fELF\x02\x01" || sections == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no 64-bit ELF program"));
    }
    Ok(sections + word(58) * word(60))
}

/// A digest of what is behind the program, so that each version has a name of its own.
pub fn name(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    file.seek(SeekFrom::End(-(NAME as i64)))?;
    let mut name = [0; NAME];
    file.read_exact(&mut name)?;
    if name.iter().all(u8::is_ascii_hexdigit) {
        return Ok(String::from_utf8_lossy(&name).into_owned());
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "nothing lies behind this program, or not all of it"))
}

/// Unpacks all of it into a folder that does not exist yet. Sockets and devices have no place in an AppImage.
pub fn unpack(file: &Path, folder: &Path) -> Result<(), String> {
    let reader = BufReader::new(File::open(file).map_err(|error| error.to_string())?);
    let start = offset(file).map_err(|error| error.to_string())?;
    let image =
        FilesystemReader::from_reader_with_offset(reader, start).map_err(|error| error.to_string())?;
    let opened = make(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let inside = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
    for node in image.files().filter(|node| node.fullpath != Path::new("/")) {
        let place = below(&inside, &node.fullpath).ok_or("a path leads out of the image")?;
        let made = match &node.inner {
            InnerNode::Dir(_) => fs::create_dir(&place),
            InnerNode::Symlink(link) => symlink(&link.link, &place),
            InnerNode::File(content) => {
                write(&mut image.file(content).reader(), content.file_len(), &place, node.header.permissions)
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        };
        made.map_err(|error| format!("{}: {error}", node.fullpath.display()))?;
    }
    Ok(())
}

/// A new folder, opened: whoever owns the folder above it may rename it at any moment, and put a link in its place.
fn make(folder: &Path) -> io::Result<File> {
    DirBuilder::new().mode(0o755).create(folder)?;
    let opened =
        File::options().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(folder)?;
    let (found, own) = (opened.metadata()?, fs::metadata("/proc/self")?.uid());
    match found.uid() == own && found.mode() & 0o022 == 0 {
        true => Ok(opened),
        false => Err(io::Error::other("another user may change what is unpacked there")),
    }
}

/// Fails where there is less than was promised: what is unpacked stays for every later start.
fn write(content: &mut impl Read, octets: usize, place: &Path, permissions: u16) -> io::Result<()> {
    let mut file = File::create_new(place)?;
    if io::copy(content, &mut file)? != octets as u64 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.set_permissions(Permissions::from_mode(u32::from(permissions) & 0o755))
}

fn below(folder: &Path, path: &Path) -> Option<PathBuf> {
    let inside = path.strip_prefix("/").unwrap_or(path);
    inside.components().all(|part| matches!(part, Component::Normal(_))).then(|| folder.join(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let folder = Path::new("/cache");
        assert_eq!(below(folder, Path::new("/usr/bin")), Some("/cache/usr/bin".into()));
        assert_eq!(below(folder, Path::new("/")), Some("/cache/".into()));
        assert_eq!(below(folder, Path::new("/../etc")), None);
        assert_eq!(below(folder, Path::new("usr/../../etc")), None);
    }

    #[test]
    fn what_is_unpacked_goes_into_the_folder_that_was_made_whatever_has_its_name() {
        let above = std::env::temp_dir().join(format!("sotto-appimage-make-{}", std::process::id()));
        fs::create_dir_all(above.join("elsewhere")).unwrap();
        let folder = above.join("squashfs-root");
        let opened = make(&folder).unwrap();
        fs::rename(&folder, above.join("moved")).unwrap();
        symlink(above.join("elsewhere"), &folder).unwrap();
        let inside = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
        write(&mut &b"text"[..], 4, &inside.join("file"), 0o644).unwrap();
        assert!(write(&mut &b"te"[..], 4, &inside.join("shortened"), 0o644).is_err());
        assert_eq!(fs::read(above.join("moved/file")).unwrap(), b"text");
        assert_eq!(fs::read_dir(above.join("elsewhere")).unwrap().count(), 0);
        assert!(make(&folder).is_err(), "a link is no new folder");
        fs::remove_dir_all(above).unwrap();
    }

    #[test]
    fn a_program_ends_where_its_sections_end_and_has_no_name_by_itself() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(offset(&own).unwrap(), fs::metadata(&own).unwrap().len());
        assert!(name(&own).is_err());
        assert!(offset(Path::new("/etc/hostname")).is_err());
    }
}
