//! One direction of the cable: which packets are lost, and when the others arrive. The caller passes the times.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::Direction;
use super::packet::Kind;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    pub delay: Duration,
    /// the delay varies evenly by this much, down and up; the order stays
    pub jitter: Duration,
    /// 0 to 1
    pub loss: f64,
    /// 0 to 1: the part that is held back
    pub reorder: f64,
    /// for how long, so that later ones overtake
    pub reorder_by: Duration,
    /// bits a second; None is unlimited
    pub rate: Option<f64>,
    /// packets that wait for the rate; further ones are dropped
    pub queue: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: 0.0,
            reorder: 0.0,
            reorder_by: Duration::from_millis(5),
            rate: None,
            queue: 1000,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    Lost,
    /// the queue was full
    Overflowed,
    Arrives {
        at: Instant,
        held_back: bool,
    },
}

#[derive(Debug)]
pub struct Line {
    shape: Shape,
    chance: Chance,
    /// when the last octet of what was accepted has left
    free: Option<Instant>,
    /// when each packet that waits for the rate has left
    waiting: VecDeque<Instant>,
    latest: Option<Instant>,
}

impl Line {
    pub fn new(shape: Shape, seed: u64, direction: Direction) -> Self {
        let chance = Chance::new(seed, direction);
        Line { shape, chance, free: None, waiting: VecDeque::new(), latest: None }
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Packets on their way keep their times.
    pub fn reshape(&mut self, shape: Shape) {
        self.shape = shape;
        self.latest = None;
    }

    pub fn reseed(&mut self, seed: u64, direction: Direction) {
        self.chance = Chance::new(seed, direction);
    }

    pub fn take(&mut self, now: Instant, kind: Kind, octets: usize) -> Fate {
        let draw = self.chance.draw(kind);
        if draw.loss < self.shape.loss {
            return Fate::Lost;
        }
        let Some(left) = self.leave(now, octets) else {
            return Fate::Overflowed;
        };
        let jitter = self.shape.jitter.mul_f64(draw.jitter * 2.0);
        let at = (left + self.shape.delay + jitter).checked_sub(self.shape.jitter).unwrap_or(left).max(left);
        if draw.reorder < self.shape.reorder {
            return Fate::Arrives { at: at + self.shape.reorder_by, held_back: true };
        }
        Fate::Arrives { at: self.in_order(at), held_back: false }
    }

    /// For packets of the cable itself: never lost, and behind everything before them.
    pub fn carry(&mut self, now: Instant) -> Instant {
        self.in_order(now + self.shape.delay)
    }

    fn in_order(&mut self, at: Instant) -> Instant {
        let at = self.latest.map_or(at, |latest| at.max(latest));
        self.latest = Some(at);
        at
    }

    /// When its last octet has left, or `None` where the queue is full.
    fn leave(&mut self, now: Instant, octets: usize) -> Option<Instant> {
        let Some(rate) = self.shape.rate else {
            return Some(now);
        };
        while self.waiting.front().is_some_and(|&left| left <= now) {
            self.waiting.pop_front();
        }
        if self.waiting.len() >= self.shape.queue {
            return None;
        }
        let takes = Duration::from_secs_f64(octets as f64 * 8.0 / rate);
        let left = self.free.map_or(now, |free| free.max(now)) + takes;
        self.free = Some(left);
        self.waiting.push_back(left);
        Some(left)
    }
}

/// Chance is drawn for each packet and separately for each protocol: the n-th datagram of a run meets the fate of the n-th
/// datagram of another run with the same seed, whatever else the machines send meanwhile.
#[derive(Debug)]
struct Chance {
    udp: StdRng,
    tcp: StdRng,
    other: StdRng,
}

/// Each from 0 to below 1; 1 is never.
struct Draw {
    loss: f64,
    reorder: f64,
    jitter: f64,
}

impl Chance {
    fn new(seed: u64, direction: Direction) -> Self {
        let stream = |protocol: u64| {
            let number = protocol * 2 + direction.index() as u64;
            StdRng::seed_from_u64(seed.wrapping_mul(8).wrapping_add(number))
        };
        Chance { udp: stream(0), tcp: stream(1), other: stream(2) }
    }

