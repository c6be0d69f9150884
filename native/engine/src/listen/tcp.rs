//! Streams: many questions on one connection, answers in the order they are ready (RFC 7766, 9210).

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{sleep, timeout};

use crate::outcome::ClientProtocol;
use crate::pipeline::{Begun, Pipeline};
use crate::query::Client;
use crate::reply::IDLE_TENTHS;
use crate::working::Work;

const MOST_CONNECTIONS: usize = 1024;
/// Questions of one connection being answered; more are read when some are done.
const MOST_IN_FLIGHT: usize = 1024;
const IDLE: Duration = Duration::from_millis(IDLE_TENTHS as u64 * 100);
/// A client that takes nothing for this long is cut.
const SLOWEST_WRITE: Duration = Duration::from_secs(10);
/// Out of descriptors: wait for some to come free.
const PAUSE: Duration = Duration::from_millis(100);

pub async fn serve(listener: TcpListener, pipeline: Arc<Pipeline>, mut closed: watch::Receiver<()>) {
    let seats = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = closed.changed() => return,
        };
        match accepted {
            Ok((stream, from)) => {
                // one too many: closing at once tells the client to use UDP or come back
                if let Ok(seat) = seats.clone().try_acquire_owned() {
                    tokio::spawn(converse(stream, from, pipeline.clone(), closed.clone(), seat));
                }
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// A framed reply; the work ends when it has left.
struct Ready {
    framed: Vec<u8>,
    _work: Work,
    _room: OwnedSemaphorePermit,
}

async fn converse(
    stream: TcpStream,
    from: SocketAddr,
    pipeline: Arc<Pipeline>,
    closed: watch::Receiver<()>,
    _seat: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let (reader, writer) = stream.into_split();
    let (replies, queue) = mpsc::channel(MOST_IN_FLIGHT);
    let writing = tokio::spawn(write(writer, queue));
    read(reader, from, &pipeline, closed, replies).await;
    // what was asked before the client closed its side is still answered
    let _ = writing.await;
}

async fn read(
    reader: OwnedReadHalf,
    from: SocketAddr,
    pipeline: &Arc<Pipeline>,
    mut closed: watch::Receiver<()>,
    replies: mpsc::Sender<Ready>,
) {
    let room = Arc::new(Semaphore::new(MOST_IN_FLIGHT));
    let mut reader = BufReader::new(reader);
    let mut message = Vec::new();
    loop {
        tokio::select! {
            framed = timeout(IDLE, read_message(&mut reader, &mut message)) => {
                if !matches!(framed, Ok(Ok(()))) {
                    return;
                }
            }
            _ = closed.changed() => return,
            () = replies.closed() => return,
        }
        let Ok(seat) = room.clone().acquire_owned().await else {
            return;
        };
        let client = Client::now(ClientProtocol::Tcp, from);
        let mut reply = Vec::new();
        let work = pipeline.working.start();
        match pipeline.begin(&message, client, &mut reply) {
            Begun::Silence => return,
            Begun::Replied(event) => {
                let sent = replies.send(Ready { framed: frame(&reply), _work: work, _room: seat }).await;
                pipeline.note(event);
                if sent.is_err() {
                    return;
                }
            }
            Begun::Waiting(waiting) => {
                let (pipeline, replies) = (pipeline.clone(), replies.clone());
                tokio::spawn(async move {
                    let event = pipeline.finish(waiting, &mut reply).await;
                    let _ = replies.send(Ready { framed: frame(&reply), _work: work, _room: seat }).await;
                    pipeline.note(Some(event));
                });
            }
        }
    }
}

async fn read_message(reader: &mut BufReader<OwnedReadHalf>, message: &mut Vec<u8>) -> std::io::Result<()> {
    let length = reader.read_u16().await?;
    message.resize(usize::from(length), 0);
    reader.read_exact(message).await.map(|_| ())
}

/// Replies that are ready together leave together.
async fn write(mut writer: OwnedWriteHalf, mut queue: mpsc::Receiver<Ready>) {
    let mut ready = Vec::new();
    let mut outbox = Vec::new();
    while queue.recv_many(&mut ready, MOST_IN_FLIGHT).await > 0 {
        ready.iter().for_each(|reply| outbox.extend_from_slice(&reply.framed));
        if !matches!(timeout(SLOWEST_WRITE, writer.write_all(&outbox)).await, Ok(Ok(()))) {
            return;
        }
        outbox.clear();
        ready.clear();
    }
    let _ = writer.shutdown().await;
}

fn frame(reply: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(reply.len() + 2);
    framed.extend_from_slice(&(reply.len() as u16).to_be_bytes());
    framed.extend_from_slice(reply);
    framed
}
