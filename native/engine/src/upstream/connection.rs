//! One stream, many questions: ids are ours, answers come in any order, writes of one moment leave together (RFC 7766).
//!
//! `ready → draining → closed`. A connection drains when the server asks for no more questions (keepalive 0), when its idle
//! limit nears or when it went silent under a question; what is in flight still gets its answer or [`Failure::Closed`].

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::dial::{Link, Protection, Stream};
use super::failure::Failure;
use super::outgoing::Outgoing;
use crate::answer::{Answer, NoAnswer};
use crate::wire::header::Header;

/// Ids are sixteen bits; with this many in use a random free one is found at once.
pub const MOST_IN_FLIGHT: usize = 16_384;
const READ_BUFFER: usize = 16 * 1024;
/// Closing this long before the server would spares the reset that a late question would meet.
const MARGIN: Duration = Duration::from_secs(1);

pub struct Connection {
    asks: mpsc::UnboundedSender<Ask>,
    shared: Arc<Shared>,
    pub protection: Arc<Protection>,
}

struct Shared {
    state: AtomicU8,
    in_flight: AtomicUsize,
    /// set to end a connection that went silent
    retire: Notify,
    born: Instant,
    /// octets read so far; tells whether anything came since
    reads: AtomicUsize,
}

const READY: u8 = 0;
const DRAINING: u8 = 1;
const CLOSED: u8 = 2;

struct Ask {
    question: Arc<Outgoing>,
    answer: oneshot::Sender<Result<Answer, Failure>>,
}

impl Connection {
    /// Takes the stream over; `closed` is called once, when it is gone. `strays` counts messages that answer nothing asked.
    pub fn start(link: Link, strays: Arc<AtomicU64>, closed: impl FnOnce() + Send + 'static) -> Self {
        let (asks, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            state: AtomicU8::new(READY),
            in_flight: AtomicUsize::new(0),
            retire: Notify::new(),
            born: Instant::now(),
            reads: AtomicUsize::new(0),
        });
        let protection = Arc::new(link.protection);
        let driver = Driver::new(link.stream, queue, shared.clone(), protection.clone(), strays);
        tokio::spawn(async move {
            let writer = driver.run().await;
            closed();
            say_goodbye(writer).await;
        });
        Self { asks, shared, protection }
    }

    /// If not one octet comes before `sign_of_life`, the path is gone, whatever TCP still believes: the connection ends, and
    /// the question with it. Otherwise the answer is waited for until `deadline`.
    pub async fn ask(
        &self,
        question: Arc<Outgoing>,
        sign_of_life: Instant,
        deadline: Instant,
    ) -> Result<Answer, Failure> {
        let (sender, mut answer) = oneshot::channel();
        let reads = self.shared.reads.load(Ordering::Relaxed);
        self.asks.send(Ask { question, answer: sender }).map_err(|_| Failure::Closed)?;
        for until in [sign_of_life, deadline] {
            match timeout_at(until, &mut answer).await {
                Ok(Ok(result)) => return result,
                Ok(Err(_)) => return Err(Failure::Closed),
                Err(_) if self.shared.reads.load(Ordering::Relaxed) == reads => {
                    self.retire();
                    return Err(Failure::TimedOut);
                }
                Err(_) => {}
            }
        }
        Err(Failure::TimedOut)
    }

    /// Whether it takes new questions.
    pub fn is_ready(&self) -> bool {
        self.shared.state.load(Ordering::Acquire) == READY && self.in_flight() < MOST_IN_FLIGHT
    }

    pub fn in_flight(&self) -> usize {
        self.shared.in_flight.load(Ordering::Relaxed)
    }

    pub fn age(&self) -> Duration {
        self.shared.born.elapsed()
    }

    /// Takes no more questions; closes once nothing is in flight.
    pub fn drain(&self) {
        self.shared.drain();
    }

    fn retire(&self) {
        self.shared.state.store(CLOSED, Ordering::Release);
        self.shared.retire.notify_one();
    }
}

impl Shared {
    fn drain(&self) {
        let _ = self.state.compare_exchange(READY, DRAINING, Ordering::AcqRel, Ordering::Acquire);
        self.retire.notify_one();
    }
}

struct Driver {
    reader: ReadHalf<Box<dyn Stream>>,
    writer: WriteHalf<Box<dyn Stream>>,
    queue: mpsc::UnboundedReceiver<Ask>,
    shared: Arc<Shared>,
    protection: Arc<Protection>,
    strays: Arc<AtomicU64>,
    pending: HashMap<u16, Ask>,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
    unflushed: bool,
    idle_limit: Option<Duration>,
    last_used: Instant,
}

enum Next {
    Ask(Option<Ask>),
    Read(usize),
    Wrote(usize),
    Flushed,
    Idle,
    Look,
    Broken,
}

impl Driver {
    fn new(
        stream: Box<dyn Stream>,
        queue: mpsc::UnboundedReceiver<Ask>,
        shared: Arc<Shared>,
        protection: Arc<Protection>,
        strays: Arc<AtomicU64>,
    ) -> Self {
        let (reader, writer) = split(stream);
        Self {
            reader,
            writer,
            queue,
            shared,
            protection,
            strays,
            pending: HashMap::new(),
            inbox: Vec::with_capacity(READ_BUFFER),
            outbox: Vec::new(),
            unflushed: false,
            idle_limit: None,
            last_used: Instant::now(),
        }
    }

