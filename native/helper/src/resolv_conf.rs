//! `/etc/resolv.conf` itself. The earlier file keeps its inode under another name, and a give-back renames it back. The journal
//! has it, too.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::path::Path;

use crate::dhcp_answer::DhcpAnswer;
use crate::entry::{Entry, OldFile};
use crate::failure::{Code, Failure};
use crate::place::Place;
use crate::servers::Servers;
use crate::state::State;
use crate::whole_file::{overwrite, remove_if_there, set_modified, write_next};

/// The first line of what we write.
const MARK: &str = "# sotto-helper wrote this. What was here before: resolv.conf.before-sotto; \"sotto system give-back\" restores it.\n";
pub const LONGEST: u64 = 65_536;
const KEPT: [&str; 3] = ["search", "domain", "options"];

/// What taking over now would overwrite. If it is our file without an entry, the journal was lost; the kept file has what it held.
pub fn read(place: &Place) -> Result<OldFile, Failure> {
    let path = place.resolv_conf();
    match found(&path)? {
        OldFile::File { octets, .. } if is_marked(&octets) => found(&place.resolv_conf_before()),
        old => Ok(old),
    }
}

/// What a give-back restores. A program that still had the earlier file open may have written to it since; the kept file has that.
pub fn latest(place: &Place, before: &OldFile) -> OldFile {
    kept_aside(place, before).unwrap_or_else(|| before.clone())
}

/// Only if it is the same file as before. A file that lost its text in a power cut is not used.
fn kept_aside(place: &Place, before: &OldFile) -> Option<OldFile> {
    let OldFile::File { octets: then, .. } = before else { return None };
    let kept = found(&place.resolv_conf_before()).ok()?;
    let OldFile::File { octets: now, .. } = &kept else { return None };
    (kept.is_the_inode_of(before) && (then.is_empty() || !now.is_empty())).then_some(kept)
}

/// What was there at the moment of taking over, if another program had written it after we read the file.
pub fn written_meanwhile(place: &Place, before: &OldFile) -> Option<OldFile> {
    let kept = found(&place.resolv_conf_before()).ok()?;
    (kept != OldFile::None && !kept.says_the_same_as(before)).then_some(kept)
}

pub fn state(place: &Place, entry: &Entry, before: &OldFile) -> Result<State, Failure> {
    let now = found(&place.resolv_conf())?;
    let before = &latest(place, before);
    if now.says_the_same_as(before) {
        return Ok(State::Before);
    }
    Ok(match &now {
        OldFile::File { octets, .. } if is_ours(octets, entry) => match names_others(octets, entry) {
            true => State::Partly,
            false => State::Ours,
        },
        // a give-back overwrote it in place, and died before it cut off the rest
        OldFile::File { octets, .. } if entry.giving_back && before.is_the_start_of(octets) => State::Ours,
        _ => State::Other,
    })
}

pub fn apply(place: &Place, entry: &Entry, before: &OldFile) -> Result<(), Failure> {
    let path = place.resolv_conf();
    let text = format!("{MARK}{}{}", nameservers(&entry.servers), kept_lines(place, entry, before));
    // something that is no file is refused before anything is written
    found(&path)?;
    let next = place.resolv_conf_next();
    let renamed = write_next(&next, text.as_bytes(), 0o644, None).and_then(|()| {
        place.step();
        keep_aside(place, before)?;
        place.step();
        fs::rename(&next, &path)
    });
    let Err(why) = renamed else { return settle(place) };
    let _ = remove_if_there(&next);
    // Overwriting in place would change a second name of this inode, too.
    let _ = remove_if_there(&place.resolv_conf_before());
    match before {
        OldFile::File { .. } => {
            overwrite(place, &path, text.as_bytes()).map_err(|error| unchanged(&path, &error))
        }
        OldFile::None | OldFile::Link { .. } => Err(unchanged(&path, &why)),
    }
}

/// Keeps the earlier file, or symbolic link, under its other name by a hard link. Where that is impossible the journal alone has
/// it. If the file is ours, or was overwritten after we took over, the earlier one is kept already.
fn keep_aside(place: &Place, before: &OldFile) -> io::Result<()> {
    let (path, backup) = (place.resolv_conf(), place.resolv_conf_before());
    let is_ours =
        found(&path).is_ok_and(|now| matches!(&now, OldFile::File { octets, .. } if is_marked(octets)));
    if is_ours || found(&backup).is_ok_and(|kept| kept.is_the_inode_of(before)) {
        return Ok(());
    }
    remove_if_there(&backup)?;
    if fs::hard_link(&path, &backup).is_ok() && found(&backup).is_ok_and(|kept| kept.is_file()) {
        // the journal is synced as well: without this, the file would have no text after a power cut
        let _ = reading().custom_flags(libc::O_NOFOLLOW).open(&backup).and_then(|file| file.sync_all());
    }
    Ok(())
}

