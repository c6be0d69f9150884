//! `sotto-lab replay` on files that are cut, damaged, compressed, or no traces at all.

use std::process::Command;

use serde_json::Value;

use crate::replaying::{Folder, ROWS, figures, lab, refused, summary};
use crate::traces::{dnstap, dnstap_query, ethernet, pcap, pcapng, udp4};

const CLIENT_QUERY: u32 = 5;
const MOMENTS: [u32; 4] = [100, 105, 135, 235];

/// A file, what its records are called, and where each of them begins and the last ends.
struct Written {
    name: &'static str,
    record: &'static str,
    octets: Vec<u8>,
    bounds: Vec<usize>,
}

fn written() -> Vec<Written> {
    let frames: Vec<_> = MOMENTS.map(|second| (second, ethernet(&udp4(53, false)))).into();
    let messages = MOMENTS.map(|second| dnstap_query(CLIENT_QUERY, second.into()));
    let of = |name, record, make: &dyn Fn(usize) -> Vec<u8>, end: usize| Written {
        name,
        record,
        octets: make(4),
        bounds: (0..=4).map(|count| make(count).len() - end).collect(),
    };
    let stop = 12;
    vec![
        of("pcap", "packet", &|count| pcap(1, false, &frames[..count]), 0),
        of("ns", "packet", &|count| pcap(1, true, &frames[..count]), 0),
        of("pcapng", "packet", &|count| pcapng(&frames[..count]), 0),
        of("dnstap", "frame", &|count| dnstap(&messages[..count]), stop),
    ]
}

#[test]
fn what_is_before_a_cut_counts_and_the_cut_is_told() {
    let folder = Folder::new("cut");
    for Written { name, record, octets, bounds } in written() {
        for length in bounds[2]..octets.len() {
            let whole = bounds.iter().filter(|&&bound| bound <= length).count() - 1;
            let found = summary(&folder.file(name, &octets[..length]), &[]);
            let told =
                if bounds.contains(&length) { Value::Null } else { format!("{record} {}", whole + 1).into() };
            assert_eq!(
                (figures(&found).0, &found["endsWithin"]),
                (whole as u64, &told),
                "{name} of {length}"
            );
        }
        let cut = folder.file(name, &octets[..bounds[4] - 10]);
        let text = lab(&["replay", &cut, "--ignore-minutes", "0"]);
        let text = String::from_utf8(text.stdout).unwrap();
        assert!(text.contains(&format!("the trace ends in the middle of {record} 4")), "{name}: {text}");
        let whole = lab(&["replay", &folder.file(name, &octets), "--ignore-minutes", "0"]);
        assert!(!String::from_utf8(whole.stdout).unwrap().contains("in the middle"), "{name}");
    }
}

#[test]
fn a_file_that_is_cut_before_its_first_record_ends_is_refused() {
    let folder = Folder::new("cut-early");
    for Written { name, octets, bounds, .. } in written() {
        for length in 4..bounds[1] {
            let error = refused(&folder.file(name, &octets[..length]), &[]);
            let remedy = if length == bounds[0] { "no query is in it" } else { "cut" };
            assert!(error.contains(remedy), "{name} of {length}: {error}");
        }
    }
    // a whole packet that is no query, and a part of one
    let frames = [(100, vec![0xff; 60]), (101, ethernet(&udp4(53, false)))];
    let whole = pcap(1, false, &frames);
    let error = refused(&folder.file("nothing", &whole[..whole.len() - 1]), &[]);
    assert!(error.contains("no query is in it") && error.contains("in the middle of packet 2"), "{error}");
}

