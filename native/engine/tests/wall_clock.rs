//! Setting the machine's clock does not change how responses age. This test runs itself under libfaketime, which changes the wall
//! clock alone. It is in Debian's package `libfaketime`, or where `SOTTO_LIBFAKETIME` says.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use sotto_engine::cache::entry::SaidBy;
use sotto_engine::cache::key::Key;
use sotto_engine::cache::store::{Cache, Known};
use sotto_engine::clock::Clock;
use sotto_engine::response::Response;
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;

const INSIDE: &str = "SOTTO_WALL_CLOCK_FILE";
const YEAR: Duration = Duration::from_secs(365 * 86_400);

#[test]
fn an_answer_ages_by_no_clock_that_can_be_set() {
    if let Ok(file) = std::env::var(INSIDE) {
        return under_a_lying_clock(&file.into());
    }
    let Some(library) = library() else {
        return sotto_skip::skip("no libfaketime (or SOTTO_LIBFAKETIME): apt-get install libfaketime");
    };
    let file = std::env::temp_dir().join(format!("sotto-wall-clock-{}", std::process::id()));
    std::fs::write(&file, "+0").unwrap();
    let inside = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "wall_clock::an_answer_ages_by_no_clock_that_can_be_set", "--nocapture"])
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", &file)
        .env("FAKETIME_NO_CACHE", "1")
        .env("DONT_FAKE_MONOTONIC", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env(INSIDE, &file)
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&inside.stdout);
    assert!(inside.status.success() && said.contains("1 passed"), "{said}");
}

fn under_a_lying_clock(file: &PathBuf) {
    let question = Question { name: Name::parse("www.example").unwrap(), kind: types::A, class: types::IN };
    let key = Key::new(&question.name, types::A, types::IN, false, false, 0);
    let mut message = question.query(1, header::QR);
    Header { id: 1, flags: header::QR, counts: [1, 1, 0, 0] }.write(&mut message);
    message.extend_from_slice(b"\xc0\x0c\0\x01\0\x01\0\0\x01\x2c\0\x04\xc6\x33\x64\x02");
    let (response, _) = Response::read(message, &question).unwrap();

    let (cache, clock, began) = (Cache::new(100), Clock::system(), SystemTime::now());
    cache.insert(&key, &response, SaidBy { upstream: "dns", authenticated: true }, clock.now());
    for (lie, sign) in [("+1y", true), ("-1y", false)] {
        std::fs::write(file, lie).unwrap();
        let now = SystemTime::now();
        let jumped = if sign { now.duration_since(began) } else { began.duration_since(now) };
        assert!(jumped.is_ok_and(|jump| jump > YEAR / 2), "the wall clock was to jump by {lie}");
        match cache.get(key.parts(), clock.now()) {
            Some(Known::Fresh(fresh)) => {
                assert!(fresh.age_seconds < 60, "{} s after {lie}", fresh.age_seconds)
            }
            _ => panic!("not fresh any more after {lie}"),
        }
    }
}

fn library() -> Option<PathBuf> {
    let named = std::env::var_os("SOTTO_LIBFAKETIME").map(PathBuf::from);
    let architecture = std::env::consts::ARCH;
    let installed = PathBuf::from(format!("/usr/lib/{architecture}-linux-gnu/faketime/libfaketime.so.1"));
    named.into_iter().chain([installed]).find(|path| path.exists())
}
