//! What the fixes have written, and what was there before. It is on the disk before each change; one process at a time holds it.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::root_file::Found;
use crate::durable;
use crate::failure::Failure;
use crate::fix::Fix;
use crate::journal::{self, unusable};
use crate::place::Place;

const FORMAT: u32 = 1;
const FILE: &str = "fixes.json";

pub struct Record<'a> {
    place: &'a Place,
    all: Vec<Done>,
    /// `None`: there is no file, so nothing has to be locked
    _lock: Option<File>,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub fix: Fix,
    /// unix milliseconds
    pub since: u64,
    pub undoing: bool,
    pub files: Vec<Written>,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub file: PathBuf,
    /// `None`: there was no such file
    pub before: Option<Found>,
    pub after: String,
    /// that did not exist before, the outermost first
    pub folders: Vec<PathBuf>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    fixes: Vec<Done>,
}

impl<'a> Record<'a> {
    pub fn open(place: &'a Place) -> Result<Self, Failure> {
        let made = durable::make_folder(&place.journal_folder());
        made.and_then(|()| Self::locked(place)).map_err(|error| unusable(place, &error))
    }

    /// Opens it if anything was fixed, and creates no file otherwise.
    pub fn of_what_was_done(place: &'a Place) -> Result<Self, Failure> {
        match place.journal_folder().join(FILE).symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { place, all: vec![], _lock: None })
            }
            _ => Self::locked(place).map_err(|error| unusable(place, &error)),
        }
    }

    pub fn all(&self) -> &[Done] {
        &self.all
    }

    pub fn find(&self, fix: Fix) -> Option<&Done> {
        self.all.iter().find(|done| done.fix == fix)
    }

    pub fn put(&mut self, done: Done) -> Result<(), Failure> {
        match self.all.iter_mut().find(|held| held.fix == done.fix) {
            Some(held) => *held = done,
            None => self.all.push(done),
        }
        self.save()
    }

    pub fn remove(&mut self, fix: Fix) -> Result<(), Failure> {
        self.all.retain(|done| done.fix != fix);
        self.save()
    }

    fn locked(place: &'a Place) -> io::Result<Self> {
        let lock = journal::lock(place)?;
        let all = match durable::read(&place.journal_folder(), FILE)? {
            Some(text) => serde_json::from_slice::<Stored>(&text)?.fixes,
            None => vec![],
        };
        Ok(Self { place, all, _lock: Some(lock) })
    }

    fn save(&self) -> Result<(), Failure> {
        let folder = self.place.journal_folder();
        let saved = match self.all.is_empty() {
            true => durable::remove(&folder, FILE),
            false => serde_json::to_vec(&Stored { format: FORMAT, fixes: self.all.clone() })
                .map_err(io::Error::from)
                .and_then(|text| durable::write(&folder, FILE, &text)),
        };
        self.place.step();
        saved.map_err(|error| unusable(self.place, &error))
    }
}
