//! Queries of which some parts are missing, and responses of which some parts were not asked for yet. The first that came are forgotten first.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};

use sotto_encdns::PublicKey;
use sotto_encdns::extended::{MOST_QUERY_PARTS, Says};

/// Of a few kilobytes each at most.
const QUERIES: usize = 4_096;
/// Octets of responses.
const RESPONSES: usize = 16 << 20;

/// A query: who asked, and the count in the nonce of its first part.
type Whole = (PublicKey, u64);

#[derive(Default)]
pub struct Parts {
    queries: Mutex<Queue<Whole, Waiting>>,
    responses: Mutex<Queue<Whole, Arc<[Says]>>>,
}

struct Waiting {
    count: u8,
    parts: [Option<Vec<u8>>; MOST_QUERY_PARTS],
    is_over: bool,
}

/// In the order in which they came.
struct Queue<Key, Value> {
    values: HashMap<Key, (Value, usize)>,
    order: VecDeque<Key>,
    weight: usize,
}

impl<Key, Value> Default for Queue<Key, Value> {
    fn default() -> Self {
        Self { values: HashMap::new(), order: VecDeque::new(), weight: 0 }
    }
}

impl<Key: Copy + Eq + Hash, Value> Queue<Key, Value> {
    /// There is none yet. The first ones go, as long as all of them weigh more than they may.
    fn push(&mut self, key: Key, value: Value, weight: usize, most: usize) {
        self.values.insert(key, (value, weight));
        self.order.push_back(key);
        self.weight += weight;
        while self.weight > most
            && let Some(first) = self.order.pop_front()
        {
            self.weight -= self.values.remove(&first).map_or(0, |(_, weight)| weight);
        }
    }
}

impl Parts {
    /// The whole message, with the last of its parts; it is given out once.
    pub fn of_query(
        &self,
        client: PublicKey,
        whole: u64,
        place: u8,
        count: u8,
        octets: Vec<u8>,
    ) -> Option<Vec<u8>> {
        if count == 1 {
            return Some(octets);
        }
        let whole = (client, whole);
        let mut queries = lock(&self.queries);
        if !queries.values.contains_key(&whole) {
            queries.push(whole, Waiting::for_parts(count), 1, QUERIES);
        }
        let (waiting, _) = queries.values.get_mut(&whole)?;
        waiting.add(place, count, octets)
    }

    /// The first part. The others are kept until they are asked for, and those of a response that is kept stay.
    pub fn keep_response(&self, client: PublicKey, whole: u64, parts: Vec<Says>) -> Says {
        let first = parts.first().cloned().unwrap_or(Says::Held);
        if parts.len() == 1 {
            return first;
        }
        let mut responses = lock(&self.responses);
        if let Some((kept, _)) = responses.values.get(&(client, whole)) {
            return kept[0].clone();
        }
        let weight = 128 + parts.iter().map(octets).sum::<usize>();
        responses.push((client, whole), parts.into(), weight, RESPONSES);
        first
    }

    pub fn of_response(&self, client: PublicKey, whole: u64, place: u8) -> Option<Says> {
        let responses = lock(&self.responses);
        let (parts, _) = responses.values.get(&(client, whole))?;
        parts.get(usize::from(place)).cloned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while holding parts")
}

fn octets(part: &Says) -> usize {
    match part {
        Says::Part { octets, .. } => octets.len() + 64,
        Says::Held => 64,
    }
}

impl Waiting {
    fn for_parts(count: u8) -> Self {
        Self { count, parts: Default::default(), is_over: false }
    }

    /// A part that contradicts those before it is not taken.
    fn add(&mut self, place: u8, count: u8, octets: Vec<u8>) -> Option<Vec<u8>> {
        if self.is_over || count != self.count {
            return None;
        }
        self.parts[usize::from(place)].get_or_insert(octets);
        let parts = &self.parts[..usize::from(count)];
        let parts: Option<Vec<&[u8]>> = parts.iter().map(Option::as_deref).collect();
        let message = parts?.concat();
        // copies of its boxes may come for as long as it is remembered
        (self.is_over, self.parts) = (true, Default::default());
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: PublicKey = PublicKey([1; 32]);

    fn add(parts: &Parts, whole: u64, place: u8, count: u8) -> Option<Vec<u8>> {
        parts.of_query(CLIENT, whole, place, count, vec![place; 2])
    }

    #[test]
    fn a_query_is_whole_once_in_whatever_order_its_parts_come() {
        let parts = Parts::default();
        assert_eq!(add(&parts, 7, 0, 1), Some(vec![0, 0]));
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let whole = u64::from(order[0]);
            assert_eq!(add(&parts, whole, order[0], 3), None);
            assert_eq!(add(&parts, whole, order[1], 3), None);
            assert_eq!(add(&parts, whole, order[1], 3), None, "again");
            assert_eq!(add(&parts, whole, order[2], 3), Some(vec![0, 0, 1, 1, 2, 2]));
        }
    }

    #[test]
    fn parts_of_different_queries_and_clients_are_not_mixed() {
        let parts = Parts::default();
        assert_eq!(add(&parts, 7, 0, 2), None);
        assert_eq!(add(&parts, 8, 1, 2), None, "of another query");
        assert_eq!(add(&parts, 7, 1, 3), None, "of another count");
        assert_eq!(parts.of_query(PublicKey([2; 32]), 7, 1, 2, vec![]), None, "of another client");
        assert_eq!(add(&parts, 7, 1, 2), Some(vec![0, 0, 1, 1]));
    }

    #[test]
    fn what_is_held_is_bounded() {
        let parts = Parts::default();
        for whole in 0..100_000 {
            add(&parts, whole, 0, 15);
            let says = |place| Says::Part { place, count: 2, octets: vec![0; 1_000] };
            parts.keep_response(CLIENT, whole, vec![says(0), says(1)]);
        }
        assert_eq!(lock(&parts.queries).values.len(), QUERIES);
        assert!(lock(&parts.responses).weight <= RESPONSES && lock(&parts.responses).values.len() > 1_000);
        let late = 200_000;
        add(&parts, late, 0, 2);
        for whole in 0..QUERIES as u64 - 1 {
            add(&parts, late + 1 + whole, 0, 2);
        }
        assert_eq!(add(&parts, late, 1, 2), Some(vec![0, 0, 1, 1]), "whoever came last stays");
    }

    #[test]
    fn a_response_is_given_to_who_asked() {
        let parts = Parts::default();
        let says = |place| Says::Part { place, count: 2, octets: vec![place] };
        assert_eq!(parts.keep_response(CLIENT, 7, vec![says(0), says(1)]), says(0));
        assert_eq!(parts.of_response(CLIENT, 7, 1), Some(says(1)));
        assert_eq!(parts.of_response(CLIENT, 7, 2), None);
        assert_eq!(parts.of_response(CLIENT, 8, 1), None);
        assert_eq!(parts.of_response(PublicKey([2; 32]), 7, 1), None);
    }
}
