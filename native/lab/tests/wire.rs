//! The wire as a program: orders on standard input, and how it ends. What it does to packets is tested between two machines,
//! in `e2e/rig/network`.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::Value;

/// A network namespace with two cables whose other ends nobody holds.
struct Namespace(String);

impl Namespace {
    /// None, with the reason told, where this machine makes none.
    fn create(purpose: &str) -> Option<Self> {
        let name = format!("sotto-{}-{purpose}", std::process::id());
        let namespace = Namespace(name.clone());
        if !ip(&["netns", "add", &name]) {
            sotto_skip::skip("no network namespaces: run as root, with ip (apt-get install iproute2)");
            return None;
        }
        for end in ["near", "far"] {
            let other = format!("{end}-other");
            assert!(ip(&["-n", &name, "link", "add", end, "type", "veth", "peer", "name", &other]));
            assert!(ip(&["-n", &name, "link", "set", end, "up"]));
        }
        Some(namespace)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        ip(&["netns", "delete", &self.0]);
    }
}

fn ip(arguments: &[&str]) -> bool {
    Command::new("ip").args(arguments).status().is_ok_and(|status| status.success())
}

struct Wire {
    program: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Wire {
    fn start(namespace: &Namespace) -> Self {
        let end = |name: &str| format!("{}:{name}", namespace.0);
        let mut program = Command::new(env!("CARGO_BIN_EXE_sotto-lab"))
            .args(["wire", "--a", &end("near"), "--b", &end("far")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let mut wire = Wire { program, lines };
        assert_eq!(wire.line()["event"], "ready");
        wire
    }

    fn line(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn order(&mut self, line: &str) -> Value {
        writeln!(self.program.stdin.as_ref().unwrap(), "{line}").unwrap();
        self.line()
    }

    fn ended(mut self) -> (ExitStatus, String) {
        let output = std::io::read_to_string(self.program.stderr.take().unwrap()).unwrap();
        (self.program.wait().unwrap(), output)
    }
}

#[test]
fn orders_are_answered_one_by_one_and_the_end_is_told() {
    let Some(namespace) = Namespace::create("orders") else { return };
    let mut wire = Wire::start(&namespace);
    let applied = wire.order(r#"{"id":7,"set":{"delayMs":20},"rules":[{"do":"drop","on":{"port":53}}]}"#);
    assert_eq!((&applied["event"], &applied["id"]), (&"applied".into(), &7.into()));
    let refused = wire.order(r#"{"rules":[{"do":"drop","on":{"host":"x"}}]}"#);
    assert_eq!(refused["event"], "refused");
    assert!(refused["error"].as_str().unwrap().contains("host"), "{refused}");
    let stats = wire.order(r#"{"stats":true}"#);
    assert_eq!((&stats["hits"], &stats["aToB"]["missed"]), (&serde_json::json!([0]), &0.into()));

    drop(wire.program.stdin.take());
    // SAFETY: a signal to a child that has not been waited for
    unsafe { libc::kill(wire.program.id() as i32, libc::SIGTERM) };
    assert_eq!(wire.line()["event"], "stats", "also after standard input has ended");
    assert!(wire.ended().0.success());
}

#[test]
fn an_interface_that_is_taken_away_ends_it() {
    let Some(namespace) = Namespace::create("gone") else { return };
    let wire = Wire::start(&namespace);
    assert!(ip(&["-n", &namespace.0, "link", "delete", "far"]));
    let (status, said) = wire.ended();
    assert_eq!(status.code(), Some(1));
    assert!(said.contains(":far was taken away"), "{said}");
}
