mod told;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{apply, status, undo, undo_all};
use crate::failure::{Code, Failure};
use crate::fix::Fix;
use crate::mechanism::System;
use crate::place::Place;
use crate::reply::{Done, FileOutcome, FixNow};

const FIREFOX: &str = "etc/firefox/policies/policies.json";
const CHROMIUM: &str = "etc/chromium/policies/managed/sotto.json";
const FIREFOX_ALONE: &str =
    "{\"policies\": { \"DNSOverHTTPS\": { \"Enabled\": false, \"Locked\": true } }}\n";

struct Machine {
    root: PathBuf,
}

impl Machine {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("sotto-fixes-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("etc")).unwrap();
        allow(&root.join("etc"), 0o755);
        Self { root }
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            fs::create_dir_all(folder).unwrap();
        }
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            allow(folder, 0o755);
        }
        fs::write(&path, text).unwrap();
        allow(&path, 0o644);
    }

    fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.root.join(file)).ok()
    }

    fn apply(&self, fix: Fix) -> Result<usize, Failure> {
        self.run(|system| Box::pin(apply(system, fix, false))).map(|done| match done {
            Done::Fixed { fixed } => fixed.files.len(),
            other => panic!("{other:?}"),
        })
    }

    fn undo(&self, fix: Fix) -> Result<Vec<FileOutcome>, Failure> {
        self.run(|system| Box::pin(undo(system, fix))).map(outcomes)
    }

    fn status(&self, fix: Fix) -> FixNow {
        match status(&Place::at(&self.root)).unwrap() {
            Done::Fixes { fixes } => fixes.into_iter().find(|now| now.fix == fix).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn run<'a, T>(
        &self,
        work: impl for<'s> FnOnce(&'s System<'_>) -> std::pin::Pin<Box<dyn Future<Output = T> + 's>>,
    ) -> T {
        let place = Place::at(&self.root);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(work(&System::at(&place)))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn outcomes(done: Done) -> Vec<FileOutcome> {
    match done {
        Done::Undone { undone } => {
            undone.into_iter().flat_map(|undone| undone.files).map(|file| file.outcome).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_and_its_folders_are_made_and_go_again() {
    let machine = Machine::new("made");
    assert_eq!(machine.apply(Fix::Firefox).unwrap(), 1);
    assert_eq!(machine.read(FIREFOX).unwrap(), FIREFOX_ALONE);
    assert_eq!(machine.status(Fix::Firefox).in_place, Some(true));
    assert_eq!(machine.apply(Fix::Firefox).unwrap(), 0, "twice is once");
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), [FileOutcome::Restored]);
    assert!(!machine.root.join("etc/firefox").exists());
    assert!(!machine.root.join("var/lib/sotto-helper/fixes.json").exists());
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), []);
}

#[test]
fn octets_mode_and_other_keys_stay() {
    let machine = Machine::new("merged");
    let theirs = "{\n   \"policies\" : {\n\t\"Homepage\": {\"URL\": \"a\"}  }  }";
    machine.write(FIREFOX, theirs);
    allow(&machine.root.join(FIREFOX), 0o640);
    machine.apply(Fix::Firefox).unwrap();
    let ours = r#""DNSOverHTTPS": { "Enabled": false, "Locked": true },"#;
    assert_eq!(machine.read(FIREFOX).unwrap(), theirs.replace("{\n\t", &format!("{{\n\t{ours}\n\t")));
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), [FileOutcome::Restored]);
    assert_eq!(machine.read(FIREFOX).unwrap(), theirs);
    let mode = fs::metadata(machine.root.join(FIREFOX)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn what_others_changed_since_is_kept() {
    let machine = Machine::new("since");
    machine.apply(Fix::Firefox).unwrap();
    let later = FIREFOX_ALONE.replace("{\"policies\": { ", "{\"policies\": { \"Later\": 1, ");
    machine.write(FIREFOX, &later);
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), [FileOutcome::KeyTakenOut]);
    assert_eq!(machine.read(FIREFOX).unwrap(), "{\"policies\": { \"Later\": 1 }}\n");

    machine.apply(Fix::Firefox).unwrap();
    let other = r#"{"policies":{"DNSOverHTTPS":{"Enabled":true}}}"#;
    machine.write(FIREFOX, other);
    assert_eq!(machine.status(Fix::Firefox).in_place, Some(false));
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), [FileOutcome::ChangedSince]);
    assert_eq!(machine.read(FIREFOX).unwrap(), other);

    machine.apply(Fix::Chromium).unwrap();
    machine.write(CHROMIUM, r#"{"DnsOverHttpsMode":"secure"}"#);
    assert_eq!(machine.undo(Fix::Chromium).unwrap(), [FileOutcome::ChangedSince]);
    assert!(machine.read(CHROMIUM).unwrap().contains("secure"));

    machine.apply(Fix::Brave).unwrap();
    fs::remove_file(machine.root.join("etc/brave/policies/managed/sotto.json")).unwrap();
    assert_eq!(machine.undo(Fix::Brave).unwrap(), [FileOutcome::Gone]);
    assert!(!machine.root.join("etc/brave").exists());
}