    fn draw(&mut self, kind: Kind) -> Draw {
        let source = match kind {
            Kind::Udp => &mut self.udp,
            Kind::Tcp => &mut self.tcp,
            Kind::Icmp | Kind::OtherIp => &mut self.other,
            Kind::Link => return Draw { loss: 1.0, reorder: 1.0, jitter: 0.5 },
        };
        Draw { loss: source.random(), reorder: source.random(), jitter: source.random() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn line(shape: Shape, seed: u64) -> Line {
        Line::new(shape, seed, Direction::AToB)
    }

    fn fates(line: &mut Line, start: Instant, kinds: impl Iterator<Item = Kind>) -> Vec<Fate> {
        kinds.zip(0..).map(|(kind, number)| line.take(start + MS * number, kind, 100)).collect()
    }

    #[test]
    fn the_same_seed_has_the_same_fate_in_store_and_another_has_not() {
        let shape = Shape { delay: MS * 10, jitter: MS * 3, loss: 0.2, reorder: 0.1, ..Shape::default() };
        let start = Instant::now();
        let run = |seed| fates(&mut line(shape, seed), start, std::iter::repeat_n(Kind::Udp, 500));
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        let lost = run(1).iter().filter(|fate| **fate == Fate::Lost).count();
        assert!((50..150).contains(&lost), "{lost} of 500");
    }

    #[test]
    fn what_else_passes_does_not_change_who_is_lost() {
        let shape = Shape { loss: 0.3, ..Shape::default() };
        let start = Instant::now();
        let lost = |kinds: Vec<Kind>| {
            let fates = fates(&mut line(shape, 7), start, kinds.iter().copied());
            let of_udp = kinds.iter().zip(fates).filter(|(kind, _)| **kind == Kind::Udp);
            of_udp.map(|(_, fate)| fate == Fate::Lost).collect::<Vec<_>>()
        };
        let mixed: Vec<_> = (0..300).flat_map(|_| [Kind::Tcp, Kind::Udp, Kind::Link, Kind::Icmp]).collect();
        assert_eq!(lost(vec![Kind::Udp; 300]), lost(mixed));
    }

    #[test]
    fn jitter_keeps_the_order_and_the_bounds() {
        let shape = Shape { delay: MS * 20, jitter: MS * 5, ..Shape::default() };
        let start = Instant::now();
        let fates = fates(&mut line(shape, 3), start, std::iter::repeat_n(Kind::Udp, 200));
        let mut before = start;
        for (fate, number) in fates.into_iter().zip(0..) {
            let Fate::Arrives { at, held_back: false } = fate else { panic!("{fate:?}") };
            let took = at - (start + MS * number);
            assert!(at >= before && (MS * 15..=MS * 25).contains(&took), "{took:?}");
            before = at;
        }
    }

    #[test]
    fn a_rate_spaces_packets_and_its_queue_overflows() {
        let shape = Shape { delay: MS, rate: Some(800_000.0), queue: 2, ..Shape::default() };
        let (mut line, now) = (line(shape, 1), Instant::now());
        let fates: Vec<_> = (0..3).map(|_| line.take(now, Kind::Udp, 100)).collect();
        let at = |ms| Fate::Arrives { at: now + MS * ms, held_back: false };
        assert_eq!(fates, [at(2), at(3), Fate::Overflowed]);
        assert_eq!(line.take(now + MS, Kind::Udp, 100), at(4), "one has left");
    }

    #[test]
    fn who_is_held_back_is_overtaken() {
        let shape = Shape { reorder: 1.0, delay: MS, ..Shape::default() };
        let (mut line, now) = (line(shape, 1), Instant::now());
        assert_eq!(line.take(now, Kind::Udp, 9), Fate::Arrives { at: now + MS * 6, held_back: true });
        line.reshape(Shape { reorder: 0.0, ..shape });
        assert_eq!(line.take(now, Kind::Udp, 9), Fate::Arrives { at: now + MS, held_back: false });
    }

    #[test]
    fn neighbour_discovery_is_never_lost() {
        let mut line = line(Shape { loss: 1.0, ..Shape::default() }, 1);
        assert!(matches!(line.take(Instant::now(), Kind::Link, 60), Fate::Arrives { .. }));
        assert_eq!(line.take(Instant::now(), Kind::Udp, 60), Fate::Lost);
    }
}
