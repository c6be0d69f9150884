//! A trace sent for real: each pair of client and server has a TCP connection, opens it when a query finds none, and leaves closing
//! it to the server. What is counted then stands beside what the model says of the same queries.
//!
//! Time runs faster by a factor, so the server's idle timeout has to be shorter by it. Latency counts from the moment at which a query
//! was sent, so that a late timer here is no part of it.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use domain::base::iana::Rtype;
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep_until, timeout};

use crate::latency::{Latencies, Percentiles};
use crate::question::{Question, id_of};
use crate::replay::model::{Model, Settings};
use crate::replay::query::{Client, Micros, Query, SECOND};
use crate::replay::trace::Trace;

/// Whatever is not answered by then is lost.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Play {
    pub to: SocketAddr,
    /// so many seconds of the trace take one
    pub faster: f64,
    /// with one timeout: that of the server, in time of the trace
    pub settings: Settings,
    pub question: String,
}

/// Of the queries behind the warm-up, as the model counts them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Played {
    pub queries: u64,
    pub lost: u64,
    pub hit_fraction: f64,
    pub model_hit_fraction: f64,
    pub latency_ms: Option<Percentiles>,
    /// of those that found a connection, the mean: a round trip, with what the machine itself adds
    pub round_trip_ms: f64,
    /// equation 1 for TCP, with that round trip and the model's hit fraction
    pub model_latency_ms: f64,
    pub opened: u64,
    /// the packet or frame in whose middle the trace ends, such as "packet 4"
    pub ends_within: Option<String>,
}

#[derive(Debug, Default)]
struct Tally {
    answered: u64,
    reused: u64,
    opened: u64,
    all: Latencies,
    of_reused: Latencies,
}

struct Sent {
    at: Instant,
    counts: bool,
}

struct Pending {
    id: u16,
    sent: Sent,
    reused: bool,
}

impl Play {
    pub async fn run(self, trace: Trace) -> Result<Played, String> {
        LocalSet::new().run_until(self.play(trace)).await
    }

    async fn play(self, mut trace: Trace) -> Result<Played, String> {
        let question = Rc::new(Question::new(&self.question, Rtype::A)?);
        let tally = Rc::new(RefCell::new(Tally::default()));
        let mut clients: HashMap<(Client, u32), UnboundedSender<Sent>> = HashMap::new();
        let mut tasks = Vec::new();
        let mut model = Model::new(self.settings.clone());
        let mut batch: Vec<Query> = Vec::new();
        let mut clock: Option<(Micros, Instant)> = None;
        'playing: loop {
            trace.next(&mut batch)?;
            for query in &batch {
                let (first, started) = *clock.get_or_insert_with(|| (query.at, Instant::now()));
                let after = (query.at - first) as f64 / SECOND as f64 / self.faster;
                sleep_until(started + Duration::from_secs_f64(after)).await;
                model.query(*query);
                let client = clients.entry((query.client, query.server)).or_insert_with(|| {
                    let (sender, sent) = unbounded_channel();
                    let client = Connection::new(self.to, question.clone(), tally.clone());
                    tasks.push(tokio::task::spawn_local(client.run(sent)));
                    sender
                });
                let counts = query.at >= first.saturating_add(self.settings.ignored);
                if client.send(Sent { at: Instant::now(), counts }).is_err() {
                    // its task says why
                    break 'playing;
                }
            }
            if batch.is_empty() {
                break;
            }
        }
        drop(clients);
        for task in tasks {
            task.await
                .map_err(|error| error.to_string())?
                .map_err(|error| format!("{}: {error}", self.to))?;
        }
        let tally = tally.take();
        let ends_within = trace.ends_within().map(str::to_owned);
        played(&model, &tally, ends_within).ok_or_else(|| "no query that counts was answered".into())
    }
}

