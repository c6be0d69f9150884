//! Limits the queries that wait for the network. Each costs memory until it is answered, and a client could send one for every name
//! there is. What the cache or policy answers needs no slot. Whoever asks from another machine or a container gets as many slots as
//! are free besides: so there is always room for another one. Addresses of one [network](network()) count as one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::network::network;
use crate::outcome::ClientProtocol;

/// Of datagrams, over all addresses; as many of streams. `examples/waiting_memory.rs` measures what one takes.
pub const SLOTS: usize = 4096;

pub struct Slots {
    room: usize,
    datagrams: Arc<Room>,
    streams: Arc<Room>,
    turned_away: AtomicU64,
    full: AtomicBool,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Debug)]
struct Room {
    free: Arc<Semaphore>,
    /// slots of each network, except those of loopback: that is everybody on this machine
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// Held until the response has left and nothing asks for it any more.
#[derive(Debug, Clone)]
pub struct Slot(Arc<Taken>);

#[derive(Debug)]
struct Taken {
    client: IpAddr,
    room: Arc<Room>,
    _permit: OwnedSemaphorePermit,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TurnedAway {
    /// queries, ever since
    pub count: u64,
    /// half of the room was not free since the last of them
    pub standing: bool,
}

impl Slots {
    /// `on_change`: queries began to be turned away, or no longer are.
    pub fn new(room: usize, on_change: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (turned_away, full) = (AtomicU64::new(0), AtomicBool::new(false));
        let (datagrams, streams) = (Room::new(room), Room::new(room));
        Self { room, datagrams, streams, turned_away, full, on_change }
    }

    /// `None`: no slot is free, and the query is counted as turned away.
    pub fn take(&self, protocol: ClientProtocol, client: IpAddr) -> Option<Slot> {
        let room = match protocol {
            ClientProtocol::Udp => &self.datagrams,
            ClientProtocol::Tcp | ClientProtocol::Control => &self.streams,
        };
        let slot = room.take(client);
        match slot {
            Some(_) if self.full.load(Ordering::Relaxed) && self.is_half_free() => self.change(false),
            Some(_) => {}
            None => {
                self.turned_away.fetch_add(1, Ordering::Relaxed);
                self.change(true);
            }
        }
        slot
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
        [&self.datagrams, &self.streams].iter().all(|room| room.free.available_permits() >= self.room / 2)
    }

    fn change(&self, full: bool) {
        if self.full.swap(full, Ordering::Relaxed) != full {
            (self.on_change)();
        }
    }
}

impl Room {
    fn new(slots: usize) -> Arc<Self> {
        Arc::new(Self { free: Arc::new(Semaphore::new(slots)), taken: Mutex::default() })
    }

    fn take(self: &Arc<Self>, client: IpAddr) -> Option<Slot> {
        let mut taken = self.taken();
        let limited = !client.is_loopback();
        let client = network(client);
        if limited && taken.get(&client).is_some_and(|own| *own >= self.free.available_permits()) {
            return None;
        }
        let permit = self.free.clone().try_acquire_owned().ok()?;
        if limited {
            *taken.entry(client).or_default() += 1;
        }
        Some(Slot(Arc::new(Taken { client, room: self.clone(), _permit: permit })))
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().expect("nothing panics while counting")
    }
}

impl Slot {
    /// Its network.
    pub fn client(&self) -> IpAddr {
        self.0.client
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut taken = self.room.taken();
        if let Entry::Occupied(mut own) = taken.entry(self.client) {
            *own.get_mut() -= 1;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use sotto_skip::clock;
    use sotto_skip::waiting::{until_found, within};
    use tokio::net::UdpSocket;
    use tokio::sync::watch;

    use super::*;
    use crate::config::EngineConfig;
    use crate::counts::Counts;
    use crate::events::courier::Events;
    use crate::listen::udp;
    use crate::pipeline::{Begun, Pipeline};
    use crate::query::{Client, NOBODY};
    use crate::snapshot::{Lasting, Snapshot};
    use crate::upstream::dial::sockets::System;
    use crate::wire::header::{self, Header, rcode};
    use crate::wire::name::Name;
    use crate::wire::question::Question;
    use crate::wire::types;

    const ROOM: usize = 8;
    const ME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    async fn ask(client: &UdpSocket, name: &str, id: u16) {
        let question = Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN };
        client.send(&question.query(id, header::RD)).await.unwrap();
    }

    async fn response(client: &UdpSocket) -> (u16, u16) {
        let mut buffer = [0; 2048];
        let length = within("a response comes", client.recv(&mut buffer)).await.unwrap();
        let Header { id, flags, .. } = Header::read(&buffer[..length]).unwrap();
        (id, flags & 0xf)
    }

    /// In front of an upstream that takes connections and never speaks.
    fn pipeline(silent: &TcpListener) -> Pipeline {
        let lasting = Lasting::new(Arc::new(System), Counts::InMemory, Arc::new(|| {}));
        let config = serde_json::json!({
            "listen": [], "mode": "private", "network": "any",
            "upstreams": [{
                "id": "mute", "transport": "dot", "addresses": [silent.local_addr().unwrap()],
                "pins": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], "alternative": null,
            }],
            "cache": {"entries": 1000, "serveStale": false, "staleHours": 24},
        });
        let config = EngineConfig::parse(&config.to_string()).unwrap();
        let snapshot = Snapshot::compile(config, None, &lasting).unwrap();
        let mut pipeline = Pipeline::new(snapshot, Events::start(Box::new(|_| true)), &lasting);
        pipeline.slots = Slots::new(ROOM, Arc::new(|| {}));
        pipeline
    }