#[test]
fn damage_is_no_cut() {
    let folder = Folder::new("damage");
    for Written { name, record, octets, bounds } in written() {
        for garbage in
            [[0xff; 16], [0x7f; 16], *b"\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\x01\0\0\xc0\xc0\xc0\xc0"]
        {
            let mut damaged = octets.clone();
            damaged[bounds[2]..bounds[2] + 16].copy_from_slice(&garbage);
            let error = refused(&folder.file(name, &damaged), &[]);
            assert!(error.contains(&format!("{record} 3")), "{name} {garbage:x?}: {error}");
        }
    }
    // a length that leads behind the end, and a header that none writes
    let frames: Vec<_> = MOMENTS.map(|second| (second, ethernet(&udp4(53, false)))).into();
    let mut fraction = pcap(1, false, &frames);
    let third = 24 + 2 * (fraction.len() - 24) / 4;
    fraction[third + 4..third + 8].copy_from_slice(&2_000_000u32.to_le_bytes());
    fraction[third + 8..third + 12].copy_from_slice(&1_000u32.to_le_bytes());
    let error = refused(&folder.file("fraction", fraction), &[]);
    assert!(error.contains("packet 3") && error.contains("damaged"), "{error}");
    let late = pcap(1, false, &[frames[0].clone(), frames[3].clone(), frames[2].clone(), frames[3].clone()]);
    assert!(refused(&folder.file("late", late), &[]).contains("packet 3: it is 100.000 s earlier"));
    let mut long = pcap(1, false, &frames);
    long[24 + 8..24 + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refused(&folder.file("long", long), &[]).contains("packet 1"));
    let strange = refused(&folder.file("link", pcap(147, false, &frames)), &[]);
    assert!(strange.contains("147") && strange.contains("Ethernet"), "{strange}");
}

#[test]
fn a_damaged_dnstap_file_is_named() {
    let folder = Folder::new("bad-dnstap");
    let received = MOMENTS.map(|second| dnstap_query(CLIENT_QUERY, second.into()));
    let whole = dnstap(&received);
    let unstopped = &whole[..whole.len() - 12];
    for (name, rest) in [("huge", &u32::MAX.to_be_bytes()[..]), ("no message", &[0, 0, 1, 0, 0xff, 0xff])] {
        let error = refused(&folder.file(name, [unstopped, rest].concat()), &[]);
        assert!(error.contains("frame 5") && error.contains("damaged"), "{name}: {error}");
    }
    assert!(refused(&folder.file("zeros", [0; 64]), &[]).contains("too short"));
    assert!(refused(&folder.file("no start", &whole[whole.len() - 12..]), &[]).contains("START"));
    let garbage = folder.file("garbage", dnstap(&[vec![0xff; 40]]));
    assert!(refused(&garbage, &[]).contains("frame 1"));
}

/// Runs the very command that the refusal tells.
#[test]
fn a_compressed_trace_is_refused_with_the_command_that_reads_it() {
    let folder = Folder::new("compressed");
    let plain = folder.file("rows.csv", ROWS);
    for (with, reader, head) in [
        ("gzip", "zcat", &b"\x1f\x8b\x08\0"[..]),
        ("zstd", "zstdcat", b"\x28\xb5\x2f\xfd\x24"),
        ("xz", "xzcat", b"\xfd7zXZ\0\0"),
        ("bzip2", "bzcat", b"BZh91AY&SY"),
    ] {
        let file = folder.file(with, head);
        let command = format!("{reader} {file} | sotto-lab replay -");
        let said =
            format!("sotto-lab: {file}: it is compressed with {with}; give it through a pipe: {command}\n");
        assert_eq!(refused(&file, &[]), said);
        let play = lab(&["play", &file, "--to", "127.0.0.1:9"]);
        assert!(String::from_utf8_lossy(&play.stderr).ends_with("| sotto-lab play -\n"), "{play:?}");
        let Ok(compressed) = Command::new(with).args(["-c", &plain]).output() else {
            sotto_skip::skip(&format!(
                "no {with}: apt-get install {}",
                if with == "xz" { "xz-utils" } else { with }
            ));
            continue;
        };
        folder.file(with, compressed.stdout);
        assert_eq!(refused(&file, &[]), said);
        let program = env!("CARGO_BIN_EXE_sotto-lab");
        let command = command.replace("sotto-lab replay", &format!("{program} replay"));
        let shell = format!("{command} --ignore-minutes 0 --timeouts 10,60 --json");
        let output = Command::new("sh").args(["-c", &shell]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(figures(&serde_json::from_slice(&output.stdout).unwrap()), (4, 1, 1, 0.25, 0.5, 0));
    }
    let piped = Command::new(env!("CARGO_BIN_EXE_sotto-lab"))
        .args(["replay", "-"])
        .stdin(std::fs::File::open(folder.0.join("gzip")).unwrap())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&piped.stderr).contains("… | zcat | sotto-lab replay -"), "{piped:?}");
}

