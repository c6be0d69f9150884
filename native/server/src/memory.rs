//! The memory of all connections together for what is not through: handshakes, octets that are no whole query yet, queries without a
//! response, responses that the client has not taken. Where they hold more than is allowed, the connection that holds most goes, of
//! the network whose connections hold most together, and so on until an eighth is free again.

use std::collections::{BinaryHeap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What one connection holds counts in steps of so many octets, so that a few short messages do not count at all.
const STEP: usize = 4096;

#[derive(Debug)]
pub struct Memory {
    /// Octets.
    most: AtomicUsize,
    held: AtomicUsize,
}

/// What one connection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holder {
    pub octets: usize,
    pub number: u64,
}

impl Memory {
    pub fn new(most: usize) -> Self {
        Self { most: most.into(), held: 0.into() }
    }

    pub fn limit(&self, most: usize) {
        self.most.store(most, Relaxed);
    }

    pub fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// A connection holds another number of octets than before. Returns whether it is more, and too much.
    pub fn changes(&self, connection: &AtomicUsize, octets: usize) -> bool {
        let octets = octets - octets % STEP;
        if connection.load(Relaxed) == octets {
            return false;
        }
        let before = connection.swap(octets, Relaxed);
        if octets < before {
            self.held.fetch_sub(before - octets, Relaxed);
            return false;
        }
        self.held.fetch_add(octets - before, Relaxed) + octets - before > self.most.load(Relaxed)
    }

    /// What has to be given back where it is too much.
    pub fn excess(&self) -> usize {
        let (held, most) = (self.held(), self.most.load(Relaxed));
        if held > most { held - (most - most / 8) } else { 0 }
    }
}

/// Who goes, so that `excess` octets are free.
pub fn heaviest(holders: impl Iterator<Item = (IpAddr, Holder)>, mut excess: usize) -> Vec<u64> {
    let mut networks: HashMap<IpAddr, (usize, BinaryHeap<Holder>)> = HashMap::new();
    for (network, holder) in holders.filter(|(_, holder)| holder.octets > 0) {
        let (sum, of_network) = networks.entry(network).or_default();
        *sum += holder.octets;
        of_network.push(holder);
    }
    let mut sums: BinaryHeap<(usize, IpAddr)> =
        networks.iter().map(|(network, (sum, _))| (*sum, *network)).collect();
    let mut chosen = vec![];
    while excess > 0
        && let Some((sum, network)) = sums.pop()
    {
        let heaviest = networks.get_mut(&network).and_then(|(_, of_network)| of_network.pop());
        if let Some(Holder { octets, number }) = heaviest {
            chosen.push(number);
            excess = excess.saturating_sub(octets);
            sums.push((sum - octets, network));
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holders(all: &[(u8, usize)]) -> Vec<(IpAddr, Holder)> {
        let of = |(number, (network, octets)): (usize, &(u8, usize))| {
            ([192, 0, 2, *network].into(), Holder { octets: *octets, number: number as u64 })
        };
        all.iter().enumerate().map(of).collect()
    }

    #[test]
    fn the_largest_of_the_network_that_holds_most_goes_first() {
        let all = holders(&[(1, 90), (2, 50), (2, 60), (3, 0)]);
        let who = |excess| heaviest(all.iter().copied(), excess);
        assert_eq!(who(0), [0; 0]);
        assert_eq!(who(1), [2], "110 octets against 90");
        assert_eq!(who(61), [2, 0], "50 are left there, and 90 here");
        assert_eq!(who(1000), [2, 0, 1], "who holds nothing gives nothing back");
    }

    #[test]
    fn steps_count_and_the_sum_is_what_the_connections_hold() {
        let memory = Memory::new(10 * STEP);
        let (one, other) = (AtomicUsize::new(0), AtomicUsize::new(0));
        assert!(!memory.changes(&one, STEP - 1));
        assert_eq!(memory.held(), 0);
        assert!(!memory.changes(&one, 6 * STEP + 1) && !memory.changes(&other, 4 * STEP));
        assert_eq!((memory.held(), memory.excess()), (10 * STEP, 0));
        assert!(memory.changes(&other, 5 * STEP));
        assert_eq!(memory.excess(), 2 * STEP + STEP / 4);
        assert!(!memory.changes(&one, 0));
        assert_eq!((memory.held(), memory.excess()), (5 * STEP, 0));
        memory.limit(STEP);
        assert!(memory.excess() > 4 * STEP);
    }
}
