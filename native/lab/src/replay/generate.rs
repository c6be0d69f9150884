//! A trace made up: people who visit pages and so ask in bursts, by day more than by night, and devices that ask now and then.
//!
//! A client's visits are a Poisson process whose rate follows the time of day. A visit asks for a page's names within a few seconds:
//! of 40 million pages, 62 % use four names or more and 32 % ten or more (T-DNS report), which the sizes here are drawn from. How
//! active a client is, is log-normal: most ask little, a few ask most. A device asks for one name at a time, for its IPv4 and IPv6
//! address or one of them, at all hours. Names are drawn by Zipf's law.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::net::Ipv4Addr;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::names::Zipf;
use crate::replay::query::{Micros, SECOND};

/// Spread of the logarithm of the clients' rates.
const ACTIVITY: f64 = 1.2;
/// Clients that are devices, and how active each is beside a person.
const DEVICES: f64 = 0.25;
const DEVICE_ACTIVITY: f64 = 0.25;
const DEVICE_QUERIES: f64 = 1.5;
/// How much more or less than on average is asked at the busiest and the quietest hour.
const DIURNAL: f64 = 0.6;
const BUSIEST_HOUR: f64 = 20.0;
/// A page's queries come one after the other, after this mean gap.
const WITHIN_VISIT: f64 = 0.15;
/// Names on a page, rounded: this share of pages has no more than that many.
const PAGE_SHARES: [f64; 5] = [0.0, 0.38, 0.68, 0.9, 1.0];
const PAGE_NAMES: [f64; 5] = [1.0, 3.5, 9.5, 20.0, 40.0];

#[derive(Debug, Clone)]
pub struct Generator {
    pub clients: u32,
    pub servers: u32,
    pub hours: f64,
    /// of a client, on average
    pub queries_per_second: f64,
    /// 0: no column of names
    pub names: u32,
    /// seconds since 1970 of the first moment
    pub start: u64,
    pub seed: u64,
}

/// How a client asks.
#[derive(Debug, Clone, Copy)]
struct Habit {
    visits_per_second: f64,
    is_device: bool,
}

/// What a client does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    at: Micros,
    client: u32,
    /// further queries of the visit it is in
    left: u32,
}

impl Generator {
    /// Writes CSV in order of time: time, client, server, and perhaps name. Returns the number of queries.
    pub fn write(&self, to: &mut impl Write) -> io::Result<u64> {
        let mut random = StdRng::seed_from_u64(self.seed);
        let habits = self.habits(&mut random);
        let zipf = Zipf::new(self.names as usize);
        let end = self.start * SECOND + (self.hours * 3_600.0 * SECOND as f64) as Micros;
        let mut coming: BinaryHeap<Reverse<Next>> = (0..self.clients)
            .map(|client| {
                let habit = habits[client as usize];
                let at = habit.next_visit(self.start * SECOND, &mut random);
                Reverse(Next { at, client, left: habit.queries(&mut random) - 1 })
            })
            .collect();
        writeln!(to, "time,client,server{}", if self.names > 0 { ",name" } else { "" })?;
        let mut count = 0;
        while let Some(mut top) = coming.peek_mut() {
            let Reverse(next) = &mut *top;
            if next.at >= end {
                break;
            }
            self.write_query(to, *next, &zipf, &mut random)?;
            count += 1;
            if next.left > 0 {
                next.at += micros(exponential(1.0 / WITHIN_VISIT, &mut random));
                next.left -= 1;
            } else {
                let habit = habits[next.client as usize];
                next.at = habit.next_visit(next.at, &mut random);
                next.left = habit.queries(&mut random) - 1;
            }
        }
        to.flush()?;
        Ok(count)
    }

    /// All clients together ask as often as they should.
    fn habits(&self, random: &mut StdRng) -> Vec<Habit> {
        let mut habits: Vec<Habit> = (0..self.clients)
            .map(|_| {
                let is_device = random.random::<f64>() < DEVICES;
                let (activity, queries) =
                    if is_device { (DEVICE_ACTIVITY, DEVICE_QUERIES) } else { (1.0, mean_page()) };
                let visits_per_second = activity * (ACTIVITY * normal(random)).exp() / queries;
                Habit { visits_per_second, is_device }
            })
            .collect();
        let asked: f64 = habits.iter().map(|habit| habit.visits_per_second * habit.mean_queries()).sum();
        let factor = self.queries_per_second * f64::from(self.clients) / asked;
        habits.iter_mut().for_each(|habit| habit.visits_per_second *= factor);
        habits
    }

    fn write_query(
        &self,
        to: &mut impl Write,
        next: Next,
        zipf: &Zipf,
        random: &mut StdRng,
    ) -> io::Result<()> {
        // each client keeps to one server, as most do
        let server = 1 + next.client % self.servers;
        let client = Ipv4Addr::from(0x0a00_0001 + next.client);
        write!(to, "{}.{:06},{client},192.0.2.{server}", next.at / SECOND, next.at % SECOND)?;
        match self.names {
            0 => writeln!(to),
            _ => writeln!(to, ",n{}.zipf.example", zipf.draw(random)),
        }
    }
}

