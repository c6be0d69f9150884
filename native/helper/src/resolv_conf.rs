//! `/etc/resolv.conf` itself. What was there keeps its inode under another name, and is renamed back; the journal has it, too.

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

/// What would be lost by taking it now. Ours without an entry: the journal is gone, and what it held is in the other name.
pub fn read(place: &Place) -> Result<OldFile, Failure> {
    let path = place.resolv_conf();
    match found(&path)? {
        OldFile::File { octets, .. } if is_marked(&octets) => found(&place.resolv_conf_before()),
        old => Ok(old),
    }
}

/// What a give-back restores. Whoever was still writing when we came went on in the file that we keep under its other name.
pub fn latest(place: &Place, before: &OldFile) -> OldFile {
    kept_aside(place, before).unwrap_or_else(|| before.clone())
}

/// It is the very file that was there before. One that lost its text to a power cut is not believed.
fn kept_aside(place: &Place, before: &OldFile) -> Option<OldFile> {
    let OldFile::File { octets: then, .. } = before else { return None };
    let kept = found(&place.resolv_conf_before()).ok()?;
    let OldFile::File { octets: now, .. } = &kept else { return None };
    (kept.is_the_inode_of(before) && (then.is_empty() || !now.is_empty())).then_some(kept)
}

/// What was there at the moment in which it was taken, where somebody had written something else since it was read.
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
        // overwritten in place by a give-back that died before it cut the rest off
        OldFile::File { octets, .. } if entry.giving_back && before.is_the_start_of(octets) => State::Ours,
        _ => State::Other,
    })
}

pub fn apply(place: &Place, entry: &Entry, before: &OldFile) -> Result<(), Failure> {
    let path = place.resolv_conf();
    let text = format!("{MARK}{}{}", nameservers(&entry.servers), kept_lines(place, entry, before));
    // what is no file is refused before anything is written
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
    // What is overwritten in place would be overwritten there, too.
    let _ = remove_if_there(&place.resolv_conf_before());
    match before {
        OldFile::File { .. } => {
            overwrite(place, &path, text.as_bytes()).map_err(|error| unchanged(&path, &error))
        }
        OldFile::None | OldFile::Link { .. } => Err(unchanged(&path, &why)),
    }
}

/// Keeps what is there under its other name, by a link to the same inode, be that a file or a symbolic link; the journal stands in
/// where none can be made. What was there before is kept already where the file is ours, or was overwritten since we came.
fn keep_aside(place: &Place, before: &OldFile) -> io::Result<()> {
    let (path, backup) = (place.resolv_conf(), place.resolv_conf_before());
    let is_ours =
        found(&path).is_ok_and(|now| matches!(&now, OldFile::File { octets, .. } if is_marked(octets)));
    if is_ours || found(&backup).is_ok_and(|kept| kept.is_the_inode_of(before)) {
        return Ok(());
    }
    remove_if_there(&backup)?;
    if fs::hard_link(&path, &backup).is_ok() && found(&backup).is_ok_and(|kept| kept.is_file()) {
        // as the journal is: after a power cut it would have no text
        let _ = reading().custom_flags(libc::O_NOFOLLOW).open(&backup).and_then(|file| file.sync_all());
    }
    Ok(())
}

pub fn restore(place: &Place, entry: &Entry, before: &OldFile) -> Result<(), Failure> {
    let kept = kept_aside(place, before);
    let before = kept.as_ref().unwrap_or(before);
    let path = place.resolv_conf();
    let backup = place.resolv_conf_before();
    // of a take that died before it was renamed
    let _ = remove_if_there(&place.resolv_conf_next());
    let now = found(&path)?;
    if now.says_the_same_as(before) && !matches!(&now, OldFile::File { octets, .. } if is_ours(octets, entry))
    {
        // overwritten in place by a give-back that died before it had set the time
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

/// Of what we wrote and is in place: what is searched follows DHCP, so that short names keep working; the rest stays, and so does
/// all of it where nothing else is searched.
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
        // the half of it that fits helps nobody
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Err(unchanged(&path, &why)),
        _ => overwrite(place, &path, text.as_bytes()).map_err(|error| unchanged(&path, &error)),
    }
}

/// Whether that file says what `old` says.
pub fn has(path: &Path, old: &OldFile) -> bool {
    found(path).is_ok_and(|found| found.says_the_same_as(old))
}

/// A file of before, beside ours: the old one or the new one, never half of one.
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

/// Where it can't be removed, the next take does.
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
    // Whoever replaces it now is not waited for: what was opened counts from here.
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

/// Whoever wrote it.
pub fn leads_to_us_alone(place: &Place, entry: &Entry) -> bool {
    let octets = behind_link(place, &place.resolv_conf());
    let text = String::from_utf8_lossy(&octets);
    entry.may_be_ours(|servers| names_one_of(&text, servers)) && !names_others(&octets, entry)
}

/// A resolver of others below ours is asked as soon as we refuse an answer.
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

/// Of the file, or of what the link leads to.
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

/// Empty where it is no file: what a link leads to may be anybody's, and a pipe would be waited for.
pub fn behind_link(place: &Place, target: &Path) -> Vec<u8> {
    let mut text = vec![];
    let path = place.resolv_conf().with_file_name(target);
    // a device may begin something when it is opened
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
