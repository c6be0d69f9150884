//! Names of accounts by their numbers, from the file of this machine's accounts (passwd(5)). Accounts of a directory are not looked
//! for: asking for them may need DNS.

use std::collections::HashMap;
use std::fs::{metadata, read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// A new account has its name after this time.
const BETWEEN_CHECKS: Duration = Duration::from_secs(1);

pub struct Accounts {
    file: PathBuf,
    names: HashMap<u32, Arc<str>>,
    changed: Option<SystemTime>,
    last_check: Option<Instant>,
}

impl Accounts {
    /// `file`: `/etc/passwd`.
    pub fn in_file(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), names: HashMap::new(), changed: None, last_check: None }
    }

    /// The number in digits where there is no such account.
    pub fn name(&mut self, user: u32, now: Instant) -> Arc<str> {
        if self.last_check.is_none_or(|last| now.saturating_duration_since(last) >= BETWEEN_CHECKS) {
            self.last_check = Some(now);
            self.check();
        }
        self.names.get(&user).cloned().unwrap_or_else(|| user.to_string().into())
    }

    fn check(&mut self) {
        let changed = metadata(&self.file).and_then(|file| file.modified()).ok();
        if changed == self.changed {
            return;
        }
        self.changed = changed;
        self.names.clear();
        for line in String::from_utf8_lossy(&read(&self.file).unwrap_or_default()).lines() {
            let mut fields = line.split(':');
            let (Some(name), Some(user)) = (fields.next(), fields.nth(1)) else { continue };
            let Ok(user) = user.parse() else { continue };
            // several accounts may share a number; other programs show the first
            self.names.entry(user).or_insert_with(|| name.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{remove_file, write};

    fn passwd(name: &str, text: &str) -> PathBuf {
        let file = std::env::temp_dir().join(format!("sotto-accounts-{name}-{}", std::process::id()));
        write(&file, text).unwrap();
        file
    }

    #[test]
    fn the_first_account_of_a_number_names_it() {
        let file = passwd(
            "first",
            "root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\n\n:\nodd:x:many:0\nann:x:1000:1000",
        );
        let mut accounts = Accounts::in_file(&file);
        let now = Instant::now();
        assert_eq!([0, 1000, 4711].map(|user| accounts.name(user, now).to_string()), ["root", "ann", "4711"]);
        remove_file(file).unwrap();
    }

    #[test]
    fn a_changed_file_is_read_anew_after_a_pause() {
        let file = passwd("changed", "ann:x:1000:1000\n");
        let mut accounts = Accounts::in_file(&file);
        let now = Instant::now();
        assert_eq!(&*accounts.name(1000, now), "ann");
        remove_file(file).unwrap();
        assert_eq!(&*accounts.name(1000, now + BETWEEN_CHECKS / 2), "ann");
        assert_eq!(&*accounts.name(1000, now + BETWEEN_CHECKS), "1000");
    }
}