impl Habit {
    fn mean_queries(self) -> f64 {
        if self.is_device { DEVICE_QUERIES } else { mean_page() }
    }

    fn queries(self, random: &mut StdRng) -> u32 {
        match self.is_device {
            true => 1 + u32::from(random.random::<f64>() < DEVICE_QUERIES - 1.0),
            false => page(random),
        }
    }

    /// People thin a process of the busiest hour's rate (Lewis and Shedler 1979).
    fn next_visit(self, from: Micros, random: &mut StdRng) -> Micros {
        let mut at = from;
        loop {
            let busiest = if self.is_device { 1.0 } else { 1.0 + DIURNAL };
            at = at.saturating_add(micros(exponential(self.visits_per_second * busiest, random)));
            let is_kept = self.is_device || random.random::<f64>() * busiest <= diurnal(at);
            if is_kept || at > Micros::MAX / 2 {
                return at;
            }
        }
    }
}

/// 1 on average over a day.
fn diurnal(at: Micros) -> f64 {
    let hour = (at / SECOND % 86_400) as f64 / 3_600.0;
    1.0 + DIURNAL * ((hour - BUSIEST_HOUR) / 24.0 * std::f64::consts::TAU).cos()
}

fn page(random: &mut StdRng) -> u32 {
    let share = random.random::<f64>();
    let above = PAGE_SHARES.partition_point(|&upto| upto < share).clamp(1, PAGE_SHARES.len() - 1);
    let (low, high) = (PAGE_SHARES[above - 1], PAGE_SHARES[above]);
    let (few, many) = (PAGE_NAMES[above - 1], PAGE_NAMES[above]);
    (few + (many - few) * (share - low) / (high - low)).round() as u32
}

fn mean_page() -> f64 {
    let parts = PAGE_SHARES.windows(2).zip(PAGE_NAMES.windows(2));
    parts.map(|(shares, sizes)| (shares[1] - shares[0]) * (sizes[0] + sizes[1]) / 2.0).sum()
}

fn exponential(rate: f64, random: &mut StdRng) -> f64 {
    -(1.0 - random.random::<f64>()).ln() / rate
}

/// Box and Muller.
fn normal(random: &mut StdRng) -> f64 {
    let (first, second) = (1.0 - random.random::<f64>(), random.random::<f64>());
    (-2.0 * first.ln()).sqrt() * (second * std::f64::consts::TAU).cos()
}

fn micros(seconds: f64) -> Micros {
    (seconds * SECOND as f64) as Micros
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Generator = Generator {
        clients: 200,
        servers: 2,
        hours: 24.0,
        queries_per_second: 0.02,
        names: 0,
        start: 1_700_006_400,
        seed: 1,
    };

    fn text(generator: &Generator) -> String {
        let mut written = Vec::new();
        let count = generator.write(&mut written).unwrap();
        let text = String::from_utf8(written).unwrap();
        assert_eq!(text.lines().count() as u64, count + 1);
        text
    }

    #[test]
    fn the_same_seed_makes_the_same_trace_in_order_of_time() {
        let day = text(&DAY);
        assert!(day.starts_with("time,client,server\n17000"), "{}", &day[..60]);
        assert_eq!(day, text(&DAY));
        assert_ne!(day, text(&Generator { seed: 2, ..DAY }));
        let times: Vec<&str> = day.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn a_day_has_as_many_queries_as_were_asked_for_and_more_in_the_evening() {
        let day = text(&DAY);
        let expected = 200.0 * 0.02 * 86_400.0;
        let count = (day.lines().count() - 1) as f64;
        assert!((0.9..1.1).contains(&(count / expected)), "{count} of {expected}");
        let in_hours = |from: u64| {
            let time = |line: &str| line.split('.').next().unwrap().parse::<u64>().unwrap();
            day.lines()
                .skip(1)
                .filter(|line| (from..from + 4).contains(&(time(line) % 86_400 / 3_600)))
                .count()
        };
        // (1 + 0.6·cos) from 18 to 22 o'clock against 6 to 10, for 92 % of the queries: 1.53 to 0.48
        assert!(in_hours(18) * 2 > 5 * in_hours(6));
    }

    #[test]
    fn pages_are_of_the_published_sizes() {
        let mut random = StdRng::seed_from_u64(3);
        let pages: Vec<u32> = (0..100_000).map(|_| page(&mut random)).collect();
        let share = |least| pages.iter().filter(|&&page| page >= least).count() as f64 / 100_000.0;
        assert!((share(4) - 0.62).abs() < 0.01, "{}", share(4));
        assert!((share(10) - 0.32).abs() < 0.01, "{}", share(10));
        let mean = pages.iter().map(|&page| f64::from(page)).sum::<f64>() / 100_000.0;
        assert!((mean / mean_page() - 1.0).abs() < 0.02, "{mean}, not {}", mean_page());
    }

    #[test]
    fn names_follow_zipf() {
        let day = text(&Generator { names: 1_000, ..DAY });
        let of = |name: &str| day.lines().filter(|line| line.ends_with(name)).count() as f64;
        let ratio = of(",n0.zipf.example") / of(",n9.zipf.example");
        assert!((7.0..13.0).contains(&ratio), "{ratio}");
    }
}
