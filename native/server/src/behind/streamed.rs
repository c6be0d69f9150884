//! A server over TCP or TLS: one connection for all queries, which are pipelined and whose responses come in any order (RFC 7766). It
//! is opened by the first query that needs it, and again by the first after its end. A query whose connections ended twice goes over one
//! of its own: the server may close each after some responses, or because of this very query.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use sotto_engine::upstream::dial::meter::Meter;
use sotto_engine::upstream::dial::sockets::Stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::failure::Failure;
use super::figures::{Protection, Sent};
use super::opening::Opening;
use super::outgoing::{Outgoing, over_connection, random_id};
use super::soundness;
use crate::slots::Slots;

/// Over one connection.
pub const MOST_IN_FLIGHT: usize = 4096;
/// Queries that have a connection of their own; further ones wait for their turn.
const MOST_ALONE: usize = 16;
/// With queries unanswered and not one octet for so long, the connection is taken for dead.
const DEAD: Duration = Duration::from_secs(3);
/// Likewise, if nothing more was acknowledged for so long and two round trips: a segment that was lost was sent again long before.
const UNACKNOWLEDGED: Duration = Duration::from_millis(250);
/// For queries that are written together.
const WRITTEN_TOGETHER: usize = 64 * 1024;

#[derive(Debug)]
pub struct Streamed {
    opening: Arc<Opening>,
    protection: Protection,
    sent: Arc<Sent>,
    is_open: Arc<AtomicBool>,
    asks: OnceLock<mpsc::UnboundedSender<Ask>>,
    alone: Arc<Slots>,
}

struct Ask {
    message: Vec<u8>,
    /// when it was asked, and later when it was sent
    at: Instant,
    response: oneshot::Sender<Result<Vec<u8>, Failure>>,
}

impl Streamed {
    /// `sent` counts queries as they are written.
    pub fn new(opening: Opening, protection: Protection, sent: Arc<Sent>) -> Self {
        Streamed {
            opening: Arc::new(opening),
            protection,
            sent,
            is_open: Arc::default(),
            asks: OnceLock::new(),
            alone: Slots::new(MOST_ALONE),
        }
    }

    /// Whether a query would leave at once.
    pub fn is_open(&self) -> bool {
        self.is_open.load(Relaxed)
    }

    pub async fn ask(&self, query: &Outgoing, deadline: Instant) -> Result<Vec<u8>, Failure> {
        let exchange = async {
            for _ in 0..2 {
                match self.ask_together(query).await {
                    Err(Failure::Ended) => {}
                    outcome => return outcome,
                }
            }
            self.ask_alone(query).await
        };
        let response = timeout_at(deadline, exchange).await.unwrap_or(Err(Failure::Silent(self.name())))?;
        soundness::whole(response)
    }

    async fn ask_together(&self, query: &Outgoing) -> Result<Vec<u8>, Failure> {
        let (response, responded) = oneshot::channel();
        let ask = Ask { message: self.message(query)?, at: Instant::now(), response };
        let _ = self.asks().send(ask);
        responded.await.unwrap_or(Err(Failure::Ended))
    }

    /// RFC 9520 section 3.1 allows a query to be sent three times; this is the third.
    async fn ask_alone(&self, query: &Outgoing) -> Result<Vec<u8>, Failure> {
        let _slot = match self.alone.take(query.network) {
            Ok(slot) => slot,
            Err(turn) => turn.await.map_err(|_| Failure::NoTurn)?,
        };
        let (mut stream, _) = self.opening.open().await?;
        let message = self.message(query)?;
        let exchange = async {
            let framed = [&(message.len() as u16).to_be_bytes(), &*message].concat();
            self.sent.count(self.protection);
            stream.write_all(&framed).await?;
            stream.flush().await?;
            loop {
                let mut response = vec![0; usize::from(stream.read_u16().await?)];
                stream.read_exact(&mut response).await?;
                if let Some(response) = over_connection(response, &message) {
                    return Ok::<_, std::io::Error>(response);
                }
            }
        };
        exchange.await.map_err(|_| Failure::Ended)
    }

    /// Padded inside TLS.
    fn message(&self, query: &Outgoing) -> std::io::Result<Vec<u8>> {
        query.message(self.protection != Protection::Clear)
    }

    pub fn name(&self) -> &'static str {
        if self.protection == Protection::Clear { "TCP" } else { "TLS" }
    }

    fn asks(&self) -> &mpsc::UnboundedSender<Ask> {
        self.asks.get_or_init(|| {
            let (asks, queue) = mpsc::unbounded_channel();
            let (opening, is_open) = (self.opening.clone(), self.is_open.clone());
            tokio::spawn(keep(opening, (self.sent.clone(), self.protection), is_open, queue));
            asks
        })
    }
}

