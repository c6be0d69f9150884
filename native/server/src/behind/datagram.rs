//! A server over UDP: each query from a socket of its own (RFC 5452), and over TCP where the response is truncated or broken, names no
//! question, or did not come.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use sotto_wire::Malformed;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::Instant;

use super::failure::Failure;
use super::figures::{Protection, Sent};
use super::outgoing::{Outgoing, belongs_to, names_no_question, over_connection};
use super::patience::Patience;
use super::soundness;

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

/// What came over UDP.
enum Heard {
    Response(Vec<u8>),
    /// TCP can tell; this is left where it does not.
    ByStream(Failure),
}

impl Datagram {
    /// `until`: for the datagram; TCP, where that is needed, should have responded until the try is over.
    pub async fn ask(
        &self,
        query: &Outgoing,
        until: Instant,
        patience: &Patience,
    ) -> Result<Vec<u8>, Failure> {
        let message = query.message(false)?;
        let left = if query.by_stream {
            Failure::Silent("TCP")
        } else {
            match patience.wait(until, Failure::Silent("UDP"), self.over_udp(&message)).await? {
                Heard::Response(response) => return Ok(response),
                Heard::ByStream(left) => left,
            }
        };
        let over_tcp = async {
            let response = self.over_tcp(&message).await;
            // that nobody is there for TCP says nothing of UDP
            response.map_err(|why| if why.is_the_servers() { left.clone() } else { why })
        };
        patience.wait(patience.until, left.clone(), over_tcp).await
    }

    async fn over_udp(&self, message: &[u8]) -> Result<Heard, Failure> {
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
                return Ok(judge(response));
            }
            // somebody off the path would have to guess less
            if names_no_question(&response[..octets], message) {
                return Ok(Heard::ByStream(Failure::Silent("UDP")));
            }
        }
    }

    async fn over_tcp(&self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut stream = TcpStream::connect(self.to).await?;
        let mut framed = (message.len() as u16).to_be_bytes().to_vec();
        framed.extend(message);
        self.sent.count(Protection::Clear);
        stream.write_all(&framed).await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        let ours = over_connection(response, message);
        let other = || Failure::Broken("a response over TCP to something we did not ask".into());
        soundness::whole(ours.ok_or_else(other)?)
    }
}

/// What is broken may have been cut on its way.
fn judge(response: Vec<u8>) -> Heard {
    match soundness::check(&response) {
        Err(Malformed(why)) => Heard::ByStream(Failure::Unsound(why)),
        Ok(()) if soundness::is_truncated(&response) => {
            Heard::ByStream(Failure::OnlyTruncated(response.into()))
        }
        Ok(()) => Heard::Response(response),
    }
}