fn played(model: &Model, tally: &Tally, ends_within: Option<String>) -> Option<Played> {
    let queries = model.sums.all();
    let round_trip_ms = tally.of_reused.percentiles().map_or(0.0, |latency| latency.mean);
    let model_hit_fraction = model.sums.hits(0) as f64 / queries as f64;
    (tally.answered > 0).then(|| Played {
        queries,
        lost: queries - tally.answered,
        hit_fraction: tally.reused as f64 / tally.answered as f64,
        model_hit_fraction,
        latency_ms: tally.all.percentiles(),
        round_trip_ms,
        model_latency_ms: round_trip_ms * (2.0 - model_hit_fraction),
        opened: tally.opened,
        ends_within,
    })
}

/// One client's connection to a server, and the queries on it.
struct Connection {
    to: SocketAddr,
    question: Rc<Question>,
    tally: Rc<RefCell<Tally>>,
    stream: Option<TcpStream>,
    received: Vec<u8>,
    pending: VecDeque<Pending>,
    next_id: u16,
}

enum Event {
    Send(Option<Sent>),
    Received(io::Result<usize>),
}

impl Connection {
    fn new(to: SocketAddr, question: Rc<Question>, tally: Rc<RefCell<Tally>>) -> Self {
        Connection {
            to,
            question,
            tally,
            stream: None,
            received: Vec::new(),
            pending: VecDeque::new(),
            next_id: 0,
        }
    }

    async fn run(mut self, mut queries: UnboundedReceiver<Sent>) -> io::Result<()> {
        loop {
            let event = match &mut self.stream {
                None => Event::Send(queries.recv().await),
                Some(stream) => tokio::select! {
                    // a close that has arrived counts before a query that comes now
                    biased;
                    read = stream.read_buf(&mut self.received) => Event::Received(read),
                    query = queries.recv() => Event::Send(query),
                },
            };
            match event {
                Event::Send(Some(sent)) => self.send(sent).await?,
                Event::Send(None) => return self.wait_for_the_rest().await,
                Event::Received(Ok(1..)) => self.take_responses(),
                Event::Received(_) => self.closed().await?,
            }
        }
    }

    async fn send(&mut self, sent: Sent) -> io::Result<()> {
        let reused = self.stream.is_some();
        self.write(Pending { id: self.next_id, sent, reused }).await?;
        self.next_id = self.next_id.wrapping_add(1);
        Ok(())
    }

    async fn write(&mut self, pending: Pending) -> io::Result<()> {
        let framed = self.question.framed(pending.id);
        self.pending.push_back(pending);
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.to).await?;
            stream.set_nodelay(true)?;
            self.received.clear();
            self.stream = Some(stream);
            self.tally.borrow_mut().opened += 1;
        }
        // an error is that of a connection that the server has just closed, which reading says, too
        if let Some(stream) = &mut self.stream {
            let _ = stream.write_all(&framed).await;
        }
        Ok(())
    }

    /// Queries that met the server's close go over the next connection: they did not find one open.
    async fn closed(&mut self) -> io::Result<()> {
        self.stream = None;
        for pending in std::mem::take(&mut self.pending) {
            self.write(Pending { reused: false, ..pending }).await?;
        }
        Ok(())
    }

    fn take_responses(&mut self) {
        while let Some((length, rest)) = self.received.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            let Some(message) = rest.get(..length) else { return };
            let found = id_of(message)
                .and_then(|id| self.pending.iter().position(|pending| pending.id == id))
                .and_then(|place| self.pending.remove(place));
            self.received.drain(..2 + length);
            if let Some(pending) = found.filter(|pending| pending.sent.counts) {
                self.tally.borrow_mut().answered(pending.sent.at.elapsed(), pending.reused);
            }
        }
    }

    async fn wait_for_the_rest(mut self) -> io::Result<()> {
        while let (Some(stream), false) = (&mut self.stream, self.pending.is_empty()) {
            match timeout(PATIENCE, stream.read_buf(&mut self.received)).await {
                Ok(Ok(1..)) => self.take_responses(),
                _ => break,
            }
        }
        Ok(())
    }
}

impl Tally {
    fn answered(&mut self, latency: Duration, reused: bool) {
        self.answered += 1;
        self.all.record(latency);
        if reused {
            self.reused += 1;
            self.of_reused.record(latency);
        }
    }
}
