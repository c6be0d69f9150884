//! `sotto-lab replay` run on files of a test.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("replay-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let file = self.0.join(name);
        std::fs::write(&file, content).unwrap();
        file.to_str().unwrap().to_owned()
    }
}

pub fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sotto-lab")).args(arguments).output().unwrap()
}

/// The whole trace counts, so that few queries are enough.
pub fn replay(trace: &str, more: &[&str]) -> Output {
    lab(&[&["replay", trace, "--ignore-minutes", "0", "--timeouts", "10,60", "--json"], more].concat())
}

pub fn summary(trace: &str, more: &[&str]) -> Value {
    let output = replay(trace, more);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Queries that count, clients, servers, hit fractions at 10 and 60 s, and what was skipped.
pub fn figures(summary: &Value) -> (u64, u64, u64, f64, f64, u64) {
    let number = |name: &str| summary[name].as_u64().unwrap();
    let hits = |index: usize| summary["timeouts"][index]["hitFraction"].as_f64().unwrap();
    (number("queries"), number("clients"), number("servers"), hits(0), hits(1), number("skipped"))
}

pub fn refused(trace: &str, more: &[&str]) -> String {
    let output = replay(trace, more);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// 5, 30 and 100 s apart: of four queries one hits at 10 s, and two at 60.
pub const ROWS: &str = "100,192.0.2.1,a\n105,192.0.2.1,a\n135,192.0.2.1,a\n235,192.0.2.1,a\n";
