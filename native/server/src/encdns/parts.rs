//! Queries of which some parts are missing, and responses of which some parts were not asked for yet. Whoever waited longest is forgotten.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sotto_encdns::PublicKey;
use sotto_encdns::extended::{MOST_QUERY_PARTS, Says};

/// Of a few kilobytes each at most.
const QUERIES: usize = 4_096;
/// Octets of responses.
const RESPONSES: u64 = 16 << 20;

/// A query: who asked, and the count in the nonce of its first part.
type Whole = (PublicKey, u64);

pub struct Parts {
    queries: Cache<Whole, Arc<Mutex<Waiting>>>,
    responses: Cache<Whole, Arc<[Says]>, Octets>,
}

struct Waiting {
    count: u8,
    parts: [Option<Vec<u8>>; MOST_QUERY_PARTS],
    is_over: bool,
}

#[derive(Clone)]
struct Octets;

impl Weighter<Whole, Arc<[Says]>> for Octets {
    fn weight(&self, _: &Whole, parts: &Arc<[Says]>) -> u64 {
        let octets = |part: &Says| match part {
            Says::Part { octets, .. } => octets.len() + 64,
            Says::Held => 64,
        };
        parts.iter().map(octets).sum::<usize>() as u64 + 128
    }
}

impl Parts {
    pub fn new() -> Self {
        Self {
            queries: Cache::new(QUERIES),
            responses: Cache::with_weighter(RESPONSES as usize / 4_096, RESPONSES, Octets),
        }
    }

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
        let new = || Ok::<_, Infallible>(Arc::new(Mutex::new(Waiting::for_parts(count))));
        let Ok(waiting) = self.queries.get_or_insert_with(&whole, new);
        let message =
            waiting.lock().expect("nothing panics while holding parts").add(place, count, octets)?;
        self.queries.remove(&whole);
        Some(message)
    }

    /// The first part. The others are kept until they are asked for.
    pub fn keep_response(&self, client: PublicKey, whole: u64, parts: Vec<Says>) -> Says {
        let first = parts.first().cloned().unwrap_or(Says::Held);
        if parts.len() > 1 {
            self.responses.insert((client, whole), parts.into());
        }
        first
    }

    pub fn of_response(&self, client: PublicKey, whole: u64, place: u8) -> Option<Says> {
        self.responses.get(&(client, whole))?.get(usize::from(place)).cloned()
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
        self.is_over = true;
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
        let parts = Parts::new();
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
        let parts = Parts::new();
        assert_eq!(add(&parts, 7, 0, 2), None);
        assert_eq!(add(&parts, 8, 1, 2), None, "of another query");
        assert_eq!(add(&parts, 7, 1, 3), None, "of another count");
        assert_eq!(parts.of_query(PublicKey([2; 32]), 7, 1, 2, vec![]), None, "of another client");
        assert_eq!(add(&parts, 7, 1, 2), Some(vec![0, 0, 1, 1]));
    }

    #[test]
    fn what_is_held_is_bounded() {
        let parts = Parts::new();
        for whole in 0..100_000 {
            add(&parts, whole, 0, 15);
            let says = |place| Says::Part { place, count: 2, octets: vec![0; 1_000] };
            parts.keep_response(CLIENT, whole, vec![says(0), says(1)]);
        }
        assert!(parts.queries.len() <= QUERIES && parts.responses.weight() <= RESPONSES);
    }

    #[test]
    fn a_response_is_given_to_who_asked() {
        let parts = Parts::new();
        let says = |place| Says::Part { place, count: 2, octets: vec![place] };
        assert_eq!(parts.keep_response(CLIENT, 7, vec![says(0), says(1)]), says(0));
        assert_eq!(parts.of_response(CLIENT, 7, 1), Some(says(1)));
        assert_eq!(parts.of_response(CLIENT, 7, 2), None);
        assert_eq!(parts.of_response(CLIENT, 8, 1), None);
        assert_eq!(parts.of_response(PublicKey([2; 32]), 7, 1), None);
    }
}
