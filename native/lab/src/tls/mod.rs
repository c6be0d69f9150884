//! What a DNS-over-TLS server makes of many clients: connections that stay, handshakes, and queries on connections that are kept.

mod client;
mod exchange;
mod tally;
mod timer;
mod times;
mod visit;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::latency::Percentiles;
use crate::question::Question;
pub use client::Stream;
use client::{Client, config};
use tally::Shared;
use times::Times;
use visit::Visitors;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Opens connections that ask once and then stay without a word
    Idle,
    /// Opens connections that ask without end and read no response; whoever is cut off comes back
    Deaf,
    /// Full handshakes, each with one query
    Full,
    /// Resumed handshakes, each with one query
    Resumed,
    /// Queries on connections that stay
    Queries,
}

/// For each connection, before the first of the fixed times: more than its task needs to begin.
const PREPARATION: Duration = Duration::from_millis(1);
/// Handshakes at a time while connections are opened that stay.
const OPENING: usize = 64;

pub struct TlsLoad {
    pub to: SocketAddr,
    /// addresses of this machine, in turn; if there are none, the system chooses one, and on loopback there are several
    pub from: Vec<IpAddr>,
    pub kind: Kind,
    /// as many at a time
    pub connections: usize,
    /// queries without a response, on all connections together
    pub outstanding: usize,
    /// queries or handshakes a second at fixed times, where it is not as many as are answered
    pub rate: Option<f64>,
    /// After its handshake and query a connection remains, until the server closes it or the time is over.
    pub stay: bool,
    pub duration: Duration,
    pub question: Question,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub kind: Kind,
    pub connections: usize,
    /// in which this happened
    pub seconds: f64,
    /// handshakes or queries that ended with a response
    pub done: u64,
    pub failed: u64,
    /// reason → how many of those that failed
    pub failures: BTreeMap<String, u64>,
    /// of the handshakes that were done
    pub resumed: u64,
    /// of the connections that were to stay, those that were open at the end
    pub held: u64,
    /// of a connection from its first packet to its response, or of a query
    pub latency_ms: Option<Percentiles>,
    /// share of a processor that the clients themselves took, where the system tells; near 1 they waited for themselves
    pub busy: Option<f64>,
}

impl TlsLoad {
    /// Whether what was asked for goes together.
    pub fn check(&self) -> Result<(), String> {
        let without_end = matches!(self.kind, Kind::Idle | Kind::Deaf);
        match (self.rate, self.stay) {
            (Some(_), _) if without_end => Err("--rate is for queries and handshakes: leave it out".into()),
            (_, true) if self.kind == Kind::Queries => Err("--stay is for handshakes: leave it out".into()),
            _ => Ok(()),
        }
    }

    pub fn descriptors(&self) -> u64 {
        self.connections as u64 + 64
    }

    /// Handshakes or queries for as long as was wanted.
    pub async fn run(&self) -> Result<Summary, String> {
        let tally = Shared::default();
        let (begun, spent) = (Instant::now(), processor_time());
        let held = match self.kind {
            Kind::Queries | Kind::Idle | Kind::Deaf => self.ask(&tally).await.map(|()| 0)?,
            Kind::Full | Kind::Resumed => self.shake_hands(&tally).await?,
        };
        let tally = std::mem::take(&mut *tally.lock().expect("no task panics while it counts"));
        Ok(Summary {
            kind: self.kind,
            connections: self.connections,
            seconds: self.duration.as_secs_f64(),
            done: tally.done,
            failed: tally.failures.values().sum(),
            failures: tally.failures,
            resumed: tally.resumed,
            held,
            latency_ms: tally.latencies.percentiles(),
            busy: spent.and_then(|before| {
                let spent = processor_time()?.saturating_sub(before);
                Some(spent.as_secs_f64() / begun.elapsed().as_secs_f64())
            }),
        })
    }

    /// Connections, each of which has asked once.
    pub async fn open(&self) -> Result<Vec<Stream>, String> {
        let client = Client::new(self.to, &self.from, config(false));
        let doors = Arc::new(Semaphore::new(OPENING));
        let mut opening = JoinSet::new();
        for _ in 0..self.connections {
            let (client, doors, question) = (client.clone(), doors.clone(), self.question.clone());
            opening.spawn(async move {
                let _door = doors.acquire().await.expect("it is never closed");
                visit::visit(&client, &question).await
            });
        }
        let mut open = Vec::with_capacity(self.connections);
        while let Some(opened) = opening.join_next().await {
            let opened = opened.map_err(|error| format!("a bug: {error}"))?;
            open.push(opened.map_err(|error| {
                format!("connection {} to {} did not get a response: {error}", open.len() + 1, self.to)
            })?);
        }
        Ok(open)
    }

    async fn ask(&self, tally: &Shared) -> Result<(), String> {
        let open = self.open().await?;
        match (self.kind, self.rate) {
            (Kind::Queries, Some(rate)) => {
                let times = self.times(Instant::now() + PREPARATION * self.connections as u32, rate);
                let asking = exchange::at_times(open, self.question.clone(), times, tally.clone());
                asking.await.map_err(no_timer)
            }
            _ => {
                self.ask_without_pause(open, tally).await;
                Ok(())
            }
        }
    }

    fn times(&self, first: Instant, rate: f64) -> Times {
        Times { first, every: Duration::from_secs_f64(1.0 / rate), until: first + self.duration }
    }

    async fn ask_without_pause(&self, open: Vec<Stream>, tally: &Shared) {
        let client = self.visitor().await;
        let mut asking = JoinSet::new();
        let until = Instant::now() + self.duration;
        let window = (self.outstanding / self.connections).max(1);
        for stream in open {
            let (question, tally) = (self.question.clone(), tally.clone());
            match self.kind {
                Kind::Deaf => {
                    asking.spawn(exchange::without_listening(client.clone(), stream, question, until))
                }
                _ => asking.spawn(exchange::in_window(stream, question, window, until, tally)),
            };
        }
        while asking.join_next().await.is_some() {}
    }

    /// Returns how many connections are held at the end.
    async fn shake_hands(&self, tally: &Shared) -> Result<u64, String> {
        match self.rate {
            Some(rate) => {
                let client = self.visitor().await;
                client.warm_up().map_err(|error| format!("no connection can be made: {error}"))?;
                let (question, most, stay) = (self.question.clone(), self.connections, self.stay);
                let times = self.times(Instant::now() + PREPARATION, rate);
                let visitors = Visitors { client, question, most, stay };
                visitors.at_times(times, tally).await.map_err(no_timer)
            }
            None => {
                self.shake_hands_without_pause(tally).await;
                Ok(0)
            }
        }
    }

    async fn shake_hands_without_pause(&self, tally: &Shared) {
        let mut clients = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            clients.push(self.visitor().await);
        }
        let mut visiting = JoinSet::new();
        let until = Instant::now() + self.duration;
        for client in clients {
            visiting.spawn(visit::again_and_again(client, self.question.clone(), until, tally.clone()));
        }
        while visiting.join_next().await.is_some() {}
    }

    /// One that is to resume has been there before, for a ticket.
    async fn visitor(&self) -> Client {
        let resumes = self.kind == Kind::Resumed;
        let client = Client::new(self.to, &self.from, config(resumes));
        if resumes {
            let _ = visit::visit(&client, &self.question).await;
        }
        client
    }
}

/// Of this thread, on which all clients run (Linux, scheduler/sched-stats).
fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn no_timer(error: std::io::Error) -> String {
    format!("the system gave no timer: {error}")
}
