//! A server over UDP: each query from a socket of its own (RFC 5452), and over TCP when the response is truncated.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use sotto_wire::header::{self, Header};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{Instant, timeout_at};

use super::failure::Failure;
use super::figures::{Protection, Sent};
use super::outgoing::{Outgoing, belongs_to};
use super::patience::Patience;

/// As our OPT says, with room for who does not keep to it.
const LARGEST: usize = 4096;

/// Of the descriptors that this process may open, sockets for queries get a quarter; and of all ports (28,232) they never get too many.
const OF_DESCRIPTORS: usize = 4;
const MOST_SOCKETS: usize = 16_384;
/// For one server.
const FEWEST: usize = 16;
const MOST: usize = 4096;

/// Queries to one of so many servers, each of which has a socket.
pub fn most_in_flight(servers: usize) -> usize {
    ((descriptors() / OF_DESCRIPTORS).min(MOST_SOCKETS) / servers.max(1)).clamp(FEWEST, MOST)
}

#[cfg(target_os = "linux")]
fn descriptors() -> usize {
    use rustix::process::{Resource, getrlimit};

    let allowed = getrlimit(Resource::Nofile).current;
    allowed.map_or(usize::MAX, |allowed| usize::try_from(allowed).unwrap_or(usize::MAX))
}

/// What a process has where nobody chose.
#[cfg(not(target_os = "linux"))]
fn descriptors() -> usize {
    256
}

#[derive(Debug)]
pub struct Datagram {
    pub to: SocketAddr,
    /// counts queries as they leave
    pub sent: Arc<Sent>,
}

impl Datagram {
    /// `until`: for the datagram; where it is truncated, TCP may take until the deadline.
    pub async fn ask(
        &self,
        query: &Outgoing,
        until: Instant,
        patience: &Patience,
    ) -> Result<Vec<u8>, Failure> {
        let message = query.message(false)?;
        let response = patience.wait(until, "UDP", self.over_udp(&message)).await?;
        if !Header::read(&response).is_ok_and(|header| header.has(header::TC)) {
            return Ok(response);
        }
        match timeout_at(patience.deadline, self.over_tcp(&message)).await {
            // it is there, over UDP
            Ok(Err(Failure::NotReached(why))) => Err(Failure::Broken(why)),
            Ok(outcome) => outcome,
            Err(_) => Err(Failure::Silent("TCP")),
        }
    }

    async fn over_udp(&self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let any: SocketAddr = match self.to {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any).await?;
        socket.connect(self.to).await?;
        self.sent.count(Protection::Clear);
        socket.send(message).await?;
        let mut response = vec![0; LARGEST];
        loop {
            let octets = socket.recv(&mut response).await?;
            if belongs_to(&response[..octets], message) {
                response.truncate(octets);
                return Ok(response);
            }
        }
    }

    async fn over_tcp(&self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut stream = TcpStream::connect(self.to).await?;
        let mut framed = (message.len() as u16).to_be_bytes().to_vec();
        framed.extend(message);
        stream.write_all(&framed).await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        let ours = belongs_to(&response, message);
        ours.then_some(response)
            .ok_or_else(|| Failure::Broken("a response over TCP to something we did not ask".into()))
    }
}
