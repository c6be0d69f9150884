//! The places for connections. Where none is free, an idle connection gives up its own: of the network that has most of them, and of
//! those first the ones that never asked anything, then the one that has been idle for longest. Whoever waits for a response stays, unless
//! its network has more than a share of all places, or where all wait for one, more than the newcomer's: then it goes at once, and a
//! network that fills every place with slow queries keeps out itself alone (decision 0091). Where memory is short, those that hold most of it go at once ([`crate::memory`]).

mod taken;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::time::Instant;

use crate::memory::{Holder, Memory, heaviest};
use crate::network::network;
use crate::stats::Stats;
pub use taken::Urgency;
use taken::{BUSY, Sitting, Taken, idle_since};

pub struct Places {
    most: AtomicUsize,
    pub memory: Memory,
    stats: Arc<Stats>,
    start: Instant,
    taken: Mutex<Taken>,
}

/// One connection's; it is free again when this is dropped.
pub struct Place {
    number: u64,
    sitting: Arc<Sitting>,
    places: Arc<Places>,
}

impl Places {
    /// `memory`: octets that the connections may hold together.
    pub fn new(most: usize, memory: usize, stats: Arc<Stats>) -> Arc<Self> {
        Arc::new(Self {
            most: most.into(),
            memory: Memory::new(memory),
            stats,
            start: Instant::now(),
            taken: Mutex::default(),
        })
    }

    /// `None`: all are taken, and nobody can go.
    pub fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let mut taken = self.lock();
        if taken.by_number.len() >= self.most.load(Relaxed) {
            let room = taken.make_room(self.most.load(Relaxed), network(address), self.at(Instant::now()));
            self.stats.place_wanted(room);
            room.then_some(())?;
        }
        let (number, network) = (taken.next, network(address));
        let idle = AtomicU64::new(idle_since(self.at(Instant::now()), false));
        let sitting = Arc::new(Sitting::new(network, idle));
        if taken.is_closed {
            sitting.is_wanted(Urgency::Served);
        }
        taken.next += 1;
        taken.by_number.insert(number, sitting.clone());
        *taken.per_network.entry(network).or_default() += 1;
        Some(Place { number, sitting, places: self.clone() })
    }

    /// Where more are taken, they are free as their connections end.
    pub fn limit(&self, most: usize) {
        self.most.store(most, Relaxed);
    }

    /// The system has no room for another connection, though there are places: an idle one is to go.
    pub fn give_way(&self) {
        let nobody_yet = Ipv4Addr::UNSPECIFIED.into();
        self.lock().make_room(self.most.load(Relaxed), nobody_yet, self.at(Instant::now()));
    }

    /// Everybody is to go, and whoever still comes, too.
    pub fn close(&self) {
        let mut taken = self.lock();
        taken.is_closed = true;
        taken.by_number.values().for_each(|sitting| sitting.is_wanted(Urgency::Served));
    }

    pub fn taken(&self) -> usize {
        self.lock().by_number.len()
    }

    fn give_memory_back(&self) {
        let mut taken = self.lock();
        let holder = |(number, sitting): (&u64, &Arc<Sitting>)| {
            (sitting.network, Holder { octets: sitting.held.load(Relaxed), number: *number })
        };
        for number in heaviest(taken.by_number.iter().map(holder), self.memory.excess()) {
            if let Some(heavy) = taken.send_away(number, Urgency::AtOnce) {
                self.memory.changes(&heavy.held, 0);
                self.stats.memory_wanted();
            }
        }
    }

    fn at(&self, instant: Instant) -> u64 {
        instant.saturating_duration_since(self.start).as_millis() as u64
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().expect("nothing panics while holding the places")
    }
}

impl Place {
    /// Returns when the connection is to end, at least so soon.
    pub async fn is_wanted(&self, urgency: Urgency) {
        while !self.is_wanted_now(urgency) {
            self.sitting.is_told.notified().await;
        }
    }

    fn is_wanted_now(&self, urgency: Urgency) -> bool {
        self.sitting.wanted.load(Relaxed) >= urgency as u8
    }

    /// Somebody else has it.
    pub fn is_lost(&self) -> bool {
        self.is_wanted_now(Urgency::Soon)
    }

