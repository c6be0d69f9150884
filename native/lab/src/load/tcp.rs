//! One connection at a time, with queries pipelined on it (RFC 7766 section 6.2.1.1). A query that was on a connection when it
//! closed is not sent again: it counts as lost.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Scope, spawn};
use std::time::{Duration, Instant};

use super::lane::{GLANCE, Lane};

/// A write that takes longer ends the connection.
const SLOWEST_WRITE: Duration = Duration::from_secs(5);
const SLOWEST_CONNECT: Duration = Duration::from_secs(2);

pub struct TcpLane {
    lane: Arc<Lane>,
    frames: Sender<Vec<u8>>,
    connections: Arc<AtomicU64>,
}

impl TcpLane {
    pub fn open<'scope>(lane: Lane, scope: &'scope Scope<'scope, '_>, over: Arc<AtomicBool>) -> Self {
        let (frames, queue) = channel();
        let lane = Arc::new(lane);
        let connections = Arc::new(AtomicU64::new(0));
        let writer = Writer { lane: lane.clone(), connections: connections.clone(), open: None };
        scope.spawn(move || writer.write(&queue, &over));
        TcpLane { lane, frames, connections }
    }

    pub fn ask(&self, number: usize, intended: Instant) {
        let (question, id) = self.lane.ask(number, intended);
        // the writer lives until the run is over
        let _ = self.frames.send(question.framed(id));
    }

    /// How many connections were opened.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }
}

struct Writer {
    lane: Arc<Lane>,
    connections: Arc<AtomicU64>,
    open: Option<Connection>,
}

struct Connection {
    stream: TcpStream,
    closed: Arc<AtomicBool>,
}

impl Writer {
    fn write(mut self, queue: &Receiver<Vec<u8>>, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            let mut frames = match queue.recv_timeout(GLANCE) {
                Ok(frame) => frame,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let mut questions = 1;
            for frame in queue.try_iter() {
                frames.extend(frame);
                questions += 1;
            }
            if !self.send(&frames) {
                (0..questions).for_each(|_| self.lane.tally.unsent());
            }
        }
        if let Some(open) = self.open {
            let _ = open.stream.shutdown(Shutdown::Both);
        }
    }

    fn send(&mut self, frames: &[u8]) -> bool {
        if self.open.as_ref().is_none_or(|open| open.closed.load(Ordering::Relaxed)) {
            self.open = self.connect();
        }
        let sent = self.open.as_mut().is_some_and(|open| open.stream.write_all(frames).is_ok());
        if !sent && let Some(open) = self.open.take() {
            let _ = open.stream.shutdown(Shutdown::Both);
        }
        sent
    }

    fn connect(&self) -> Option<Connection> {
        let stream = TcpStream::connect_timeout(&self.lane.to, SLOWEST_CONNECT).ok()?;
        self.connections.fetch_add(1, Ordering::Relaxed);
        stream.set_nodelay(true).ok()?;
        stream.set_write_timeout(Some(SLOWEST_WRITE)).ok()?;
        let reader = stream.try_clone().ok()?;
        let (lane, closed) = (self.lane.clone(), Arc::new(AtomicBool::new(false)));
        let tell = closed.clone();
        // ends with the connection
        spawn(move || {
            read(reader, &lane);
            tell.store(true, Ordering::Relaxed);
        });
        Some(Connection { stream, closed })
    }
}

fn read(mut stream: TcpStream, lane: &Lane) {
    let mut message = Vec::new();
    let mut length = [0; 2];
    while stream.read_exact(&mut length).is_ok() {
        message.resize(usize::from(u16::from_be_bytes(length)), 0);
        if stream.read_exact(&mut message).is_err() {
            return;
        }
        lane.receive(&message);
    }
}
