//! Responds on the held sockets while there is no service, so that clients learn the reason and need not wait for a timeout.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::hold::Held;
use crate::response::respond;

const CONNECTIONS: usize = 64;
/// A client that sends or reads nothing for so long is disconnected.
const IDLE: Duration = Duration::from_secs(5);
/// Pause after running out of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers until dropped.
pub struct StandIn {
    _tasks: JoinSet<()>,
}

impl StandIn {
    pub fn start(held: &Held, why: &str) -> io::Result<Self> {
        let why: Arc<str> = why.into();
        let mut tasks = JoinSet::new();
        for socket in held.datagrams()? {
            tasks.spawn(serve_datagrams(UdpSocket::from_std(socket)?, why.clone()));
        }
        for socket in held.streams()? {
            tasks.spawn(serve_streams(TcpListener::from_std(socket)?, why.clone()));
        }
        Ok(Self { _tasks: tasks })
    }
}

async fn serve_datagrams(socket: UdpSocket, why: Arc<str>) {
    let mut octets = vec![0; 65_535];
    loop {
        match socket.recv_from(&mut octets).await {
            Ok((length, from)) => {
                if let Some(response) = respond(&octets[..length], &why) {
                    let _ = socket.send_to(&response, from).await;
                }
            }
            // an ICMP error of an earlier response; the socket is fine
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

async fn serve_streams(listener: TcpListener, why: Arc<str>) {
    let seats = Arc::new(Semaphore::new(CONNECTIONS));
    let mut conversations = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    if let Ok(seat) = seats.clone().try_acquire_owned() {
                        conversations.spawn(converse(stream, why.clone(), seat));
                    }
                }
                Err(_) => sleep(PAUSE).await,
            },
            Some(_) = conversations.join_next() => {}
        }
    }
}

async fn converse(mut stream: TcpStream, why: Arc<str>, _seat: OwnedSemaphorePermit) {
    while let Ok(Ok(true)) = timeout(IDLE, exchange(&mut stream, &why)).await {}
}

/// Reads one framed query and responds (RFC 1035 section 4.2.2). False: the message is no query, and the stream is closed.
async fn exchange(stream: &mut TcpStream, why: &str) -> io::Result<bool> {
    let length = stream.read_u16().await?;
    let mut message = vec![0; length.into()];
    stream.read_exact(&mut message).await?;
    let Some(response) = respond(&message, why) else { return Ok(false) };
    let mut framed = (response.len() as u16).to_be_bytes().to_vec();
    framed.extend(response);
    stream.write_all(&framed).await?;
    Ok(true)
}