pub fn restore(place: &Place, entry: &Entry, before: &OldFile) -> Result<(), Failure> {
    let kept = kept_aside(place, before);
    let before = kept.as_ref().unwrap_or(before);
    let path = place.resolv_conf();
    let backup = place.resolv_conf_before();
    // left by a take-over that died before it renamed this
    let _ = remove_if_there(&place.resolv_conf_next());
    let now = found(&path)?;
    if now.says_the_same_as(before) && !matches!(&now, OldFile::File { octets, .. } if is_ours(octets, entry))
    {
        // a give-back overwrote it in place, and died before it had set the time
        if entry.giving_back
            && let OldFile::File { modified, .. } = before
        {
            let _ = set_modified(&path, *modified);
        }
        remove_if_there(&backup).map_err(|error| unchanged(&path, &error))?;
        return settle(place);
    }
    let saved = kept.is_some() || found(&backup).is_ok_and(|saved| saved.says_the_same_as(before));
    let restored = match before {
        OldFile::None => fs::remove_file(&path),
        OldFile::Link { .. } | OldFile::File { .. } if saved => fs::rename(&backup, &path),
        OldFile::Link { target } => {
            let next = place.resolv_conf_next();
            remove_if_there(&next)
                .and_then(|()| symlink(target, &next))
                .and_then(|()| fs::rename(&next, &path))
        }
        OldFile::File { octets, mode, owner, group, modified, .. } => {
            let next = place.resolv_conf_next();
            write_next(&next, octets, *mode, Some((*owner, *group)))
                .and_then(|()| set_modified(&next, *modified))
                .and_then(|()| fs::rename(&next, &path))
        }
    };
    place.step();
    let Err(why) = restored else {
        remove_if_there(&backup).map_err(|error| unchanged(&path, &error))?;
        return settle(place);
    };
    let _ = remove_if_there(&place.resolv_conf_next());
    match before {
        OldFile::File { octets, modified, .. } => overwrite(place, &path, octets)
            .and_then(|()| set_modified(&path, *modified))
            .and_then(|()| remove_if_there(&backup))
            .map_err(|error| unchanged(&path, &error)),
        OldFile::None | OldFile::Link { .. } => Err(unchanged(&path, &why)),
    }
}

/// Changes search list and options in our file to those of DHCP, so that short names keep working. Everything else stays; nothing
/// is written where they are the same.
pub fn search_as(place: &Place, answer: &DhcpAnswer) -> Result<(), Failure> {
    let path = place.resolv_conf();
    let OldFile::File { octets, .. } = found(&path)? else { return Ok(()) };
    let now = String::from_utf8_lossy(&octets);
    let said = |line: &&str| match line.split_ascii_whitespace().next() {
        Some("search" | "domain") => true,
        Some("options") => answer.says_options(),
        _ => false,
    };
    let wanted = answer.domain_lines() + &answer.options_line();
    if now.lines().filter(said).eq(wanted.lines()) {
        return Ok(());
    }
    let stays = now.lines().filter(|line| !said(line)).map(|line| format!("{line}\n"));
    let text: String = stays.chain([wanted]).collect();
    let renamed = write_next(&place.resolv_conf_next(), text.as_bytes(), 0o644, None).and_then(|()| {
        place.step();
        fs::rename(place.resolv_conf_next(), &path)
    });
    let Err(why) = renamed else { return settle(place) };
    let _ = remove_if_there(&place.resolv_conf_next());
    match why.kind() {
        // a part of the file would be of no use
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Err(unchanged(&path, &why)),
        _ => overwrite(place, &path, text.as_bytes()).map_err(|error| unchanged(&path, &error)),
    }
}

/// Whether the file at this path has the contents of `old`.
pub fn has(path: &Path, old: &OldFile) -> bool {
    found(path).is_ok_and(|found| found.says_the_same_as(old))
}

/// Writes the earlier file beside ours: either the old text or the new one is there, never a part.
pub fn put_before(
    place: &Place,
    octets: &[u8],
    mode: u32,
    owner: (u32, u32),
    modified: (i64, u32),
) -> io::Result<()> {
    let next = place.resolv_conf_next();
    write_next(&next, octets, mode, Some(owner))?;
    set_modified(&next, modified)?;
    place.step();
    fs::rename(&next, place.resolv_conf_before())
}

/// If it can't be removed, the next take-over removes it.
pub fn leave(place: &Place) {
    let _ = remove_if_there(&place.resolv_conf_before());
    let _ = remove_if_there(&place.resolv_conf_next());
}

