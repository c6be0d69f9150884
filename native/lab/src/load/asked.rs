//! The queries on one lane that have no response yet, by id.

use std::time::{Duration, Instant};

/// A lane uses this many ids in turn. A query whose id comes round without a response is lost: it is older than the timeout by
/// then.
const IDS: usize = 1 << 16;

#[derive(Debug)]
pub struct Asked {
    slots: Vec<Slot>,
    next: u16,
}

#[derive(Debug, Clone, Copy)]
enum Slot {
    Free,
    Waiting { number: u32, intended: Instant },
    Answered { number: u32 },
}

#[derive(Debug, PartialEq, Eq)]
pub enum Match {
    /// since the moment at which the query was to be sent
    Answer(Duration),
    /// there was a response before
    Duplicate,
    /// there was no such query
    Stray,
}

impl Asked {
    pub fn new() -> Self {
        // a first id that differs from run to run, so that late answers to an earlier run match nothing
        Asked { slots: vec![Slot::Free; IDS], next: rand::random() }
    }

    /// An id for the query `number`.
    pub fn ask(&mut self, number: u32, intended: Instant) -> u16 {
        let id = self.next;
        self.next = id.wrapping_add(1);
        self.slots[usize::from(id)] = Slot::Waiting { number, intended };
        id
    }

    /// `is_same` says whether the response repeats the question of that number.
    pub fn answer(&mut self, id: u16, at: Instant, is_same: impl Fn(u32) -> bool) -> Match {
        let slot = &mut self.slots[usize::from(id)];
        match *slot {
            Slot::Waiting { number, intended } if is_same(number) => {
                *slot = Slot::Answered { number };
                Match::Answer(at.saturating_duration_since(intended))
            }
            Slot::Answered { number } if is_same(number) => Match::Duplicate,
            _ => Match::Stray,
        }
    }

    /// How many queries one lane may send a second, so that no id comes round before `timeout` has passed twice.
    pub fn most_a_second(timeout: Duration) -> f64 {
        IDS as f64 / (2.0 * timeout.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_has_one_answer() {
        let mut asked = Asked::new();
        let start = Instant::now();
        let id = asked.ask(5, start);
        let later = start + Duration::from_millis(20);
        assert_eq!(asked.answer(id, later, |number| number == 6), Match::Stray);
        assert_eq!(asked.answer(id.wrapping_add(1), later, |_| true), Match::Stray);
        assert_eq!(asked.answer(id, later, |number| number == 5), Match::Answer(Duration::from_millis(20)));
        assert_eq!(asked.answer(id, later, |number| number == 5), Match::Duplicate);
    }

    #[test]
    fn an_id_that_comes_round_belongs_to_the_newer_question() {
        let mut asked = Asked::new();
        let now = Instant::now();
        let first = asked.ask(0, now);
        let others: Vec<_> = (1..IDS as u32).map(|number| asked.ask(number, now)).collect();
        assert!(!others.contains(&first));
        assert_eq!(asked.ask(9, now), first);
        assert_eq!(asked.answer(first, now, |number| number == 0), Match::Stray);
        assert_eq!(asked.answer(first, now, |number| number == 9), Match::Answer(Duration::ZERO));
    }

    #[test]
    fn a_long_timeout_allows_few_questions_on_a_lane() {
        assert_eq!(Asked::most_a_second(Duration::from_secs(5)).round(), 6554.0);
    }
}
