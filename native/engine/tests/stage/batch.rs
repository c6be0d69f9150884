//! Responses that a resolver holds back until there are several, to send them as nobody expects.

use std::net::SocketAddr;

use rand::seq::SliceRandom;
use sotto_engine::wire::header;
use sotto_engine::wire::question::Question;

/// How many are held back.
pub const SIZE: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Reverse,
    Random,
    /// each response goes to every socket that asked
    ToEveryone,
    /// under the header and the question of the next query
    Swapped,
    /// and with that query's nonce in front of the box
    SwappedWithNonce,
}

#[derive(Clone)]
pub struct Kept {
    pub question: Vec<u8>,
    pub response: Vec<u8>,
    pub to: SocketAddr,
}

#[derive(Default)]
pub struct Batch(Vec<Kept>);

impl Batch {
    /// What is to be sent once there are enough of them. A copy of a query comes from another socket, and takes its place.
    pub fn add(&mut self, kept: Kept, order: Order) -> Vec<Kept> {
        self.0.retain(|one| one.question != kept.question);
        self.0.push(kept);
        if self.0.len() < SIZE { Vec::new() } else { arranged(std::mem::take(&mut self.0), order) }
    }
}

fn arranged(mut batch: Vec<Kept>, order: Order) -> Vec<Kept> {
    match order {
        Order::Reverse => batch.reverse(),
        Order::Random => batch.shuffle(&mut rand::rng()),
        Order::ToEveryone => {
            let everyone: Vec<_> = batch.iter().map(|one| one.to).collect();
            let to_everyone =
                |one: &Kept| everyone.iter().map(|to| Kept { to: *to, ..one.clone() }).collect();
            batch = batch.iter().flat_map(|one| -> Vec<Kept> { to_everyone(one) }).collect();
            batch.shuffle(&mut rand::rng());
        }
        Order::Swapped | Order::SwappedWithNonce => {
            let next = batch.iter().cycle().skip(1);
            batch = batch.iter().zip(next).map(|(one, next)| one.put_to(next, order)).collect();
        }
    }
    batch
}

impl Kept {
    /// This response as if it were the one to the `other` query.
    fn put_to(&self, other: &Kept, order: Order) -> Kept {
        let mut record = self.response[self.behind_question()..].to_vec();
        let of_other = &other.response[other.behind_question()..];
        if order == Order::SwappedWithNonce {
            record[NONCE].copy_from_slice(&of_other[NONCE]);
        }
        let head = [&other.response[..2], &self.response[2..header::LENGTH]].concat();
        Kept { response: [&head[..], &other.question, &record].concat(), ..other.clone() }
    }

    fn behind_question(&self) -> usize {
        Question::read(&self.response).unwrap().1
    }
}

/// The client's, in the first record: behind its head and the length of the first character string.
const NONCE: std::ops::Range<usize> = 13..25;
