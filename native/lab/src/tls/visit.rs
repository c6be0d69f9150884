//! One connection after another, each with one query.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::HandshakeKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};

use super::client::{Client, Stream};
use super::tally::{Shared, Tally};
use super::timer::Timer;
use super::times::Times;
use crate::question::Question;

const SLOWEST_RESPONSE: Duration = Duration::from_secs(5);
const ALL_TAKEN: &str = "as many as may be at a time were there already";

pub async fn again_and_again(client: Client, question: Question, until: Instant, tally: Shared) {
    let mut counts = Tally::default();
    while Instant::now() < until {
        let begun = Instant::now();
        let visited = async {
            let mut stream = visit(&client, &question).await?;
            let resumed = is_resumed(&stream);
            stream.shutdown().await.map(|()| resumed)
        };
        counts.add_visit(visited.await.as_ref().copied(), begun.elapsed());
    }
    tally.lock().expect("no task panics while it counts").add(&counts);
}

/// What there is beside the times.
pub struct Visitors {
    pub client: Client,
    pub question: Question,
    /// at a time; whoever comes above that has failed
    pub most: usize,
    /// After its response a connection remains, until the server closes it or the time is over.
    pub stay: bool,
}

impl Visitors {
    /// A visit at each of the times, whatever became of those before; its latency counts from when it was due. Returns how many
    /// connections remained to the end.
    pub async fn at_times(&self, times: Times, tally: &Shared) -> io::Result<u64> {
        let mut timer = Timer::new()?;
        let places = Arc::new(Semaphore::new(self.most));
        let mut visits = JoinSet::new();
        let mut remained = 0;
        for index in 0..times.count() {
            timer.until(times.at(index)).await?;
            while let Some(ended) = visits.try_join_next() {
                remained += u64::from(ended.is_ok_and(|remained| remained));
            }
            let Ok(place) = places.clone().try_acquire_owned() else {
                tally.lock().expect("no task panics while it counts").add_failures(ALL_TAKEN, 1);
                continue;
            };
            let (client, question, tally, stay) =
                (self.client.clone(), self.question.clone(), tally.clone(), self.stay);
            visits.spawn(async move {
                let _place = place;
                let due = times.at(index);
                let mut visited = timeout_at(due + SLOWEST_RESPONSE, visit(&client, &question))
                    .await
                    .unwrap_or_else(|late| Err(late.into()));
                let resumed = visited.as_ref().map(is_resumed);
                tally.lock().expect("no task panics while it counts").add_visit(resumed, due.elapsed());
                let Ok(stream) = &mut visited else { return false };
                if stay {
                    return remains(stream, times.until).await;
                }
                let _ = stream.shutdown().await;
                false
            });
        }
        while let Some(ended) = visits.join_next().await {
            remained += u64::from(ended.is_ok_and(|remained| remained));
        }
        Ok(remained)
    }
}

/// Whether the server left the connection open until then.
async fn remains(stream: &mut Stream, until: Instant) -> bool {
    timeout_at(until, stream.read_u8()).await.is_err()
}

pub async fn visit(client: &Client, question: &Question) -> io::Result<Stream> {
    let mut stream = client.connect().await?;
    ask_once(&mut stream, question).await?;
    Ok(stream)
}

fn is_resumed(stream: &Stream) -> bool {
    stream.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed)
}

async fn ask_once(stream: &mut Stream, question: &Question) -> io::Result<()> {
    let asking = async {
        stream.write_all(&question.framed(0)).await?;
        stream.flush().await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        match question.is_asked_in(&response) {
            true => Ok(()),
            false => Err(io::Error::other("a response to another question")),
        }
    };
    timeout(SLOWEST_RESPONSE, asking).await?
}