    /// Ends with the stream; whoever still waits for an answer is told.
    async fn run(mut self) -> WriteHalf<Box<dyn Stream>> {
        loop {
            match self.next().await {
                Next::Ask(Some(ask)) => self.take(ask),
                Next::Read(octets) if octets > 0 => {
                    self.shared.reads.fetch_add(octets, Ordering::Relaxed);
                    self.deliver();
                }
                Next::Wrote(octets) if octets > 0 => {
                    self.outbox.drain(..octets);
                    self.unflushed = true;
                }
                Next::Flushed => self.unflushed = false,
                Next::Idle => self.shared.drain(),
                Next::Look => {}
                Next::Ask(None) | Next::Read(_) | Next::Wrote(_) | Next::Broken => break,
            }
            self.shared.in_flight.store(self.pending.len(), Ordering::Relaxed);
            match self.shared.state.load(Ordering::Acquire) {
                CLOSED => break,
                DRAINING if self.pending.is_empty() && self.queue.is_empty() => break,
                _ => {}
            }
        }
        self.release();
        self.writer
    }

    async fn next(&mut self) -> Next {
        let idle_at = self.idle_limit.filter(|_| self.pending.is_empty()).map(|limit| self.last_used + limit);
        let broken = |_| Next::Broken;
        tokio::select! {
            biased;
            ask = self.queue.recv() => Next::Ask(ask),
            pushed = push(&mut self.writer, &self.outbox), if self.unflushed || !self.outbox.is_empty() => {
                pushed.unwrap_or_else(broken)
            }
            read = self.reader.read_buf(&mut self.inbox) => read.map_or_else(broken, Next::Read),
            () = self.shared.retire.notified() => Next::Look,
            () = sleep_until(idle_at.unwrap_or(self.last_used)), if idle_at.is_some() => Next::Idle,
        }
    }

    /// Gives the question an id that is free and puts it, with its length, behind what is to be written.
    fn take(&mut self, ask: Ask) {
        if ask.answer.is_closed() {
            return;
        }
        if self.shared.state.load(Ordering::Acquire) != READY {
            let _ = ask.answer.send(Err(Failure::Closed));
            return;
        }
        if let Protection::Clear(lease) = &*self.protection
            && let Err(ended) = lease.spend()
        {
            let _ = ask.answer.send(Err(ended.into()));
            return;
        }
        if self.pending.len() >= MOST_IN_FLIGHT {
            self.pending.retain(|_, ask| !ask.answer.is_closed());
        }
        let mut id: u16 = rand::random();
        while self.pending.contains_key(&id) {
            id = rand::random();
        }
        let message = ask.question.message(id, self.protection.hop());
        self.outbox.extend_from_slice(&(message.len() as u16).to_be_bytes());
        self.outbox.extend_from_slice(&message);
        self.last_used = Instant::now();
        self.pending.insert(id, ask);
    }

    /// Hands out every whole message read so far.
    fn deliver(&mut self) {
        let mut at = 0;
        while let Some(prefix) = self.inbox.get(at..at + 2) {
            let end = at + 2 + usize::from(u16::from_be_bytes([prefix[0], prefix[1]]));
            let Some(message) = self.inbox.get(at + 2..end) else {
                break;
            };
            let message = message.to_vec();
            self.settle(message);
            at = end;
        }
        self.inbox.drain(..at);
        self.inbox.reserve(READ_BUFFER);
        self.last_used = Instant::now();
    }

    /// Matches by id and question; what matches nothing is dropped, and the question it might have been for waits on.
    fn settle(&mut self, message: Vec<u8>) {
        let Ok(header) = Header::read(&message) else {
            return self.stray();
        };
        let Some(ask) = self.pending.get(&header.id) else {
            return self.stray();
        };
        let (result, hop) = match Answer::read(message, &ask.question.question) {
            Ok((answer, hop)) => (Ok(answer), hop),
            Err(NoAnswer::OtherQuestion) => return self.stray(),
            Err(error) => (Err(Failure::BadAnswer(error)), Default::default()),
        };
        if let Some(ask) = self.pending.remove(&header.id) {
            let _ = ask.answer.send(result);
        }
        match hop.keepalive {
            Some(0) => self.shared.drain(),
            Some(tenths) => {
                let limit = Duration::from_millis(u64::from(tenths) * 100);
                self.idle_limit = Some(limit.checked_sub(MARGIN).unwrap_or(limit / 2));
            }
            None => {}
        }
    }

    fn stray(&self) {
        self.strays.fetch_add(1, Ordering::Relaxed);
    }

    fn release(&mut self) {
        self.shared.state.store(CLOSED, Ordering::Release);
        self.shared.in_flight.store(0, Ordering::Relaxed);
        self.queue.close();
        while let Ok(ask) = self.queue.try_recv() {
            let _ = ask.answer.send(Err(Failure::Closed));
        }
        for (_, ask) in self.pending.drain() {
            let _ = ask.answer.send(Err(Failure::Closed));
        }
    }
}

/// Writes what there is, else flushes. Nothing is lost when another branch wins: either it happened or it did not.
async fn push(writer: &mut WriteHalf<Box<dyn Stream>>, outbox: &[u8]) -> std::io::Result<Next> {
    match outbox {
        [] => writer.flush().await.map(|()| Next::Flushed),
        outbox => writer.write(outbox).await.map(Next::Wrote),
    }
}

/// close_notify, if the server still listens.
async fn say_goodbye(mut writer: WriteHalf<Box<dyn Stream>>) {
    let _ = timeout_at(Instant::now() + MARGIN, writer.shutdown()).await;
}