    #[tokio::test]
    async fn what_finds_no_room_is_told_at_once_and_what_is_known_here_is_answered() {
        clock::goes_on_in_steps();
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let pipeline = Arc::new(pipeline(&silent));
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        client.connect(socket.local_addr().unwrap()).await.unwrap();
        let (_open, closed) = watch::channel(());
        tokio::spawn(udp::serve(socket, pipeline.clone(), closed));

        for index in 0..ROOM {
            ask(&client, &format!("n{index}.flood.example"), 1).await;
        }
        for index in 0..ROOM {
            ask(&client, &format!("too-many{index}.flood.example"), 2).await;
            assert_eq!(response(&client).await, (2, rcode::SERVFAIL));
        }
        ask(&client, "localhost", 3).await;
        assert_eq!(response(&client).await, (3, rcode::NOERROR));
        let all = ROOM as u64;
        assert_eq!(pipeline.slots.turned_away(), TurnedAway { count: all, standing: true });

        for _ in 0..ROOM {
            assert_eq!(response(&client).await, (1, rcode::SERVFAIL), "given up in time");
        }
        assert_eq!(pipeline.slots.turned_away(), TurnedAway { count: all, standing: false });
        ask(&client, "later.example", 4).await;
        assert_eq!(response(&client).await.0, 4);
        assert_eq!(pipeline.slots.turned_away().count, all);
    }

    #[tokio::test]
    async fn a_query_whose_client_went_away_counts_until_nobody_asks_for_it() {
        clock::goes_on_in_steps();
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let pipeline = Arc::new(pipeline(&silent));
        for index in 0..ROOM {
            let name = Name::parse(&format!("n{index}.gone.example")).unwrap();
            let message = Question { name, kind: types::A, class: types::IN }.query(7, header::RD);
            let client = Client::now(ClientProtocol::Tcp, NOBODY, NOBODY);
            let Begun::Waiting(mut waiting) = pipeline.begin(&message, client, &mut Vec::new()) else {
                panic!("it needs the network");
            };
            waiting.draft.slot = pipeline.slots.take(ClientProtocol::Tcp, ME);
            let finishing = pipeline.clone();
            let waits = tokio::spawn(async move { finishing.finish(waiting, &mut Vec::new()).await });
            tokio::task::yield_now().await;
            waits.abort();
            assert!(waits.await.is_err_and(|error| error.is_cancelled()));
        }
        assert!(pipeline.slots.take(ClientProtocol::Tcp, ME).is_none(), "all are still asked for");
        let take = async || pipeline.slots.take(ClientProtocol::Tcp, ME);
        drop(until_found("they are given up in time", take).await);
    }

    #[test]
    fn a_container_leaves_room_for_its_neighbours_and_all_together_have_no_more() {
        let slots = Slots::new(ROOM, Arc::new(|| {}));
        let neighbour = |last: u8| IpAddr::from([172, 17, 0, last]);
        let mut taken: Vec<_> =
            (0..ROOM).filter_map(|_| slots.take(ClientProtocol::Udp, neighbour(2))).collect();
        assert_eq!(taken.len(), ROOM / 2);
        taken.extend((0..ROOM).filter_map(|_| slots.take(ClientProtocol::Udp, neighbour(3))));
        assert_eq!(taken.len(), ROOM / 2 + ROOM / 4);
        taken.extend((4..=255).filter_map(|last| slots.take(ClientProtocol::Udp, neighbour(last))));
        assert_eq!(taken.len(), ROOM);
        assert!(slots.take(ClientProtocol::Udp, ME).is_none());
        taken.clear();
        let of_a_lan = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
        taken.extend((1..=255).filter_map(|last| slots.take(ClientProtocol::Udp, of_a_lan(last))));
        assert_eq!(taken.len(), ROOM / 2, "a machine has any number of addresses");
        taken.clear();
        assert!(slots.datagrams.taken().is_empty());
        let all = std::iter::from_fn(|| slots.take(ClientProtocol::Udp, ME)).collect::<Vec<_>>();
        assert_eq!(all.len(), ROOM, "loopback is everybody on this machine");
    }

    #[test]
    fn one_too_many_is_turned_away_and_told_until_half_of_the_room_is_free() {
        let told = Arc::new(AtomicU64::new(0));
        let telling = told.clone();
        let on_change = Arc::new(move || {
            telling.fetch_add(1, Ordering::Relaxed);
        });
        let slots = Slots::new(ROOM, on_change);
        let mut taken: Vec<_> = (0..ROOM).map(|_| slots.take(ClientProtocol::Udp, ME).unwrap()).collect();
        assert_eq!(slots.turned_away(), TurnedAway { count: 0, standing: false });
        assert!(
            slots.take(ClientProtocol::Udp, ME).is_none() && slots.take(ClientProtocol::Udp, ME).is_none()
        );
        let stream = slots.take(ClientProtocol::Tcp, ME);
        assert!(stream.is_some(), "streams have room of their own");
        assert_eq!(slots.turned_away(), TurnedAway { count: 2, standing: true });
        taken.truncate(ROOM / 2 + 1);
        taken.push(slots.take(ClientProtocol::Udp, ME).unwrap());
        assert!(slots.turned_away().standing);
        taken.clear();
        assert_eq!(slots.turned_away(), TurnedAway { count: 2, standing: false });
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }
}
