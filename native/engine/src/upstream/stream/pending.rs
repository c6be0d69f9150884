//! The queries of one connection that wait for their responses: each has an id of ours, and a time when it is given up.
//!
//! One look at all of them when the first is due replaces a timer for each. The id of a query that was given up stays taken for a
//! while, so that a late response is recognised.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::upstream::connection::carrier::{Ask, Verdict};
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;

/// Ids have sixteen bits; with this many in use, a random free one is found at once.
pub const MOST_IN_FLIGHT: usize = 16_384;
/// How long after its deadline a late response is still expected.
const LATE: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Pending {
    asked: HashMap<u16, Asked, BuildHasherDefault<IdHasher>>,
    /// how many of them somebody still waits for
    waiting: usize,
    /// nothing is due before this
    next: Option<Instant>,
}

struct Asked {
    query: Arc<Outgoing>,
    /// `None` where it was given up
    response: Option<oneshot::Sender<Verdict>>,
    due: Instant,
    then: Then,
}

/// What happens when a query is due.
enum Then {
    TimeOut,
    Forget,
}

impl Pending {
    /// How many queries somebody waits for.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    pub fn is_full(&self) -> bool {
        self.asked.len() >= MOST_IN_FLIGHT
    }

    /// When [`Pending::sweep`] is to be called.
    pub fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Returns the id, a random free one; there must be room.
    pub fn insert(&mut self, ask: Ask) -> u16 {
        let id = self.free();
        self.insert_as(id, ask);
        id
    }

    /// With an id that is known to be free.
    pub fn insert_as(&mut self, id: u16, ask: Ask) {
        let Ask { query, deadline: due, response } = ask;
        self.waiting += 1;
        self.put(id, Asked { query, response: Some(response), due, then: Then::TimeOut });
    }

    /// A query of our own, whose response goes to nobody.
    pub fn insert_own(&mut self, query: Arc<Outgoing>, now: Instant) -> u16 {
        let id = self.free();
        self.put(id, Asked { query, response: None, due: now + LATE, then: Then::Forget });
        id
    }

    fn free(&self) -> u16 {
        let mut id: u16 = rand::random();
        while self.asked.contains_key(&id) {
            id = rand::random();
        }
        id
    }

    fn put(&mut self, id: u16, asked: Asked) {
        self.note_due(asked.due);
        self.asked.insert(id, asked);
    }

    pub fn query(&self, id: u16) -> Option<&Arc<Outgoing>> {
        self.asked.get(&id).map(|asked| &asked.query)
    }

    /// Hands over the verdict, if somebody still waits for it.
    pub fn settle(&mut self, id: u16, verdict: Verdict) {
        if let Some(response) = self.asked.remove(&id).and_then(|asked| asked.response) {
            self.waiting -= 1;
            let _ = response.send(verdict);
        }
    }

    /// Gives up what is due.
    pub fn sweep(&mut self, now: Instant) {
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        let (mut next, mut gone) = (None, 0);
        self.asked.retain(|_, asked| {
            if asked.due <= now {
                if matches!(asked.then, Then::Forget) {
                    return false;
                }
                if let Some(response) = asked.response.take() {
                    gone += 1;
                    let _ = response.send(Err(Failure::TimedOut));
                }
                (asked.due, asked.then) = (now + LATE, Then::Forget);
            }
            next = earlier(next, asked.due);
            true
        });
        self.waiting -= gone;
        self.next = next;
    }

    /// Tells all of them that no response comes any more.
    pub fn close(&mut self, failure: &Failure) {
        for response in self.asked.drain().filter_map(|(_, asked)| asked.response) {
            let _ = response.send(Err(failure.clone()));
        }
        self.waiting = 0;
        self.next = None;
    }

    fn note_due(&mut self, due: Instant) {
        self.next = earlier(self.next, due);
    }
}

fn earlier(one: Option<Instant>, other: Instant) -> Option<Instant> {
    Some(one.map_or(other, |one| one.min(other)))
}

/// Ids are ours and random already, so this only spreads their bits.
#[derive(Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, octets: &[u8]) {
        for octet in octets {
            self.write_u16(u16::from(*octet));
        }
    }

    fn write_u16(&mut self, id: u16) {
        // the golden ratio's bits, as in Fibonacci hashing
        self.0 = (self.0 ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::name::Name;
    use crate::wire::question::Question;
    use crate::wire::types;

    const SECOND: Duration = Duration::from_secs(1);

    fn query() -> Arc<Outgoing> {
        let name = Name::parse("www.example").unwrap();
        Arc::new(Outgoing::of(Question { name, kind: types::A, class: types::IN }))
    }

    fn ask(deadline: Instant) -> (Ask, oneshot::Receiver<Verdict>) {
        let (response, answered) = oneshot::channel();
        (Ask { query: query(), deadline, response }, answered)
    }

    #[test]
    fn a_query_waits_until_its_deadline() {
        let (mut pending, now) = (Pending::default(), Instant::now());
        let (ask, mut answered) = ask(now + SECOND);
        pending.insert(ask);
        assert_eq!((pending.waiting(), pending.next()), (1, Some(now + SECOND)));
        pending.sweep(now);
        assert!(answered.try_recv().is_err());
        pending.sweep(now + SECOND);
        assert_eq!(answered.try_recv().unwrap(), Err(Failure::TimedOut));
    }

    #[test]
    fn what_was_given_up_waits_for_nobody_and_is_forgotten() {
        let (mut pending, now) = (Pending::default(), Instant::now());
        let (ask, _answered) = ask(now);
        let id = pending.insert(ask);
        pending.sweep(now);
        assert_eq!(pending.waiting(), 0);
        assert!(pending.query(id).is_some());
        pending.sweep(now + LATE);
        assert!(pending.query(id).is_none());
        assert_eq!(pending.next(), None);
    }

    #[test]
    fn nobody_waits_for_a_query_of_our_own() {
        let (mut pending, now) = (Pending::default(), Instant::now());
        let id = pending.insert_own(query(), now);
        assert_eq!(pending.waiting(), 0);
        pending.settle(id, Err(Failure::Closed));
        assert!(pending.query(id).is_none());
    }

    #[test]
    fn nobody_is_left_waiting_on_a_dead_connection() {
        let (mut pending, now) = (Pending::default(), Instant::now());
        let (ask, mut answered) = ask(now);
        pending.insert(ask);
        pending.close(&Failure::Dead);
        assert_eq!(answered.try_recv().unwrap(), Err(Failure::Dead));
    }
}