/// Until nobody can ask any more.
async fn keep(
    opening: Arc<Opening>,
    counter: Counter,
    is_open: Arc<AtomicBool>,
    mut queue: mpsc::UnboundedReceiver<Ask>,
) {
    while let Some(first) = queue.recv().await {
        if first.response.is_closed() {
            continue;
        }
        match opening.open().await {
            Ok((stream, meter)) => {
                is_open.store(true, Relaxed);
                Connection::new(counter.clone(), meter).carry(stream, first, &mut queue).await;
                is_open.store(false, Relaxed);
            }
            Err(why) => {
                let _ = first.response.send(Err(why.clone()));
                while let Ok(waiting) = queue.try_recv() {
                    let _ = waiting.response.send(Err(why.clone()));
                }
            }
        }
    }
}

/// Of queries as they are written, and as what.
type Counter = (Arc<Sent>, Protection);

/// What its three halves share. Whoever still waits when it is dropped learns that it has ended.
struct Connection {
    counter: Counter,
    meter: Option<Meter>,
    pending: Mutex<HashMap<u16, Ask>>,
    /// octets read so far
    heard: AtomicU64,
    asked: Notify,
}

impl Connection {
    fn new(counter: Counter, meter: Option<Meter>) -> Self {
        let (pending, heard, asked) = Default::default();
        Connection { counter, meter, pending, heard, asked }
    }

    async fn carry(&self, stream: Box<dyn Stream>, first: Ask, queue: &mut mpsc::UnboundedReceiver<Ask>) {
        let (reading, writing) = tokio::io::split(stream);
        tokio::select! {
            _ = self.write(writing, first, queue) => {}
            _ = self.read(reading) => {}
            () = self.watch() => {}
        }
    }

    async fn write(
        &self,
        mut stream: WriteHalf<Box<dyn Stream>>,
        first: Ask,
        queue: &mut mpsc::UnboundedReceiver<Ask>,
    ) -> std::io::Result<()> {
        let (mut octets, mut next) = (Vec::new(), Some(first));
        while let Some(ask) = next {
            self.take(ask, &mut octets)?;
            while octets.len() < WRITTEN_TOGETHER
                && let Ok(ask) = queue.try_recv()
            {
                self.take(ask, &mut octets)?;
            }
            let write = async {
                stream.write_all(&octets).await?;
                stream.flush().await
            };
            // a server that reads nothing is as good as dead, whatever it sends
            timeout(DEAD, write).await??;
            self.asked.notify_one();
            octets.clear();
            next = queue.recv().await;
        }
        stream.shutdown().await
    }

    fn take(&self, mut ask: Ask, octets: &mut Vec<u8>) -> std::io::Result<()> {
        if ask.response.is_closed() {
            return Ok(());
        }
        let mut pending = self.pending();
        if pending.len() >= 2 * MOST_IN_FLIGHT {
            pending.retain(|_, ask| !ask.response.is_closed());
        }
        let mut id = u16::from_be_bytes([ask.message[0], ask.message[1]]);
        while pending.contains_key(&id) {
            id = random_id()?;
        }
        ask.message[..2].copy_from_slice(&id.to_be_bytes());
        ask.at = Instant::now();
        octets.extend((ask.message.len() as u16).to_be_bytes());
        octets.extend(&ask.message);
        pending.insert(id, ask);
        drop(pending);
        let (sent, protection) = &self.counter;
        sent.count(*protection);
        Ok(())
    }

    async fn read(&self, stream: ReadHalf<Box<dyn Stream>>) -> std::io::Result<()> {
        let mut stream = tokio::io::BufReader::with_capacity(16 * 1024, stream);
        loop {
            let length = usize::from(stream.read_u16().await?);
            self.heard.fetch_add(2, Relaxed);
            let mut response = vec![0; length];
            stream.read_exact(&mut response).await?;
            self.heard.fetch_add(length as u64, Relaxed);
            self.hand_out(response);
        }
    }

    /// A response to nothing that was asked, or to what nobody waits for any more, is dropped.
    fn hand_out(&self, response: Vec<u8>) {
        let Some(id) = response.first_chunk().map(|id| u16::from_be_bytes(*id)) else {
            return;
        };
        let mut pending = self.pending();
        if let Some(response) = pending.get(&id).and_then(|ask| over_connection(response, &ask.message))
            && let Some(ask) = pending.remove(&id)
        {
            let _ = ask.response.send(Ok(response));
        }
    }

