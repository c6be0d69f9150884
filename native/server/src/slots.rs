//! Room for queries in flight, to one server behind or over one socket, shared by the networks that ask. A network may have as many in flight as are free: one that
//! is alone gets half of them, two get a third each, and whoever has few in flight finds room at once. Further queries of a network wait
//! in its line, and what becomes free goes to the line whose network has the fewest in flight (decision 0090).

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

#[derive(Debug)]
pub struct Slots {
    state: Mutex<State>,
}

/// Of one query; it is free again when this is dropped.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    network: IpAddr,
}

/// The slot, once it is this query's turn. Whoever waits no more drops this.
pub type Turn = oneshot::Receiver<Slot>;

#[derive(Debug)]
struct State {
    most: usize,
    in_flight: usize,
    /// only those that have queries in flight or waiting
    networks: HashMap<IpAddr, Network>,
    /// those with a line: how many they have in flight, and the number of their first query
    order: BTreeSet<(usize, u64, IpAddr)>,
    next: u64,
}

#[derive(Debug, Default)]
struct Network {
    in_flight: usize,
    line: VecDeque<(u64, oneshot::Sender<Slot>)>,
}

impl Slots {
    pub fn new(most: usize) -> Arc<Self> {
        let state = State { most, in_flight: 0, networks: HashMap::new(), order: BTreeSet::new(), next: 0 };
        Arc::new(Slots { state: Mutex::new(state) })
    }

    /// At once if there is room; nothing is allocated then, once the table of networks has grown.
    pub fn take(self: &Arc<Self>, network: IpAddr) -> Result<Slot, Turn> {
        self.state().take(network).map(|()| Slot { slots: self.clone(), network })
    }

    /// The same for whoever does not wait.
    pub fn take_now(self: &Arc<Self>, network: IpAddr) -> Option<Slot> {
        self.state().take_now(network).then(|| Slot { slots: self.clone(), network })
    }

    /// Where more are in flight, there is room again as they end.
    pub fn limit(&self, most: usize) {
        self.state().most = most;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let due = self.slots.state().give_back(self.network);
        // not under the lock: a slot that nobody takes any more is dropped here
        for (network, turn) in due {
            let _ = turn.send(Slot { slots: self.slots.clone(), network });
        }
    }
}

impl State {
    fn free(&self) -> usize {
        self.most.saturating_sub(self.in_flight)
    }

    fn take_now(&mut self, network: IpAddr) -> bool {
        let free = self.free();
        let has = self.networks.get(&network).map_or(0, |of_network| of_network.in_flight);
        let may = has < free;
        if may {
            self.change(network, |of_network| of_network.in_flight += 1);
            self.in_flight += 1;
        }
        may
    }

    fn take(&mut self, network: IpAddr) -> Result<(), Turn> {
        if self.take_now(network) {
            return Ok(());
        }
        let (turn, due) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        self.change(network, |of_network| of_network.line.push_back((number, turn)));
        Err(due)
    }

    /// Whose turn it is then.
    fn give_back(&mut self, network: IpAddr) -> Vec<(IpAddr, oneshot::Sender<Slot>)> {
        self.in_flight -= 1;
        self.change(network, |of_network| of_network.in_flight -= 1);
        let mut due = Vec::new();
        while let Some(&(in_flight, _, first)) = self.order.first()
            && in_flight < self.free()
        {
            if let Some(turn) = self.change(first, Network::next) {
                self.in_flight += 1;
                due.push((first, turn));
            }
        }
        due
    }

    /// The network's place in the order follows.
    fn change<Done>(&mut self, network: IpAddr, change: impl FnOnce(&mut Network) -> Done) -> Done {
        let of_network = self.networks.entry(network).or_default();
        if let Some((in_flight, first)) = of_network.rank() {
            self.order.remove(&(in_flight, first, network));
        }
        let done = change(of_network);
        match of_network.rank() {
            Some((in_flight, first)) => {
                self.order.insert((in_flight, first, network));
            }
            None if of_network.in_flight == 0 => {
                self.networks.remove(&network);
            }
            None => {}
        }
        done
    }
}

impl Network {
    fn rank(&self) -> Option<(usize, u64)> {
        self.line.front().map(|(number, _)| (self.in_flight, *number))
    }

    /// The first of its line, if it still waits.
    fn next(&mut self) -> Option<oneshot::Sender<Slot>> {
        let (_, turn) = self.line.pop_front()?;
        let waits = !turn.is_closed();
        self.in_flight += usize::from(waits);
        waits.then_some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    /// As many as the network gets at once, and the turn that it has to wait for.
    fn all_at_once(slots: &Arc<Slots>, of: IpAddr) -> (Vec<Slot>, Turn) {
        let mut taken = Vec::new();
        loop {
            match slots.take(of) {
                Ok(slot) => taken.push(slot),
                Err(turn) => return (taken, turn),
            }
        }
    }

    #[test]
    fn one_network_gets_half_of_them_and_each_further_one_half_of_the_rest() {
        let slots = Slots::new(64);
        let greedy: Vec<_> = (0..4).map(|last| all_at_once(&slots, network(last))).collect();
        let counts: Vec<_> = greedy.iter().map(|(taken, _)| taken.len()).collect();
        assert_eq!(counts, [32, 16, 8, 4]);
        assert!(slots.take(network(9)).is_ok(), "who has none in flight");
    }

    #[test]
    fn what_becomes_free_goes_to_whoever_has_the_fewest_in_flight() {
        let slots = Slots::new(8);
        let (mut many, mut of_many) = all_at_once(&slots, network(1));
        let (few, mut of_few) = all_at_once(&slots, network(2));
        assert_eq!((many.len(), few.len()), (4, 2));
        many.pop();
        assert!(of_many.try_recv().is_err(), "it came first, and has more");
        let _third = of_few.try_recv().unwrap();
        drop(many);
        assert!(of_many.try_recv().is_ok());
    }

    #[test]
    fn less_room_counts_at_once_and_more_too() {
        let slots = Slots::new(8);
        let (mut taken, _) = all_at_once(&slots, network(1));
        slots.limit(2);
        taken.truncate(1);
        assert!(slots.take(network(1)).is_err());
        slots.limit(8);
        assert!(slots.take(network(1)).is_ok());
    }

    #[test]
    fn those_of_one_network_go_in_the_order_in_which_they_came() {
        let slots = Slots::new(2);
        let first = slots.take(network(1)).unwrap();
        let mut turns: Vec<_> = (0..3).map(|_| slots.take(network(1)).unwrap_err()).collect();
        let mut slot = first;
        for place in 0..turns.len() {
            drop(slot);
            slot = turns[place].try_recv().unwrap();
            assert!(turns[place + 1..].iter_mut().all(|later| later.try_recv().is_err()));
        }
    }

    #[test]
    fn who_waits_no_more_keeps_nobody_waiting_and_nothing() {
        let slots = Slots::new(2);
        let slot = slots.take(network(1)).unwrap();
        let (gone, late, mut waits) = (
            slots.take(network(1)).unwrap_err(),
            slots.take(network(1)).unwrap_err(),
            slots.take(network(1)).unwrap_err(),
        );
        drop(gone);
        drop(slot);
        assert!(waits.try_recv().is_err(), "another one has it");
        // it is there, and nobody takes it
        drop(late);
        drop(waits.try_recv().unwrap());
        let state = slots.state();
        assert_eq!((state.free(), state.networks.len(), state.order.len()), (2, 0, 0));
    }
}
