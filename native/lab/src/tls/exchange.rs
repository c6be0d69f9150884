//! Queries on a connection that stays.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::client::{Client, Stream};
use super::tally::{Shared, Tally, words};
use super::timer::Timer;
use super::times::Times;
use super::visit::visit;
use crate::question::{HEADER, Question, id_of};

const SLOWEST_RESPONSE: Duration = Duration::from_secs(5);
/// Until whoever was not let in tries again.
const AFTER_REFUSAL: Duration = Duration::from_millis(10);

/// For each response another query, so that as many wait as there are in the window.
pub async fn in_window(mut stream: Stream, question: Question, window: usize, until: Instant, tally: Shared) {
    let mut counts = Tally::default();
    let mut responses = Responses::default();
    let mut sent: VecDeque<Instant> = VecDeque::with_capacity(window);
    let mut room = window;
    while Instant::now() < until {
        sent.extend(std::iter::repeat_n(Instant::now(), room));
        match exchange(&mut stream, &question, room, &mut responses).await {
            Ok(received) => room = received,
            Err(error) => {
                counts.add_failures(words(&error), sent.len() as u64);
                break;
            }
        }
        let now = Instant::now();
        for sent in sent.drain(..room.min(sent.len())) {
            counts.latencies.record(now - sent);
        }
        counts.done += room as u64;
    }
    tally.lock().expect("no task panics while it counts").add(&counts);
}

/// Each query in a record and a packet of its own, as clients send them.
async fn exchange(
    stream: &mut Stream,
    question: &Question,
    queries: usize,
    responses: &mut Responses,
) -> io::Result<usize> {
    for id in 0..queries {
        stream.write_all(&question.framed(id as u16)).await?;
    }
    stream.flush().await?;
    timeout(SLOWEST_RESPONSE, responses.receive(stream, |_| {})).await?
}

/// Until the time is over; whoever is cut off comes back.
pub async fn without_listening(client: Client, mut stream: Stream, question: Question, until: Instant) {
    let asking = async {
        loop {
            while stream.write_all(&question.framed(0)).await.is_ok() {}
            stream = come_back(&client, &question).await;
        }
    };
    let _ = timeout_at(until, asking).await;
}

async fn come_back(client: &Client, question: &Question) -> Stream {
    loop {
        match visit(client, question).await {
            Ok(stream) => return stream,
            Err(_) => sleep(AFTER_REFUSAL).await,
        }
    }
}

/// A query at each of the times, on the connections in turn, whatever became of those before. Its latency counts from when it was
/// due.
pub async fn at_times(
    streams: Vec<Stream>,
    question: Question,
    times: Times,
    tally: Shared,
) -> io::Result<()> {
    let mut timer = Timer::new()?;
    let connections = streams.len();
    let mut writers = Vec::with_capacity(connections);
    let mut listening = JoinSet::new();
    for (at, stream) in streams.into_iter().enumerate() {
        let (reader, writer) = split(stream);
        listening.spawn(listen(reader, times.each(at, connections), tally.clone()));
        writers.push(Some(writer));
    }
    for index in 0..times.count() {
        timer.until(times.at(index)).await?;
        let writer = &mut writers[index % connections];
        let query = question.framed((index / connections) as u16);
        if let Some(open) = writer
            && send(open, &query).await.is_err()
        {
            *writer = None;
        }
    }
    while listening.join_next().await.is_some() {}
    Ok(())
}

async fn send(writer: &mut (impl AsyncWrite + Unpin), query: &[u8]) -> io::Result<()> {
    writer.write_all(query).await?;
    writer.flush().await
}

/// Counts the responses to the queries of one connection, the first of which has the id 0.
async fn listen(mut reader: impl AsyncRead + Unpin, times: Times, tally: Shared) {
    let mut counts = Tally::default();
    let mut missing = vec![true; times.count()];
    let mut responses = Responses::default();
    let listening = async {
        while counts.done < missing.len() as u64 {
            let mut ids = Vec::new();
            responses.receive(&mut reader, |response| ids.extend(id_of(response))).await?;
            let now = Instant::now();
            for index in ids.into_iter().filter_map(|id| times.latest(id, now)) {
                if missing.get_mut(index).is_some_and(std::mem::take) {
                    counts.done += 1;
                    counts.latencies.record(now - times.at(index));
                }
            }
        }
        Ok::<_, io::Error>(())
    };
    let _ = timeout_at(times.until + SLOWEST_RESPONSE, listening).await;
    // those, too, that a closed connection kept from being sent
    counts.add_failures("no response in time", missing.len() as u64 - counts.done);
    tally.lock().expect("no task panics while it counts").add(&counts);
}

/// Octets that were read, of which the last message may not be whole.
#[derive(Default)]
struct Responses(Vec<u8>);

impl Responses {
    /// At least one. Returns how many.
    async fn receive(
        &mut self,
        stream: &mut (impl AsyncRead + Unpin),
        mut each: impl FnMut(&[u8]),
    ) -> io::Result<usize> {
        let mut count = 0;
        while count == 0 {
            self.0.reserve(16 * 1024);
            if stream.read_buf(&mut self.0).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let mut at = 0;
            while let Some(length) = self.0.get(at..at + 2) {
                let end = at + 2 + usize::from(u16::from_be_bytes([length[0], length[1]]));
                let Some(response) = self.0.get(at + 2..end).filter(|response| response.len() >= HEADER)
                else {
                    break;
                };
                each(response);
                (at, count) = (end, count + 1);
            }
            self.0.drain(..at);
        }
        Ok(count)
    }
}
