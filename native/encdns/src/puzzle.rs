//! The client puzzle (section 4.3 of the paper): a server that is asked too much by one resolver answers clients that did some work.
//!
//! The work is to find the last four octets of a nonce, so that the solution takes no room in the name. It counts for one query of one
//! client. In a reply, a puzzle stands in place of the server's nonce and of the box, and has no seal.

use std::sync::atomic::{AtomicU32, Ordering};

use aws_lc_rs::digest::{SHA256, digest};

use crate::reply::BoxedReply;
use crate::{HalfNonce, PublicKey};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Puzzle {
    pub seed: HalfNonce,
    /// The hash of a solution begins with so many bits of zero: on average 2^bits hashes are tried.
    pub bits: u8,
}

/// A sixth of a second on average. Whoever carries a box can ask for work, and is not to wear the client out.
pub const MOST_BITS: u8 = 20;
/// For all puzzles of a query: less than a second.
const MOST_HASHES: u32 = 1 << 22;
/// So many are tried before anybody can stop them.
const AT_ONCE: u32 = 1 << 10;

/// How many hashes may still be tried.
#[derive(Debug)]
pub struct Effort(AtomicU32);

impl Default for Effort {
    /// That for one query.
    fn default() -> Self {
        Self(AtomicU32::new(MOST_HASHES))
    }
}

impl Effort {
    /// Nobody waits for a solution any more.
    pub fn end(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn take(&self) -> bool {
        let less = |left: u32| left.checked_sub(AT_ONCE);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

impl Puzzle {
    pub fn is_solved_by(&self, client: &PublicKey, nonce: &HalfNonce) -> bool {
        let octets = [&self.seed[..], &client.0, nonce].concat();
        let hash = digest(&SHA256, &octets);
        let start = hash.as_ref()[..8].try_into().expect("a hash is longer");
        u64::from_be_bytes(start).leading_zeros() >= u32::from(self.bits)
    }

    /// The nonce with this count that solves it. `None`: nobody should do so much work.
    pub fn solve(&self, client: &PublicKey, count: u64, effort: &Effort) -> Option<HalfNonce> {
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&count.to_be_bytes());
        let mut tails = (self.bits <= MOST_BITS).then_some(0..=u32::MAX)?;
        while effort.take() {
            let solution = tails.by_ref().take(AT_ONCE as usize).find_map(|tail| {
                nonce[8..].copy_from_slice(&tail.to_be_bytes());
                self.is_solved_by(client, &nonce).then_some(nonce)
            });
            if solution.is_some() {
                return solution;
            }
        }
        None
    }

    /// `client`: the nonce of the query.
    pub fn reply(&self, client: HalfNonce) -> BoxedReply {
        BoxedReply { client, server: self.seed, boxed: vec![self.bits] }
    }

    /// `None`: it is a box.
    pub fn of(reply: &BoxedReply) -> Option<Self> {
        match reply.boxed[..] {
            [bits] => Some(Self { seed: reply.server, bits }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_counts_for_one_query_of_one_client() {
        let puzzle = Puzzle { seed: [1; 12], bits: 12 };
        let (one, other) = (PublicKey([2; 32]), PublicKey([3; 32]));
        let nonce = puzzle.solve(&one, 7, &Effort::default()).unwrap();
        assert_eq!(nonce[..8], 7_u64.to_be_bytes());
        assert!(puzzle.is_solved_by(&one, &nonce));
        assert!(!puzzle.is_solved_by(&other, &nonce));
        assert!(!Puzzle { seed: [4; 12], ..puzzle }.is_solved_by(&one, &nonce));
        assert_eq!(Puzzle::of(&puzzle.reply(nonce)), Some(puzzle));
    }

    #[test]
    fn nobody_is_worn_out() {
        let (client, effort) = (PublicKey([2; 32]), Effort::default());
        let puzzle = |bits| Puzzle { seed: [1; 12], bits };
        assert_eq!(puzzle(MOST_BITS + 1).solve(&client, 0, &effort), None);
        let solved = (0..MOST_HASHES)
            .take_while(|count| puzzle(10).solve(&client, (*count).into(), &effort).is_some());
        assert!(solved.count() <= (MOST_HASHES / AT_ONCE) as usize, "the effort of a query has an end");
        let ended = Effort::default();
        ended.end();
        assert_eq!(puzzle(1).solve(&client, 0, &ended), None);
    }
}
