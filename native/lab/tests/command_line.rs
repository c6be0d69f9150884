//! The program as a person meets it.

use std::process::{Command, Output};

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sotto-lab")).args(arguments).output().unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let output = lab(arguments);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn help_shows_how() {
    let help = String::from_utf8(lab(&["--help"]).stdout).unwrap();
    assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{help}");
    let help = String::from_utf8(lab(&["slow-clients", "--help"]).stdout).unwrap();
    assert!(help.contains("half-message") && help.contains("127.0.0.2"), "{help}");
}

#[test]
fn bad_input_is_refused_with_the_remedy() {
    let to = ["--to", "127.0.0.1:5300", "--seconds", "1"];
    assert!(refused(&[&["load"], &to[..]].concat()).contains("--zipf"));
    assert!(refused(&["load", "--to", "localhost", "--seconds", "1", "--zipf", "9"]).contains("[::1]:5300"));
    let missing = refused(&[&["load", "--names", "no-such-file"], &to[..]].concat());
    assert!(missing.contains("no-such-file") && missing.contains("NAME"), "{missing}");
    assert!(refused(&[&["slow-clients", "--count", "0"], &to[..]].concat()).contains("--count"));
    assert!(
        refused(&[&["slow-clients", "--count", "1", "--name", "a..b"], &to[..]].concat()).contains("a..b")
    );
}

#[test]
fn silence_is_a_failure_that_says_what_to_look_at() {
    let closed = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = closed.local_addr().unwrap().to_string();
    let output = lab(&["load", "--to", &to, "--seconds", "0.1", "--timeout", "0.1", "--zipf", "9", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("sotto status"));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let summary: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&summary["event"], &summary["lost"], &summary["sent"]),
        (&"load".into(), &50.into(), &50.into())
    );
}
