//! The counts of packets sent in cleartext, which survive SIGKILL: a small file mapped into memory, with a slot for each open
//! ledger entry (docs/design/policy.md).
//!
//! ```text
//! slot 0         slot 1                     slot 4095
//! entry ‖ count  entry ‖ count  …           16 octets each, two little-endian u64; entry 0: the slot is free
//! ```
//!
//! A file of counts belongs to one engine. It starts with free slots: the counts of an earlier engine must have been read before.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};

use crate::own_probes::OwnProbes;

pub const SLOTS: usize = 4096;
pub const SLOT_OCTETS: usize = 16;

/// Where the packets of leases are counted.
#[derive(Debug)]
pub enum Counts {
    /// only in memory: for tests, and for queries that a person sends to a server directly
    InMemory,
    Mapped(Arc<Slots>),
    /// the file could not be created, for this reason: no lease can be granted
    Unwritable(String),
}

/// One lease's count.
#[derive(Debug)]
pub enum Counter {
    InMemory(AtomicU64),
    /// outside the ledger: for packets without a name that a client asked for
    Ours(Arc<OwnProbes>),
    Mapped {
        slots: Arc<Slots>,
        slot: usize,
    },
}

#[derive(Debug)]
pub struct Slots {
    map: MmapRaw,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCounter {
    #[error("packets sent in cleartext can't be counted: {0}")]
    Unwritable(String),
    #[error("packets sent in cleartext can't be counted: each of the {SLOTS} slots is in use")]
    Full,
}

impl Counts {
    pub fn in_file(path: &Path) -> Self {
        match Slots::create(path) {
            Ok(slots) => Self::Mapped(Arc::new(slots)),
            Err(error) => Self::Unwritable(format!("{}: {error}", path.display())),
        }
    }

    /// `entry`: the ledger's id.
    pub fn counter(&self, entry: u64) -> Result<Counter, NoCounter> {
        match self {
            Self::InMemory => Ok(Counter::InMemory(AtomicU64::new(0))),
            Self::Mapped(slots) => {
                let slot = slots.take(entry).ok_or(NoCounter::Full)?;
                Ok(Counter::Mapped { slots: slots.clone(), slot })
            }
            Self::Unwritable(why) => Err(NoCounter::Unwritable(why.clone())),
        }
    }
}

impl Counter {
    pub fn add_one(&self) {
        match self {
            Self::InMemory(count) => drop(count.fetch_add(1, Ordering::Relaxed)),
            Self::Ours(probes) => probes.add_one(),
            Self::Mapped { slots, slot } => slots.add_one(*slot),
        }
    }

    pub fn read(&self) -> u64 {
        match self {
            Self::InMemory(count) => count.load(Ordering::Relaxed),
            Self::Ours(probes) => probes.count(),
            Self::Mapped { slots, slot } => u64::from_le(slots.count(*slot).load(Ordering::Relaxed)),
        }
    }

    /// The ledger has the count, so the slot may serve another lease.
    pub fn release(&self) {
        if let Self::Mapped { slots, slot } = self {
            slots.entry(*slot).store(0, Ordering::Release);
        }
    }
}

impl Slots {
    fn create(path: &Path) -> io::Result<Self> {
        let mut file = private(path)?;
        // written, not only extended: a full disk must report an error now and not when a page is first used
        file.set_len(0)?;
        file.write_all(&[0; SLOTS * SLOT_OCTETS])?;
        let map = MmapOptions::new().len(SLOTS * SLOT_OCTETS).map_raw(&file)?;
        Ok(Self { map })
    }

    fn take(&self, entry: u64) -> Option<usize> {
        let free = |slot: &usize| self.entry(*slot).load(Ordering::Acquire) == 0;
        let slot = (0..SLOTS).find(free)?;
        self.count(slot).store(0, Ordering::Relaxed);
        self.entry(slot).store(entry.to_le(), Ordering::Release);
        Some(slot)
    }

    fn add_one(&self, slot: usize) {
        let more = |count: u64| Some(u64::from_le(count).wrapping_add(1).to_le());
        let _ = self.count(slot).fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    fn entry(&self, slot: usize) -> &AtomicU64 {
        self.word(2 * slot)
    }

    fn count(&self, slot: usize) -> &AtomicU64 {
        self.word(2 * slot + 1)
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < SLOTS * SLOT_OCTETS / size_of::<u64>(), "there is no such slot");
        // SAFETY: inside the map, which lives as long as we do; a map begins on a page, so eighth octets are aligned; it is
        // only ever reached through atomics
        unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().cast::<u64>().add(index)) }
    }
}

#[cfg(unix)]
fn private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

#[cfg(not(unix))]
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file as the control plane reads it: entries with their counts.
    fn read(path: &Path) -> Vec<(u64, u64)> {
        let octets = std::fs::read(path).unwrap();
        assert_eq!(octets.len(), SLOTS * SLOT_OCTETS);
        let word = |octets: &[u8]| u64::from_le_bytes(octets.try_into().unwrap());
        let slots = octets.chunks(SLOT_OCTETS).map(|slot| (word(&slot[..8]), word(&slot[8..])));
        slots.filter(|(entry, _)| *entry != 0).collect()
    }

    fn file(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("sotto-counts-{}-{name}", std::process::id()))
    }

    #[test]
    fn the_file_holds_what_was_counted_at_each_moment() {
        let path = file("holds");
        let counts = Counts::in_file(&path);
        let (one, other) = (counts.counter(7).unwrap(), counts.counter(1 << 40).unwrap());
        one.add_one();
        one.add_one();
        other.add_one();
        assert_eq!(read(&path), [(7, 2), (1 << 40, 1)]);
        assert_eq!((one.read(), other.read()), (2, 1));
        one.release();
        assert_eq!(read(&path), [(1 << 40, 1)]);
        assert_eq!(counts.counter(9).unwrap().read(), 0);
        assert_eq!(read(&path), [(9, 0), (1 << 40, 1)]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn it_is_nobody_elses_and_starts_anew() {
        use std::os::unix::fs::PermissionsExt;

        let path = file("anew");
        std::fs::write(&path, vec![1; 3 * SLOTS * SLOT_OCTETS]).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let counts = Counts::in_file(&path);
        assert!(matches!(counts, Counts::Mapped(_)));
        assert_eq!(read(&path), []);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn more_leases_than_slots_are_refused() {
        let path = file("full");
        let counts = Counts::in_file(&path);
        let counters: Vec<_> = (1..=SLOTS as u64).map(|entry| counts.counter(entry).unwrap()).collect();
        assert_eq!(counts.counter(9999).err(), Some(NoCounter::Full));
        counters[17].release();
        assert!(counts.counter(9999).is_ok());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_can_not_be_had_grants_nothing_and_says_why() {
        let counts = Counts::in_file(&file("no-such-folder").join("counts"));
        let why = counts.counter(1).unwrap_err().to_string();
        assert!(why.contains("counts: No such file"), "{why}");
    }
}
