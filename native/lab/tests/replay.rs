//! `sotto-lab replay` and `sotto-lab trace` as a person meets them: traces as text and as packets, and arguments.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::replaying::{Folder, ROWS, figures, lab, refused, summary};
use crate::traces::{ethernet, pcap, pcapng, udp4, udp6};

#[test]
fn csv_is_read_in_every_form() {
    let folder = Folder::new("csv");
    let expected = (4, 1, 1, 0.25, 0.5, 0);
    for (name, text) in [
        ("plain", ROWS.to_owned()),
        ("crlf", ROWS.replace('\n', "\r\n")),
        ("no end", ROWS.trim_end().to_owned()),
        ("comments", format!("# a day\n\n{ROWS}\n# the end\n")),
        ("header", format!("time,client,server\n{ROWS}")),
        ("mark", format!("\u{feff}Time,Client,Server\n{ROWS}")),
        ("mark alone", format!("\u{feff}{ROWS}")),
        ("without server", ROWS.replace(",a\n", "\n")),
        ("quoted", ROWS.replace("192.0.2.1", "\"192.0.2.1\"")),
        ("ipv6", ROWS.replace("192.0.2.1", "2001:db8::1")),
        ("newest first", ROWS.lines().rev().map(|line| format!("{line}\n")).collect()),
        ("newest first with header", {
            let rows: String = ROWS.lines().rev().map(|line| format!("{line}\n")).collect();
            format!("time,client,server\n{rows}")
        }),
    ] {
        let trace = folder.file(name, text);
        assert_eq!(figures(&summary(&trace, &[])), expected, "{name}");
    }
    let mixed = "server,name,client,time\na,\"x,y\"\"z\",192.0.2.1,1970-01-01T00:01:40Z\na,w,192.0.2.1,1970-01-01T00:01:45.5Z\n";
    assert_eq!(figures(&summary(&folder.file("columns", mixed), &[])), (2, 1, 1, 0.5, 0.5, 0));
}

#[test]
fn a_bad_row_is_named_with_the_remedy() {
    let folder = Folder::new("bad-csv");
    for (name, bad, place, remedy) in [
        ("cut", "300,192.0.2", "line 5", "no address of a client"),
        ("half", "300", "line 5", "TIME,CLIENT"),
        ("time", "x,192.0.2.1", "line 5", "seconds since 1970"),
        ("negative", "-1,192.0.2.1", "line 5", "seconds since 1970"),
        ("2^63", "9223372036854775808,192.0.2.1", "line 5", "seconds since 1970"),
        ("nan", "NaN,192.0.2.1", "line 5", "seconds since 1970"),
        ("exponent", "1e300,192.0.2.1", "line 5", "seconds since 1970"),
        ("octet", "300,192.0.2.256", "line 5", "192.0.2.256"),
        ("backwards", "230,192.0.2.1", "line 5", "--disorder"),
        ("quote", "\"300,192.0.2.1", "line 5", "has no end"),
        ("binary", "300,\u{0}\u{1}\u{2}", "line 5", "no address"),
    ] {
        let trace = folder.file(name, format!("{ROWS}{bad}\n999,192.0.2.1\n"));
        let error = refused(&trace, &[]);
        assert!(error.contains(place) && error.contains(remedy) && error.contains(&trace), "{name}: {error}");
    }
    let long = folder.file("long", format!("{ROWS}{}", "9".repeat(1 << 20)));
    assert!(refused(&long, &[]).contains("no trace"));
    assert!(refused(&folder.file("empty", ""), &[]).contains("empty"));
    assert!(refused(&folder.file("header only", "time,client\n"), &[]).contains("no rows"));
    assert!(refused(&folder.file("one moment", "1,192.0.2.1\n1,192.0.2.2\n"), &[]).contains("same moment"));
    assert!(refused("no-such-trace.csv", &[]).contains("no-such-trace.csv"));
    assert!(refused(folder.0.to_str().unwrap(), &[]).contains("directory"));
}

#[test]
fn a_little_disorder_is_counted_and_more_is_allowed_on_request() {
    let folder = Folder::new("disorder");
    let trace = folder.file("late", format!("{ROWS}234.5,192.0.2.1,a\n240,192.0.2.1,a\n"));
    let found = summary(&trace, &[]);
    assert_eq!((figures(&found).0, &found["late"]), (6, &1.into()));
    assert!(refused(&trace, &["--disorder", "0.4"]).contains("line 5"));
}

