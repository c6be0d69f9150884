//! A server over TCP or TLS: one connection for all queries, which are pipelined and whose responses come in any order (RFC 7766). It
//! is opened by the first query that needs it, and again by the first after its end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use sotto_engine::upstream::dial::sockets::Stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::failure::Failure;
use super::opening::Opening;
use super::outgoing::{Outgoing, belongs_to, random_id};

/// Further queries wait for their turn.
const MOST_IN_FLIGHT: usize = 4096;
/// With queries unanswered and not one octet for so long, the connection is taken for dead.
const DEAD: Duration = Duration::from_secs(5);
/// For queries that are written together.
const WRITTEN_TOGETHER: usize = 64 * 1024;

#[derive(Debug)]
pub struct Streamed {
    opening: Arc<Opening>,
    asks: OnceLock<mpsc::UnboundedSender<Ask>>,
    turns: Semaphore,
}

struct Ask {
    message: Vec<u8>,
    /// when it was asked, and later when it was sent
    at: Instant,
    response: oneshot::Sender<Result<Vec<u8>, Failure>>,
}

impl Streamed {
    pub fn new(opening: Opening) -> Self {
        Streamed { opening: Arc::new(opening), asks: OnceLock::new(), turns: Semaphore::new(MOST_IN_FLIGHT) }
    }

    pub fn is_encrypted(&self) -> bool {
        self.opening.is_encrypted()
    }

    /// If the connection ends before the response, the query goes over the next one, once.
    pub async fn ask(&self, query: &Outgoing, deadline: Instant) -> Result<Vec<u8>, Failure> {
        let exchange = async {
            let _turn = self.turns.acquire().await;
            match self.ask_once(query).await {
                Err(Failure::Ended) => self.ask_once(query).await,
                outcome => outcome,
            }
        };
        timeout_at(deadline, exchange).await.unwrap_or(Err(Failure::Silent(self.name())))
    }

    async fn ask_once(&self, query: &Outgoing) -> Result<Vec<u8>, Failure> {
        let (response, responded) = oneshot::channel();
        let ask = Ask { message: query.message(self.is_encrypted())?, at: Instant::now(), response };
        let _ = self.asks().send(ask);
        responded.await.unwrap_or(Err(Failure::Ended))
    }

    fn name(&self) -> &'static str {
        if self.is_encrypted() { "TLS" } else { "TCP" }
    }

    fn asks(&self) -> &mpsc::UnboundedSender<Ask> {
        self.asks.get_or_init(|| {
            let (asks, queue) = mpsc::unbounded_channel();
            tokio::spawn(keep(self.opening.clone(), queue));
            asks
        })
    }
}

/// Until nobody can ask any more.
async fn keep(opening: Arc<Opening>, mut queue: mpsc::UnboundedReceiver<Ask>) {
    while let Some(first) = queue.recv().await {
        if first.response.is_closed() {
            continue;
        }
        match opening.open().await {
            Ok(stream) => Connection::default().carry(stream, first, &mut queue).await,
            Err(why) => {
                let _ = first.response.send(Err(Failure::NotReached(why.clone())));
                while let Ok(waiting) = queue.try_recv() {
                    let _ = waiting.response.send(Err(Failure::NotReached(why.clone())));
                }
            }
        }
    }
}

/// What its three halves share. Whoever still waits when it is dropped learns that it has ended.
#[derive(Default)]
struct Connection {
    pending: Mutex<HashMap<u16, Ask>>,
    /// octets read so far
    heard: AtomicU64,
    asked: Notify,
}

impl Connection {
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
        self.asked.notify_one();
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
        if pending.get(&id).is_some_and(|ask| belongs_to(&response, &ask.message))
            && let Some(ask) = pending.remove(&id)
        {
            let _ = ask.response.send(Ok(response));
        }
    }

    /// Ends when the connection is dead.
    async fn watch(&self) {
        loop {
            self.asked.notified().await;
            while !self.pending().is_empty() {
                let heard = self.heard.load(Relaxed);
                sleep(DEAD).await;
                let waits = self.pending().values().any(|ask| ask.at.elapsed() >= DEAD);
                if waits && self.heard.load(Relaxed) == heard {
                    return;
                }
            }
        }
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
            Connection::default().carry(Box::new(ours), first, &mut queue).await;
            let _ = told.send(Err(Failure::Ended));
        });
        (asks, responded, theirs, ended)
    }

    type Responded = oneshot::Receiver<Result<Vec<u8>, Failure>>;

    fn ask() -> (Ask, Responded) {
        let message = Outgoing::presence().message(true).unwrap();
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
        for milliseconds in [4_900, 5_100, 9_900, 100] {
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
            sleep(Duration::from_secs(1)).await;
        }
        assert!(gone);
    }
}
