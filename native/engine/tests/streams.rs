//! Clients on streams that are idle, slow or many; the test controls the clock.

use std::sync::Arc;
use std::time::Duration;

use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::events::courier::Events;
use sotto_engine::listen::seats::{Limits, Seats};
use sotto_engine::listen::tcp::{LIMITS, converse};
use sotto_engine::outcome::ClientProtocol;
use sotto_engine::pipeline::Pipeline;
use sotto_engine::query::{Client, NOBODY};
use sotto_engine::snapshot::{Lasting, Snapshot};
use sotto_engine::upstream::dial::sockets::System;
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

const PIPE: usize = 4096;
const SECOND: Duration = Duration::from_secs(1);

/// A pipeline without upstreams.
fn pipeline() -> Arc<Pipeline> {
    let lasting = Lasting::new(Arc::new(System), Counts::InMemory, Arc::new(|| {}));
    let snapshot = Snapshot::compile(EngineConfig::nothing(), None, &lasting).unwrap();
    Arc::new(Pipeline::new(snapshot, Events::start(Box::new(|_| true)), &lasting))
}

struct Room {
    pipeline: Arc<Pipeline>,
    seats: Arc<Seats>,
    open: watch::Sender<()>,
}

struct Visitor {
    stream: DuplexStream,
    conversation: JoinHandle<()>,
}

impl Room {
    fn new(limits: Limits) -> Self {
        Self { pipeline: pipeline(), seats: Arc::new(Seats::new(limits)), open: watch::channel(()).0 }
    }

    fn enter(&self) -> Option<Visitor> {
        let client = Client::now(ClientProtocol::Tcp, NOBODY, NOBODY);
        let seat = self.seats.take([127, 0, 0, 1].into())?;
        let (stream, ours) = duplex(PIPE);
        let (pipeline, closed) = (self.pipeline.clone(), self.open.subscribe());
        let conversation = tokio::spawn(converse(split(ours), client, pipeline, closed, seat));
        Some(Visitor { stream, conversation })
    }
}

impl Visitor {
    async fn ask(&mut self) -> Option<u16> {
        self.stream.write_all(&question()).await.ok()?;
        let length = self.stream.read_u16().await.ok()?;
        let mut reply = vec![0; usize::from(length)];
        self.stream.read_exact(&mut reply).await.ok()?;
        Some(length)
    }

    async fn sees_the_end(mut self) -> bool {
        let mut rest = Vec::new();
        let ended = self.stream.read_to_end(&mut rest).await.is_ok();
        self.conversation.await.unwrap();
        ended
    }
}

fn question() -> Vec<u8> {
    let name = Name::parse("localhost").unwrap();
    let message = Question { name, kind: types::A, class: types::IN }.query(1, 0x0100);
    [&(message.len() as u16).to_be_bytes()[..], &message].concat()
}

#[tokio::test(start_paused = true)]
async fn an_idle_client_is_kept_for_the_idle_time_and_no_longer() {
    let room = Room::new(LIMITS);
    let mut visitor = room.enter().unwrap();
    for _ in 0..3 {
        sleep(LIMITS.idle - SECOND).await;
        assert!(visitor.ask().await.is_some());
    }
    let idle_since = Instant::now();
    assert!(visitor.sees_the_end().await);
    assert_eq!(idle_since.elapsed().as_secs(), LIMITS.idle.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_message_that_does_not_end_ends_the_stream() {
    let room = Room::new(LIMITS);
    let mut visitor = room.enter().unwrap();
    let began = Instant::now();
    visitor.stream.write_all(&question()[..5]).await.unwrap();
    assert!(visitor.sees_the_end().await);
    assert_eq!(began.elapsed().as_secs(), LIMITS.message.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_message_told_octet_by_octet_does_not_buy_time() {
    let room = Room::new(LIMITS);
    let Visitor { mut stream, conversation } = room.enter().unwrap();
    let began = Instant::now();
    let dripping = async {
        for octet in question() {
            if stream.write_all(&[octet]).await.is_err() {
                return;
            }
            sleep(SECOND).await;
        }
    };
    let (_, ended) = tokio::join!(dripping, async {
        conversation.await.unwrap();
        began.elapsed()
    });
    assert_eq!(ended.as_secs(), LIMITS.message.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_no_replies_is_cut() {
    let room = Room::new(LIMITS);
    let mut visitor = room.enter().unwrap();
    let began = Instant::now();
    // more responses than the pipe holds, and fewer than may wait
    for _ in 0..2 * PIPE / question().len() {
        visitor.stream.write_all(&question()).await.unwrap();
    }
    visitor.conversation.await.unwrap();
    assert_eq!(began.elapsed().as_secs(), LIMITS.write.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_asks_on_and_reads_nothing_is_cut_sooner() {
    let room = Room::new(LIMITS);
    let mut visitor = room.enter().unwrap();
    let began = Instant::now();
    let mut asked = 0;
    // until as many responses wait unread as may
    while visitor.stream.write_all(&question()).await.is_ok() {
        asked += 1;
    }
    visitor.conversation.await.unwrap();
    assert_eq!(began.elapsed().as_secs(), LIMITS.deaf.as_secs());
    assert!(asked < 8192, "{asked} were answered for nobody");
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_slow_clients_keep_nobody_out() {
    let room = Room::new(LIMITS);
    let mut slow = Vec::new();
    for index in 0..10_000 {
        let mut visitor = room.enter().expect("somebody idle goes");
        if index % 2 == 0 {
            let _ = visitor.stream.write_all(&question()[..3]).await;
        }
        slow.push(visitor);
        if index % 1000 == 0 {
            assert!(room.enter().unwrap().ask().await.is_some(), "after {index}");
        }
    }
    let mut quick = room.enter().unwrap();
    assert!(quick.ask().await.is_some());
    // a little time, so that those that were turned away are gone
    sleep(SECOND / 100).await;
    let sitting = slow.iter().filter(|visitor| !visitor.conversation.is_finished()).count();
    assert!(sitting <= LIMITS.connections, "{sitting} sit");
}

#[tokio::test(start_paused = true)]
async fn closing_the_door_ends_every_stream() {
    let room = Room::new(LIMITS);
    let visitor = room.enter().unwrap();
    drop(room.open);
    assert!(visitor.sees_the_end().await);
}