#[test]
fn a_trace_shorter_than_the_warm_up_says_so() {
    let folder = Folder::new("short");
    let output = lab(&["replay", &folder.file("short", ROWS)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--ignore-minutes 0"));
}

const EXPORT: &str = "id,time,name,type,class,outcome,upstream,transport,cost,reason,clientAddress\r\n\
    5,1970-01-01T00:03:56.000Z,a.example,A,IN,answered,,none,none,,127.0.0.1\r\n\
    4,1970-01-01T00:03:55.000Z,d.example,A,IN,answered,quad9,dot,cold,\"one, two\",127.0.0.1\r\n\
    3,1970-01-01T00:03:00.000Z,c.example,A,IN,answered,,none,none,,127.0.0.1\r\n\
    2,1970-01-01T00:02:15.000Z,c.example,A,IN,answered,quad9,dot,cold,,127.0.0.1\r\n\
    1,1970-01-01T00:01:45.000Z,b.example,A,IN,answered,quad9,tdns,reused,,127.0.0.1\r\n\
    0,1970-01-01T00:01:40.000Z,a.example,A,IN,answered,quad9,dot,cold,,127.0.0.1\r\n";

#[test]
fn sottos_own_log_is_one_client_of_its_upstreams() {
    let folder = Folder::new("sotto");
    let expected = (4, 1, 1, 0.25, 0.5, 2);
    assert_eq!(figures(&summary(&folder.file("export.csv", EXPORT), &[])), expected);
    let event = |at: u64, transport: &str| {
        format!(
            "{{\"id\":1,\"at\":{at}.25,\"name\":\"a.example\",\"upstream\":\"quad9\",\"transport\":\"{transport}\"}}\n"
        )
    };
    let events = [
        event(236_000, "none"),
        event(235_000, "dot"),
        event(180_000, "none"),
        event(135_000, "tcp"),
        event(105_000, "dot"),
        event(100_000, "dot"),
    ];
    assert_eq!(figures(&summary(&folder.file("newest.ndjson", events.concat()), &[])), expected);
    let oldest: String = events.iter().rev().map(String::as_str).collect();
    assert_eq!(figures(&summary(&folder.file("oldest.ndjson", &oldest), &[])), expected);
    for (name, bad) in [
        ("cut", "{\"id\":1,\"at\":1,\"name\""),
        ("negative", "{\"at\":-1,\"upstream\":\"\",\"transport\":\"dot\"}"),
        ("huge", "{\"at\":1e300,\"upstream\":\"\",\"transport\":\"dot\"}"),
    ] {
        assert!(refused(&folder.file(name, format!("{oldest}{bad}\n")), &[]).contains("line 7"), "{name}");
    }
}

#[test]
fn packets_are_read_whatever_carries_them() {
    let folder = Folder::new("pcap");
    let frames: Vec<_> = [100, 105, 135, 235].map(|second| (second, ethernet(&udp4(53, false)))).into();
    let expected = (4, 1, 1, 0.25, 0.5, 0);
    assert_eq!(figures(&summary(&folder.file("a.pcap", pcap(1, false, &frames)), &[])), expected);
    assert_eq!(figures(&summary(&folder.file("ns.pcap", pcap(1, true, &frames)), &[])), expected);
    assert_eq!(figures(&summary(&folder.file("a.pcapng", pcapng(&frames)), &[])), expected);
    let raw: Vec<_> = [100, 105, 135, 235].map(|second| (second, udp6(53))).into();
    assert_eq!(figures(&summary(&folder.file("raw.pcap", pcap(101, false, &raw)), &[])), expected);
    // responses, other ports, other protocols and what is cut short are no queries
    let mut noisy = frames.clone();
    noisy.insert(1, (101, ethernet(&udp4(53, true))));
    noisy.insert(2, (102, ethernet(&udp4(5353, false))));
    noisy.insert(3, (103, vec![0xff; 60]));
    noisy.insert(4, (104, ethernet(&udp4(53, false))[..50].to_vec()));
    noisy.insert(5, (104, Vec::new()));
    assert_eq!(
        figures(&summary(&folder.file("noisy.pcap", pcap(1, false, &noisy)), &[])),
        (4, 1, 1, 0.25, 0.5, 5)
    );
    assert_eq!(
        figures(&summary(&folder.file("a.pcap", pcap(1, false, &frames)), &["--port", "53"])),
        expected
    );
    assert!(refused(&folder.file("a.pcap", pcap(1, false, &frames)), &["--port", "54"]).contains("--port"));
}

#[test]
fn a_trace_that_was_made_up_goes_straight_into_the_replay() {
    let mut making = Command::new(env!("CARGO_BIN_EXE_sotto-lab"))
        .args(["trace", "--clients", "300", "--servers", "3", "--hours", "2", "--names", "1000"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sotto-lab"))
        .args(["replay", "-", "--keep-warm", "--prefixes"])
        .stdin(making.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(making.wait().unwrap().success() && output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for part in
        ["by client", "by prefix", "keep their connections warm", "Busiest servers", "QUIC", "a second)"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(output.stderr.is_empty(), "progress is for terminals: {:?}", output.stderr);
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn the_picture_has_the_trace_and_what_was_published() {
    let folder = Folder::new("svg");
    let trace = folder.file("rows", ROWS);
    let svg = folder.0.join("reuse.svg");
    lab(&["replay", &trace, "--ignore-minutes", "0", "--svg", svg.to_str().unwrap()]);
    let picture = std::fs::read_to_string(&svg).unwrap();
    for part in ["DNSChanger 97–98 %", "B-Root 49,000", "Level 3 72–91 %", "polyline", "client side", "480 s"]
    {
        assert!(picture.contains(part), "{part}");
    }
    assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    let nowhere = lab(&["replay", &trace, "--ignore-minutes", "0", "--svg", "/no/such/folder/a.svg"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("--svg /no/such/folder/a.svg"));
}

#[test]
fn wrong_arguments_are_refused_with_the_remedy() {
    for (arguments, remedy) in [
        (&["--timeouts", "0"][..], "from 1 to 3600"),
        (&["--timeouts", "10,x"], "10,60,120"),
        (&["--timeouts", "3601"], "3600"),
        (&["--cached", "80"], "0.8"),
        (&["--stub-rtt", "5,-1"], "from 0"),
        (&["--disorder=-1"], "from 0"),
        (&["--ticket-hours", "inf"], "a week"),
        (&["--at", "0"], "1..=3600"),
        (&["--at", "3601"], "1..=3600"),
        (&["--at", "61"], "60 and 120"),
        (&["--at", "61"], "add 61 to --timeouts"),
        (&["--at", "3600", "--timeouts", "10,20"], "nearest: 20"),
        (&["--at", "1", "--timeouts", "10,20", "--json"], "nearest: 10"),
    ] {
        let output = lab(&[&["replay", "x"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(remedy), "{arguments:?}: {error}");
    }
    let output = lab(&["trace", "--clients", "0"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// The text shows the transports at one timeout, which JSON names.
#[test]
fn the_timeout_that_is_shown_is_the_one_that_was_asked_for() {
    let folder = Folder::new("at");
    let trace = folder.file("rows", ROWS);
    for (arguments, at) in [
        (&[][..], 60),
        (&["--timeouts", "10,20"], 20),
        (&["--timeouts", "70,600"], 70),
        (&["--at", "10"], 10),
        (&["--at", "480"], 480),
        (&["--timeouts", "1,61,3600", "--at", "61"], 61),
        (&["--timeouts", "1,61,3600", "--at", "3600"], 3600),
    ] {
        let command = [&["replay", &trace, "--ignore-minutes", "0"], arguments].concat();
        let text = String::from_utf8(lab(&command).stdout).unwrap();
        assert!(text.contains(&format!("Round trips of a query at {at} s")), "{arguments:?}: {text}");
        let line = lab(&[&command[..], &["--json"]].concat()).stdout;
        let summary: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((summary["at"].as_f64(), &summary["seconds"]), (Some(at.into()), &135.0.into()));
    }
}

#[test]
fn help_teaches_with_examples() {
    let help = String::from_utf8(lab(&["replay", "--help"]).stdout).unwrap();
    for part in [
        "Examples:",
        "tcpdump",
        "sotto log export",
        "CLIENT_RESPONSE",
        "zcat",
        "in the middle",
        "Memory:",
        "--disorder",
        "Exit codes:",
    ] {
        assert!(help.contains(part), "{part}");
    }
}
