//! What the service, which is no root, learns of files that only root may read.

use super::*;
use crate::reply::FileChange;

const OTHER: &str = "etc/chromium/policies/managed/company.json";
const SECRET: &str =
    r#"{"policies":{"Proxy":{"Password":"5e(ret"},"DNSOverHTTPS":{"ProviderURL":"https://5e(ret"}}}"#;
const OURS: &str = "{\"policies\": { \"DNSOverHTTPS\": { \"Enabled\": false, \"Locked\": true } }}\n";

impl Machine {
    fn told(&self, fix: Fix, dry: bool) -> Vec<FileChange> {
        match self.run(|system| Box::pin(apply(system, fix, dry))).unwrap() {
            Done::Fixed { fixed } => fixed.files,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_every_user_may_read_is_told() {
    let machine = Machine::new("told");
    machine.write(FIREFOX, SECRET);
    let [told] = machine.told(Fix::Firefox, true).try_into().unwrap();
    assert_eq!((told.before.as_deref(), told.hidden), (Some(SECRET), false));
    assert!(told.after.contains("Password") && told.after.contains("\"Enabled\": false"));
    assert_eq!(machine.read(FIREFOX).unwrap(), SECRET, "a dry run writes nothing");
}

#[test]
fn of_a_file_that_only_root_may_read_our_own_part_alone_is_told() {
    for (name, path, mode) in [
        ("file", FIREFOX, 0o600),
        ("group", FIREFOX, 0o640),
        ("folder", "etc/firefox/policies", 0o700),
        ("folder-above", "etc/firefox", 0o750),
    ] {
        for dry in [true, false] {
            let machine = Machine::new(&format!("hidden-{name}-{dry}"));
            machine.write(FIREFOX, SECRET);
            allow(&machine.root.join(path), mode);
            let told = machine.told(Fix::Firefox, dry);
            let text = serde_json::to_string(&told).unwrap();
            assert!(!text.contains("5e(ret") && !text.contains("Proxy"), "{name}, {dry}: {text}");
            assert_eq!(
                (told[0].before.as_deref(), told[0].after.as_str(), told[0].hidden),
                (None, OURS, true)
            );
            let now = machine.read(FIREFOX).unwrap();
            assert!(now.contains("5e(ret"), "what was there stays");
            assert_eq!(now == SECRET, dry);
        }
    }
}

#[test]
fn whether_a_file_exists_is_not_told_where_only_root_may_look() {
    let machine = Machine::new("exists");
    machine.write("etc/firefox/policies/other", "");
    allow(&machine.root.join("etc/firefox/policies"), 0o700);
    let without = serde_json::to_string(&machine.told(Fix::Firefox, true)).unwrap();
    machine.write(FIREFOX, SECRET);
    allow(&machine.root.join("etc/firefox/policies"), 0o700);
    assert_eq!(serde_json::to_string(&machine.told(Fix::Firefox, true)).unwrap(), without);
}

#[test]
fn why_a_text_does_not_fit_is_told_where_every_user_may_read_it() {
    let machine = Machine::new("misfit");
    for (text, why) in [("no JSON", "it is no JSON"), (r#"{"policies":{},"policies":{}}"#, "twice")] {
        machine.write(FIREFOX, text);
        assert!(machine.apply(Fix::Firefox).unwrap_err().message.contains(why));
        allow(&machine.root.join(FIREFOX), 0o600);
        let told = machine.apply(Fix::Firefox).unwrap_err();
        assert!(
            told.message.contains("only root may read it") && !told.message.contains(why),
            "{}",
            told.message
        );
        assert_eq!(machine.status(Fix::Firefox).refused.unwrap().message, told.message);
    }
}

#[test]
fn another_policy_is_named_where_every_user_may_read_it() {
    let machine = Machine::new("other-policy");
    machine.write(OTHER, r#"{"DnsOverHttpsMode":"secure"}"#);
    for path in [OTHER, "etc/chromium/policies/managed", "etc/chromium"] {
        let path = machine.root.join(path);
        allow(&path, 0o700);
        let told = machine.apply(Fix::Chromium).unwrap_err().message;
        assert!(!told.contains("company.json") && told.contains("only root may read"), "{told}");
        allow(&path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    assert!(machine.apply(Fix::Chromium).unwrap_err().message.contains("company.json"));
}
