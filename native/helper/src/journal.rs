//! What has to be undone, written to the disk before each change. One operation at a time holds the journal, across all processes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use sotto_files::small_file;

use crate::boot;
use crate::durable;
use crate::entry::Entry;
use crate::failure::{Code, Failure};
use crate::over_boot::OverBoot;
use crate::place::Place;
use crate::target::Only;

const FORMAT: u32 = 1;
const FILE: &str = "journal.json";

pub struct Journal<'a> {
    place: &'a Place,
    folder: PathBuf,
    entries: Vec<Entry>,
    over_boot: Vec<OverBoot>,
    /// `None`: there was no journal file, so nothing has to be locked
    _lock: Option<File>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    entries: Vec<Entry>,
    #[serde(default, rename = "overBoot", skip_serializing_if = "Vec::is_empty")]
    over_boot: Vec<OverBoot>,
}

impl<'a> Journal<'a> {
    /// Opens it for writing. Waits while another operation has it open, which is never long.
    pub fn open(place: &'a Place) -> Result<Self, Failure> {
        let folder = place.journal_folder();
        let made = durable::make_folder(&folder);
        made.and_then(|()| Self::locked(place)).map_err(|error| unusable(place, &error))
    }

    /// Opens it if anything is held, and creates no file otherwise: once the package is removed, a helper that still runs leaves
    /// nothing behind.
    pub fn of_what_is_held(place: &'a Place) -> Result<Self, Failure> {
        let folder = place.journal_folder();
        match folder.join(FILE).symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { place, folder, entries: vec![], over_boot: vec![], _lock: None })
            }
            _ => Self::locked(place).map_err(|error| unusable(place, &error)),
        }
    }

    fn locked(place: &'a Place) -> io::Result<Self> {
        let folder = place.journal_folder();
        let lock = lock(place)?;
        let (entries, over_boot) = match durable::read(&folder, FILE)? {
            Some(text) => {
                let stored = serde_json::from_slice::<Stored>(&text)?;
                (stored.entries, stored.over_boot)
            }
            None => (vec![], vec![]),
        };
        let mut journal = Self { place, folder, entries, over_boot, _lock: Some(lock) };
        journal.forget_what_a_reboot_took(&boot::id()?);
        Ok(journal)
    }

    /// Removes the entries of links from an earlier boot: a reboot undoes the settings of links. Entries of other mechanisms stay.
    /// If the disk can't be written, the next call removes them again.
    fn forget_what_a_reboot_took(&mut self, boot: &str) {
        let held = self.entries.len();
        self.entries.retain(|entry| entry.boot == boot || !entry.is_of_link());
        if self.entries.len() != held {
            let _ = self.write();
        }
    }

    /// Oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn over_boot(&self) -> &[OverBoot] {
        &self.over_boot
    }

    /// Whether another entry, or a wish in force, needs NetworkManager kept from changing DNS.
    pub fn needs_network_manager_mute_besides(&self, leaving: &Entry) -> bool {
        let boot = boot::id().unwrap_or_default();
        self.over_boot.iter().any(|wish| wish.is_in_force(&boot))
            || self.entries.iter().any(|entry| entry.is_network_managers() && !entry.is_about(leaving))
    }

    /// Whether anything of the system's DNS is taken over in this boot.
    pub fn is_held(&self) -> bool {
        let boot = boot::id().unwrap_or_default();
        !self.entries.is_empty() || self.over_boot.iter().any(|wish| wish.is_in_force(&boot))
    }

    pub fn find(&self, about: &Entry) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.is_about(about))
    }

    /// Replaces the entry about the same link or file, if there is one.
    pub fn put(&mut self, entry: Entry) -> Result<(), Failure> {
        if let Some(wish) = OverBoot::of(&entry) {
            let before = self.over_boot.iter().find(|held| held.mechanism == wish.mechanism);
            let (since, boot) = before.map_or((wish.since, None), |held| (held.since, held.boot.clone()));
            self.keep_over_boot(OverBoot { since, boot, ..wish });
        }
        match self.entries.iter_mut().find(|held| held.is_about(&entry)) {
            Some(held) => *held = entry,
            None => self.entries.push(entry),
        }
        self.save()
    }

    /// Notes on the disk which entries are given back, before the first one is undone. If this process dies, the next one finishes.
    pub fn begin_giving_back(&mut self, only: Option<&Only>) -> Result<(), Failure> {
        let links = self.entries.iter_mut().filter(|entry| entry.is_meant_by(only));
        let wishes = self.over_boot.iter_mut().filter(|wish| wish.is_meant_by(only));
        let said = links.map(|entry| &mut entry.giving_back).chain(wishes.map(|wish| &mut wish.giving_back));
        let mut fresh = said.filter(|giving_back| !**giving_back).peekable();
        if fresh.peek().is_none() {
            return Ok(());
        }
        fresh.for_each(|giving_back| *giving_back = true);
        self.save()
    }

    pub fn remove(&mut self, entry: &Entry) -> Result<(), Failure> {
        self.entries.retain(|held| !held.is_about(entry));
        self.save()
    }

    pub fn put_over_boot(&mut self, wish: OverBoot) -> Result<(), Failure> {
        self.keep_over_boot(wish);
        self.save()
    }

    pub fn remove_over_boot(&mut self, wish: &OverBoot) -> Result<(), Failure> {
        self.over_boot.retain(|held| held.mechanism != wish.mechanism);
        self.save()
    }

    /// Notes that the wishes for the next boot are, at least in part, in force in this one.
    pub fn say_in_force(&mut self, boot: &str) -> Result<(), Failure> {
        for wish in &mut self.over_boot {
            wish.boot = Some(boot.into());
        }
        self.save()
    }

    fn keep_over_boot(&mut self, wish: OverBoot) {
        match self.over_boot.iter_mut().find(|held| held.mechanism == wish.mechanism) {
            Some(held) => *held = wish,
            None => self.over_boot.push(wish),
        }
    }

    fn save(&self) -> Result<(), Failure> {
        self.write().map_err(|error| unusable(self.place, &error))
    }

    /// Removes the file if nothing is held: the boot's unit runs only if it exists.
    fn write(&self) -> io::Result<()> {
        if self.entries.is_empty() && self.over_boot.is_empty() {
            return durable::remove(&self.folder, FILE);
        }
        let (entries, over_boot) = (self.entries.clone(), self.over_boot.clone());
        let text = serde_json::to_vec(&Stored { format: FORMAT, entries, over_boot })?;
        durable::write(&self.folder, FILE, &text)?;
        self.place.step();
        Ok(())
    }
}