fn found(path: &Path) -> Result<OldFile, Failure> {
    let failed = |error: io::Error| unchanged(path, &error);
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(OldFile::None),
        other => other.map_err(failed)?,
    };
    if metadata.is_symlink() {
        return Ok(OldFile::Link { target: fs::read_link(path).map_err(failed)? });
    }
    let no_file = || {
        Failure::new(
            Code::NotAFile,
            format!("{} is no file, or one longer than {LONGEST} octets", path.display()),
            "put a file or a symbolic link there",
        )
    };
    if !metadata.is_file() {
        return Err(no_file());
    }
    // What was opened counts. A program that replaces the file now changes the next read.
    let file = reading().custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let mut octets = vec![];
    file.take(LONGEST + 1).read_to_end(&mut octets).map_err(failed)?;
    if !metadata.is_file() || octets.len() as u64 > LONGEST {
        return Err(no_file());
    }
    Ok(OldFile::File {
        octets,
        mode: metadata.mode() & 0o7777,
        owner: metadata.uid(),
        group: metadata.gid(),
        modified: (metadata.mtime(), metadata.mtime_nsec() as u32),
        inode: Some(metadata.ino()),
    })
}

impl OldFile {
    fn says_the_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { octets, .. }, Self::File { octets: others, .. }) => octets == others,
            _ => self == other,
        }
    }

    fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    fn is_the_inode_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { inode: Some(one), .. }, Self::File { inode: Some(another), .. }) => one == another,
            _ => false,
        }
    }

    fn is_the_start_of(&self, whole: &[u8]) -> bool {
        matches!(self, Self::File { octets, .. } if !octets.is_empty() && whole.starts_with(octets))
    }
}

fn is_marked(octets: &[u8]) -> bool {
    octets.starts_with(MARK.as_bytes())
}

fn is_ours(octets: &[u8], entry: &Entry) -> bool {
    let text = String::from_utf8_lossy(octets);
    is_marked(octets) && entry.may_be_ours(|servers| names_one_of(&text, servers))
}

fn names_one_of(text: &str, servers: &Servers) -> bool {
    nameservers(servers).lines().any(|ours| text.lines().any(|line| line == ours))
}

/// Also if another program wrote it.
pub fn leads_to_us_alone(place: &Place, entry: &Entry) -> bool {
    let octets = behind_link(place, &place.resolv_conf());
    let text = String::from_utf8_lossy(&octets);
    entry.may_be_ours(|servers| names_one_of(&text, servers)) && !names_others(&octets, entry)
}

/// If our server refuses a query, the resolver library asks the next server in the list.
fn names_others(octets: &[u8], entry: &Entry) -> bool {
    let text = String::from_utf8_lossy(octets);
    let asked = text.lines().filter(|line| line.split_ascii_whitespace().next() == Some("nameserver"));
    asked.into_iter().any(|line| {
        !entry.may_be_ours(|servers| nameservers(servers).lines().any(|ours| ours == line.trim_end()))
    })
}

fn nameservers(servers: &Servers) -> String {
    servers.all().iter().map(|server| format!("nameserver {}\n", server.address)).collect()
}

/// From the file, or from the target of the link.
fn kept_lines(place: &Place, entry: &Entry, before: &OldFile) -> String {
    let text = match before {
        OldFile::None => vec![],
        OldFile::File { octets, .. } => octets.clone(),
        OldFile::Link { target } => behind_link(place, target),
    };
    let text = String::from_utf8_lossy(&text);
    let is_kept = |word: &str| KEPT.contains(&word) && (entry.search.is_none() || word == "options");
    let kept = text.lines().filter(|line| line.split_ascii_whitespace().next().is_some_and(is_kept));
    let searched = entry.search.iter().map(|search| search.all().join(" ")).filter(|names| !names.is_empty());
    let search = searched.map(|names| format!("search {names}\n"));
    search.chain(kept.map(|line| format!("{line}\n"))).collect()
}

/// Empty where it is no file: the target of a link may be a pipe of another user, and reading that would wait.
pub fn behind_link(place: &Place, target: &Path) -> Vec<u8> {
    let mut text = vec![];
    let path = place.resolv_conf().with_file_name(target);
    // opening a device may have an effect
    if !fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
        return text;
    }
    let file = reading().custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path);
    if let Ok(file) = file
        && file.metadata().is_ok_and(|metadata| metadata.is_file())
        && file.take(LONGEST).read_to_end(&mut text).is_err()
    {
        text.clear();
    }
    text
}

fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

fn settle(place: &Place) -> Result<(), Failure> {
    let path = place.resolv_conf();
    let folder = path.parent().unwrap_or(Path::new("/"));
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    place.step();
    synced.map_err(|error| unchanged(&path, &error))
}

fn unchanged(path: &Path, error: &io::Error) -> Failure {
    let name = String::from_utf8_lossy(path.as_os_str().as_bytes());
    Failure::new(
        Code::ReadOnly,
        format!("{name} can't be changed: {error}"),
        "make it writable (chattr -i, or mount it so), or let Sotto use another mechanism",
    )
}
