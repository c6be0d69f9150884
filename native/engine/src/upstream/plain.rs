//! A question in clear: one socket with a random port and a random id each (RFC 5452), TCP when the answer was cut.
//!
//! Every packet spends a permit first, so that the ledger's count is the wire's.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

use super::dial::{connect, plain_words};
use super::failure::{DialError, DialReason, Failure};
use super::outgoing::{Hop, Outgoing};
use crate::answer::{Answer, NoAnswer};
use crate::clear::{Lease, Permit};
use crate::wire::header::Header;

/// A lost datagram is sent again this much later, to the next server.
const RESEND: Duration = Duration::from_millis(1200);
const MOST_SENDS: usize = 3;
const LARGEST: usize = 65_535;

/// Asks the servers in turn until one answers or the deadline comes. A server that only kept silent is asked again; one that
/// can't be reached is not, for each packet tells the name once more.
pub async fn ask(
    servers: &[SocketAddr],
    question: &Outgoing,
    lease: &Lease,
    deadline: Instant,
) -> Result<(Answer, SocketAddr), Failure> {
    let mut last = Failure::TimedOut;
    let mut left: VecDeque<SocketAddr> = servers.iter().copied().collect();
    for _ in 0..servers.len().max(MOST_SENDS) {
        let Some(server) = left.pop_front().filter(|_| Instant::now() < deadline) else { break };
        let until = deadline.min(Instant::now() + RESEND);
        match ask_one(server, question, lease, until, deadline).await {
            Ok(answer) => return Ok((answer, server)),
            Err(failure @ Failure::NotPermitted(_)) => return Err(failure),
            Err(failure) => {
                if failure == Failure::TimedOut {
                    left.push_back(server);
                }
                last = failure;
            }
        }
    }
    Err(last)
}

async fn ask_one(
    server: SocketAddr,
    question: &Outgoing,
    lease: &Lease,
    until: Instant,
    deadline: Instant,
) -> Result<Answer, Failure> {
    let answer = match timeout_at(until, datagram(server, question, lease)).await {
        Ok(answer) => answer?,
        Err(_) => return Err(Failure::TimedOut),
    };
    if !answer.truncated() {
        return Ok(answer);
    }
    match timeout_at(deadline, stream(server, question, lease)).await {
        Ok(answer) => answer,
        Err(_) => Err(Failure::TimedOut),
    }
}

/// One datagram out; whatever comes back that is not the answer – another id, another question – is passed over.
async fn datagram(server: SocketAddr, question: &Outgoing, lease: &Lease) -> Result<Answer, Failure> {
    let broken = |error: std::io::Error| unreachable(server, &error);
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await.map_err(broken)?;
    socket.connect(server).await.map_err(broken)?;
    let id = rand::random();
    send(&socket, &question.message(id, Hop::Udp), lease.spend()?).await.map_err(broken)?;
    let mut buffer = vec![0; LARGEST];
    loop {
        let length = socket.recv(&mut buffer).await.map_err(broken)?;
        if let Some(answer) = matching(&buffer[..length], id, question)? {
            return Ok(answer);
        }
    }
}

async fn stream(server: SocketAddr, question: &Outgoing, lease: &Lease) -> Result<Answer, Failure> {
    let broken = |error: std::io::Error| unreachable(server, &error);
    let mut stream = connect(server).await.map_err(|reason| DialError { address: server, reason })?;
    let id = rand::random();
    let message = question.message(id, Hop::Tcp);
    let mut framed = (message.len() as u16).to_be_bytes().to_vec();
    framed.extend_from_slice(&message);
    let Permit { .. } = lease.spend()?;
    stream.write_all(&framed).await.map_err(broken)?;
    loop {
        let length = stream.read_u16().await.map_err(broken)? as usize;
        let mut reply = vec![0; length];
        stream.read_exact(&mut reply).await.map_err(broken)?;
        if let Some(answer) = matching(&reply, id, question)? {
            return Ok(answer);
        }
    }
}

async fn send(socket: &UdpSocket, message: &[u8], _permit: Permit) -> std::io::Result<usize> {
    socket.send(message).await
}

fn matching(reply: &[u8], id: u16, question: &Outgoing) -> Result<Option<Answer>, Failure> {
    if Header::read(reply).map(|header| header.id) != Ok(id) {
        return Ok(None);
    }
    match Answer::read(reply.to_vec(), &question.question) {
        Ok((answer, _)) => Ok(Some(answer)),
        Err(NoAnswer::OtherQuestion | NoAnswer::NotAResponse) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn unreachable(address: SocketAddr, error: &std::io::Error) -> Failure {
    DialError { address, reason: DialReason::Connect(plain_words(error)) }.into()
}