    /// Ends when the connection is dead.
    async fn watch(&self) {
        loop {
            self.asked.notified().await;
            let mut heard = (self.heard.load(Relaxed), Instant::now());
            let mut unacknowledged = self.unacknowledged();
            while !self.pending().is_empty() {
                sleep(UNACKNOWLEDGED + 2 * self.round_trip()).await;
                let now_heard = self.heard.load(Relaxed);
                if now_heard != heard.0 {
                    heard = (now_heard, Instant::now());
                }
                let waits = self.pending().values().any(|ask| ask.at.elapsed() >= DEAD);
                let before = std::mem::replace(&mut unacknowledged, self.unacknowledged());
                let is_stuck = before.is_some() && before == unacknowledged;
                if is_stuck || waits && heard.1.elapsed() >= DEAD {
                    return;
                }
            }
        }
    }

    /// Where something has not reached the other end's kernel: how much has. While that stays the same, the path is gone, or this machine
    /// drops its packets (a kill switch), whatever comes from the other end.
    fn unacknowledged(&self) -> Option<u64> {
        let meter = self.meter.as_ref()?;
        let waits = !meter.read()?.acknowledged;
        waits.then(|| meter.traffic())?.map(|traffic| traffic.sent)
    }

    fn round_trip(&self) -> Duration {
        self.meter.as_ref().and_then(Meter::read).map(|reading| reading.round_trip).unwrap_or_default()
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u16, Ask>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{DuplexStream, duplex};

    use super::*;

    /// A connection that a first query opened, and its other end.
    async fn connected() -> (mpsc::UnboundedSender<Ask>, Responded, DuplexStream, Responded) {
        let (ours, theirs) = duplex(64 * 1024);
        let (asks, mut queue) = mpsc::unbounded_channel();
        let (first, responded) = ask();
        let (told, ended) = oneshot::channel();
        tokio::spawn(async move {
            Connection::new((Arc::default(), Protection::Clear), None)
                .carry(Box::new(ours), first, &mut queue)
                .await;
            let _ = told.send(Err(Failure::Ended));
        });
        (asks, responded, theirs, ended)
    }

    type Responded = oneshot::Receiver<Result<Vec<u8>, Failure>>;

    fn ask() -> (Ask, Responded) {
        let message = Outgoing::sign_of_life(None).message(true).unwrap();
        let (response, responded) = oneshot::channel();
        (Ask { message, at: Instant::now(), response }, responded)
    }

    async fn respond(stream: &mut DuplexStream) {
        let mut message = vec![0; usize::from(stream.read_u16().await.unwrap())];
        stream.read_exact(&mut message).await.unwrap();
        message[2] |= 0x80;
        stream.write_u16(message.len() as u16).await.unwrap();
        stream.write_all(&message).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_server_is_taken_for_dead_and_its_queries_end() {
        let (_asks, responded, _theirs, ended) = connected().await;
        let start = Instant::now();
        assert!(responded.await.is_err(), "it has ended");
        assert!(ended.await.is_ok() && start.elapsed() >= DEAD);
    }

    #[tokio::test(start_paused = true)]
    async fn a_query_has_the_whole_time_whenever_it_was_asked() {
        let (asks, responded, mut theirs, mut ended) = connected().await;
        respond(&mut theirs).await;
        responded.await.unwrap().unwrap();
        for milliseconds in [2_900, 3_100, 5_900, 100] {
            sleep(Duration::from_millis(milliseconds)).await;
            let (next, responded) = ask();
            assert!(asks.send(next).is_ok());
            sleep(DEAD - Duration::from_millis(200)).await;
            respond(&mut theirs).await;
            responded.await.unwrap().unwrap();
        }
        assert!(ended.try_recv().is_err(), "it is open");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_talks_and_does_not_read_is_left() {
        let (asks, _responded, mut theirs, mut ended) = connected().await;
        let (mut kept, mut gone) = (Vec::new(), false);
        for _ in 0..100 {
            for _ in 0..100 {
                let (next, responded) = ask();
                kept.push(responded);
                gone |= asks.send(next).is_err();
            }
            gone |= theirs.write_all(b"\0\x01x").await.is_err() || ended.try_recv().is_ok();
            sleep(DEAD / 3).await;
        }
        assert!(gone);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_this_machine_drops_itself_is_noticed_soon() {
        use sotto_skip::own_network::{drop_what_is_open, in_own_network};

        async fn is_left() {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let (stream, _other_end) =
                (tokio::net::TcpStream::connect(address).await.unwrap(), listener.accept().await);
            drop_what_is_open(address.port());
            let ((_asks, mut queue), (first, _responded)) = (mpsc::unbounded_channel(), ask());
            let connection = Connection::new((Arc::default(), Protection::Clear), Meter::of(&stream));
            let virtual_time = Instant::now();
            connection.carry(Box::new(stream), first, &mut queue).await;
            assert!(virtual_time.elapsed() < 2 * UNACKNOWLEDGED);
        }
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().start_paused(true);
        in_own_network(move || builder.build().unwrap().block_on(is_left()));
    }
}
