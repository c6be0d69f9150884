//! Nonces that never come twice for a key: they count, and mostly end in random octets (as DNSCurve does). A key that outlives the process
//! counts from where the clock stood at its start, a new one from zero.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::HalfNonce;

pub struct Nonces(AtomicU64);

/// What follows the count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    Random,
    /// octets that some resolvers change: one ends names at 00, another splits labels at a dot, and several change letters
    Revealing,
}

const REVEALING: [u8; 4] = [0x00, b'.', b'Q', b'q'];

impl Nonces {
    /// From where the clock stands.
    pub fn new() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(since.as_nanos() as u64)
    }

    pub fn starting_at(count: u64) -> Self {
        Self(AtomicU64::new(count))
    }

    pub fn next(&self, tail: Tail) -> Result<HalfNonce, getrandom::Error> {
        nonce(self.run_of(1), tail)
    }

    /// The first of so many counts that follow each other and are nobody else's.
    pub fn run_of(&self, counts: usize) -> u64 {
        self.0.fetch_add(counts as u64, Ordering::Relaxed)
    }
}

pub fn nonce(count: u64, tail: Tail) -> Result<HalfNonce, getrandom::Error> {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&count.to_be_bytes());
    match tail {
        Tail::Random => getrandom::fill(&mut nonce[8..])?,
        Tail::Revealing => nonce[8..].copy_from_slice(&REVEALING),
    }
    Ok(nonce)
}

pub fn count_of(nonce: &HalfNonce) -> u64 {
    u64::from_be_bytes(nonce[..8].try_into().expect("a nonce is longer"))
}

impl Default for Nonces {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_grow_and_never_repeat() {
        let nonces = Nonces::new();
        let drawn: Vec<_> = (0..1000)
            .map(|at| {
                nonces.run_of(at % 3);
                nonces.next(Tail::Random).unwrap()
            })
            .collect();
        assert!(drawn.windows(2).all(|pair| count_of(&pair[0]) < count_of(&pair[1])));
    }
}
