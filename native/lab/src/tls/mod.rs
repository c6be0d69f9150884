//! What a DNS-over-TLS server makes of many clients: connections that stay, handshakes, and queries on connections that are kept.

mod client;
mod exchange;
mod tally;
mod visit;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Opens connections that ask once and then stay without a word
    Idle,
    /// Opens connections that ask without end and read no response
    Deaf,
    /// Full handshakes, each with one query
    Full,
    /// Resumed handshakes, each with one query
    Resumed,
    /// Queries on connections that stay
    Queries,
}

/// Handshakes at a time while connections are opened that stay.
const OPENING: usize = 64;

pub struct TlsLoad {
    pub to: SocketAddr,
    pub from: Option<IpAddr>,
    pub kind: Kind,
    /// as many at a time
    pub connections: usize,
    /// queries without a response, on all connections together
    pub outstanding: usize,
    /// queries a second at fixed times, where it is not as many as are answered
    pub rate: Option<f64>,
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
    /// of the handshakes that were done
    pub resumed: u64,
    /// of a connection from its first packet to its response, or of a query
    pub latency_ms: Option<Percentiles>,
}

impl TlsLoad {
    pub fn descriptors(&self) -> u64 {
        self.connections as u64 + 64
    }

    /// Handshakes or queries for as long as was wanted.
    pub async fn run(&self) -> Result<Summary, String> {
        let tally = Shared::default();
        let seconds = match self.kind {
            Kind::Queries | Kind::Idle | Kind::Deaf => self.ask(&tally).await?,
            Kind::Full | Kind::Resumed => self.shake_hands(&tally).await,
        };
        let tally = std::mem::take(&mut *tally.lock().expect("no task panics while it counts"));
        Ok(Summary {
            kind: self.kind,
            connections: self.connections,
            seconds,
            done: tally.done,
            failed: tally.failed,
            resumed: tally.resumed,
            latency_ms: tally.latencies.percentiles(),
        })
    }

    /// Connections, each of which has asked once.
    pub async fn open(&self) -> Result<Vec<Stream>, String> {
        let client = Client::new(self.to, self.from, config(false));
        let doors = Arc::new(Semaphore::new(OPENING));
        let mut opening = JoinSet::new();
        for _ in 0..self.connections {
            let (client, doors, question) = (client.clone(), doors.clone(), self.question.clone());
            opening.spawn(async move {
                let _door = doors.acquire().await.expect("it is never closed");
                let mut stream = client.connect().await?;
                visit::ask_once(&mut stream, &question).await.map(|()| stream)
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

    async fn ask(&self, tally: &Shared) -> Result<f64, String> {
        let open = self.open().await?;
        let start = Instant::now();
        let until = start + self.duration;
        let mut asking = JoinSet::new();
        for (at, stream) in open.into_iter().enumerate() {
            let (question, tally) = (self.question.clone(), tally.clone());
            if self.kind == Kind::Deaf {
                asking.spawn(exchange::without_listening(stream, question, until));
                continue;
            }
            match self.rate {
                Some(rate) => {
                    let every = Duration::from_secs_f64(self.connections as f64 / rate);
                    let first = start + every.mul_f64(at as f64 / self.connections as f64);
                    asking.spawn(exchange::at_times(stream, question, (first, every, until), tally));
                }
                None => {
                    let window = (self.outstanding / self.connections).max(1);
                    asking.spawn(exchange::in_window(stream, question, window, until, tally));
                }
            }
        }
        while asking.join_next().await.is_some() {}
        Ok(self.duration.as_secs_f64())
    }

    async fn shake_hands(&self, tally: &Shared) -> f64 {
        let mut visitors = JoinSet::new();
        let until = Instant::now() + self.duration;
        let resumes = self.kind == Kind::Resumed;
        for _ in 0..self.connections {
            let client = Client::new(self.to, self.from, config(resumes));
            let visits = visit::again_and_again(client, self.question.clone(), resumes, until, tally.clone());
            visitors.spawn(visits);
        }
        while visitors.join_next().await.is_some() {}
        self.duration.as_secs_f64()
    }
}
