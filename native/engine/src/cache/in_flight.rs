//! Equal queries asked at once are asked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::watch;

use super::key::Key;

type Waiting<T> = HashMap<Box<[u8]>, watch::Receiver<Option<Arc<T>>>>;

/// The queries that are under way, and who waits for each.
pub struct InFlight<T> {
    waiting: Arc<Mutex<Waiting<T>>>,
}

pub enum Seat<T> {
    /// the first: it must ask, and tell the others
    Leader(Lead<T>),
    Follower(Follow<T>),
}

pub struct Lead<T> {
    waiting: Arc<Mutex<Waiting<T>>>,
    key: Box<[u8]>,
    tell: watch::Sender<Option<Arc<T>>>,
    has_left: bool,
}

pub struct Follow<T> {
    told: watch::Receiver<Option<Arc<T>>>,
}

impl<T> Default for InFlight<T> {
    fn default() -> Self {
        Self { waiting: Arc::default() }
    }
}

impl<T> InFlight<T> {
    pub fn join(&self, key: &Key) -> Seat<T> {
        let mut waiting = lock(&self.waiting);
        if let Some(told) = waiting.get(key.as_octets()) {
            return Seat::Follower(Follow { told: told.clone() });
        }
        let (tell, told) = watch::channel(None);
        let key: Box<[u8]> = key.as_octets().into();
        waiting.insert(key.clone(), told);
        Seat::Leader(Lead { waiting: self.waiting.clone(), key, tell, has_left: false })
    }
}

impl<T> Lead<T> {
    /// Tells every follower; the next equal query leads again.
    pub fn finish(self, result: Arc<T>) {
        self.tell.send_replace(Some(result));
    }

    /// Gives up, unless somebody waits for the result: then the seat comes back.
    pub fn leave(mut self) -> Option<Self> {
        let mut waiting = lock(&self.waiting);
        // one is the list's
        if self.tell.receiver_count() > 1 {
            drop(waiting);
            return Some(self);
        }
        waiting.remove(&self.key);
        drop(waiting);
        self.has_left = true;
        None
    }
}

impl<T> Drop for Lead<T> {
    fn drop(&mut self) {
        if !self.has_left {
            lock(&self.waiting).remove(&self.key);
        }
    }
}

impl<T> Follow<T> {
    /// `None` where the leader gave up without a result.
    pub async fn wait(mut self) -> Option<Arc<T>> {
        self.told.wait_for(Option::is_some).await.ok()?.clone()
    }
}

fn lock<T>(waiting: &Mutex<Waiting<T>>) -> MutexGuard<'_, Waiting<T>> {
    waiting.lock().expect("nothing panics while holding the list")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::name::Name;

    fn key() -> Key {
        Key::new(&Name::parse("www.example").unwrap(), 1, 1, false, false, 0)
    }

    fn lead(in_flight: &InFlight<u8>) -> Lead<u8> {
        match in_flight.join(&key()) {
            Seat::Leader(lead) => lead,
            Seat::Follower(_) => panic!("somebody leads already"),
        }
    }

    fn follow(in_flight: &InFlight<u8>) -> Follow<u8> {
        match in_flight.join(&key()) {
            Seat::Follower(follow) => follow,
            Seat::Leader(_) => panic!("nobody leads"),
        }
    }

    #[tokio::test]
    async fn everyone_who_asked_hears_the_one_result() {
        let in_flight = InFlight::default();
        let leader = lead(&in_flight);
        let followers: Vec<_> = (0..100).map(|_| follow(&in_flight)).collect();
        let result = Arc::new(7);
        leader.finish(result.clone());
        for follower in followers {
            assert!(Arc::ptr_eq(&follower.wait().await.unwrap(), &result));
        }
        drop(lead(&in_flight));
    }

    #[tokio::test]
    async fn a_leader_leaves_only_where_nobody_follows() {
        let in_flight = InFlight::default();
        let leader = lead(&in_flight);
        let follower = follow(&in_flight);
        let leader = leader.leave().expect("somebody follows");
        leader.finish(Arc::new(7));
        assert_eq!(follower.wait().await.as_deref(), Some(&7));
        assert!(lead(&in_flight).leave().is_none());
        drop(lead(&in_flight));
    }

    #[tokio::test]
    async fn a_leader_that_gives_up_leaves_nobody_waiting() {
        let in_flight = InFlight::default();
        let leader = lead(&in_flight);
        let follower = follow(&in_flight);
        drop(leader);
        assert_eq!(follower.wait().await, None);
    }
}
