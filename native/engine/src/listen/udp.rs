//! Datagrams: read while there are any, answered at once if no network is needed.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::UdpSocket;
use tokio::sync::watch;

use crate::outcome::ClientProtocol;
use crate::pipeline::{Begun, Pipeline};
use crate::query::Client;

/// A question is far smaller; a longer datagram is cut and then malformed.
const LARGEST_QUESTION: usize = 4096;
/// Datagrams read before other work gets its turn.
const BURST: usize = 64;

pub async fn serve(socket: UdpSocket, pipeline: Arc<Pipeline>, mut closed: watch::Receiver<()>) {
    let socket = Arc::new(socket);
    let mut buffer = vec![0; LARGEST_QUESTION];
    let mut reply = Vec::with_capacity(LARGEST_QUESTION);
    loop {
        tokio::select! {
            readable = socket.readable() => if readable.is_err() { return },
            _ = closed.changed() => return,
        }
        for _ in 0..BURST {
            match socket.try_recv_from(&mut buffer) {
                Ok((length, from)) => answer(&socket, &pipeline, &buffer[..length], from, &mut reply),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // an ICMP error of an earlier reply; the socket is fine
                Err(_) => {}
            }
        }
        tokio::task::yield_now().await;
    }
}

fn answer(
    socket: &Arc<UdpSocket>,
    pipeline: &Arc<Pipeline>,
    message: &[u8],
    from: SocketAddr,
    reply: &mut Vec<u8>,
) {
    match pipeline.begin(message, Client::now(ClientProtocol::Udp, from), reply) {
        Begun::Silence => {}
        Begun::Replied(event) => {
            // a full send buffer loses a datagram, as a network would; the client asks again
            let _ = socket.try_send_to(reply, from);
            pipeline.note(event);
        }
        Begun::Waiting(waiting) => {
            let (socket, pipeline, work) = (socket.clone(), pipeline.clone(), pipeline.working.start());
            tokio::spawn(async move {
                let mut reply = Vec::new();
                let event = pipeline.finish(waiting, &mut reply).await;
                let _ = socket.send_to(&reply, from).await;
                pipeline.note(Some(event));
                drop(work);
            });
        }
    }
}
