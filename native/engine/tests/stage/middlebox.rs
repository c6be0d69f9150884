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

async fn carry(mut client: TcpStream, server: SocketAddr, refusal: Refusal, seen: Arc<Seen>) {
    let mut server = TcpStream::connect(server).await.unwrap();
    let Some(hello) = hello(&mut client, &mut server).await else { return };
    if hello.len() > SEGMENT {
        seen.large.fetch_add(1, Ordering::SeqCst);
        return refuse(client, refusal).await;
    }
    seen.small.fetch_add(1, Ordering::SeqCst);
    server.write_all(&hello).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

/// The whole record. Messages before TLS pass as they are. `None`: the client has closed.
async fn hello(client: &mut TcpStream, server: &mut TcpStream) -> Option<Vec<u8>> {
    loop {
        match first_octets(client).await? {
            [HANDSHAKE, _] => return Some(with_length_at(3, client).await),
            _ => {
                server.write_all(&with_length_at(0, client).await).await.unwrap();
                client.write_all(&with_length_at(0, server).await).await.unwrap();
            }
        }
    }
}

/// So many octets, two that give a length, and as many as they say.
async fn with_length_at(place: usize, from: &mut TcpStream) -> Vec<u8> {
    let mut whole = vec![0; place + 2];
    from.read_exact(&mut whole).await.unwrap();
    let length = u16::from_be_bytes([whole[place], whole[place + 1]]);
    whole.resize(place + 2 + usize::from(length), 0);
    from.read_exact(&mut whole[place + 2..]).await.unwrap();
    whole
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