/// Waits for its turn: what is open in the same process has to be dropped before.
pub fn lock(place: &Place) -> io::Result<File> {
    let lock = small_file::open(
        &place.journal_folder().join("lock"),
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600),
        &durable::owners(),
    )?;
    rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
    Ok(lock)
}

pub fn unusable(place: &Place, error: &io::Error) -> Failure {
    let folder = place.journal_folder();
    Failure::new(
        Code::JournalFailed,
        format!("the undo can't be kept in {}: {error}; nothing was changed", folder.display()),
        "make that folder writable for root; a journal.json that can't be read is to be moved elsewhere, \
         after what it holds was given back by hand",
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::entry::Undo;
    use crate::orphaned;

    fn place(name: &str) -> Place {
        let root = std::env::temp_dir().join(format!("sotto-helper-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).unwrap();
        Place::at(&root)
    }

    fn root(place: &Place) -> PathBuf {
        place.journal_folder().ancestors().nth(3).map(Path::to_owned).unwrap()
    }

    fn entry() -> Entry {
        let servers = serde_json::from_str(r#"[{"address":"127.0.0.1","port":53}]"#).unwrap();
        let boot = boot::id().unwrap();
        Entry {
            since: 1,
            boot,
            link: None,
            servers,
            search: None,
            earlier: None,
            giving_back: false,
            undo: Undo::Resolvconf,
        }
    }

    #[test]
    fn looking_makes_nothing() {
        let place = place("looking");
        assert!(Journal::of_what_is_held(&place).unwrap().entries().is_empty());
        assert!(orphaned::noted(&place).is_empty());
        orphaned::forget(&place, u64::MAX).unwrap();
        assert_eq!(std::fs::read_dir(root(&place)).unwrap().count(), 0);
        // nor in a folder that somebody just empties
        std::fs::create_dir_all(place.journal_folder()).unwrap();
        assert!(Journal::of_what_is_held(&place).unwrap().entries().is_empty());
        orphaned::forget(&place, u64::MAX).unwrap();
        assert_eq!(std::fs::read_dir(place.journal_folder()).unwrap().count(), 0);
        std::fs::remove_dir_all(root(&place)).unwrap();
    }

    #[test]
    fn what_was_put_is_held_until_it_is_removed() {
        let place = place("putting");
        Journal::open(&place).unwrap().put(entry()).unwrap();
        let mut journal = Journal::of_what_is_held(&place).unwrap();
        assert_eq!(journal.entries(), [entry()]);
        journal.remove(&entry()).unwrap();
        drop(journal);
        assert!(Journal::of_what_is_held(&place).unwrap().entries().is_empty());
        std::fs::remove_dir_all(root(&place)).unwrap();
    }
}
