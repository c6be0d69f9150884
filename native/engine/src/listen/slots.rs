//! Room for queries that wait for the network. Each of them costs memory until it is answered, and whoever may send to a listener
//! could make them as many as there are names; what is known here is answered without a slot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::outcome::ClientProtocol;

/// Of datagrams, over all addresses; as many of streams. `examples/waiting_memory.rs` measures what one takes.
pub const SLOTS: usize = 4096;

pub struct Slots {
    datagrams: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    turned_away: AtomicU64,
    full: AtomicBool,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

/// Held until the reply has left.
#[derive(Debug)]
pub struct Slot {
    _permit: OwnedSemaphorePermit,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnedAway {
    /// queries, ever since
    pub count: u64,
    /// half of the room was not free since the last of them
    pub standing: bool,
}

impl Slots {
    /// `on_change`: queries began to be turned away, or no longer are.
    pub fn new(on_change: Arc<dyn Fn() + Send + Sync>) -> Self {
        let room = || Arc::new(Semaphore::new(SLOTS));
        let (turned_away, full) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { datagrams: room(), streams: room(), turned_away, full, on_change }
    }

    /// `None`: there is none, and the query is counted as turned away.
    pub fn take(&self, protocol: ClientProtocol) -> Option<Slot> {
        let room = match protocol {
            ClientProtocol::Udp => &self.datagrams,
            ClientProtocol::Tcp | ClientProtocol::Control => &self.streams,
        };
        match room.clone().try_acquire_owned() {
            Ok(permit) => {
                if self.full.load(Ordering::Relaxed) && self.is_half_free() {
                    self.change(false);
                }
                Some(Slot { _permit: permit })
            }
            Err(_) => {
                self.turned_away.fetch_add(1, Ordering::Relaxed);
                self.change(true);
                None
            }
        }
    }

    pub fn turned_away(&self) -> TurnedAway {
        if self.full.load(Ordering::Relaxed) && self.is_half_free() {
            self.full.store(false, Ordering::Relaxed);
        }
        TurnedAway {
            count: self.turned_away.load(Ordering::Relaxed),
            standing: self.full.load(Ordering::Relaxed),
        }
    }

    fn is_half_free(&self) -> bool {
        [&self.datagrams, &self.streams].iter().all(|room| room.available_permits() >= SLOTS / 2)
    }

    fn change(&self, full: bool) {
        if self.full.swap(full, Ordering::Relaxed) != full {
            (self.on_change)();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_is_turned_away_and_told_until_half_of_the_room_is_free() {
        let told = Arc::new(AtomicU64::new(0));
        let telling = told.clone();
        let slots = Slots::new(Arc::new(move || {
            telling.fetch_add(1, Ordering::Relaxed);
        }));
        let mut taken: Vec<_> = (0..SLOTS).map(|_| slots.take(ClientProtocol::Udp).unwrap()).collect();
        assert_eq!(slots.turned_away(), TurnedAway { count: 0, standing: false });
        assert!(slots.take(ClientProtocol::Udp).is_none() && slots.take(ClientProtocol::Udp).is_none());
        let stream = slots.take(ClientProtocol::Tcp);
        assert!(stream.is_some(), "streams have room of their own");
        assert_eq!(slots.turned_away(), TurnedAway { count: 2, standing: true });
        taken.truncate(SLOTS / 2 + 1);
        taken.push(slots.take(ClientProtocol::Udp).unwrap());
        assert!(slots.turned_away().standing);
        taken.clear();
        assert_eq!(slots.turned_away(), TurnedAway { count: 2, standing: false });
        assert_eq!(told.load(Ordering::Relaxed), 1);
        let slots = Slots::new(Arc::new(|| {}));
        let all: Vec<_> = (0..=SLOTS).map(|_| slots.take(ClientProtocol::Tcp)).collect();
        assert_eq!(all.iter().filter(|slot| slot.is_none()).count(), 1);
    }
}
