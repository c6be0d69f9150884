//! A splice in front of a server. It measures what a client sends first on each connection, counts all octets, and can cut them
//! all.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;

use super::nobody;

pub struct Tap {
    pub address: SocketAddr,
    server: SocketAddr,
    seen: Arc<Seen>,
    cut: broadcast::Sender<()>,
    hung: watch::Sender<bool>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Seen {
    first: Mutex<Vec<usize>>,
    /// by the clients
    sent: AtomicU64,
    received: AtomicU64,
}

impl Tap {
    pub async fn before(server: SocketAddr) -> Self {
        // nobody else takes it while this one is gone
        let address = nobody();
        let listener = TcpListener::bind(address).await.unwrap();
        let seen: Arc<Seen> = Arc::default();
        let (cut, _) = broadcast::channel(1);
        let (hung, hanging) = watch::channel(false);
        let listening = Mutex::new(Some(listen(listener, server, seen.clone(), cut.clone(), hanging)));
        Self { address, server, seen, cut, hung, listening }
    }

    /// No server is there any more: connections end, and none is accepted.
    pub fn leave(&self) {
        self.listening.lock().unwrap().as_ref().expect("it listens").abort();
        self.cut();
    }

    pub async fn come_back(&self) {
        let listening = self.listening.lock().unwrap().take();
        assert!(listening.expect("it listened").await.is_err(), "it has left");
        let listener = TcpListener::bind(self.address).await.unwrap();
        let (seen, cut, hanging) = (self.seen.clone(), self.cut.clone(), self.hung.subscribe());
        *self.listening.lock().unwrap() = Some(listen(listener, self.server, seen, cut, hanging));
    }

    /// Ends every connection, whatever it carries.
    pub fn cut(&self) {
        let _ = self.cut.send(());
    }

    /// Accepts connections and octets, and hands nothing on any more.
    pub fn hang(&self) {
        self.hung.send_replace(true);
    }

    /// Octets of the first message of each connection, in their order.
    pub fn first_flights(&self) -> Vec<usize> {
        self.seen.first.lock().unwrap().clone()
    }

    /// Octets of all connections: those that clients sent, and those that they got.
    pub fn octets(&self) -> (u64, u64) {
        (self.seen.sent.load(Ordering::SeqCst), self.seen.received.load(Ordering::SeqCst))
    }
}

fn listen(
    listener: TcpListener,
    server: SocketAddr,
    seen: Arc<Seen>,
    cut: broadcast::Sender<()>,
    hanging: watch::Receiver<bool>,
) -> JoinHandle<()> {
    let accepting = async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(splice(client, server, seen.clone(), cut.subscribe(), hanging.clone()));
        }
    };
    tokio::spawn(accepting)
}

async fn splice(
    mut client: TcpStream,
    server: SocketAddr,
    seen: Arc<Seen>,
    mut cut: broadcast::Receiver<()>,
    mut hung: watch::Receiver<bool>,
) {
    let hangs = *hung.borrow();
    if hangs {
        return pending_with(client).await;
    }
    let mut server = greeted(&client, server, &seen).await;
    tokio::select! {
        () = both_ways(&mut client, &mut server, &seen) => {}
        _ = cut.recv() => {}
        () = until(&mut hung) => pending_with((client, server)).await,
    }
}

/// A connection to the server, which has been given the client's hello.
async fn greeted(client: &TcpStream, server: SocketAddr, seen: &Seen) -> TcpStream {
    let mut server = TcpStream::connect(server).await.unwrap();
    let hello = tls_record(client).await;
    seen.first.lock().unwrap().push(hello.len());
    seen.sent.fetch_add(hello.len() as u64, Ordering::SeqCst);
    server.write_all(&hello).await.unwrap();
    server
}

async fn both_ways(client: &mut TcpStream, server: &mut TcpStream, seen: &Seen) {
    let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
    tokio::join!(pour(from_client, to_server, &seen.sent), pour(from_server, to_client, &seen.received));
}

/// Copies until the end, which is handed on as well.
async fn pour(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, count: &AtomicU64) {
    let mut octets = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut octets).await {
        // counted first, so that whoever sees the octets sees them counted
        count.fetch_add(length as u64, Ordering::SeqCst);
        if to.write_all(&octets[..length]).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

async fn until(hung: &mut watch::Receiver<bool>) {
    let _ = hung.wait_for(|hung| *hung).await;
}

async fn pending_with<T>(kept: T) {
    std::future::pending::<()>().await;
    drop(kept);
}

/// One whole record: the hello.
async fn tls_record(client: &TcpStream) -> Vec<u8> {
    let mut record = Vec::new();
    loop {
        client.readable().await.unwrap();
        let mut octets = [0; 4096];
        if let Ok(length) = client.try_read(&mut octets) {
            assert!(length > 0, "the client closed before its hello");
            record.extend_from_slice(&octets[..length]);
        }
        if record.len() > 5 && record.len() >= 5 + usize::from(u16::from_be_bytes([record[3], record[4]])) {
            return record;
        }
    }
}
