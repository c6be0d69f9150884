//! A plain resolver, as networks have them: it responds to everything with one address and AD set, and counts what reaches it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sotto_engine::wire::header;
use sotto_engine::wire::question::Question;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

pub struct Resolver {
    pub address: SocketAddr,
    pub seen: Arc<Seen>,
}

#[derive(Default)]
pub struct Seen {
    pub datagrams: AtomicUsize,
    pub streamed: AtomicUsize,
    silent: AtomicBool,
}

impl Resolver {
    pub async fn start() -> Self {
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()).await {
                break (udp, tcp);
            }
        };
        let (address, seen) = (udp.local_addr().unwrap(), Arc::<Seen>::default());
        let (of_datagrams, of_streams) = (seen.clone(), seen.clone());
        tokio::spawn(async move {
            let mut question = [0; 1500];
            while let Ok((length, from)) = udp.recv_from(&mut question).await {
                of_datagrams.datagrams.fetch_add(1, Ordering::SeqCst);
                if !of_datagrams.silent.load(Ordering::SeqCst) {
                    let _ = udp.send_to(&answered(&question[..length]), from).await;
                }
            }
        });
        tokio::spawn(async move {
            while let Ok((stream, _)) = tcp.accept().await {
                tokio::spawn(serve(stream, of_streams.clone()));
            }
        });
        Self { address, seen }
    }

    /// One that reads everything and sends nothing.
    pub async fn silent() -> Self {
        let resolver = Self::start().await;
        resolver.seen.silent.store(true, Ordering::SeqCst);
        resolver
    }

    /// Datagrams, and queries with a name on streams.
    pub fn heard(&self) -> (usize, usize) {
        (self.seen.datagrams.load(Ordering::SeqCst), self.seen.streamed.load(Ordering::SeqCst))
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<Seen>) {
    while let Ok(length) = stream.read_u16().await {
        let mut question = vec![0; usize::from(length)];
        if stream.read_exact(&mut question).await.is_err() {
            return;
        }
        // a liveness query is for the root, which names nobody
        let names_somebody = question.get(header::LENGTH).is_some_and(|length| *length > 0);
        seen.streamed.fetch_add(usize::from(names_somebody), Ordering::SeqCst);
        if seen.silent.load(Ordering::SeqCst) {
            continue;
        }
        let reply = answered(&question);
        let _ = stream.write_u16(reply.len() as u16).await;
        let _ = stream.write_all(&reply).await;
    }
}

/// 198.51.100.7 for five minutes, from a server without EDNS that claims to have validated it.
pub fn answered(question: &[u8]) -> Vec<u8> {
    let (_, end) = Question::read(question).unwrap();
    let mut reply = question[..end].to_vec();
    reply[2] |= (header::QR >> 8) as u8;
    reply[3] |= (header::RA | header::AD) as u8;
    reply[7] = 1;
    reply[11] = 0;
    reply.extend_from_slice(&[0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 198, 51, 100, 7]);
    reply
}
