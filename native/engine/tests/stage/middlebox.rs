//! A middlebox in front of a server. It takes one segment of a TLS hello, and does not let a longer hello pass.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// What a segment holds on many a tunnel.
const SEGMENT: usize = 1400;
/// RFC 8446 section 5.1: the record in which a hello is.
const HANDSHAKE: u8 = 22;
/// A fatal alert handshake_failure.
const ALERT: [u8; 7] = [21, 3, 3, 0, 2, 2, 40];

/// What becomes of a connection whose hello is longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Reset,
    Close,
    Alert,
    Silence,
}

pub struct Middlebox {
    pub address: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    large: AtomicUsize,
    small: AtomicUsize,
}

impl Middlebox {
    pub async fn before(server: SocketAddr, refusal: Refusal) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Seen> = Arc::default();
        let noting = seen.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server, refusal, noting.clone()));
            }
        });
        Self { address, seen }
    }

    /// How many hellos were too long, and how many were not.
    pub fn hellos(&self) -> (usize, usize) {
        (self.seen.large.load(Ordering::SeqCst), self.seen.small.load(Ordering::SeqCst))
    }
}

/// Messages before TLS pass as they are.
async fn carry(mut client: TcpStream, server: SocketAddr, refusal: Refusal, seen: Arc<Seen>) {
    let mut server = TcpStream::connect(server).await.unwrap();
    loop {
        let Some(first) = first_octets(&client).await else { return };
        if first[0] == HANDSHAKE {
            break;
        }
        let mut message = vec![0; 2 + usize::from(u16::from_be_bytes([first[0], first[1]]))];
        client.read_exact(&mut message).await.unwrap();
        server.write_all(&message).await.unwrap();
        let mut response = vec![0; usize::from(server.read_u16().await.unwrap())];
        server.read_exact(&mut response).await.unwrap();
        let framed = [&(response.len() as u16).to_be_bytes()[..], &response].concat();
        client.write_all(&framed).await.unwrap();
    }
    let mut record = [0; 5];
    client.read_exact(&mut record).await.unwrap();
    let mut hello = vec![0; usize::from(u16::from_be_bytes([record[3], record[4]]))];
    client.read_exact(&mut hello).await.unwrap();
    if record.len() + hello.len() > SEGMENT {
        seen.large.fetch_add(1, Ordering::SeqCst);
        return refuse(client, refusal).await;
    }
    seen.small.fetch_add(1, Ordering::SeqCst);
    server.write_all(&[&record[..], &hello].concat()).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

/// `None`: the client has closed.
async fn first_octets(client: &TcpStream) -> Option<[u8; 2]> {
    let mut first = [0; 2];
    loop {
        client.readable().await.ok()?;
        match client.peek(&mut first).await.ok()? {
            0 => return None,
            2 => return Some(first),
            _ => tokio::task::yield_now().await,
        }
    }
}

async fn refuse(mut client: TcpStream, refusal: Refusal) {
    match refusal {
        Refusal::Reset => socket2::SockRef::from(&client).set_linger(Some(Duration::ZERO)).unwrap(),
        Refusal::Close => {}
        Refusal::Alert => {
            let _ = client.write_all(&ALERT).await;
            let _ = client.shutdown().await;
        }
        Refusal::Silence => {
            let _ = client.read_to_end(&mut Vec::new()).await;
        }
    }
}
