//! A splice in front of a server: measures what a client says first on each connection, and can cut them all.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};

pub struct Tap {
    pub address: SocketAddr,
    first: Arc<Mutex<Vec<usize>>>,
    cut: broadcast::Sender<()>,
    hung: watch::Sender<bool>,
}

impl Tap {
    pub async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let first: Arc<Mutex<Vec<usize>>> = Arc::default();
        let (cut, _) = broadcast::channel(1);
        let (hung, hanging) = watch::channel(false);
        let (noted, cutting) = (first.clone(), cut.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let splicing = splice(client, server, noted.clone(), cutting.subscribe(), hanging.clone());
                tokio::spawn(splicing);
            }
        });
        Self { address, first, cut, hung }
    }

    /// Ends every connection, in the middle of whatever it carries.
    pub fn cut(&self) {
        let _ = self.cut.send(());
    }

    /// Takes connections and octets, and hands nothing on any more.
    pub fn hang(&self) {
        self.hung.send_replace(true);
    }

    /// Octets of the first message of each connection, in their order.
    pub fn first_flights(&self) -> Vec<usize> {
        self.first.lock().unwrap().clone()
    }
}

async fn splice(
    mut client: TcpStream,
    server: SocketAddr,
    first: Arc<Mutex<Vec<usize>>>,
    mut cut: broadcast::Receiver<()>,
    mut hung: watch::Receiver<bool>,
) {
    let hangs = *hung.borrow();
    if hangs {
        return pending_with(client).await;
    }
    let mut server = TcpStream::connect(server).await.unwrap();
    let hello = tls_record(&client).await;
    first.lock().unwrap().push(hello.len());
    server.write_all(&hello).await.unwrap();
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = cut.recv() => {}
        () = until(&mut hung) => pending_with((client, server)).await,
    }
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
