//! `guardian.json`: the service writes it at every change, for guardian and helper, which may outlive the service.

#![cfg(unix)]

use std::io;
use std::path::Path;

use serde::Deserialize;
use sotto_files::small_file;

/// The service writes one short line; a longer file was written by another program.
const LONGEST: u64 = 4096;

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Policy {
    Refuse,
    Warn,
    Fallback,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardianPolicy {
    policy: Policy,
    /// the machine's administrator has locked the policy
    locked: bool,
    /// the system's DNS is led to us, or was about to be
    pub taken: bool,
}

impl GuardianPolicy {
    /// Fails unless the file belongs to one of these owners and is well-formed; the caller then allows nothing.
    pub fn read(file: &Path, owners: &[u32]) -> io::Result<Self> {
        Self::parse(&small_file::read(file, owners, LONGEST)?)
    }

    fn parse(text: &[u8]) -> io::Result<Self> {
        Ok(serde_json::from_slice(text)?)
    }

    pub fn allows_giving_back(&self) -> bool {
        matches!(self.policy, Policy::Warn | Policy::Fallback) && !self.locked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_readable_policy_that_is_not_locked_gives_back() {
        let rows = [
            (r#"{"policy":"fallback","locked":false,"taken":true}"#, Some((true, true))),
            (r#"{"policy":"warn","locked":false,"taken":false}"#, Some((true, false))),
            (r#"{"policy":"refuse","locked":false,"taken":true}"#, Some((false, true))),
            (r#"{"policy":"fallback","locked":true,"taken":true}"#, Some((false, true))),
            (r#"{"policy":"fallback","locked":false}"#, None),
            (r#"{"policy":"fallback","taken":true}"#, None),
            (r#"{"policy":"open","locked":false,"taken":true}"#, None),
            (r#"{"policy":"fallback","locked":false,"taken":true,"more":1}"#, None),
            (r#"{"policy":"fallback","lock"#, None),
            ("", None),
        ];
        for (text, expected) in rows {
            let found = GuardianPolicy::parse(text.as_bytes()).ok();
            assert_eq!(found.map(|found| (found.allows_giving_back(), found.taken)), expected, "{text}");
        }
        assert!(GuardianPolicy::read(Path::new("/nonexistent/guardian.json"), &[0]).is_err());
    }
}
