//! Streams: many queries on one connection, responses in the order in which they are ready (RFC 7766, 9210).

use std::io;
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::yield_now;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use super::accepting::{is_exhaustion, is_of_one_connection};
use super::presence::{Presence, presence};
use super::seats::{Busy, Limits, Seat, Seats};
use crate::envelope::IDLE_TENTHS;
use crate::outcome::ClientProtocol;
use crate::pipeline::{Begun, Pipeline};
use crate::query::Client;
use crate::working::Work;

pub const LIMITS: Limits = Limits {
    connections: 1024,
    per_client: 128,
    idle: Duration::from_millis(IDLE_TENTHS as u64 * 100),
    message: Duration::from_secs(5),
    write: Duration::from_secs(10),
    deaf: Duration::from_secs(2),
};
/// Queries of one connection waiting for the network; more are read when some are done.
const MOST_IN_FLIGHT: usize = 1024;
/// Octets ready for a client that it has not read; its next query waits until it has. More than one largest response.
const MOST_UNREAD: usize = 128 * 1024;
/// Octets that the system keeps for it besides. Left alone, it would take megabytes for a client that never reads, and each of
/// them has to be answered first.
const SEND_BUFFER: usize = 64 * 1024;
/// Queries that a connection gets answered at once before it is the others' turn.
const AT_A_STRETCH: usize = 16;
/// Messages that are no query, or none that can be read: a client sends few of them, garbage is full of them.
const MOST_UNREADABLE: usize = 16;
/// Replies in one write.
const MOST_AT_ONCE: usize = 64;
/// Queries are small, and a connection costs its buffer.
const READ_BUFFER: usize = 2048;
/// Pause after running out of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until the door is closed. Fails if the system refuses connections for a reason that will not pass by itself.
pub async fn serve(
    listener: Arc<TcpListener>,
    seats: Arc<Seats>,
    pipeline: Arc<Pipeline>,
    mut closed: watch::Receiver<()>,
) -> io::Result<()> {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = closed.changed() => return Ok(()),
        };
        match accepted {
            Ok((stream, from)) => {
                pipeline.accepting.accepted();
                // one too many: closing at once tells the client to use UDP or come back
                let Some(seat) = seats.take(from.ip()) else { continue };
                let _ = stream.set_nodelay(true);
                let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
                let to = stream.local_addr().unwrap_or(from);
                let client = Client::now(ClientProtocol::Tcp, from, to);
                tokio::spawn(converse(stream.into_split(), client, pipeline.clone(), closed.clone(), seat));
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) if is_exhaustion(&error) => {
                pipeline.accepting.failed(&error);
                sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// A framed response; the work ends when it has left.
struct Ready {
    framed: Vec<u8>,
    _work: Work,
    _unread: OwnedSemaphorePermit,
    _busy: Busy,
}

/// One connection, until either side closes it.
pub async fn converse<R, W>(
    (reader, writer): (R, W),
    client: Client,
    pipeline: Arc<Pipeline>,
    closed: watch::Receiver<()>,
    seat: Seat,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (responses, queue) = mpsc::channel(MOST_IN_FLIGHT);
    let seat = Arc::new(seat);
    let (_present, presence) = presence();
    let writing = tokio::spawn(write(writer, queue, seat.clone()));
    tokio::select! {
        ended = read(reader, client, &pipeline, closed, responses, presence, &seat) => match ended {
            // what was asked before the client closed its side is still answered
            Ended::Over => {
                let _ = writing.await;
            }
            Ended::Deaf | Ended::Reset => writing.abort(),
        },
        () = seat.wanted() => writing.abort(),
    }
}

enum Ended {
    Over,
    /// the client sends queries and reads no responses
    Deaf,
    /// the client takes no responses any more
    Reset,
}

async fn read(
    reader: impl AsyncRead + Unpin,
    client: Client,
    pipeline: &Arc<Pipeline>,
    mut closed: watch::Receiver<()>,
    responses: mpsc::Sender<Ready>,
    presence: Presence,
    seat: &Seat,
) -> Ended {
    let room = Arc::new(Semaphore::new(MOST_IN_FLIGHT));
    let unread = Arc::new(Semaphore::new(MOST_UNREAD));
    let mut reader = BufReader::with_capacity(READ_BUFFER, reader);
    let mut message = Vec::new();
    let (mut at_once, mut unreadable) = (0, 0);
    loop {
        let reading = read_message(&mut reader, &mut message, seat.limits());
        if let Err(ended) = unless_closed(reading, &mut closed, &responses).await {
            return ended;
        }
        let busy = seat.busy();
        let mut response = Vec::new();
        let work = pipeline.working.start();
        let ready = |framed, unread| Ready { framed, _work: work, _unread: unread, _busy: busy };
        let noted = match pipeline.begin(&message, client.again(), &mut response) {
            Begun::Silence => return Ended::Over,
            Begun::Replied(noted) => noted,
            Begun::Waiting(mut waiting) => {
                let Ok(permit) = room.clone().acquire_owned().await else {
                    return Ended::Over;
                };
                match pipeline.slots.take(ClientProtocol::Tcp, client.address.ip()) {
                    None => Some(pipeline.turn_away(waiting, &mut response)),
                    Some(slot) => {
                        waiting.draft.slot = Some(slot.clone());
                        waiting.draft.presence = Some(presence.clone());
                        let (pipeline, responses, unread) =
                            (pipeline.clone(), responses.clone(), unread.clone());
                        tokio::spawn(async move {
                            let noted = pipeline.finish(waiting, &mut response).await;
                            tell(&responses, &unread, &response, ready).await;
                            drop((permit, slot));
                            pipeline.note(Some(noted));
                        });
                        continue;
                    }
                }
            }
        };
        let ended = tell_in_time(tell(&responses, &unread, &response, ready), seat.limits()).await;
        unreadable += usize::from(noted.is_none());
        pipeline.note(noted);
        if let Some(ended) = ended.or_else(|| (unreadable == MOST_UNREADABLE).then_some(Ended::Over)) {
            return ended;
        }
        at_once += 1;
        if at_once % AT_A_STRETCH == 0 {
            yield_now().await;
        }
    }
}

/// Over as well where the door is closed, or nobody writes responses any more.
async fn unless_closed(
    reading: impl Future<Output = Result<(), Ended>>,
    closed: &mut watch::Receiver<()>,
    responses: &mpsc::Sender<Ready>,
) -> Result<(), Ended> {
    tokio::select! {
        whole = reading => whole,
        _ = closed.changed() => Err(Ended::Over),
        () = responses.closed() => Err(Ended::Over),
    }
}

/// `None` where the client has taken the response, or will.
async fn tell_in_time(telling: impl Future<Output = bool>, limits: &Limits) -> Option<Ended> {
    match timeout(limits.deaf, telling).await {
        Ok(true) => None,
        Ok(false) => Some(Ended::Over),
        Err(_) => Some(Ended::Deaf),
    }
}

/// Waits until the client has read enough of what is ready for it; `false` where it is gone.
async fn tell(
    responses: &mpsc::Sender<Ready>,
    unread: &Arc<Semaphore>,
    response: &[u8],
    ready: impl FnOnce(Vec<u8>, OwnedSemaphorePermit) -> Ready,
) -> bool {
    let framed = frame(response);
    match unread.clone().acquire_many_owned(framed.len() as u32).await {
        Ok(space) => responses.send(ready(framed, space)).await.is_ok(),
        Err(_) => false,
    }
}

/// Over where the client is done, idle for too long, or slower than a message may be.
async fn read_message(
    reader: &mut (impl AsyncRead + Unpin),
    message: &mut Vec<u8>,
    limits: &Limits,
) -> Result<(), Ended> {
    let first = timeout(limits.idle, reader.read_u8()).await??;
    let rest = async {
        let length = u16::from_be_bytes([first, reader.read_u8().await?]);
        message.resize(usize::from(length), 0);
        reader.read_exact(message).await
    };
    timeout(limits.message, rest).await??;
    Ok(())
}

impl From<Elapsed> for Ended {
    fn from(_: Elapsed) -> Self {
        Self::Over
    }
}

impl From<io::Error> for Ended {
    /// The end of what a client sends is no error of the connection.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::Over } else { Self::Reset }
    }
}

/// Replies that are ready together leave together.
async fn write(mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Ready>, seat: Arc<Seat>) {
    let mut ready = Vec::new();
    let mut outbox = Vec::new();
    while queue.recv_many(&mut ready, MOST_AT_ONCE).await > 0 {
        ready.iter().for_each(|response| outbox.extend_from_slice(&response.framed));
        if !matches!(timeout(seat.limits().write, writer.write_all(&outbox)).await, Ok(Ok(()))) {
            return;
        }
        seat.moved();
        outbox.clear();
        ready.clear();
    }
    let _ = writer.shutdown().await;
}

fn frame(response: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(response.len() + 2);
    framed.extend_from_slice(&(response.len() as u16).to_be_bytes());
    framed.extend_from_slice(response);
    framed
}
