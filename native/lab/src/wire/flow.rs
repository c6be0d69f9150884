//! TCP connections that pass: enough of their numbers to end them, and to replace octets in them.

use std::collections::HashMap;
use std::net::SocketAddr;

use super::Direction;
use super::forge::{self, Segment};
use super::packet::{ACK, Packet, RST, SYN, Station};

/// With more, the table is emptied: connections are then known again from their next segment on.
const MOST: usize = 8192;

/// The addresses at A and at B.
type Key = [SocketAddr; 2];

#[derive(Debug, Default)]
pub struct Flows(HashMap<Key, Flow>);

#[derive(Debug)]
pub struct Flow {
    /// at A, at B
    stations: [Station; 2],
    /// behind the last octet that each side sent, in its own numbers
    next: [Option<u32>; 2],
    /// what each side acknowledged last
    acknowledged: [Option<u32>; 2],
    /// of data, in both directions
    pub octets: u64,
    /// ended by us; a side that still sends gets a reset
    pub dead: bool,
    swap: Option<Swap>,
}

/// Data of the client that the server never got, replaced by data that the server never sent.
#[derive(Debug, Clone, Copy)]
struct Swap {
    /// the direction in which the client sends
    from: Direction,
    /// where the client's octets start in its numbers, and how many there are
    taken_at: u32,
    taken: u32,
    /// where ours start in the server's numbers, and how many there are
    given_at: u32,
    given: u32,
}

impl Flows {
    /// Notes what this segment shows of its connection.
    pub fn note(&mut self, direction: Direction, segment: &Packet) -> Option<&mut Flow> {
        let (sender, receiver) = (segment.sender()?, segment.receiver()?);
        let stations = match direction {
            Direction::AToB => [sender, receiver],
            Direction::BToA => [receiver, sender],
        };
        let key = stations.map(|station| station.address);
        let begins = segment.has(SYN) && !segment.has(ACK);
        if begins {
            self.0.remove(&key);
        }
        if self.0.len() >= MOST {
            self.0.clear();
        }
        let flow = self.0.entry(key).or_insert_with(|| Flow::new(stations));
        flow.note(direction, segment);
        Some(flow)
    }

    /// Resets for both ends of every connection that `wanted` picks, with their directions.
    pub fn cut(&mut self, wanted: impl Fn(Key) -> bool) -> Vec<(Direction, Packet)> {
        let picked = self.0.iter_mut().filter(|(key, flow)| !flow.dead && wanted(**key));
        let mut cut: Vec<_> = picked.map(|(key, flow)| (*key, flow.end())).collect();
        cut.sort_by_key(|(key, _)| *key);
        cut.into_iter().flat_map(|(_, resets)| resets).collect()
    }
}

impl Flow {
    fn new(stations: [Station; 2]) -> Self {
        Flow { stations, next: [None; 2], acknowledged: [None; 2], octets: 0, dead: false, swap: None }
    }

    fn note(&mut self, direction: Direction, segment: &Packet) {
        let side = direction.index();
        let next = segment.next_seq();
        if self.next[side].is_none_or(|known| is_after(next, known)) {
            self.next[side] = Some(next);
            self.octets += segment.payload().len() as u64;
        }
        if segment.has(ACK) {
            self.acknowledged[side] = Some(segment.ack());
        }
        if segment.has(RST) {
            self.dead = true;
        }
    }

    /// Resets for both ends. Each carries the number that its receiver expects next (RFC 5961 section 3.2). Which one that is
    /// depends on how much of the data in flight arrives, hence two.
    pub fn end(&mut self) -> Vec<(Direction, Packet)> {
        self.dead = true;
        let resets = Direction::BOTH.into_iter().flat_map(|direction| {
            let (from, to) = (direction.index(), direction.back().index());
            let sent = self.next[from].map(|seq| self.as_received(direction, seq));
            let acknowledged = self.acknowledged[to].filter(|&seq| Some(seq) != sent);
            let stations = (self.stations[from], self.stations[to]);
            sent.into_iter().chain(acknowledged).map(move |seq| {
                let reset = Segment { seq, ack: 0, flags: RST, payload: &[] };
                (direction, forge::tcp(stations.0, stations.1, reset))
            })
        });
        resets.collect()
    }

    /// Takes the data of `question` out of the stream and puts `answer` into the other direction. The data may be sent again.
    pub fn swap(&mut self, direction: Direction, question: &Packet, answer: &[u8]) -> Option<Packet> {
        let swap = *self.swap.get_or_insert(Swap {
            from: direction,
            taken_at: question.seq(),
            taken: question.payload().len() as u32,
            given_at: question.ack(),
            given: answer.len() as u32,
        });
        let is_same = swap.from == direction && swap.taken_at == question.seq();
        is_same.then(|| forge::reply_to(question, answer, false))?
    }

