//! The idle timeouts that are compared. A gap between two queries is sorted once, into the class of the timeouts that it outlasts.

use std::str::FromStr;

use crate::replay::query::{Micros, SECOND};

pub const LONGEST_SECONDS: u32 = 3_600;
pub const MOST: usize = 32;

/// Seconds, ascending. The class of a gap is the number of timeouts shorter than it: under timeout `j`, a query that comes
/// after a gap of class `c` meets an open connection if `c <= j`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts(Vec<u32>);

impl Timeouts {
    pub fn new(mut seconds: Vec<u32>) -> Result<Self, String> {
        seconds.sort_unstable();
        seconds.dedup();
        if seconds.is_empty() || seconds.len() > MOST {
            return Err(format!(
                "between 1 and {MOST} different timeouts can be compared, such as 10,60,120"
            ));
        }
        if seconds[0] == 0 || seconds[seconds.len() - 1] > LONGEST_SECONDS {
            return Err(format!("a timeout is a whole number of seconds from 1 to {LONGEST_SECONDS}"));
        }
        Ok(Timeouts(seconds))
    }

    pub fn seconds(&self) -> &[u32] {
        &self.0
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn micros(&self, index: usize) -> Micros {
        Micros::from(self.0[index]) * SECOND
    }

    pub fn longest(&self) -> Micros {
        self.micros(self.0.len() - 1)
    }

    /// A gap as long as a timeout still meets the connection.
    pub fn class(&self, gap: Micros) -> usize {
        let whole = gap.div_ceil(SECOND);
        self.0.partition_point(|&seconds| Micros::from(seconds) < whole)
    }

    /// The class of a gap that no timeout outlasts, and of a client's first query.
    pub fn last_class(&self) -> usize {
        self.0.len()
    }

    /// Its index; if it is none of these, the one or two next to it.
    pub fn find(&self, seconds: u32) -> Result<usize, &[u32]> {
        let found = self.0.binary_search(&seconds);
        found.map_err(|place| &self.0[place.saturating_sub(1)..self.0.len().min(place + 1)])
    }

    pub fn nearest(&self, seconds: u32) -> usize {
        let distance = |index: &usize| self.0[*index].abs_diff(seconds);
        (0..self.0.len()).min_by_key(distance).unwrap_or(0)
    }
}

impl FromStr for Timeouts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.split(',').map(|part| {
            part.trim().parse().map_err(|_| format!("{part:?} is not a number of seconds: write 10,60,120"))
        });
        Timeouts::new(seconds.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_sorted_by_the_timeouts_it_outlasts() {
        let timeouts: Timeouts = "60,10,120,10".parse().unwrap();
        assert_eq!(timeouts.seconds(), [10, 60, 120]);
        let second = SECOND;
        for (gap, class) in [
            (0, 0),
            (10 * second, 0),
            (10 * second + 1, 1),
            (60 * second, 1),
            (120 * second, 2),
            (u64::MAX, 3),
        ] {
            assert_eq!(timeouts.class(gap), class, "{gap}");
        }
        assert_eq!((timeouts.nearest(50), timeouts.nearest(4_000)), (1, 2));
    }

    #[test]
    fn a_timeout_that_is_not_compared_has_neighbours() {
        let timeouts: Timeouts = "10,60,120".parse().unwrap();
        for (seconds, found) in [
            (10, Ok(0)),
            (120, Ok(2)),
            (1, Err(&[10][..])),
            (11, Err(&[10, 60])),
            (61, Err(&[60, 120])),
            (3_600, Err(&[120])),
        ] {
            assert_eq!(timeouts.find(seconds), found, "{seconds}");
        }
    }

    #[test]
    fn wrong_timeouts_are_refused_with_the_remedy() {
        for (text, remedy) in
            [("", "10,60,120"), ("0", "from 1"), ("3601", "3600"), ("1.5", "1.5"), ("-1", "-1")]
        {
            let error = text.parse::<Timeouts>().unwrap_err();
            assert!(error.contains(remedy), "{text:?}: {error}");
        }
        let many: Vec<u32> = (1..=33).collect();
        assert!(Timeouts::new(many).unwrap_err().contains("32"));
    }
}
