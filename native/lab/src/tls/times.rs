//! When something is due.

use std::time::Duration;

use tokio::time::Instant;

/// Moments at equal distances, of which each is computed from the first.
#[derive(Clone, Copy)]
pub struct Times {
    pub first: Instant,
    pub every: Duration,
    pub until: Instant,
}

impl Times {
    pub fn count(&self) -> usize {
        (self.until - self.first).as_nanos().div_ceil(self.every.as_nanos()) as usize
    }

    pub fn at(&self, index: usize) -> Instant {
        self.first + self.every.mul_f64(index as f64)
    }

    /// Those of every `step`-th, beginning with `begin`.
    pub fn each(&self, begin: usize, step: usize) -> Times {
        Times { first: self.at(begin), every: self.every.mul_f64(step as f64), ..*self }
    }

    /// The last that is over and whose index ends in these 16 bits.
    pub fn latest(&self, id: u16, now: Instant) -> Option<usize> {
        let over = (now - self.first).as_nanos() / self.every.as_nanos();
        (over as usize).checked_sub(usize::from((over as u16).wrapping_sub(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ten_in_a_second() -> Times {
        let first = Instant::now();
        Times { first, every: SECOND / 10, until: first + SECOND }
    }

    #[test]
    fn times_are_taken_in_turn() {
        let times = ten_in_a_second();
        assert_eq!(times.count(), 10);
        let parts = [0, 1, 2].map(|begin| times.each(begin, 3));
        assert_eq!(parts.map(|part| part.count()), [4, 3, 3]);
        assert_eq!(parts[2].at(1), times.at(5));
    }

    #[test]
    fn an_id_stands_for_the_latest_query_that_had_it() {
        let times = Times { every: Duration::from_millis(1), ..ten_in_a_second() };
        let at = |index| times.first + Duration::from_millis(index);
        assert_eq!(times.latest(0, times.first), Some(0));
        assert_eq!(times.latest(7, at(9)), Some(7));
        assert_eq!(times.latest(65_535, at(65_540)), Some(65_535));
        assert_eq!(times.latest(4, at(65_540)), Some(65_540));
        assert_eq!(times.latest(9, at(8)), None, "nobody has asked with it yet");
    }
}