    /// Turns the sender's numbers into the receiver's.
    pub fn translate(&self, direction: Direction, segment: &mut Packet) {
        if self.swap.is_none() {
            return;
        }
        segment.set_seq(self.as_received(direction, segment.seq()));
        if segment.has(ACK) {
            segment.set_ack(self.as_sent(direction.back(), segment.ack()));
        }
    }

    /// The receiver's number for the octet with the sender's number `seq`.
    fn as_received(&self, direction: Direction, seq: u32) -> u32 {
        match self.swap {
            Some(swap) if swap.from == direction && is_after(seq, swap.taken_at) => {
                seq.wrapping_sub(swap.taken)
            }
            Some(swap) if swap.from != direction && !is_after(swap.given_at, seq) => {
                seq.wrapping_add(swap.given)
            }
            _ => seq,
        }
    }

    /// The sender's number, in this direction, for the octet with the receiver's number `seq`.
    fn as_sent(&self, direction: Direction, seq: u32) -> u32 {
        match self.swap {
            Some(swap) if swap.from == direction && !is_after(swap.taken_at, seq) => {
                seq.wrapping_add(swap.taken)
            }
            Some(swap) if swap.from != direction && is_after(seq, swap.given_at) => {
                let behind = seq.wrapping_sub(swap.given_at).saturating_sub(swap.given);
                swap.given_at.wrapping_add(behind)
            }
            _ => seq,
        }
    }
}

/// RFC 9293 section 3.4: numbers wrap around.
fn is_after(seq: u32, other: u32) -> bool {
    seq.wrapping_sub(other).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::packet::PSH;

    fn station(mac: u8, address: &str) -> Station {
        Station { mac: [mac; 6], address: address.parse().unwrap() }
    }

    fn segment(direction: Direction, seq: u32, ack: u32, flags: u8, payload: &[u8]) -> Packet {
        let (a, b) = (station(1, "192.0.2.1:4000"), station(2, "192.0.2.2:53"));
        let (from, to) = if direction == Direction::AToB { (a, b) } else { (b, a) };
        forge::tcp(from, to, Segment { seq, ack, flags, payload })
    }

    #[test]
    fn a_cut_resets_both_sides_with_the_numbers_they_expect() {
        let mut flows = Flows::default();
        flows.note(Direction::AToB, &segment(Direction::AToB, 100, 0, SYN, b""));
        flows.note(Direction::BToA, &segment(Direction::BToA, 500, 101, SYN | ACK, b""));
        flows.note(Direction::AToB, &segment(Direction::AToB, 101, 501, ACK | PSH, b"abc"));
        assert!(flows.cut(|[_, b]| b.port() == 853).is_empty());
        let resets = flows.cut(|[_, b]| b.port() == 53);
        let told: Vec<_> = resets.iter().map(|(direction, reset)| (*direction, reset.seq())).collect();
        assert_eq!(told, [(Direction::AToB, 104), (Direction::AToB, 101), (Direction::BToA, 501)]);
        assert!(flows.cut(|_| true).is_empty(), "it is dead already");
    }

    #[test]
    fn both_sides_of_a_swap_see_a_stream_without_a_seam() {
        let mut flows = Flows::default();
        let question = segment(Direction::AToB, u32::MAX, 501, ACK | PSH, b"question");
        let flow = flows.note(Direction::AToB, &question).unwrap();
        let answer = flow.swap(Direction::AToB, &question, b"no").unwrap();
        assert_eq!((answer.seq(), answer.ack(), answer.payload()), (501, 7, &b"no"[..]));
        assert_eq!(flow.swap(Direction::AToB, &question, b"no"), Some(answer), "for one sent again, too");

        let translated = |direction, seq, ack| {
            let mut segment = segment(direction, seq, ack, ACK, b"");
            flow.translate(direction, &mut segment);
            (segment.seq(), segment.ack())
        };
        assert_eq!(translated(Direction::AToB, 7, 503), (u32::MAX, 501));
        assert_eq!(translated(Direction::AToB, 17, 513), (9, 511));
        assert_eq!(translated(Direction::BToA, 501, u32::MAX), (503, 7));
        assert_eq!(translated(Direction::BToA, 511, 9), (513, 17));
        assert_eq!(translated(Direction::BToA, 500, u32::MAX), (500, 7), "its SYN once more");
    }
}
