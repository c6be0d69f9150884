//! The undo, on disk before the change. One operation at a time holds it, of whatever process.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use crate::boot;
use crate::durable;
use crate::entry::{Entry, Undo};
use crate::place::Place;
use crate::reply::{Code, Failure};

const FORMAT: u32 = 1;
const FILE: &str = "journal.json";

pub struct Journal<'a> {
    place: &'a Place,
    folder: PathBuf,
    entries: Vec<Entry>,
    _lock: File,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    entries: Vec<Entry>,
}

impl<'a> Journal<'a> {
    /// Waits for whoever else has it open, which no operation has for long.
    pub fn open(place: &'a Place) -> Result<Self, Failure> {
        Self::read(place).map_err(|error| unusable(place, &error))
    }

    fn read(place: &'a Place) -> io::Result<Self> {
        let folder = place.journal_folder();
        durable::make_folder(&folder)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(folder.join("lock"))?;
        rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
        let entries = match durable::read(&folder, FILE)? {
            Some(text) => serde_json::from_slice::<Stored>(&text)?.entries,
            None => vec![],
        };
        let mut journal = Self { place, folder, entries, _lock: lock };
        journal.forget_what_a_reboot_took(&boot::id()?);
        Ok(journal)
    }

    /// What lived in memory is gone with it, and undone thereby; a file is not. Where that can't be written down it is
    /// forgotten again next time.
    fn forget_what_a_reboot_took(&mut self, boot: &str) {
        let held = self.entries.len();
        self.entries.retain(|entry| entry.boot == boot || matches!(entry.undo, Undo::File(_)));
        if self.entries.len() != held {
            let _ = self.write();
        }
    }

    /// Oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn find(&self, about: &Entry) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.is_about(about))
    }

    /// In the place of what it held about the same.
    pub fn put(&mut self, entry: Entry) -> Result<(), Failure> {
        match self.entries.iter_mut().find(|held| held.is_about(&entry)) {
            Some(held) => *held = entry,
            None => self.entries.push(entry),
        }
        self.save()
    }

    /// On disk before the first of them is undone, so that a death in between does not leave the rest.
    pub fn begin_giving_back(&mut self, is_meant: impl Fn(&Entry) -> bool) -> Result<(), Failure> {
        let mut begun =
            self.entries.iter_mut().filter(|entry| is_meant(entry) && !entry.giving_back).peekable();
        if begun.peek().is_none() {
            return Ok(());
        }
        begun.for_each(|entry| entry.giving_back = true);
        self.save()
    }

    pub fn remove(&mut self, entry: &Entry) -> Result<(), Failure> {
        self.entries.retain(|held| !held.is_about(entry));
        self.save()
    }

    fn save(&self) -> Result<(), Failure> {
        self.write().map_err(|error| unusable(self.place, &error))
    }

    /// Nothing held, nothing there: the boot's unit looks whether the file exists.
    fn write(&self) -> io::Result<()> {
        if self.entries.is_empty() {
            return durable::remove(&self.folder, FILE);
        }
        let text = serde_json::to_vec(&Stored { format: FORMAT, entries: self.entries.clone() })?;
        durable::write(&self.folder, FILE, &text)?;
        self.place.step();
        Ok(())
    }
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
