//! The client puzzle (section 4.3 of the paper): a server that is asked too much by one resolver answers clients that did some work.
//!
//! The work is to find the last four octets of a nonce, so that the solution takes no room in the name. It counts for one query of one
//! client. In a reply, a puzzle stands in place of the server's nonce and of the box, and has no seal.

use aws_lc_rs::digest::{SHA256, digest};

use crate::reply::BoxedReply;
use crate::{HalfNonce, PublicKey};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Puzzle {
    pub seed: HalfNonce,
    /// The hash of a solution begins with so many bits of zero: half of 2^bits hashes are tried, or more.
    pub bits: u8,
}

/// More than a tenth of a second: whoever carries a box could wear the client out.
pub const MOST_BITS: u8 = 20;

impl Puzzle {
    pub fn is_solved_by(&self, client: &PublicKey, nonce: &HalfNonce) -> bool {
        let octets = [&self.seed[..], &client.0, nonce].concat();
        let hash = digest(&SHA256, &octets);
        let start = hash.as_ref()[..8].try_into().expect("a hash is longer");
        u64::from_be_bytes(start).leading_zeros() >= u32::from(self.bits)
    }

    /// The nonce with this count that solves it. `None`: nobody should do so much work, or there is none.
    pub fn solve(&self, client: &PublicKey, count: u64) -> Option<HalfNonce> {
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&count.to_be_bytes());
        (self.bits <= MOST_BITS).then_some(())?;
        (0..=u32::MAX).find_map(|tail| {
            nonce[8..].copy_from_slice(&tail.to_be_bytes());
            self.is_solved_by(client, &nonce).then_some(nonce)
        })
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
        let nonce = puzzle.solve(&one, 7).unwrap();
        assert_eq!(nonce[..8], 7_u64.to_be_bytes());
        assert!(puzzle.is_solved_by(&one, &nonce));
        assert!(!puzzle.is_solved_by(&other, &nonce));
        assert!(!Puzzle { seed: [4; 12], ..puzzle }.is_solved_by(&one, &nonce));
        assert_eq!(Puzzle::of(&puzzle.reply(nonce)), Some(puzzle));
    }

    #[test]
    fn nobody_is_worn_out() {
        assert_eq!(Puzzle { seed: [1; 12], bits: MOST_BITS + 1 }.solve(&PublicKey([2; 32]), 0), None);
    }
}
