//! Which responses stay when the cache is full: our cache against LRU and FIFO, on one trace.
//!
//! The trace is drawn with a fixed seed: a million queries over 200,000 names, with popularity by Zipf's law, each name with a
//! TTL of its own from a usual mix; twenty queries a second. An expired response is a miss and is fetched again. `scan` mixes in
//! names that come once and never again (reverse lookups, trackers, telemetry), a tenth of all queries.
//!
//! `cargo run --release --manifest-path native/Cargo.toml -p sotto-engine --example eviction`

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use sotto_engine::cache::entry::SaidBy;
use sotto_engine::cache::key::Key;
use sotto_engine::cache::store::Cache;
use sotto_engine::clock::{Clock, Moment};
use sotto_engine::response::Response;
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;

const QUESTIONS: usize = 1_000_000;
const NAMES: usize = 200_000;
const MS_BETWEEN_QUESTIONS: u64 = 50;
const SEED: u64 = 0x5077_0500_0000_0001;
/// Seconds; drawn evenly.
const TTLS: [u32; 8] = [30, 60, 60, 300, 300, 1800, 3600, 86_400];

fn main() {
    println!("{:<16} {:>9}   {:>7} {:>7} {:>7} {:>9}", "trace", "room for", "ours", "LRU", "FIFO", "endless");
    for (skew, scan) in [(0.9, false), (1.0, false), (0.9, true), (1.0, true)] {
        let trace = trace(skew, scan);
        let endless = share(&mut Lru::new(usize::MAX), &trace);
        for size in [2_000, 10_000, 50_000] {
            let mut ours = Ours::new(size);
            let room = ours.room;
            println!(
                "s={skew:.1}{:<10} {room:>9}   {:>6.2}% {:>6.2}% {:>6.2}% {:>8.2}%",
                if scan { " + scan" } else { "" },
                share(&mut ours, &trace),
                share(&mut Lru::new(room), &trace),
                share(&mut Fifo::new(room), &trace),
                endless,
            );
        }
    }
}

struct Asked {
    name: u32,
    ttl: u32,
    at_ms: u64,
}

trait Policy {
    /// Whether the name is in the cache; if not, it is from now on.
    fn ask(&mut self, asked: &Asked) -> bool;
}

/// Hits in percent of all queries.
fn share(policy: &mut impl Policy, trace: &[Asked]) -> f64 {
    let hits = trace.iter().filter(|asked| policy.ask(asked)).count();
    hits as f64 * 100.0 / trace.len() as f64
}

fn trace(skew: f64, scan: bool) -> Vec<Asked> {
    let mut random = Random(SEED);
    let mut reach = 0.0;
    let shares: Vec<f64> = (1..=NAMES)
        .map(|rank| {
            reach += (rank as f64).powf(-skew);
            reach
        })
        .collect();
    (0..QUESTIONS)
        .map(|index| {
            let once = scan && random.part() < 0.1;
            let drawn = random.part() * reach;
            let rank = shares.partition_point(|share| *share < drawn);
            let name = if once { (NAMES + index) as u32 } else { rank as u32 };
            // a name keeps its TTL, whatever its rank
            let ttl = TTLS[(Random(u64::from(name)).next() % TTLS.len() as u64) as usize];
            Asked { name, ttl, at_ms: index as u64 * MS_BETWEEN_QUESTIONS }
        })
        .collect()
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The engine's cache, which counts octets; every response here has the same size, so its room can be counted in entries.
struct Ours {
    cache: Cache,
    start: Moment,
    room: usize,
}

impl Ours {
    fn new(entries: usize) -> Self {
        let start = Clock::system().now();
        let one = Cache::new(100);
        let asked = Asked { name: 0, ttl: 60, at_ms: 0 };
        one.insert(&key(&asked), &response(&asked), SAID_BY, start);
        let cache = Cache::new(entries);
        let room = (cache.capacity() / one.octets()) as usize;
        Self { cache, start, room }
    }
}

const SAID_BY: SaidBy = SaidBy { upstream: "dns", authenticated: true };

fn question(asked: &Asked) -> Question {
    let name = Name::parse(&format!("n{:07}.example", asked.name)).expect("a name");
    Question { name, kind: types::A, class: types::IN }
}

fn key(asked: &Asked) -> Key {
    Key::new(&question(asked).name, types::A, types::IN, false, false, 0)
}

fn response(asked: &Asked) -> Response {
    let question = question(asked);
    let mut message = question.query(1, header::QR);
    Header { id: 1, flags: header::QR, counts: [1, 1, 0, 0] }.write(&mut message);
    message.extend_from_slice(b"\xc0\x0c\0\x01\0\x01");
    message.extend_from_slice(&asked.ttl.to_be_bytes());
    message.extend_from_slice(b"\0\x04\xc6\x33\x64\x02");
    Response::read(message, &question).expect("an answer").0
}

impl Policy for Ours {
    fn ask(&mut self, asked: &Asked) -> bool {
        let now = self.start + Duration::from_millis(asked.at_ms);
        let known = self.cache.get(key(asked).parts(), now).is_some();
        if !known {
            self.cache.insert(&key(asked), &response(asked), SAID_BY, now);
        }
        known
    }
}

/// The entry that was not used for longest leaves. Uses are queued; those with a later one are skipped.
struct Lru {
    room: usize,
    kept: HashMap<u32, (u64, u64)>,
    queue: VecDeque<(u32, u64)>,
    touches: u64,
}

impl Lru {
    fn new(room: usize) -> Self {
        Self { room, kept: HashMap::new(), queue: VecDeque::new(), touches: 0 }
    }

    fn evict(&mut self) {
        while let Some((name, touch)) = self.queue.pop_front() {
            if self.kept.get(&name).is_some_and(|(last, _)| *last == touch) {
                self.kept.remove(&name);
                return;
            }
        }
    }
}

impl Policy for Lru {
    fn ask(&mut self, asked: &Asked) -> bool {
        self.touches += 1;
        let until = self.kept.get(&asked.name).map(|(_, until)| *until);
        let known = until.is_some_and(|until| asked.at_ms < until);
        if until.is_none() && self.kept.len() >= self.room {
            self.evict();
        }
        let until = until.filter(|_| known).unwrap_or(asked.at_ms + u64::from(asked.ttl) * 1000);
        self.kept.insert(asked.name, (self.touches, until));
        self.queue.push_back((asked.name, self.touches));
        known
    }
}

/// The entry that came first leaves first.
struct Fifo {
    room: usize,
    kept: HashMap<u32, u64>,
    queue: VecDeque<u32>,
}

impl Fifo {
    fn new(room: usize) -> Self {
        Self { room, kept: HashMap::new(), queue: VecDeque::new() }
    }
}

impl Policy for Fifo {
    fn ask(&mut self, asked: &Asked) -> bool {
        let until = self.kept.get(&asked.name).copied();
        if until.is_some_and(|until| asked.at_ms < until) {
            return true;
        }
        if until.is_none() {
            if self.kept.len() >= self.room
                && let Some(first) = self.queue.pop_front()
            {
                self.kept.remove(&first);
            }
            self.queue.push_back(asked.name);
        }
        self.kept.insert(asked.name, asked.at_ms + u64::from(asked.ttl) * 1000);
        false
    }
}
