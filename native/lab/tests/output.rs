//! Standard output that cannot be written, under each command: a full disk is a failure, and a reader who has enough is none.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

use sotto_encdns::SecretKey;
use sotto_server::{EncDns, Identity, Server};
use sotto_wire::name::Name;

use crate::stage;

const ROWS: &str = "100,192.0.2.1\n100.1,192.0.2.1\n100.2,192.0.2.2\n";
const REPLAY: [&str; 4] = ["replay", "-", "--ignore-minutes", "0"];
const FULL: &str = "sotto-lab: can't write the result to standard output: No space left on device";

fn start(arguments: &[String], stdout: impl Into<Stdio>) -> Child {
    Command::new(env!("CARGO_BIN_EXE_sotto-lab"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Standard input gets a trace, and ends.
fn finish(mut program: Child) -> Output {
    // not every command reads it
    let _ = program.stdin.take().unwrap().write_all(ROWS.as_bytes());
    program.wait_with_output().unwrap()
}

fn on_full_disk(arguments: &[String]) -> (Option<i32>, String) {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = finish(start(arguments, full));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// The reader has gone before the first octet is written: a command writes when it has its trace, or a moment after its start.
fn without_reader(arguments: &[String]) -> (Option<i32>, String) {
    let mut program = start(arguments, Stdio::piped());
    drop(program.stdout.take());
    let output = finish(program);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|word| (*word).to_owned()).collect()
}

fn server(secret: &SecretKey) -> Server {
    let zone = Name::parse("enc.example").unwrap();
    let secret = SecretKey::from_octets(secret.to_octets());
    stage::server(|config| {
        config.dot = vec!["127.0.0.1:0".parse().unwrap()];
        config.identities = Some(Identity::self_signed(&["127.0.0.1".to_owned()]).unwrap().into());
        config.encdns = Some(EncDns::new(zone, secret, &[]));
    })
}

/// Each command that reports, with as little to do as it can have.
fn commands(server: &Server, key: &str) -> Vec<Vec<String>> {
    let (to, dot) = (stage::address(server).to_string(), server.dot()[0].to_string());
    let name = ["--name", "a.zipf.example"];
    let tls = |kind| {
        words(&[
            "tls",
            "--to",
            &dot,
            "--kind",
            kind,
            "--connections",
            "1",
            "--seconds",
            "0.2",
            name[0],
            name[1],
        ])
    };
    vec![
        words(&REPLAY),
        words(&[&["play", "-", "--to", &to, "--ignore-minutes", "0"], &name[..]].concat()),
        words(&[
            "load",
            "--to",
            &to,
            "--rate",
            "50",
            "--seconds",
            "0.2",
            "--zipf",
            "9",
            "--suffix",
            "zipf.example",
        ]),
        words(&[&["slow-clients", "--to", &to, "--count", "1", "--seconds", "1.2"], &name[..]].concat()),
        words(&[
            "encdns",
            "--to",
            &to,
            "--zone",
            "enc.example",
            "--key",
            key,
            "--kind",
            "session",
            "--queries",
            "9",
        ]),
        tls("full"),
        tls("idle"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_fails_and_a_closed_pipe_does_not() {
    let secret = SecretKey::generate().unwrap();
    let server = server(&secret);
    for command in commands(&server, &secret.public().to_string()) {
        for json in [vec![], vec!["--json".to_owned()]] {
            let command = [command.clone(), json].concat();
            let (code, error) = on_full_disk(&command);
            assert_eq!(code, Some(1), "{command:?}: {error}");
            assert!(error.contains(FULL), "{command:?}: {error}");
            let (code, error) = without_reader(&command);
            assert_eq!(code, Some(0), "{command:?}: {error}");
            assert!(!error.contains("panicked") && !error.contains("Broken pipe"), "{command:?}: {error}");
        }
    }
}

#[test]
fn a_trace_is_written_whole_or_the_program_says_so() {
    let command = words(&["trace", "--clients", "100", "--hours", "1"]);
    let (code, error) = on_full_disk(&command);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("can't write the trace to standard output: No space left on device"), "{error}");
    assert_eq!(without_reader(&command), (Some(0), String::new()));
}
