//! Clients that keep their connection warm, as Sotto's engine does (`native/engine/src/upstream/pool/keep_warm.rs`).
//!
//! The server tells its timeout (RFC 7828). Shortly before it would close a silent connection, the client opens the next one beside
//! it, as long as its last query is not older than three minutes and the hour's budget lasts; otherwise it leaves in time. So a
//! client's own queries decide how long it stays connected.
//!
//! Where a server does not tell, the engine learns the limit from the first close, opens the next connection then, and estimates
//! within a second of the limit from there on. That is not modelled: it changes one connection of each client.

use std::collections::VecDeque;

use crate::replay::query::{Micros, SECOND};
use crate::replay::samples::Samples;
use crate::replay::timeouts::Timeouts;
use crate::replay::window::Window;

pub const ACTIVE: Micros = 180 * SECOND;
/// The engine's default, `connections.dialsPerHour`.
const DIALS_PER_HOUR: u64 = 60;
const HOUR: Micros = 3_600 * SECOND;
const ROUND_TRIPS: Micros = 4;

#[derive(Debug)]
pub struct KeepWarm {
    timeouts: Timeouts,
    patience: Vec<Micros>,
    /// one of each timeout for each pair; those of number 0 belong to nobody
    budgets: Vec<Budget>,
    unused: Vec<u32>,
    changes: Changes,
    sums: Vec<Sum>,
}

/// What keeping warm came to under one timeout.
#[derive(Debug)]
pub struct Warmed {
    pub hits: u64,
    /// connections opened before a query needed them
    pub dials: u64,
    pub open_micros: u128,
    pub samples: Samples,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    hits: u64,
    dials: u64,
    open_micros: u128,
}

/// Dials of this hour, and of the one before it, which counts less the further this one has gone.
#[derive(Debug, Clone, Copy, Default)]
struct Budget {
    hour: u32,
    now: u16,
    before: u16,
}

impl KeepWarm {
    pub fn new(timeouts: Timeouts, round_trip: Micros, start: Micros, from: Micros) -> Self {
        let count = timeouts.count();
        KeepWarm {
            patience: (0..count).map(|index| patience(timeouts.micros(index), round_trip)).collect(),
            budgets: vec![Budget::default(); count],
            unused: Vec::new(),
            changes: Changes::new(count, start, from),
            sums: vec![Sum::default(); count],
            timeouts,
        }
    }

    /// A query came, and how long after the one before it, if that one's connection was still counted as open.
    pub fn query(&mut self, at: Micros, before: Option<(Micros, Micros)>, pair: &mut u32, window: Window) {
        let counts = u64::from(window.has(at));
        let found = before.map(|(last, gap)| self.silence(last, gap, pair, window));
        for index in 0..self.timeouts.count() {
            if found.is_some_and(|found| found & (1 << index) != 0) {
                self.sums[index].hits += counts;
            } else {
                self.changes.add(index, at, 1);
            }
        }
    }

    /// After a query nothing was sent for this long. Returns a bit for each timeout under which a connection was open then.
    pub fn silence(&mut self, last: Micros, gap: Micros, pair: &mut u32, window: Window) -> u32 {
        let mut found = 0;
        for index in 0..self.timeouts.count() {
            let patience = self.patience[index];
            let mut cover = patience;
            if gap > patience {
                let wanted = (gap.min(ACTIVE) - 1) / patience;
                let dials = self.take(pair, index, last, wanted);
                self.sums[index].dials += if window.has(last) { dials } else { 0 };
                cover = (dials + 1) * patience;
            }
            self.sums[index].open_micros += u128::from(window.part(last, gap.min(cover)));
            if gap <= cover {
                found |= 1 << index;
            } else {
                self.changes.add(index, last + cover, -1);
            }
        }
        found
    }

    /// The pair is forgotten.
    pub fn forget(&mut self, pair: u32) {
        if pair > 0 {
            self.unused.push(pair);
        }
    }

    pub fn settle(&mut self, upto: u64) {
        self.changes.settle(upto);
    }

    pub fn finish(mut self, upto: u64) -> Vec<Warmed> {
        self.changes.settle(upto);
        let each = self.sums.into_iter().zip(self.changes.samples);
        each.map(|(sum, samples)| Warmed {
            hits: sum.hits,
            dials: sum.dials,
            open_micros: sum.open_micros,
            samples,
        })
        .collect()
    }