    /// What the connection holds of what is not through, in octets. Where all hold too much, some must go at once.
    pub fn holds(&self, octets: usize) {
        if !self.is_lost() && self.places.memory.changes(&self.sitting.held, octets) {
            self.places.give_memory_back();
        }
    }

    /// It cannot wait for its client.
    pub fn is_lost_at_once(&self) -> bool {
        self.is_wanted_now(Urgency::AtOnce)
    }

    /// The connection waits for a query, since the last one or its response. `has_asked`: there was one.
    pub fn idles_since(&self, last: Instant, has_asked: bool) {
        if self.sitting.idle.load(Relaxed) == BUSY {
            self.sitting.idle.store(idle_since(self.places.at(last), has_asked), Relaxed);
        }
    }

    pub fn is_busy(&self) {
        self.sitting.idle.store(BUSY, Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.memory.changes(&self.sitting.held, 0);
        let mut taken = self.places.lock();
        if taken.remove(self.number).is_none() {
            taken.leaving -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use taken::HANDSHAKE;
    use tokio::time::advance;

    use super::*;

    fn take(places: &Arc<Places>, address: &str) -> Option<Place> {
        places.take(address.parse().unwrap())
    }

    async fn was_asked_to_go(place: &Place) -> bool {
        tokio::time::timeout(Duration::ZERO, place.is_wanted(Urgency::Served)).await.is_ok()
    }

    async fn asked_to_go(places: &[Place]) -> Vec<usize> {
        let mut asked = vec![];
        for (at, place) in places.iter().enumerate() {
            if was_asked_to_go(place).await {
                asked.push(at);
            }
        }
        asked
    }

    fn asks(place: &Place) {
        place.is_busy();
        place.idles_since(Instant::now(), true);
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_that_has_been_idle_for_longest_goes() {
        let places = Places::new(4, usize::MAX, Arc::default());
        let mut all: Vec<Place> = (1..=4).filter_map(|at| take(&places, &format!("192.0.2.{at}"))).collect();
        for at in [0, 1, 2, 3, 0] {
            advance(Duration::from_secs(1)).await;
            asks(&all[at]);
        }
        all.extend(take(&places, "192.0.2.9"));
        assert_eq!((all.len(), asked_to_go(&all).await), (5, vec![1]));
    }

    #[tokio::test(start_paused = true)]
    async fn once_they_are_closed_all_go_and_so_does_whoever_comes() {
        let places = Places::new(4, usize::MAX, Arc::default());
        let all: Vec<Place> = (1..=3).filter_map(|at| take(&places, &format!("192.0.2.{at}"))).collect();
        all[1].is_busy();
        places.close();
        assert_eq!(asked_to_go(&all).await, [0, 1, 2]);
        assert!(was_asked_to_go(&take(&places, "192.0.2.4").unwrap()).await);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_a_response_stays() {
        let places = Places::new(2, usize::MAX, Arc::default());
        let (one, other) = (take(&places, "192.0.2.1").unwrap(), take(&places, "192.0.2.2").unwrap());
        advance(Duration::from_secs(5)).await;
        one.is_busy();
        other.is_busy();
        assert!(take(&places, "192.0.2.3").is_none());
        other.idles_since(Instant::now(), true);
        assert!(take(&places, "192.0.2.3").is_some());
        assert!(!was_asked_to_go(&one).await && was_asked_to_go(&other).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_network_that_waits_for_responses_in_every_place_keeps_nobody_out_but_itself() {
        let places = Places::new(64, usize::MAX, Arc::default());
        let person = take(&places, "192.0.2.1").unwrap();
        asks(&person);
        let mut greedy: Vec<Place> = (0..63).filter_map(|_| take(&places, "198.51.100.1")).collect();
        greedy.iter().for_each(Place::is_busy);
        let mut newcomers = vec![];
        for at in 2..50 {
            newcomers.extend(take(&places, &format!("192.0.2.{at}")).inspect(Place::is_busy));
            let gone = asked_to_go(&greedy).await;
            assert!(gone.len() == 1 && greedy[gone[0]].is_lost_at_once(), "it waits for no response");
            greedy.remove(gone[0]);
        }
        assert_eq!((newcomers.len(), greedy.len()), (48, 15));
        assert!(take(&places, "198.51.100.1").is_none(), "what it lost it does not get back");
        assert!(!was_asked_to_go(&person).await && asked_to_go(&newcomers).await.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_many_places_gets_none_of_those_who_have_few() {
        let places = Places::new(32, usize::MAX, Arc::default());
        let people: Vec<Place> =
            (1..=20).filter_map(|at| take(&places, &format!("192.0.2.{at}"))).inspect(asks).collect();
        let greedy: Vec<Place> = (0..12).filter_map(|_| take(&places, "198.51.100.1")).collect();
        greedy.iter().for_each(Place::is_busy);
        advance(2 * HANDSHAKE).await;
        assert!(take(&places, "198.51.100.1").is_none());
        assert!(asked_to_go(&people).await.is_empty());
        greedy[3].idles_since(Instant::now(), true);
        assert!(take(&places, "198.51.100.1").is_some(), "its own idle one");
        assert_eq!(asked_to_go(&greedy).await, [3]);
    }

    #[tokio::test(start_paused = true)]
    async fn of_the_network_with_most_those_that_never_asked_go_first() {
        let places = Places::new(40, usize::MAX, Arc::default());
        let person = take(&places, "192.0.2.1").unwrap();
        asks(&person);
        advance(Duration::from_secs(9)).await;
        let crowd: Vec<Place> = (0..39).filter_map(|_| take(&places, "198.51.100.1")).collect();
        asks(&crowd[0]);
        let newcomers: Vec<Place> = (2..5).filter_map(|at| take(&places, &format!("192.0.2.{at}"))).collect();
        assert_eq!(
            (newcomers.len(), asked_to_go(&crowd).await),
            (3, vec![1, 2, 3]),
            "so many are not about to ask"
        );
        assert!(!was_asked_to_go(&person).await && asked_to_go(&newcomers).await.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_that_are_new_may_be_about_to_ask() {
        let places = Places::new(40, usize::MAX, Arc::default());
        let old: Vec<Place> =
            (1..=37).filter_map(|at| take(&places, &format!("198.51.100.{at}"))).inspect(asks).collect();
        advance(2 * HANDSHAKE).await;
        let new: Vec<Place> = (0..3).filter_map(|_| take(&places, "192.0.2.1")).collect();
        let newcomer = take(&places, "192.0.2.2").unwrap();
        assert_eq!((asked_to_go(&old).await.len(), asked_to_go(&new).await), (1, vec![]));
        advance(2 * HANDSHAKE).await;
        let another = take(&places, "192.0.2.3");
        assert_eq!((another.is_some(), asked_to_go(&new).await), (true, vec![0]));
        assert!(!was_asked_to_go(&newcomer).await);
    }

    #[tokio::test(start_paused = true)]
    async fn no_network_comes_down_further_than_the_next_one() {
        let places = Places::new(160, usize::MAX, Arc::default());
        let of = |address: &str, count| -> Vec<Place> {
            (0..count).filter_map(|_| take(&places, address)).collect()
        };
        let mut all = of("198.51.100.1", 21);
        for at in 2..9 {
            all.extend(of(&format!("198.51.100.{at}"), 19));
        }
        all.extend((1..=6).filter_map(|at| take(&places, &format!("192.0.2.{at}"))));
        assert_eq!(all.len(), 160);
        advance(2 * HANDSHAKE).await;
        let mut newcomers = vec![];
        for at in 10..21 {
            newcomers.extend(take(&places, &format!("192.0.2.{at}")));
            let gone = asked_to_go(&all).await.pop().unwrap();
            all.remove(gone);
        }
        assert_eq!(newcomers.len(), 11);
        let left =
            places.lock().per_network.values().filter(|count| **count > 1).copied().collect::<Vec<_>>();
        assert!(left.iter().all(|count| (17..=19).contains(count)), "{left:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_leave_at_a_time_than_a_share_and_a_place_is_free_once_it_is_left() {
        let places = Places::new(16, usize::MAX, Arc::default());
        let mut all: Vec<Place> = (0..16).filter_map(|_| take(&places, "192.0.2.1")).collect();
        advance(Duration::from_secs(2)).await;
        for _ in 0..2 {
            all.extend(take(&places, "192.0.2.1"));
        }
        assert_eq!((all.len(), take(&places, "192.0.2.1").is_some()), (18, false), "two are leaving");
        all.remove(0);
        assert!(take(&places, "192.0.2.1").is_some());
    }
}
