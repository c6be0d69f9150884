//! Limits the queries that wait for the network. Each costs memory until it is answered, and a client could send one for every name
//! there is. What the cache or policy answers needs no slot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::outcome::ClientProtocol;

/// Of datagrams, over all addresses; as many of streams. `examples/waiting_memory.rs` measures what one takes.
pub const SLOTS: usize = 4096;

pub struct Slots {
    room: usize,
    datagrams: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    turned_away: AtomicU64,
    full: AtomicBool,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

/// Held until the response has left.
#[derive(Debug)]
pub struct Slot {
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
        let slots = || Arc::new(Semaphore::new(room));
        let (turned_away, full) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { room, datagrams: slots(), streams: slots(), turned_away, full, on_change }
    }

    /// `None`: no slot is free, and the query is counted as turned away.
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
        [&self.datagrams, &self.streams].iter().all(|room| room.available_permits() >= self.room / 2)
    }

    fn change(&self, full: bool) {
        if self.full.swap(full, Ordering::Relaxed) != full {
            (self.on_change)();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Duration;

    use tokio::net::UdpSocket;
    use tokio::sync::watch;
    use tokio::time::timeout;

    use super::*;
    use crate::config::EngineConfig;
    use crate::counts::Counts;
    use crate::events::courier::Events;
    use crate::listen::udp;
    use crate::pipeline::Pipeline;
    use crate::snapshot::{Lasting, Snapshot};
    use crate::upstream::dial::sockets::System;
    use crate::wire::header::{self, Header, rcode};
    use crate::wire::name::Name;
    use crate::wire::question::Question;
    use crate::wire::types;

    const ROOM: usize = 8;
    /// Reached only if something hangs.
    const PATIENCE: Duration = Duration::from_secs(60);

    async fn ask(client: &UdpSocket, name: &str, id: u16) {
        let question = Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN };
        client.send(&question.query(id, header::RD)).await.unwrap();
    }

    async fn response(client: &UdpSocket) -> (u16, u16) {
        let mut buffer = [0; 2048];
        let length = timeout(PATIENCE, client.recv(&mut buffer)).await.expect("a response comes").unwrap();
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

    #[test]
    fn one_too_many_is_turned_away_and_told_until_half_of_the_room_is_free() {
        let told = Arc::new(AtomicU64::new(0));
        let telling = told.clone();
        let on_change = Arc::new(move || {
            telling.fetch_add(1, Ordering::Relaxed);
        });
        let slots = Slots::new(ROOM, on_change);
        let mut taken: Vec<_> = (0..ROOM).map(|_| slots.take(ClientProtocol::Udp).unwrap()).collect();
        assert_eq!(slots.turned_away(), TurnedAway { count: 0, standing: false });
        assert!(slots.take(ClientProtocol::Udp).is_none() && slots.take(ClientProtocol::Udp).is_none());
        let stream = slots.take(ClientProtocol::Tcp);
        assert!(stream.is_some(), "streams have room of their own");
        assert_eq!(slots.turned_away(), TurnedAway { count: 2, standing: true });
        taken.truncate(ROOM / 2 + 1);
        taken.push(slots.take(ClientProtocol::Udp).unwrap());
        assert!(slots.turned_away().standing);
        taken.clear();
        assert_eq!(slots.turned_away(), TurnedAway { count: 2, standing: false });
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }
}
