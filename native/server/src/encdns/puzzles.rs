//! The puzzles of this server. A seed holds for a minute or two. It is not kept, but the solutions that were accepted are, so that none counts
//! twice; they are no more than may be accepted in that time.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use sotto_encdns::name::{BoxedQuery, Format};
use sotto_encdns::puzzle::Puzzle;
use sotto_encdns::{HalfNonce, PublicKey};
use tokio::time::Instant;

use crate::allowances::Allowances;
use crate::cookies::NoRandomness;

/// About 65,000 hashes of the client for one of the server.
const BITS: u8 = 16;
const MINUTE: Duration = Duration::from_secs(60);

pub struct Puzzles {
    secret: Key,
    start: Instant,
    /// solutions in a second from one first hop: again as many as it may bring without
    solutions: Allowances<IpAddr>,
    /// of even minutes, and of odd ones
    accepted: Mutex<[Accepted; 2]>,
}

#[derive(Default)]
struct Accepted {
    minute: u64,
    solutions: HashSet<(PublicKey, HalfNonce)>,
}

impl Puzzles {
    pub fn new(per_resolver: u32) -> Result<Self, NoRandomness> {
        let mut secret = [0; 32];
        aws_lc_rs::rand::fill(&mut secret).map_err(|_| NoRandomness)?;
        Ok(Self {
            secret: Key::new(HMAC_SHA256, &secret),
            start: Instant::now(),
            solutions: Allowances::per_second(per_resolver),
            accepted: Mutex::default(),
        })
    }

    pub fn present(&self) -> Puzzle {
        self.of(self.minute())
    }

    /// True once for each solution.
    pub fn is_solved(&self, query: &BoxedQuery, first_hop: &IpAddr) -> bool {
        let now = self.minute();
        let solves = |minute: &u64| self.of(*minute).is_solved_by(&query.client, &query.nonce);
        let minute = [now, now.wrapping_sub(1)].into_iter().find(solves);
        let Some(minute) = minute.filter(|_| query.format == Format::Extended) else { return false };
        let mut accepted = self.accepted.lock().expect("nothing panics while holding solutions");
        let Accepted { minute: of, solutions } = &mut accepted[(minute % 2) as usize];
        if *of != minute {
            (*of, *solutions) = (minute, HashSet::new());
        }
        let solution = (query.client, query.nonce);
        !solutions.contains(&solution) && self.solutions.take(first_hop) && solutions.insert(solution)
    }

    fn minute(&self) -> u64 {
        self.start.elapsed().as_secs() / MINUTE.as_secs()
    }

    fn of(&self, minute: u64) -> Puzzle {
        let tag = sign(&self.secret, &minute.to_be_bytes());
        Puzzle { seed: tag.as_ref()[..12].try_into().expect("a tag is longer"), bits: BITS }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use sotto_encdns::puzzle::Effort;

    use super::*;

    const FIRST_HOP: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn solved(puzzle: Puzzle, count: u64) -> BoxedQuery {
        let client = PublicKey([1; 32]);
        let nonce = puzzle.solve(&client, count, &Effort::default()).unwrap();
        BoxedQuery { format: Format::Extended, client, nonce, boxed: vec![] }
    }

    #[tokio::test(start_paused = true)]
    async fn a_solution_holds_for_a_minute_and_for_no_more_than_two() {
        let puzzles = Puzzles::new(0).unwrap();
        let early = puzzles.present();
        for (count, is_good) in [(1, true), (2, true), (3, false)] {
            assert_eq!(puzzles.is_solved(&solved(early, count), &FIRST_HOP), is_good);
            advance(MINUTE).await;
        }
        let other = Puzzles::new(0).unwrap();
        assert!(!other.is_solved(&solved(puzzles.present(), 1), &FIRST_HOP), "of another server");
    }

    #[tokio::test(start_paused = true)]
    async fn a_solution_counts_once_whatever_the_box_and_the_minute() {
        let puzzles = Puzzles::new(0).unwrap();
        let query = solved(puzzles.present(), 1);
        assert!(puzzles.is_solved(&query, &FIRST_HOP));
        for _ in 0..3 {
            let again = BoxedQuery { boxed: vec![7; 20], ..query.clone() };
            assert!(!puzzles.is_solved(&again, &FIRST_HOP));
            advance(MINUTE).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn work_does_not_open_the_door_for_everybody() {
        let puzzles = Puzzles::new(1).unwrap();
        let is_solved = |count: &u64| puzzles.is_solved(&solved(puzzles.present(), *count), &FIRST_HOP);
        assert_eq!((0..20).filter(is_solved).count(), 5, "those of five seconds");
        let published = BoxedQuery { format: Format::Published, ..solved(puzzles.present(), 30) };
        assert!(!puzzles.is_solved(&published, &"192.0.2.1".parse().unwrap()));
    }
}