#[test]
fn octets_that_are_no_trace_are_told_from_a_bad_row() {
    let folder = Folder::new("neither");
    let neither = "this is neither pcap, dnstap, CSV nor Sotto's log";
    // a generator of random octets (xorshift): the same in each run
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    let mut random = |length: usize| -> Vec<u8> {
        let octet = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        (0..length).map(octet).collect()
    };
    let files = (0..200).map(|round| random(24 + round * 40));
    for octets in files.chain([
        b"{\0\0\0".to_vec(),
        b"\n\n5\0,\x01".to_vec(),
        "\u{feff}time,client".encode_utf16().flat_map(u16::to_le_bytes).collect(),
    ]) {
        let file = folder.file("octets", &octets);
        let error = refused(&file, &[]);
        assert!(error.contains(&format!("{file}: {neither}")), "{octets:x?}: {error}");
    }
    for (name, text) in [
        ("row", "x,192.0.2.1\n"),
        ("header", "time,client\n\u{1},192.0.2.1\n"),
        ("late", "1,192.0.2.1\n2,\0\n"),
    ] {
        let error = refused(&folder.file(name, text), &[]);
        assert!(error.contains("line ") && !error.contains(neither), "{name}: {error}");
    }
    let latin = [b"time,client,Gr\xf6\xdfe\n".to_vec(), ROWS.replace(",a", ",\u{1}").into_bytes()].concat();
    assert_eq!(figures(&summary(&folder.file("latin", latin), &[])).0, 4);
}

#[test]
fn a_header_that_lacks_columns_is_told_from_a_row() {
    let folder = Folder::new("first-row");
    let (time, client) = ("no column \"time\"", "no column \"client\"");
    for (header, missing, has) in [
        ("a,b,c", vec![time, client], ""),
        ("a", vec![time, client], ""),
        ("\"a\",\"b\"", vec![time, client], ""),
        ("client,server", vec![time], client),
        ("upstream,transport,name", vec![time], client),
        ("time,address", vec![client], time),
        ("TIME,upstream", vec![client], time),
    ] {
        let error = refused(&folder.file("header", format!("{header}\n{ROWS}")), &[]);
        assert!(error.contains("line 1: the header has no column"), "{header}: {error}");
        assert!(missing.iter().all(|part| error.contains(part)), "{header}: {error}");
        assert!(has.is_empty() || !error.contains(has), "{header}: {error}");
    }
    for (row, what) in [
        ("x,192.0.2.1", "\"x\" is no time"),
        ("-1,192.0.2.1", "\"-1\" is no time"),
        ("100,host", "\"host\" is no address"),
        ("192.0.2.1,100", "\"100\" is no address"),
        ("100", "the row is too short"),
        ("1970-01-01T00:01:40Z", "the row is too short"),
        ("\"100,192.0.2.1", "has no end"),
    ] {
        let error = refused(&folder.file("row", format!("{row}\n{ROWS}")), &[]);
        assert!(error.contains("line 1: ") && error.contains(what), "{row}: {error}");
        assert!(!error.contains("header"), "{row}: {error}");
    }
}
