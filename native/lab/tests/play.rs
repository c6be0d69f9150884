//! `sotto-lab play`: the queries of a trace for real, counted beside the model.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::stage;
use crate::traces::{ethernet, pcap, udp4};

fn play(trace: impl AsRef<[u8]>, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_sotto-lab"))
        .args(["play", "-", "--ignore-minutes", "0", "--name", "a.zipf.example"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // a program that refuses its arguments reads nothing
    let _ = program.stdin.take().unwrap().write_all(trace.as_ref());
    program.wait_with_output().unwrap()
}

/// The server keeps connections for longer than the test takes, so each client opens one and no more.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_keeps_connections_is_what_the_model_says() {
    let server = stage::server(|_| {});
    let rows = (0..200).map(|number| format!("{},192.0.2.{}\n", 1_000 + number, number % 5));
    let to = stage::address(&server).to_string();
    let trace: String = rows.collect();
    let output = play(trace, &["--to", &to, "--faster", "1000", "--timeout", "60", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let played: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&played["queries"], &played["lost"], &played["opened"]), (&200.into(), &0.into(), &5.into()));
    assert_eq!(played["hitFraction"], 195.0 / 200.0);
    assert_eq!(played["modelHitFraction"], 195.0 / 200.0);
}

/// What is before the cut is sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_that_is_cut_is_played_and_the_cut_is_told() {
    let server = stage::server(|_| {});
    let to = stage::address(&server).to_string();
    let frames: Vec<_> = [100, 105, 135].map(|second| (second, ethernet(&udp4(53, false)))).into();
    let whole = pcap(1, false, &frames);
    let arguments = ["--to", &to, "--faster", "1000"];
    let cut = play(&whole[..whole.len() - 1], &[&arguments[..], &["--json"]].concat());
    let played: Value = serde_json::from_slice(&cut.stdout).unwrap();
    assert_eq!((&played["queries"], &played["endsWithin"]), (&2.into(), &"packet 3".into()));
    let cut = play(&whole[..whole.len() - 1], &arguments);
    assert!(String::from_utf8_lossy(&cut.stdout).contains("in the middle of packet 3"), "{cut:?}");
    let played = play(&whole, &arguments);
    assert!(played.status.success() && !String::from_utf8_lossy(&played.stdout).contains("the middle"));
}

#[test]
fn nobody_there_and_bad_input_are_told_apart() {
    let closed = stage::nobody().to_string();
    let nobody = play("1,192.0.2.1\n", &["--to", &closed]);
    assert_eq!(nobody.status.code(), Some(1), "{nobody:?}");
    assert!(String::from_utf8_lossy(&nobody.stderr).contains(&closed), "{nobody:?}");
    let two = play("1,192.0.2.1\n", &["--to", &closed, "--timeout", "10,60"]);
    assert_eq!(two.status.code(), Some(2), "{two:?}");
    assert!(String::from_utf8_lossy(&two.stderr).contains("one value"), "{two:?}");
    let cut = play("1,192.0.2", &["--to", &closed]);
    assert!(String::from_utf8_lossy(&cut.stderr).contains("no address of a client"), "{cut:?}");
}
