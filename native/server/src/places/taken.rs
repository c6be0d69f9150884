//! Who has a place, and who goes first where there is none: an idle one of the network that has most, or else one of this network that
//! waits for a response.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::Notify;

/// A connection that is not older than this may be about to ask, unless its network has more than its share. For as long, a choice of
/// those who go stays good.
pub const HANDSHAKE: Duration = Duration::from_secs(1);
/// Of all places, how many connections may be on their way out at a time, and how many are chosen at once. A network that has more than
/// that is a crowd: whoever waits for a response in it does not stay because of that, and it gets no places of others.
const SHARE: usize = 16;
pub const BUSY: u64 = 0;

/// Who has a place.
pub struct Sitting {
    pub network: IpAddr,
    /// milliseconds since the start, of which the lowest bit says whether it ever asked; or [`BUSY`]
    pub idle: AtomicU64,
    /// an [`Urgency`]
    pub wanted: AtomicU8,
    pub is_told: Notify,
    pub held: AtomicUsize,
}

/// How soon a connection is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Urgency {
    /// The server stops: once it is served.
    Served = 1,
    /// Somebody else has the place.
    Soon = 2,
    /// Of what is short, it or its network has most, and it cannot wait for its client.
    AtOnce = 3,
}

impl Sitting {
    pub fn new(network: IpAddr, idle: AtomicU64) -> Self {
        Sitting { network, idle, wanted: 0.into(), is_told: Notify::new(), held: 0.into() }
    }

    pub fn is_wanted(&self, urgency: Urgency) {
        self.wanted.fetch_max(urgency as u8, Relaxed);
        self.is_told.notify_one();
    }
}

/// Who wants a place.
#[derive(Clone, Copy)]
struct Newcomer {
    network: IpAddr,
    /// places that its network has already
    has: usize,
    is_of_crowd: bool,
}

impl Newcomer {
    /// Whether it may have the place of a connection of this network, which has so many.
    fn may_displace(self, network: IpAddr, of_network: usize, idle: u64) -> bool {
        match idle {
            BUSY => of_network > self.has + 1,
            _ => !self.is_of_crowd || network == self.network,
        }
    }
}

#[derive(Default)]
pub struct Taken {
    pub is_closed: bool,
    pub next: u64,
    pub by_number: HashMap<u64, Arc<Sitting>>,
    pub per_network: HashMap<IpAddr, usize>,
    pub leaving: usize,
    /// who goes next, from the end on, and since when it was idle when it was chosen
    queue: Vec<(u64, u64)>,
    /// milliseconds since the start
    chosen: u64,
    /// as many as another network had then: one that comes down to it goes no further
    least: usize,
}

impl Taken {
    /// `most`: places in all; `now`: milliseconds since the start. Whether somebody goes.
    pub fn make_room(&mut self, most: usize, network: IpAddr, now: u64) -> bool {
        let share = most / SHARE + 1;
        if self.leaving >= share {
            return false;
        }
        if now.saturating_sub(self.chosen) > HANDSHAKE.as_millis() as u64 {
            self.queue.clear();
        }
        let has = self.per_network.get(&network).copied().unwrap_or_default();
        let newcomer = Newcomer { network, has, is_of_crowd: has > share };
        self.send_next_away(newcomer)
            || self.choose(newcomer, share, share, now) && self.send_next_away(newcomer)
            || self.choose(newcomer, share, has + 1, now) && self.send_next_away(newcomer)
    }

    /// Of those who were chosen, if nothing has happened since.
    fn send_next_away(&mut self, newcomer: Newcomer) -> bool {
        while let Some(&(number, idle)) = self.queue.last() {
            let chosen = self.by_number.get(&number).filter(|sitting| {
                sitting.idle.load(Relaxed) == idle && self.per_network[&sitting.network] >= self.least
            });
            if let Some(sitting) = chosen {
                if !newcomer.may_displace(sitting.network, self.per_network[&sitting.network], idle) {
                    return false;
                }
                let urgency = if idle == BUSY { Urgency::AtOnce } else { Urgency::Soon };
                self.queue.pop();
                return self.send_away(number, urgency).is_some();
            }
            self.queue.pop();
        }
        false
    }

    /// `busy_above`: of a network that has more places, a connection may go while it waits for a response. Whether there is somebody.
    fn choose(&mut self, newcomer: Newcomer, share: usize, busy_above: usize, now: u64) -> bool {
        let youngest = idle_since(now.saturating_sub(HANDSHAKE.as_millis() as u64), false);
        let may_go = |sitting: &Sitting| {
            let (idle, of_network) = (sitting.idle.load(Relaxed), self.per_network[&sitting.network]);
            let may_go = match idle {
                BUSY => of_network > busy_above,
                _ => of_network > share || has_asked(idle) || idle <= youngest,
            };
            (may_go && newcomer.may_displace(sitting.network, of_network, idle)).then_some((of_network, idle))
        };
        let those =
            || self.by_number.iter().filter_map(|(number, sitting)| Some((may_go(sitting)?, *number)));
        let Some(largest) = those().map(|((of_network, _), _)| of_network).max() else {
            return false;
        };
        let of_largest = those().filter(|((of_network, _), _)| *of_network == largest);
        let mut chosen: Vec<_> =
            of_largest.map(|((_, idle), number)| (idle == BUSY, has_asked(idle), idle, number)).collect();
        chosen.sort_unstable();
        chosen.truncate(share);
        self.queue = chosen.into_iter().rev().map(|(_, _, idle, number)| (number, idle)).collect();
        let others = self.per_network.values().filter(|count| **count < largest);
        (self.chosen, self.least) = (now, others.max().copied().unwrap_or_default());
        true
    }

    pub fn send_away(&mut self, number: u64, urgency: Urgency) -> Option<Arc<Sitting>> {
        let sitting = self.remove(number)?;
        self.leaving += 1;
        sitting.is_wanted(urgency);
        Some(sitting)
    }

    pub fn remove(&mut self, number: u64) -> Option<Arc<Sitting>> {
        let sitting = self.by_number.remove(&number)?;
        if let Some(count) = self.per_network.get_mut(&sitting.network) {
            *count -= 1;
            if *count == 0 {
                self.per_network.remove(&sitting.network);
            }
        }
        Some(sitting)
    }
}

fn has_asked(idle: u64) -> bool {
    idle & 1 == 1
}

/// Never [`BUSY`].
pub fn idle_since(milliseconds: u64, has_asked: bool) -> u64 {
    ((milliseconds + 1) << 1) | u64::from(has_asked)
}
