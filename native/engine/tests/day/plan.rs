//! Who asks for what, and when. All of it is made up, and follows from a seed: popularity after Zipf, TTLs as they are common, a
//! person who reads pages with breaks, and programs that ask by themselves while the computer is awake.

use std::collections::HashMap;
use std::time::Duration;

use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;

const HOUR: f64 = 3600.0;
const SITES: usize = 1500;
/// Names that pages of many sites need: delivery networks, fonts, advertisements.
const PARTS: usize = 400;
/// Names that programs ask for by themselves.
const PROGRAMS: usize = 30;
/// Seconds for which a browser keeps what it was told.
const BROWSER: f64 = 60.0;
/// TTLs in seconds, each with its share in percent.
const TTLS: [(u64, u64); 7] = [(20, 5), (60, 25), (300, 35), (600, 5), (900, 5), (3600, 20), (86_400, 5)];
/// Seconds between two queries of the same program.
const PACES: [f64; 6] = [60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0];

/// Hours, from and to.
pub struct Day {
    awake: Vec<(f64, f64)>,
    reading: Vec<(f64, f64)>,
}

impl Day {
    pub fn whole() -> Self {
        Self {
            awake: vec![(8.0, 12.4), (12.9, 18.6), (19.8, 23.0)],
            reading: vec![
                (8.5, 10.0),
                (10.25, 12.2),
                (13.0, 14.75),
                (15.0, 16.5),
                (16.7, 18.0),
                (20.0, 22.5),
            ],
        }
    }

    pub fn morning() -> Self {
        Self { awake: vec![(8.0, 10.5)], reading: vec![(8.5, 10.0)] }
    }
}

pub struct Plan {
    pub seed: u64,
    pub queries: Vec<Asked>,
    pub records: HashMap<Name, Record>,
    /// when the computer wakes up
    pub wakes: Vec<Duration>,
    pub end: Duration,
}

pub struct Asked {
    pub at: Duration,
    pub question: Question,
}

#[derive(Clone)]
pub struct Record {
    /// seconds
    pub ttl: u64,
    pub phase: u64,
    pub has_aaaa: bool,
    /// others ask the upstream for it, too
    pub is_shared: bool,
}

struct Planning {
    chance: Chance,
    queries: Vec<Asked>,
    records: HashMap<Name, Record>,
    browser: HashMap<Name, f64>,
}

impl Plan {
    pub fn of(day: &Day, seed: u64) -> Self {
        let mut planning = Planning {
            chance: Chance(seed),
            queries: vec![],
            records: HashMap::new(),
            browser: HashMap::new(),
        };
        let sites = planning.names("site", SITES);
        let parts = planning.names("part", PARTS);
        let programs = planning.names("program", PROGRAMS);
        for (from, to) in &day.reading {
            planning.read(&sites, &parts, from * HOUR, to * HOUR);
        }
        for (from, to) in &day.awake {
            programs.iter().for_each(|name| planning.run(*name, from * HOUR, to * HOUR));
        }
        let Planning { mut queries, records, .. } = planning;
        queries.sort_by_key(|asked| asked.at);
        let wakes = day.awake.iter().map(|(from, _)| Duration::from_secs_f64(from * HOUR)).collect();
        Self { seed, queries, records, wakes, end: Duration::from_secs(24 * 3600) }
    }
}

impl Planning {
    fn names(&mut self, of: &str, count: usize) -> Vec<Name> {
        (0..count).map(|index| self.name(&format!("{of}{index}.example"), index * 2 < count)).collect()
    }

    fn name(&mut self, text: &str, is_popular: bool) -> Name {
        let name = Name::parse(text).unwrap();
        let mut share = self.chance.below(100);
        let ttl = TTLS.iter().find(|(_, percent)| {
            let found = share < *percent;
            share = share.saturating_sub(*percent);
            found
        });
        let ttl = ttl.expect("the shares are a hundred").0;
        let record = Record {
            ttl,
            phase: self.chance.below(ttl),
            has_aaaa: self.chance.below(100) < 60,
            is_shared: is_popular,
        };
        self.records.insert(name, record);
        name
    }

    /// A page at a time; between two of them a person reads.
    fn read(&mut self, sites: &[Name], parts: &[Name], from: f64, to: f64) {
        let mut at = from;
        while at < to {
            let site = sites[self.chance.zipf(sites.len())];
            self.browse(site, at);
            for _ in 0..3 + self.chance.below(16) {
                let part = parts[self.chance.zipf(parts.len())];
                let later = 0.05 + self.chance.share() * 2.0;
                self.browse(part, at + later);
            }
            at += 5.0 + self.chance.pause(40.0);
        }
    }

    fn browse(&mut self, name: Name, at: f64) {
        if self.browser.get(&name).is_some_and(|asked| at - asked < BROWSER) {
            return;
        }
        self.browser.insert(name, at);
        self.ask(name, at);
        if self.chance.below(2) == 0 {
            self.query(name, types::HTTPS, at);
        }
    }

    fn run(&mut self, name: Name, from: f64, to: f64) {
        let pace = PACES[self.chance.below(PACES.len() as u64) as usize];
        let mut at = from + self.chance.share() * pace;
        while at < to {
            self.ask(name, at);
            at += pace * (0.9 + self.chance.share() * 0.2);
        }
    }

    fn ask(&mut self, name: Name, at: f64) {
        self.query(name, types::A, at);
        self.query(name, types::AAAA, at);
    }

    fn query(&mut self, name: Name, kind: u16, at: f64) {
        let question = Question { name, kind, class: types::IN };
        self.queries.push(Asked { at: Duration::from_secs_f64(at), question });
    }
}

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// 0 to 1
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Exponential, with this mean.
    fn pause(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.share()).ln()
    }

    /// The rank, from 0: the first is twice as likely as the second.
    fn zipf(&mut self, count: usize) -> usize {
        let whole: f64 = (1..=count).map(|rank| 1.0 / rank as f64).sum();
        let mut left = self.share() * whole;
        (1..=count)
            .find(|rank| {
                left -= 1.0 / *rank as f64;
                left <= 0.0
            })
            .unwrap_or(count)
            - 1
    }
}
