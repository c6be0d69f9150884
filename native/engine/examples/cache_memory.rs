//! The memory of a full cache: resident memory before and after, beside what the cache itself counts.
//!
//! `cargo run --release --manifest-path native/Cargo.toml -p sotto-engine --example cache_memory`

use sotto_engine::cache::entry::SaidBy;
use sotto_engine::cache::key::Key;
use sotto_engine::cache::store::Cache;
use sotto_engine::clock::Clock;
use sotto_engine::response::Response;
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;

const ENTRIES: usize = 100_000;
const SAID_BY: SaidBy = SaidBy { upstream: "dns", authenticated: true };
/// An address of the name in the query: 16 octets.
const ADDRESS: &[u8] = b"\xc0\x0c\0\x01\0\x01\0\0\x01\x2c\0\x04\xc6\x33\x64\x02";
/// Room at the front for the header and a name of about 30 octets with type and class.
const FRONT: usize = 46;

fn main() {
    println!("{:<34} {:>9} {:>12} {:>12} {:>12}", "answers", "entries", "accounted", "resident", "an entry");
    measure("100,000 of 120 octets", ENTRIES, |_| 120);
    measure("100,000 of 100 to 200 octets", ENTRIES, |index| 100 + index * 37 % 101);
    measure("300,000 of 120 octets, evicting", 3 * ENTRIES, |_| 120);
    measure("300,000 of 100 to 1,400, evicting", 3 * ENTRIES, |index| 100 + index * 37 % 1301);
}

/// `octets` returns the length of the response at this position.
fn measure(title: &str, answers: usize, octets: impl Fn(usize) -> usize) {
    let clock = Clock::system();
    let before = resident();
    let cache = Cache::new(ENTRIES);
    for index in 0..answers {
        let question = question(index);
        let key = Key::new(&question.name, question.kind, question.class, false, false, 0);
        let addresses = (octets(index) - FRONT).div_ceil(ADDRESS.len());
        cache.insert(&key, &response(&question, addresses), SAID_BY, clock.now());
    }
    let taken = resident().saturating_sub(before);
    println!(
        "{title:<34} {:>9} {:>9.1} MB {:>9.1} MB {:>5} octets",
        cache.len(),
        cache.octets() as f64 / 1e6,
        taken as f64 / 1e6,
        taken / cache.len() as u64,
    );
    drop(cache);
    // freed memory goes back to the system, so that the next measure starts where this one did
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it only gives free pages back
    unsafe {
        libc::malloc_trim(0);
    }
}

fn question(index: usize) -> Question {
    let name = Name::parse(&format!("h{index:06}.some-service.example")).expect("a name");
    Question { name, kind: types::A, class: types::IN }
}

fn response(question: &Question, addresses: usize) -> Response {
    let mut message = question.query(1, header::QR);
    Header { id: 1, flags: header::QR, counts: [1, addresses as u16, 0, 0] }.write(&mut message);
    (0..addresses).for_each(|_| message.extend_from_slice(ADDRESS));
    Response::read(message, question).expect("an answer").0
}

#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it tells this");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).expect("a number") * 1024
}

#[cfg(not(target_os = "linux"))]
fn resident() -> u64 {
    println!("resident memory is only read on Linux");
    0
}
