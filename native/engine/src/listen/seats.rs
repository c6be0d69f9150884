//! Limits the connections that clients hold open, in all and for each client. If no seat is free, the connection that was idle for the
//! longest time is closed (RFC 7766 section 6.2.3, RFC 9210 section 4.2).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::network::network;

/// Longer than any query takes. A connection without progress for so long only keeps others out.
const STUCK: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub connections: usize,
    /// of one network; loopback is everybody on this machine, so only the total holds there
    pub per_client: usize,
    /// between messages
    pub idle: Duration,
    /// from a message's first octet to its last
    pub message: Duration,
    /// for responses to be taken
    pub write: Duration,
    /// the same, for a client that asks on while as many wait for it as may
    pub deaf: Duration,
}

pub struct Seats {
    limits: Limits,
    began: Instant,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    next: u64,
    taken: HashMap<u64, Arc<Sitting>>,
}

/// Held as long as the connection.
pub struct Seat {
    id: u64,
    seats: Arc<Seats>,
    sitting: Arc<Sitting>,
}

struct Sitting {
    client: IpAddr,
    /// queries being answered
    busy: AtomicUsize,
    /// milliseconds since the seats began
    moved: AtomicU64,
    leave: Notify,
}

/// One query of a connection, until its response is written.
pub struct Busy(Arc<Sitting>);

impl Seats {
    pub fn new(limits: Limits) -> Self {
        Self { limits, began: Instant::now(), inner: Mutex::default() }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// `None`: every seat is in use.
    pub fn take(self: &Arc<Self>, client: IpAddr) -> Option<Seat> {
        let mut inner = self.inner();
        let limited = !client.is_loopback();
        let client = network(client);
        let own = |sitting: &Sitting| sitting.client == client;
        if limited && inner.taken.values().filter(|sitting| own(sitting)).count() >= self.limits.per_client {
            self.free_one(&mut inner, own)?;
        } else if inner.taken.len() >= self.limits.connections {
            self.free_one(&mut inner, |_| true)?;
        }
        let sitting = Arc::new(Sitting {
            client,
            busy: AtomicUsize::new(0),
            moved: AtomicU64::new(self.now()),
            leave: Notify::new(),
        });
        let id = inner.next;
        inner.next += 1;
        inner.taken.insert(id, sitting.clone());
        Some(Seat { id, seats: self.clone(), sitting })
    }

    /// Closes the connection with the oldest message, among those that wait for no response or make no progress ([`STUCK`]).
    fn free_one(&self, inner: &mut Inner, among: impl Fn(&Sitting) -> bool) -> Option<()> {
        let stuck_before = self.now().saturating_sub(STUCK.as_millis() as u64);
        let can_go = |sitting: &Sitting| {
            sitting.busy.load(Ordering::Relaxed) == 0 || sitting.moved.load(Ordering::Relaxed) < stuck_before
        };
        let taken = inner.taken.iter().filter(|(_, sitting)| among(sitting) && can_go(sitting));
        let (id, sitting) =
            taken.min_by_key(|(id, sitting)| (sitting.moved.load(Ordering::Relaxed), **id))?;
        let id = *id;
        sitting.leave.notify_one();
        inner.taken.remove(&id);
        Some(())
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics while holding the seats")
    }
}

impl Seat {
    pub fn limits(&self) -> &Limits {
        self.seats.limits()
    }

    /// Returns once another client needs the seat.
    pub async fn wanted(&self) {
        self.sitting.leave.notified().await;
    }

    /// A message came.
    pub fn busy(&self) -> Busy {
        self.moved();
        self.sitting.busy.fetch_add(1, Ordering::Relaxed);
        Busy(self.sitting.clone())
    }

    /// A message came, or responses were taken.
    pub fn moved(&self) {
        self.sitting.moved.store(self.seats.now(), Ordering::Relaxed);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.inner().taken.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn seats(connections: usize, per_client: usize) -> Arc<Seats> {
        let [idle, message, write, deaf] = [Duration::ZERO; 4];
        Arc::new(Seats::new(Limits { connections, per_client, idle, message, write, deaf }))
    }

    fn other(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    async fn later() {
        tokio::time::advance(Duration::from_millis(10)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_moved_longest_ago_goes() {
        let seats = seats(3, 3);
        let mut sitting = Vec::new();
        for _ in 0..3 {
            sitting.push(seats.take(ME).unwrap());
            later().await;
        }
        sitting[0].moved();
        sitting.push(seats.take(ME).unwrap());
        sitting[1].wanted().await;
        assert_eq!(seats.inner().taken.len(), 3);
        sitting.clear();
        assert_eq!(seats.inner().taken.len(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_is_being_answered_stays_unless_stuck() {
        let seats = seats(1, 1);
        let seat = seats.take(ME).unwrap();
        let busy = seat.busy();
        assert!(seats.take(ME).is_none());
        tokio::time::advance(STUCK + Duration::from_millis(1)).await;
        assert!(seats.take(ME).is_some());
        seat.wanted().await;
        drop(busy);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_takes_no_seat_but_its_own() {
        let seats = seats(4, 2);
        let mine = seats.take(other(1)).unwrap();
        let theirs = [seats.take(other(2)).unwrap(), seats.take(other(2)).unwrap()];
        later().await;
        let _third = seats.take(other(2)).unwrap();
        theirs[0].wanted().await;
        assert_eq!(seats.inner().taken.len(), 3);
        let _busy = mine.busy();
        let _busy_too = theirs[1].busy();
    }

    #[tokio::test(start_paused = true)]
    async fn the_addresses_of_a_network_are_one_client() {
        let seats = seats(4, 2);
        let of_a_lan = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
        let theirs = [seats.take(of_a_lan(1)).unwrap(), seats.take(of_a_lan(2)).unwrap()];
        let _busy = theirs.each_ref().map(Seat::busy);
        assert!(seats.take(of_a_lan(3)).is_none());
        assert!(seats.take(other(1)).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn everybody_on_this_machine_shares_the_total() {
        let seats = seats(3, 1);
        let sitting = [seats.take(ME), seats.take(ME), seats.take(ME)];
        assert!(sitting.iter().all(Option::is_some));
        assert_eq!(seats.inner().taken.len(), 3);
    }
}
