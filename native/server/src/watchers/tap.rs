//! Exchanges with clients for a dnstap reader on this machine. No query waits for it: what the reader has not taken is kept up to a
//! bound, and beyond that exchanges are counted as lost. So are those while there is no reader.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::dnstap::Exchange;
use super::frame_stream::FrameStream;
use crate::backend::Responded;
use crate::transport::Transport;

/// Octets of frames that wait for the reader.
const MOST_WAITING: usize = 4 << 20;
/// Octets in one write.
const BATCH: usize = 64 << 10;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// After the last exchange, how long the reader may take.
pub const FAREWELL: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Tap {
    frames: UnboundedSender<Vec<u8>>,
    counts: Counts,
    end: Notify,
}

#[derive(Debug, Default)]
struct Counts {
    has_reader: AtomicBool,
    waiting: AtomicUsize,
    sent: AtomicU64,
    lost: AtomicU64,
    /// Why there is no reader, where it was looked for.
    trouble: Mutex<Option<String>>,
}

/// Exchanges that a reader got, and that none got.
#[derive(Debug, Clone, Copy)]
pub struct TapSnapshot {
    pub sent: u64,
    pub lost: u64,
}

/// Where a query came from and when, for the exchange that it begins.
#[derive(Clone, Copy)]
pub struct Arrival {
    pub client: IpAddr,
    pub transport: Transport,
    pub at: SystemTime,
}

impl Tap {
    fn new() -> (Arc<Self>, UnboundedReceiver<Vec<u8>>) {
        let (frames, to_send) = unbounded_channel();
        (Arc::new(Tap { frames, counts: Counts::default(), end: Notify::new() }), to_send)
    }

    pub fn snapshot(&self) -> TapSnapshot {
        TapSnapshot { sent: self.counts.sent.load(Relaxed), lost: self.counts.lost.load(Relaxed) }
    }

    /// At which socket and why nobody takes anything. `None`: somebody does, or it was not looked yet.
    pub fn trouble(&self) -> Option<String> {
        self.counts.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_troubled(&self, why: Option<String>) {
        *self.counts.trouble.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Sends what waits, and ends.
    pub fn end(&self) {
        self.end.notify_one();
    }

    /// Tells of the exchange once there is a response, which is behind `start` in `out` where it was written at once.
    pub fn watch(
        self: &Arc<Self>,
        (query, arrival): (&[u8], Arrival),
        responded: Responded,
        out: &[u8],
        start: usize,
    ) -> Responded {
        match responded {
            Responded::Written | Responded::Fault => self.tell(query, arrival, out.get(start..)),
            Responded::Silence => self.tell(query, arrival, None),
            Responded::Later(later) => {
                let (tap, query) = (self.clone(), query.to_vec());
                return Responded::Later(Box::pin(async move {
                    let response = later.await;
                    tap.tell(&query, arrival, Some(&response));
                    response
                }));
            }
        }
        responded
    }

    fn tell(&self, query: &[u8], Arrival { client, transport, at }: Arrival, response: Option<&[u8]>) {
        let octets = query.len() + response.map_or(0, <[u8]>::len);
        if !self.counts.has_reader.load(Relaxed) || self.counts.waiting.load(Relaxed) + octets > MOST_WAITING
        {
            self.counts.lost.fetch_add(1, Relaxed);
            return;
        }
        let response = response.map(|response| (SystemTime::now(), response));
        let frame = Exchange { client, transport, asked: at, query, response }.octets();
        self.counts.waiting.fetch_add(frame.len(), Relaxed);
        let _ = self.frames.send(frame);
    }
}

/// Ends when the set is dropped.
pub fn start(path: PathBuf) -> (Arc<Tap>, JoinSet<()>) {
    let (tap, frames) = Tap::new();
    (tap.clone(), [supply(tap, frames, path)].into_iter().collect())
}

/// Keeps a reader at this socket supplied, and looks for it again when it has gone.
async fn supply(tap: Arc<Tap>, mut frames: UnboundedReceiver<Vec<u8>>, path: PathBuf) {
    let mut pause = FIRST_PAUSE;
    loop {
        match FrameStream::open(&path).await {
            Ok(stream) => {
                pause = FIRST_PAUSE;
                tap.is_troubled(None);
                tap.counts.has_reader.store(true, Relaxed);
                let is_ended = serve(&tap, &mut frames, stream).await;
                tap.counts.has_reader.store(false, Relaxed);
                if is_ended {
                    return;
                }
                lose(&tap, &mut frames);
                tap.is_troubled(Some(format!("{}: the reader has gone", path.display())));
            }
            Err(error) => tap.is_troubled(Some(format!("{}: {error}", path.display()))),
        }
        tokio::select! {
            () = sleep(pause) => pause = LONGEST_PAUSE.min(pause * 2),
            () = tap.end.notified() => return,
        }
    }
}

/// Whether it was ended here; else the reader has gone.
async fn serve(tap: &Tap, frames: &mut UnboundedReceiver<Vec<u8>>, mut stream: FrameStream) -> bool {
    loop {
        let first = tokio::select! {
            biased;
            frame = frames.recv() => frame,
            () = stream.is_gone() => return false,
            () = tap.end.notified() => {
                stream.finish().await;
                return true;
            }
        };
        let Some(first) = first else { return true };
        let (mut batch, mut count) = (Vec::with_capacity(first.len() + 4), 0);
        let mut next = Some(first);
        while let Some(frame) = next {
            tap.counts.waiting.fetch_sub(frame.len(), Relaxed);
            batch.extend((frame.len() as u32).to_be_bytes());
            batch.extend(frame);
            count += 1;
            next = if batch.len() < BATCH { frames.try_recv().ok() } else { None };
        }
        let sent = stream.send(&batch).await.is_ok();
        let counter = if sent { &tap.counts.sent } else { &tap.counts.lost };
        counter.fetch_add(count, Relaxed);
        if !sent {
            return false;
        }
    }
}

fn lose(tap: &Tap, frames: &mut UnboundedReceiver<Vec<u8>>) {
    while let Ok(frame) = frames.try_recv() {
        tap.counts.waiting.fetch_sub(frame.len(), Relaxed);
        tap.counts.lost.fetch_add(1, Relaxed);
    }
}
