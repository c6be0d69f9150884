//! Hits by client, by server or by prefix: how many queries of each came after a gap of each class.

use std::collections::HashMap;
use std::hash::Hash;

use rustc_hash::FxBuildHasher;
use serde::Serialize;

/// Where half of the values lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Quartiles {
    pub lower: f64,
    pub median: f64,
    pub upper: f64,
}

impl Quartiles {
    /// `None`: there is no value.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        values.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (values.len() - 1) as f64;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Some(Quartiles { lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }
}

#[derive(Debug)]
pub struct View<K> {
    width: usize,
    numbers: HashMap<K, u32, FxBuildHasher>,
    /// `width` for each key
    counts: Vec<u32>,
}

impl<K: Hash + Eq> View<K> {
    pub fn new(classes: usize) -> Self {
        View { width: classes, numbers: HashMap::default(), counts: Vec::new() }
    }

    /// The key's number, for [`View::count`].
    pub fn number(&mut self, key: K) -> u32 {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.counts.resize(self.counts.len() + self.width, 0);
        }
        number
    }

    pub fn count(&mut self, number: u32, class: usize) {
        let count = &mut self.counts[number as usize * self.width + class];
        *count = count.saturating_add(1);
    }

    /// Keys that had a query which counts.
    pub fn active(&self) -> usize {
        self.counts.chunks_exact(self.width).filter(|counts| queries(counts) > 0).count()
    }

    /// Of the hit fractions under timeout `index`, each key counted once, however many queries it had.
    pub fn quartiles(&self, index: usize) -> Option<Quartiles> {
        let each = self.counts.chunks_exact(self.width).filter_map(|counts| fraction(counts, index));
        Quartiles::of(each.collect())
    }

    /// The queries of one key, and their hit fraction under timeout `index`.
    pub fn of(&self, key: &K, index: usize) -> Option<(u64, f64)> {
        let start = *self.numbers.get(key)? as usize * self.width;
        let counts = &self.counts[start..start + self.width];
        Some((queries(counts), fraction(counts, index)?))
    }
}

fn queries(counts: &[u32]) -> u64 {
    counts.iter().map(|&count| u64::from(count)).sum()
}

fn fraction(counts: &[u32], index: usize) -> Option<f64> {
    let all = queries(counts);
    (all > 0).then(|| queries(&counts[..=index]) as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_counts_once_in_the_quartiles() {
        let mut view = View::new(3);
        // under the first timeout: 1/4, 1/1 and 0/1
        for (key, classes) in [("a", &[0, 1, 2, 2][..]), ("b", &[0]), ("c", &[2])] {
            for &class in classes {
                let number = view.number(key);
                view.count(number, class);
            }
        }
        view.number("never in the window");
        assert_eq!(view.active(), 3);
        assert_eq!(view.quartiles(0), Some(Quartiles { lower: 0.125, median: 0.25, upper: 0.625 }));
        assert_eq!(view.of(&"a", 1), Some((4, 0.5)));
        assert_eq!(view.of(&"never in the window", 1), None);
        assert_eq!(Quartiles::of(Vec::new()), None);
    }
}
