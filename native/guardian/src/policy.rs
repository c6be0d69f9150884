//! What the policy in force allows when the service does not start: a file that the service writes at every change.

use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Policy {
    Refuse,
    Warn,
    Fallback,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuardianPolicy {
    policy: Policy,
    /// by whoever administers this machine
    locked: bool,
}

/// A file that is missing or broken allows nothing.
pub fn may_give_back(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|text| allows(&text))
}

fn allows(text: &[u8]) -> bool {
    match serde_json::from_slice(text) {
        Ok(GuardianPolicy { policy: Policy::Warn | Policy::Fallback, locked }) => !locked,
        Ok(GuardianPolicy { policy: Policy::Refuse, .. }) | Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_readable_policy_that_is_not_locked_gives_back() {
        let rows = [
            (r#"{"policy":"fallback","locked":false}"#, true),
            (r#"{"policy":"warn","locked":false}"#, true),
            (r#"{"policy":"refuse","locked":false}"#, false),
            (r#"{"policy":"fallback","locked":true}"#, false),
            (r#"{"policy":"fallback"}"#, false),
            (r#"{"policy":"open","locked":false}"#, false),
            (r#"{"policy":"fallback","locked":false,"more":1}"#, false),
            (r#"{"policy":"fallback","lock"#, false),
            ("", false),
        ];
        for (text, allowed) in rows {
            assert_eq!(allows(text.as_bytes()), allowed, "{text}");
        }
        assert!(!may_give_back(Path::new("/nonexistent/guardian.json")));
    }
}
