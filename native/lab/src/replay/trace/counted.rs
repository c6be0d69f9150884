//! Which messages of a dnstap file count: a query is told of once when it came, once when it was answered, or in both ways.
//!
//! Who tells of both has the query first; so of the two kinds the one that comes first in the file counts, and the other would count
//! the same queries again. Sotto's own programs tell of a query with its response, and in the other way only if it had none: both count.

use clap::ValueEnum;
use prost::Message as _;

/// What the version of Sotto's own programs begins with.
const SOTTO: &[u8] = b"sotto";
/// Message.Type of dnstap.proto is in pairs of a query and its response: AUTH, RESOLVER, CLIENT, FORWARDER, STUB.
const PAIRS: usize = 5;

/// Which messages of a dnstap file count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// CLIENT and AUTH: what came to the server that wrote the file
    Received,
    /// RESOLVER, FORWARDER and STUB: what it sent on
    Sent,
}

#[derive(prost::Message)]
struct Writer {
    #[prost(bytes = "vec", optional, tag = "2")]
    version: Option<Vec<u8>>,
}

pub struct Counted {
    direction: Direction,
    /// of each pair, the kind that came first
    first: [Option<u32>; PAIRS],
    by_sotto: bool,
}

impl Counted {
    pub fn new(direction: Direction) -> Self {
        Counted { direction, first: [None; PAIRS], by_sotto: false }
    }

    /// Whether a message of this kind counts. `frame` is all of it, as a dnstap.Dnstap.
    pub fn has(&mut self, kind: u32, frame: &[u8]) -> bool {
        let wanted = match self.direction {
            Direction::Received => matches!(kind, 1 | 2 | 5 | 6),
            Direction::Sent => matches!(kind, 3 | 4 | 7..=10),
        };
        if !wanted {
            return false;
        }
        let first = &mut self.first[(kind as usize - 1) / 2];
        if first.is_none() {
            *first = Some(kind);
            self.by_sotto |= is_by_sotto(frame);
        }
        self.by_sotto || *first == Some(kind)
    }

    /// Whether Sotto wrote the file.
    pub fn by_sotto(&self) -> bool {
        self.by_sotto
    }
}

pub fn is_query(kind: u32) -> bool {
    kind % 2 == 1
}

fn is_by_sotto(frame: &[u8]) -> bool {
    let version = Writer::decode(frame).ok().and_then(|writer| writer.version);
    version.is_some_and(|version| version.starts_with(SOTTO))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of these kinds count, in this order.
    fn counted(direction: Direction, frame: &[u8], kinds: &[u32]) -> Vec<u32> {
        let mut counted = Counted::new(direction);
        kinds.iter().copied().filter(|&kind| counted.has(kind, frame)).collect()
    }

    #[test]
    fn of_each_pair_the_kind_that_comes_first_counts() {
        let all: Vec<u32> = (0..=16).chain([u32::MAX]).collect();
        let backwards: Vec<u32> = all.iter().rev().copied().collect();
        for (direction, kinds, expected) in [
            (Direction::Received, &all, &[1, 5][..]),
            (Direction::Received, &backwards, &[6, 2]),
            (Direction::Sent, &all, &[3, 7, 9]),
            (Direction::Sent, &backwards, &[10, 8, 4]),
            (Direction::Received, &vec![6, 5, 6, 1, 2], &[6, 6, 1]),
        ] {
            assert_eq!(counted(direction, b"", kinds), expected, "{direction:?} {kinds:?}");
        }
    }

    #[test]
    fn of_sotto_both_kinds_count() {
        for (frame, expected) in [
            (&b"\x12\x10sotto-server 0.1"[..], &[6, 5, 6][..]),
            (b"\x12\x05sotto", &[6, 5, 6]),
            (b"\x12\x07unbound", &[6, 6]),
            (b"\x12\x05sott", &[6, 6]),
            (b"\x0a\x05sotto", &[6, 6]),
        ] {
            assert_eq!(counted(Direction::Received, frame, &[6, 5, 6]), expected, "{frame:?}");
        }
    }
}
