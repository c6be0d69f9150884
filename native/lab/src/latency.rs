//! Latencies, recorded in microseconds and reported in milliseconds.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Longer ones count as this long.
const LONGEST: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone)]
pub struct Latencies(Histogram<u64>);

/// Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Percentiles {
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

impl Default for Latencies {
    fn default() -> Self {
        let bounds = Histogram::new_with_bounds(1, LONGEST.as_micros() as u64, 3);
        Latencies(bounds.expect("these bounds and three digits make a histogram"))
    }
}

impl Latencies {
    pub fn record(&mut self, latency: Duration) {
        self.0.saturating_record(latency.as_micros() as u64);
    }

    pub fn add(&mut self, other: &Latencies) {
        self.0.add(&other.0).expect("all histograms have the same bounds");
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// `None` where nothing was recorded.
    pub fn percentiles(&self) -> Option<Percentiles> {
        let at = |quantile| self.0.value_at_quantile(quantile) as f64 / 1000.0;
        (!self.0.is_empty()).then(|| Percentiles {
            mean: (self.0.mean().round()) / 1000.0,
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            max: self.0.max() as f64 / 1000.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_in_milliseconds() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentiles(), None);
        (1..=1000).for_each(|number| latencies.record(Duration::from_micros(number * 1000)));
        latencies.record(Duration::from_secs(10_000));
        let told = latencies.percentiles().unwrap();
        assert!((told.p50 - 501.0).abs() < 2.0 && (told.p99 - 991.0).abs() < 3.0, "{told:?}");
        assert!(told.max > 3_590_000.0);
    }
}
