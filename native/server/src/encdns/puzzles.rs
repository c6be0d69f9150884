//! The puzzles of this server. A seed holds for a minute or two, and the server remembers nothing of it but a secret.

use std::net::IpAddr;
use std::time::Duration;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use sotto_encdns::SecretKey;
use sotto_encdns::name::{BoxedQuery, Format};
use sotto_encdns::puzzle::Puzzle;
use tokio::time::Instant;

use super::allowances::Allowances;

/// About 65,000 hashes of the client for one of the server.
const BITS: u8 = 16;
const MINUTE: Duration = Duration::from_secs(60);

pub struct Puzzles {
    secret: Key,
    start: Instant,
    /// tells the seeds of one run from those of another
    run: u64,
    /// solutions in a second from one first hop: again as many as it may bring without
    solutions: Allowances<IpAddr>,
}

impl Puzzles {
    /// `run`: another one at each start.
    pub fn new(secret: &SecretKey, run: u64, per_resolver: u32) -> Self {
        Self {
            secret: Key::new(HMAC_SHA256, &secret.to_octets()),
            start: Instant::now(),
            run,
            solutions: Allowances::per_second(per_resolver),
        }
    }

    pub fn present(&self) -> Puzzle {
        self.of(self.minute())
    }

    pub fn is_solved(&self, query: &BoxedQuery, first_hop: &IpAddr) -> bool {
        let solves = |minute| self.of(minute).is_solved_by(&query.client, &query.nonce);
        let now = self.minute();
        query.format == Format::Extended
            && (solves(now) || solves(now.wrapping_sub(1)))
            && self.solutions.take(first_hop)
    }

    fn minute(&self) -> u64 {
        self.start.elapsed().as_secs() / MINUTE.as_secs()
    }

    fn of(&self, minute: u64) -> Puzzle {
        let tag =
            sign(&self.secret, &[&b"puzzle"[..], &self.run.to_be_bytes(), &minute.to_be_bytes()].concat());
        Puzzle { seed: tag.as_ref()[..12].try_into().expect("a tag is longer"), bits: BITS }
    }
}

#[cfg(test)]
mod tests {
    use sotto_encdns::PublicKey;
    use tokio::time::advance;

    use super::*;

    const FIRST_HOP: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn puzzles(run: u64, per_resolver: u32) -> Puzzles {
        Puzzles::new(&SecretKey::from_octets([7; 32]), run, per_resolver)
    }

    fn solved(puzzle: Puzzle, count: u64) -> BoxedQuery {
        let client = PublicKey([1; 32]);
        let nonce = puzzle.solve(&client, count).unwrap();
        BoxedQuery { format: Format::Extended, client, nonce, boxed: vec![] }
    }

    #[tokio::test(start_paused = true)]
    async fn a_solution_holds_for_a_minute_and_for_no_more_than_two() {
        let puzzles = self::puzzles(1, 0);
        let query = solved(puzzles.present(), 1);
        for is_good in [true, true, false] {
            assert_eq!(puzzles.is_solved(&query, &FIRST_HOP), is_good);
            advance(MINUTE).await;
        }
        assert!(!self::puzzles(2, 0).is_solved(&solved(puzzles.present(), 1), &FIRST_HOP), "of another run");
    }

    #[tokio::test(start_paused = true)]
    async fn work_does_not_open_the_door_for_everybody() {
        let puzzles = self::puzzles(1, 1);
        let accepted =
            (0..20).filter(|count| puzzles.is_solved(&solved(puzzles.present(), *count), &FIRST_HOP));
        assert_eq!(accepted.count(), 5, "those of five seconds");
        let published = BoxedQuery { format: Format::Published, ..solved(puzzles.present(), 1) };
        assert!(!puzzles.is_solved(&published, &"192.0.2.1".parse().unwrap()));
    }
}
