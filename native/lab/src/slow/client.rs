//! One client that is slow in its own way.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::question::Question;

const SLOWEST_CONNECT: Duration = Duration::from_secs(5);
/// The pause before a persistent client comes back.
const PAUSE: Duration = Duration::from_millis(500);
/// Buffers of a client that never reads: its kernel takes little for it, and keeps little of what it sends.
const DEAF_BUFFER: u32 = 4096;
/// Queries that a deaf client sends in one write.
const VOLLEY: u16 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Connects and sends nothing
    Connect,
    /// Sends half of a query and no more
    HalfMessage,
    /// Sends queries without end and reads no response
    NeverRead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeatCounts {
    /// connections at this moment, and the most there were at once
    pub open: u64,
    pub most: u64,
    pub opened: u64,
    /// by the service
    pub closed: u64,
    /// could not be opened
    pub failed: u64,
}

#[derive(Debug, Default)]
pub struct Seats {
    open: AtomicU64,
    most: AtomicU64,
    opened: AtomicU64,
    closed: AtomicU64,
    failed: AtomicU64,
}

impl Seats {
    pub fn counts(&self) -> SeatCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        SeatCounts {
            open: read(&self.open),
            most: read(&self.most),
            opened: read(&self.opened),
            closed: read(&self.closed),
            failed: read(&self.failed),
        }
    }

    fn taken(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(open, Ordering::Relaxed);
    }

    fn lost(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
        self.closed.fetch_add(1, Ordering::Relaxed);
    }
}

pub struct Client {
    pub to: SocketAddr,
    pub from: Option<IpAddr>,
    pub kind: Kind,
    pub persistent: bool,
    pub question: Question,
    pub seats: Arc<Seats>,
    /// how many may connect at once
    pub doors: Arc<Semaphore>,
}

impl Client {
    pub async fn sit(self) {
        loop {
            match self.connect().await {
                Ok(stream) => {
                    self.seats.taken();
                    self.dawdle(stream).await;
                    self.seats.lost();
                }
                Err(_) => {
                    self.seats.failed.fetch_add(1, Ordering::Relaxed);
                }
            }
            if !self.persistent {
                return;
            }
            sleep(PAUSE).await;
        }
    }

    async fn connect(&self) -> io::Result<TcpStream> {
        let _door = self.doors.acquire().await.map_err(io::Error::other)?;
        let socket = if self.to.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        if self.kind == Kind::NeverRead {
            socket.set_recv_buffer_size(DEAF_BUFFER)?;
            socket.set_send_buffer_size(DEAF_BUFFER)?;
        }
        if let Some(from) = self.from {
            socket.bind(SocketAddr::new(from, 0))?;
        }
        timeout(SLOWEST_CONNECT, socket.connect(self.to)).await?
    }

    /// Waits until the service ends the connection.
    async fn dawdle(&self, mut stream: TcpStream) {
        let framed = self.question.framed(0);
        if self.kind == Kind::NeverRead {
            let volley: Vec<u8> = (0..VOLLEY).flat_map(|id| self.question.framed(id)).collect();
            while stream.write_all(&volley).await.is_ok() {}
            return;
        }
        if self.kind == Kind::HalfMessage && stream.write_all(&framed[..framed.len() / 2]).await.is_err() {
            return;
        }
        let mut octets = [0; 512];
        while matches!(stream.read(&mut octets).await, Ok(1..)) {}
    }
}
