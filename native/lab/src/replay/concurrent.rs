//! How many connections are open at the end of each second, under each timeout, in one pass.
//!
//! A query after a gap of class `c` opens a connection under every timeout `j < c`; the query before it was that connection's
//! predecessor's last, which closed `j`'s timeout later. So one count at each of the two seconds serves all timeouts: at second
//! `u`, `opened[u]` opens and `ended[u - timeout]` closes. Timeouts are whole seconds, which makes the counts exact at the full second.

use std::collections::VecDeque;

use crate::replay::query::{Micros, SECOND};
use crate::replay::samples::Samples;
use crate::replay::timeouts::Timeouts;

#[derive(Debug)]
pub struct Concurrent {
    timeouts: Timeouts,
    /// of `seconds[0]`
    base: u64,
    seconds: VecDeque<Row>,
    /// the next one to be summed up
    next: u64,
    open: Vec<i64>,
    samples: Vec<Samples>,
}

/// What happened in one second, by class of gap.
#[derive(Debug, Clone)]
struct Row {
    opened: Box<[u32]>,
    ended: Box<[u32]>,
}

impl Concurrent {
    /// Connections opened before `from` count, but seconds before it are not looked at.
    pub fn new(timeouts: Timeouts, start: Micros, from: Micros) -> Self {
        let (count, base) = (timeouts.count(), start / SECOND);
        Concurrent {
            base,
            seconds: VecDeque::new(),
            next: base,
            open: vec![0; count],
            samples: Samples::of(count, from),
            timeouts,
        }
    }

    /// A query came after a gap of this class.
    pub fn opened(&mut self, at: Micros, class: usize) {
        self.row(at).opened[class] += 1;
    }

    /// What followed the query at this moment came after a gap of this class, or never.
    pub fn ended(&mut self, at: Micros, class: usize) {
        self.row(at).ended[class] += 1;
    }

    /// Everything before this second has been said.
    pub fn settle(&mut self, upto: u64) {
        let longest = self.timeouts.longest() / SECOND;
        while self.next < upto {
            if self.next > self.base + self.seconds.len() as u64 + longest {
                // all connections have closed since the last query
                self.sample(upto - self.next);
                self.next = upto;
                self.seconds.clear();
                self.base = upto;
                return;
            }
            self.sum_up();
            self.sample(1);
            self.next += 1;
            if self.base + longest < self.next && self.seconds.pop_front().is_some() {
                self.base += 1;
            }
        }
    }

    pub fn samples(&self) -> &[Samples] {
        &self.samples
    }

    pub fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    fn sum_up(&mut self) {
        for index in 0..self.timeouts.count() {
            let ended = self.next.checked_sub(self.timeouts.micros(index) / SECOND);
            let sum = |second: u64, of: fn(&Row) -> &[u32]| -> i64 {
                let place = second.checked_sub(self.base).and_then(|place| self.seconds.get(place as usize));
                place.map_or(0, |row| of(row)[index + 1..].iter().map(|&count| i64::from(count)).sum())
            };
            let closed = ended.map_or(0, |second| sum(second, |row| &row.ended));
            self.open[index] += sum(self.next, |row| &row.opened) - closed;
        }
    }

    fn sample(&mut self, times: u64) {
        for (samples, &open) in self.samples.iter_mut().zip(&self.open) {
            samples.add(open, self.next, times);
        }
    }

    fn row(&mut self, at: Micros) -> &mut Row {
        let place = (at / SECOND).saturating_sub(self.base) as usize;
        if place >= self.seconds.len() {
            let classes = self.timeouts.count() + 1;
            let empty = Row { opened: vec![0; classes].into(), ended: vec![0; classes].into() };
            self.seconds.resize(place + 1, empty);
        }
        &mut self.seconds[place]
    }
}