#[test]
fn a_changed_file_that_is_no_json_any_more_is_left_alone() {
    let machine = Machine::new("broken-since");
    machine.apply(Fix::Firefox).unwrap();
    machine.write(FIREFOX, "{");
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), [FileOutcome::ChangedSince]);
    assert_eq!(machine.read(FIREFOX).unwrap(), "{");
}

#[test]
fn hostile_files_are_refused_and_stay() {
    type Make = fn(&Machine, &Path);
    let hostile: [(&str, Make, &str); 11] = [
        ("no JSON", |machine, _| machine.write(FIREFOX, "{ // mine\n}"), "no JSON"),
        ("no UTF-8", |_, path| fs::write(path, b"{\"a\":\"\xff\"}").unwrap(), "no UTF-8"),
        ("an array", |machine, _| machine.write(FIREFOX, "[]"), "no object"),
        ("twice", |machine, _| machine.write(FIREFOX, r#"{"policies":{},"policies":{}}"#), "same key twice"),
        ("long", |machine, _| machine.write(FIREFOX, &" ".repeat(70_000)), "longer than 64 KiB"),
        (
            "endless",
            |_, path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap(),
            "longer than 64 KiB",
        ),
        ("link", |_, path| symlink("/etc/passwd", path).unwrap(), "symbolic link"),
        ("broken link", |_, path| symlink("/nonexistent", path).unwrap(), "symbolic link"),
        (
            "second name",
            |machine, path| {
                machine.write("etc/theirs", "{}");
                fs::hard_link(machine.root.join("etc/theirs"), path).unwrap();
            },
            "a second name",
        ),
        (
            "writable for others",
            |machine, path| {
                machine.write(FIREFOX, "{}");
                allow(path, 0o666);
            },
            "others than root may write it",
        ),
        (
            "a folder that others may write",
            |machine, path| {
                allow(path.parent().unwrap(), {
                    let _ = machine;
                    0o777
                })
            },
            "others than root may write it",
        ),
    ];
    for (name, make, why) in hostile {
        let machine = Machine::new(&name.replace(' ', "-"));
        let path = machine.root.join(FIREFOX);
        machine.write(FIREFOX, "");
        fs::remove_file(&path).unwrap();
        make(&machine, &path);
        let before = path.symlink_metadata().map(|found| (found.len(), found.modified().unwrap())).ok();
        let failure = machine.apply(Fix::Firefox).expect_err(name);
        assert_eq!(failure.code, Code::FileRefused, "{name}");
        assert!(failure.message.contains(why), "{name}: {}", failure.message);
        let after = path.symlink_metadata().map(|found| (found.len(), found.modified().unwrap())).ok();
        assert_eq!(before, after, "{name}");
        assert!(!machine.root.join("var").exists(), "{name}: nothing is noted");
        assert!(machine.status(Fix::Firefox).refused.is_some(), "{name}");
    }
}

#[test]
fn a_folder_that_is_a_link_is_not_followed() {
    let machine = Machine::new("linked-folder");
    fs::create_dir_all(machine.root.join("elsewhere")).unwrap();
    symlink(machine.root.join("elsewhere"), machine.root.join("etc/firefox")).unwrap();
    let failure = machine.apply(Fix::Firefox).unwrap_err();
    assert!(failure.message.contains("symbolic link"), "{}", failure.message);
    assert_eq!(fs::read_dir(machine.root.join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn another_policy_or_a_hidden_one_is_named() {
    let machine = Machine::new("conflict");
    let other = "etc/chromium/policies/managed/company.json";
    machine.write(other, r#"{"DnsOverHttpsMode":"secure"}"#);
    let failure = machine.apply(Fix::Chromium).unwrap_err();
    assert_eq!(failure.code, Code::NotApplicable);
    assert!(failure.message.contains("company.json"), "{}", failure.message);
    machine.write(other, r#"{"HomepageLocation":"x"}"#);
    assert_eq!(machine.apply(Fix::Chromium).unwrap(), 1);

    machine.write("usr/lib/firefox/distribution/policies.json", "{}");
    let failure = machine.apply(Fix::Firefox).unwrap_err();
    assert!(failure.message.contains("distribution/policies.json"), "{}", failure.message);
}

#[test]
fn network_manager_keeps_dns_that_is_not_with_us() {
    let machine = Machine::new("network-manager");
    assert_eq!(machine.apply(Fix::NetworkManager).unwrap_err().code, Code::NotApplicable);
    fs::create_dir_all(machine.root.join("etc/NetworkManager")).unwrap();
    let failure = machine.apply(Fix::NetworkManager).unwrap_err();
    assert!(failure.message.contains("does not hold"), "{}", failure.message);
}

/// The record is on disk before the file; each state in between ends as before.
#[test]
fn a_death_in_between_loses_nothing() {
    let machine = Machine::new("death");
    let theirs = r#"{"policies":{"Homepage":{}}}"#;
    machine.write(FIREFOX, theirs);
    machine.apply(Fix::Firefox).unwrap();
    let fixed = machine.read(FIREFOX).unwrap();
    // noted and not yet written, with the half of a next text
    machine.write(FIREFOX, theirs);
    machine.write("etc/firefox/policies/.sotto.next", "{\"pol");
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), [FileOutcome::Restored]);
    assert_eq!(machine.read(FIREFOX).unwrap(), theirs);
    assert!(machine.read("etc/firefox/policies/.sotto.next").is_none());
    // noted, not written, and fixed again
    machine.apply(Fix::Firefox).unwrap();
    machine.write(FIREFOX, theirs);
    machine.apply(Fix::Firefox).unwrap();
    assert_eq!(machine.read(FIREFOX).unwrap(), fixed);
    assert_eq!(machine.undo(Fix::Firefox).unwrap(), [FileOutcome::Restored]);
    assert_eq!(machine.read(FIREFOX).unwrap(), theirs);
}

#[test]
fn removal_undoes_all_and_one_that_fails_keeps_no_other() {
    let machine = Machine::new("all");
    machine.apply(Fix::Chromium).unwrap();
    machine.apply(Fix::Edge).unwrap();
    machine.apply(Fix::Firefox).unwrap();
    let edge = machine.root.join("etc/opt/edge/policies/managed");
    allow(&edge, 0o777);
    let failure = machine.run(|system| Box::pin(undo_all(system))).unwrap_err();
    assert!(failure.message.contains("edge"), "{}", failure.message);
    assert!(machine.read(FIREFOX).is_none() && machine.read(CHROMIUM).is_none());
    allow(&edge, 0o755);
    let done = machine.run(|system| Box::pin(undo_all(system))).unwrap();
    assert_eq!(outcomes(done), [FileOutcome::Restored]);
    assert!(!machine.root.join("etc/opt/edge").exists());
}
