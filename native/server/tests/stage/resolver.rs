//! A resolver that responds as the test tells it to, and a server in front of it.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, UdpSocket};

use super::Stage;
use super::clients::{receive_octets, send};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    Udp,
    Tcp,
}

/// Responds to each query with what `script` makes of it; `None` means silence.
pub async fn resolver(script: impl Fn(Over, &[u8]) -> Option<Vec<u8>> + Send + Sync + 'static) -> SocketAddr {
    let (listener, socket) = loop {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        if let Ok(socket) = UdpSocket::bind(listener.local_addr().unwrap()).await {
            break (listener, socket);
        }
    };
    let address = listener.local_addr().unwrap();
    let script = Arc::new(script);
    let for_tcp = script.clone();
    tokio::spawn(async move {
        let mut question = [0; 4096];
        loop {
            let (octets, client) = socket.recv_from(&mut question).await.unwrap();
            if let Some(answer) = script(Over::Udp, &question[..octets]) {
                socket.send_to(&answer, client).await.unwrap();
            }
        }
    });
    tokio::spawn(async move {
        loop {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let question = receive_octets(&mut tcp).await;
            if let Some(answer) = for_tcp(Over::Tcp, &question) {
                send(&mut tcp, &answer).await;
            }
        }
    });
    address
}

pub fn in_front_of(resolver: SocketAddr) -> Stage {
    Stage::with(|config| config.backend = super::forwarding_to(resolver))
}

/// A response with the header and question of `question`, and with these record counts.
pub fn response(question: &[u8], answers: u8, additional: u8) -> Vec<u8> {
    let name = question[12..].iter().position(|&octet| octet == 0).unwrap();
    let mut response = question[..12 + name + 5].to_vec();
    response[2] |= 0x80;
    response[3] |= 0x80;
    response[6..12].copy_from_slice(&[0, answers, 0, 0, 0, additional]);
    response
}

pub fn with_address(question: &[u8]) -> Vec<u8> {
    let mut answer = response(question, 1, 0);
    answer.extend(b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x05");
    answer
}
