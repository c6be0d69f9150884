//! How many connections were open at the end of each second: their distribution, which does not grow with the trace.

use hdrhistogram::Histogram;

use crate::replay::query::{Micros, SECOND};
use crate::replay::view::Quartiles;

/// Three significant digits; up to 2,047 connections each number has a bucket of its own.
const DIGITS: u8 = 3;

#[derive(Debug)]
pub struct Samples {
    /// earlier seconds are not looked at
    from: u64,
    histogram: Histogram<u64>,
    most: u64,
}

impl Samples {
    pub fn of(count: usize, from: Micros) -> Vec<Self> {
        let new = || Samples {
            from: from.div_ceil(SECOND),
            histogram: Histogram::new(DIGITS).unwrap_or_else(|_| unreachable!("three digits are allowed")),
            most: 0,
        };
        (0..count).map(|_| new()).collect()
    }

    /// As many connections were open at the end of each of these seconds.
    pub fn add(&mut self, open: i64, second: u64, times: u64) {
        let times = times.min((second + times).saturating_sub(self.from));
        if times > 0 {
            let open = open.max(0) as u64;
            self.most = self.most.max(open);
            // it grows as it needs to, so nothing is refused
            let _ = self.histogram.record_n(open, times);
        }
    }

    pub fn most(&self) -> u64 {
        self.most
    }

    /// `None`: no second was looked at.
    pub fn quartiles(&self) -> Option<Quartiles> {
        let at = |share: f64| self.histogram.value_at_quantile(share) as f64;
        (!self.histogram.is_empty()).then(|| Quartiles { lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }
}
