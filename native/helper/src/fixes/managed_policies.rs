//! The policies that an administrator gives a browser built from Chromium: every file of one folder counts, and of two that set the
//! same policy one is ignored.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::root_file;
use crate::place::Place;

const POLICIES: [&str; 2] = ["DnsOverHttpsMode", "DnsOverHttpsTemplates"];
const MOST_FILES: usize = 256;

/// Another file than ours that sets what ours would set. The browser ignores what it can't read, and so does this.
pub fn conflicting(place: &Place, ours: &Path) -> Option<PathBuf> {
    let folder = ours.parent()?;
    let files = folder.read_dir().ok()?.take(MOST_FILES).filter_map(Result::ok).map(|entry| entry.path());
    let mut conflicting: Vec<PathBuf> = files
        .filter(|file| file != ours && !is_next(file))
        .filter(|file| {
            let found = root_file::read(place, file).ok().flatten();
            let said = found.and_then(|found| serde_json::from_str::<Value>(&found.text).ok());
            said.is_some_and(|said| POLICIES.iter().any(|policy| said.get(policy).is_some()))
        })
        .collect();
    conflicting.sort();
    conflicting.into_iter().next()
}

fn is_next(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".sotto"))
}
