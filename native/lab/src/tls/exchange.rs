//! Queries on a connection that stays.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::client::Stream;
use super::tally::{Shared, Tally};
use crate::question::{HEADER, Question, id_of};

const SLOWEST_RESPONSE: Duration = Duration::from_secs(5);

/// For each response another query, so that as many wait as there are in the window.
pub async fn in_window(mut stream: Stream, question: Question, window: usize, until: Instant, tally: Shared) {
    let mut counts = Tally::default();
    let mut responses = Responses::default();
    let mut sent: VecDeque<Instant> = VecDeque::with_capacity(window);
    let mut room = window;
    while Instant::now() < until {
        sent.extend(std::iter::repeat_n(Instant::now(), room));
        let Ok(received) = exchange(&mut stream, &question, room, &mut responses).await else {
            counts.failed += sent.len() as u64;
            break;
        };
        room = received;
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

/// Until the server has had enough of it, or the time is over.
pub async fn without_listening(mut stream: Stream, question: Question, until: Instant) {
    let asking = async {
        while stream.write_all(&question.framed(0)).await.is_ok() {}
        // the server's end stays open until ours ends
        sleep_until(until).await;
    };
    let _ = tokio::time::timeout_at(until, asking).await;
}

/// A query at each of its times, whatever became of the one before. Its latency counts from when it was due.
pub async fn at_times(
    stream: Stream,
    question: Question,
    (first, every, until): (Instant, Duration, Instant),
    tally: Shared,
) {
    let (mut reader, writer) = split(stream);
    let (sent, mut due_of) = mpsc::unbounded_channel();
    let sending = tokio::spawn(send_at_times(writer, question, (first, every, until), sent));
    let mut counts = Tally::default();
    let mut waiting = vec![None; 1 << 16];
    let mut responses = Responses::default();
    let mut seen = 0_u64;
    let receiving = async {
        loop {
            let mut ids = Vec::new();
            responses.receive(&mut reader, |response| ids.extend(id_of(response))).await?;
            let now = Instant::now();
            while let Ok((id, due)) = due_of.try_recv() {
                waiting[usize::from(id)] = Some(due);
                seen += 1;
            }
            for due in ids.into_iter().filter_map(|id: u16| waiting[usize::from(id)].take()) {
                counts.done += 1;
                counts.latencies.record(now - due);
            }
            if sending.is_finished() && due_of.is_empty() && counts.done == seen {
                return Ok::<_, io::Error>(());
            }
        }
    };
    let patience = until.saturating_duration_since(Instant::now()) + SLOWEST_RESPONSE;
    let _ = timeout(patience, receiving).await;
    // those, too, that a closed connection kept from being sent
    let times = (until - first).as_nanos().div_ceil(every.as_nanos()) as u64;
    counts.failed = times - counts.done;
    tally.lock().expect("no task panics while it counts").add(&counts);
}

async fn send_at_times(
    mut writer: impl AsyncWrite + Unpin,
    question: Question,
    (first, every, until): (Instant, Duration, Instant),
    sent: mpsc::UnboundedSender<(u16, Instant)>,
) -> io::Result<()> {
    let (mut due, mut id) = (first, 0_u16);
    while due < until {
        sleep_until(due).await;
        while due <= Instant::now() && due < until {
            let _ = sent.send((id, due));
            writer.write_all(&question.framed(id)).await?;
            (due, id) = (due + every, id.wrapping_add(1));
        }
        writer.flush().await?;
    }
    Ok(())
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