    fn take(&mut self, pair: &mut u32, index: usize, at: Micros, wanted: u64) -> u64 {
        if wanted == 0 {
            return 0;
        }
        let count = self.timeouts.count();
        if *pair == 0 {
            *pair = self.unused.pop().unwrap_or_else(|| {
                self.budgets.resize(self.budgets.len() + count, Budget::default());
                (self.budgets.len() / count - 1) as u32
            });
            let start = *pair as usize * count;
            self.budgets[start..start + count].fill(Budget::default());
        }
        self.budgets[*pair as usize * count + index].take(at, wanted)
    }
}

impl Budget {
    /// How many of those wanted are left.
    fn take(&mut self, at: Micros, wanted: u64) -> u64 {
        let hour = (at / HOUR) as u32;
        if hour != self.hour {
            self.before = if hour == self.hour + 1 { self.now } else { 0 };
            (self.hour, self.now) = (hour, 0);
        }
        let earlier = u64::from(self.before) * (HOUR - at % HOUR) / HOUR;
        let granted = wanted.min(DIALS_PER_HOUR.saturating_sub(u64::from(self.now) + earlier));
        self.now += granted as u16;
        granted
    }
}

/// After how long a silence the client leaves a connection, opening the next one first if it may.
fn patience(timeout: Micros, round_trip: Micros) -> Micros {
    let margin = (timeout / 8).min(SECOND).max(round_trip * ROUND_TRIPS).min(timeout / 2);
    timeout - margin
}

/// Opened and closed connections by second, until they are summed up.
#[derive(Debug)]
struct Changes {
    base: u64,
    /// of one second for each timeout
    seconds: VecDeque<Box<[i32]>>,
    open: Vec<i64>,
    samples: Vec<Samples>,
}

impl Changes {
    fn new(count: usize, start: Micros, from: Micros) -> Self {
        Changes {
            base: start / SECOND,
            seconds: VecDeque::new(),
            open: vec![0; count],
            samples: Samples::of(count, from),
        }
    }

    fn add(&mut self, index: usize, at: Micros, change: i32) {
        let place = (at / SECOND).saturating_sub(self.base) as usize;
        if place >= self.seconds.len() {
            self.seconds.resize(place + 1, vec![0; self.open.len()].into());
        }
        self.seconds[place][index] += change;
    }

    fn settle(&mut self, upto: u64) {
        while self.base < upto {
            let changes = self.seconds.pop_front();
            let times = if changes.is_some() { 1 } else { upto - self.base };
            for (open, change) in self.open.iter_mut().zip(changes.iter().flatten()) {
                *open += i64::from(*change);
            }
            for (samples, &open) in self.samples.iter_mut().zip(&self.open) {
                samples.add(open, self.base, times);
            }
            self.base += times;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_the_engines() {
        for (limit, round_trip, expected) in [
            (10_000, 40, 9_000),
            (30_000, 40, 29_000),
            (2_000, 40, 1_750),
            (2_000, 200, 1_200),
            (1_000, 200, 500),
        ] {
            assert_eq!(patience(limit * 1_000, round_trip * 1_000), expected * 1_000, "{limit} ms");
        }
    }

    #[test]
    fn an_hour_has_so_many_dials() {
        let mut budget = Budget::default();
        assert_eq!((budget.take(HOUR, 40), budget.take(HOUR + 1, 40), budget.take(HOUR + 2, 1)), (40, 20, 0));
        assert_eq!(budget.take(2 * HOUR + HOUR / 2, 60), 30, "half of the hour before still counts");
        assert_eq!(budget.take(9 * HOUR, 70), 60);
    }

    #[test]
    fn a_client_stays_connected_for_three_minutes_after_its_last_query() {
        let from = 1_000 * SECOND;
        let window = Window { from, to: from + HOUR };
        let mut warm = KeepWarm::new("60".parse().unwrap(), 40_000, from, from);
        let mut pair = 0;
        warm.query(from, None, &mut pair, window);
        // patience 59 s: opened anew after 59, 118 and 177 s, and left after 236 s
        let mut at = from;
        for (gap, hits, dials) in [(59, 1, 0), (60, 2, 1), (236, 3, 4), (237, 3, 7)] {
            warm.query(at + gap * SECOND, Some((at, gap * SECOND)), &mut pair, window);
            at += gap * SECOND;
            assert_eq!((warm.sums[0].hits, warm.sums[0].dials), (hits, dials), "after {gap} s");
        }
        assert_eq!(warm.sums[0].open_micros, u128::from((59 + 60 + 236 + 236) * SECOND));
        warm.silence(at, Micros::MAX, &mut pair, window);
        let warmed = warm.finish((from + HOUR) / SECOND);
        assert_eq!(warmed[0].samples.most(), 1);
        assert_eq!(warmed[0].samples.quartiles().unwrap().upper, 0.0, "it was closed for most of the hour");
    }
}
