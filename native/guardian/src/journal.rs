//! `service-down.journal`: one JSON object a line, on disk before DNS is given back. The service takes it over into its ledger
//! when it starts, and empties it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sotto_files::small_file;

/// The service empties it at each start.
const LONGEST: u64 = 1 << 20;

/// The owners whose files in the state folder are trusted and written to.
pub fn owners() -> [u32; 2] {
    [0, rustix::process::geteuid().as_raw()]
}

#[derive(Serialize)]
struct Line<'a> {
    /// unix milliseconds; a later line with the same `since` ends this one
    since: u64,
    until: Option<u64>,
    reason: &'a str,
    /// queries in cleartext; unknown, because the system's own resolver sends them
    count: Option<u64>,
}

/// One outage during which DNS is given back.
pub struct Entry {
    file: PathBuf,
    since: u64,
    reason: String,
}

impl Entry {
    /// The line is on the disk when this returns.
    pub fn open(state: &Path, since: u64, reason: String) -> io::Result<Self> {
        let entry = Self { file: state.join("service-down.journal"), since, reason };
        entry.append(None)?;
        File::open(state)?.sync_all()?;
        Ok(entry)
    }

    /// Writes the end, unless the service has already taken the line over and knows the end itself.
    pub fn close(self, until: u64) -> io::Result<()> {
        let text = small_file::read(&self.file, &owners(), LONGEST)?;
        let ours = format!("{{\"since\":{},", self.since);
        if text.split(|octet| *octet == b'\n').any(|line| line.starts_with(ours.as_bytes())) {
            self.append(Some(until))
        } else {
            Ok(())
        }
    }

    fn append(&self, until: Option<u64>) -> io::Result<()> {
        let line = Line { since: self.since, until, reason: &self.reason, count: None };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        let mut appending = OpenOptions::new();
        appending.append(true).create(true).mode(0o600);
        let mut file = small_file::open(&self.file, &mut appending, &owners())?;
        file.write_all(&text)?;
        file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_ended_by_a_second_line_unless_it_was_taken_over() {
        let folder = std::env::temp_dir().join(format!("sotto-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let read = || std::fs::read_to_string(folder.join("service-down.journal")).unwrap();

        let entry = Entry::open(&folder, 5, "ended with 1".into()).unwrap();
        let open = "{\"since\":5,\"until\":null,\"reason\":\"ended with 1\",\"count\":null}\n";
        assert_eq!(read(), open);
        entry.close(9).unwrap();
        assert_eq!(read(), format!("{open}{}", open.replace("null,\"r", "9,\"r")));

        let entry = Entry::open(&folder, 6, "x".into()).unwrap();
        std::fs::write(folder.join("service-down.journal"), "").unwrap();
        entry.close(9).unwrap();
        assert_eq!(read(), "");

        std::fs::remove_dir_all(&folder).unwrap();
        assert!(Entry::open(&folder, 7, "x".into()).is_err());
    }
}
