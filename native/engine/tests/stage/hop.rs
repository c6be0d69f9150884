//! A resolver between an EncDNS client and its server, as far as both notice it: it hands queries on, over UDP as over TCP, does something
//! to names or responses on the way, and keeps all octets that it saw.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use sotto_encdns::name::{BoxedQuery, Format};
use sotto_engine::wire::edns::Edns;
use sotto_engine::wire::header;
use sotto_engine::wire::question::Question;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

use super::batch::{Batch, Kept, Order};
use super::encdns::ZONE;

/// What it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    HandOn,
    /// like Knot Resolver without 0x20
    LowerCase,
    /// like dnsmasq with 0x20, which sees another case in the response and drops it
    DropWhereCaseMatters,
    /// like smartdns, which ends names there
    EndAtZero,
    /// like smartdns before a server that wants TCP: it does not go there, and ends names at zero
    Truncate,
    /// queries whose name has as many octets
    DropOfLength(usize),
    /// each box that hides its length
    DropExtended,
    /// like a list of blocked zones
    Deny,
    Refuse,
    Fail,
    /// streams end, and no client is told to use one
    NoTcp,
    /// the next three queries: as many as are sent for one name
    FailForThree,
    /// every second datagram
    Lose,
    /// a boxed response in which one octet was changed
    Tamper,
    /// as many responses as there are in a batch, once
    HoldBack(Order),
    Nothing,
}

pub struct Hop {
    pub address: SocketAddr,
    server: Arc<Mutex<SocketAddr>>,
    does: Arc<Mutex<Does>>,
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Hop {
    pub async fn before(server: SocketAddr, does: Does) -> Self {
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()).await {
                break (Arc::new(udp), tcp);
            }
        };
        let address = udp.local_addr().unwrap();
        let (does, seen) = (Arc::new(Mutex::new(does)), Arc::<Mutex<Vec<Vec<u8>>>>::default());
        let server = Arc::new(Mutex::new(server));
        let (behind, streams_to) = (server.clone(), server.clone());
        let (how, heard, batch) = (does.clone(), seen.clone(), Arc::<Mutex<Batch>>::default());
        tokio::spawn(async move {
            let (mut octets, mut failed) = (vec![0; 65_535], 0);
            while let Ok((length, from)) = udp.recv_from(&mut octets).await {
                let query = octets[..length].to_vec();
                let count = {
                    let mut heard = heard.lock().unwrap();
                    heard.push(query.clone());
                    heard.len()
                };
                let (udp, does) = (udp.clone(), next(&how, &mut failed));
                let (how, batch, server) = (how.clone(), batch.clone(), *behind.lock().unwrap());
                tokio::spawn(async move {
                    let Some(response) = respond(query, server, by_datagram, does, count).await else {
                        return;
                    };
                    for Kept { response, to, .. } in hold_back(response, from, does, &batch, &how) {
                        let _ = udp.send_to(&response, to).await;
                    }
                });
            }
        });
        let (how, heard) = (does.clone(), seen.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = tcp.accept().await {
                let (does, server) = (*how.lock().unwrap(), *streams_to.lock().unwrap());
                let heard = heard.clone();
                tokio::spawn(async move {
                    match does {
                        Does::Truncate => truncate(client).await,
                        Does::NoTcp => {}
                        Does::Lose => serve(client, server, Does::HandOn, &heard).await,
                        _ => serve(client, server, does, &heard).await,
                    }
                });
            }
        });
        Self { address, server, does, seen }
    }

    pub fn now(&self, does: Does) {
        *self.does.lock().unwrap() = does;
    }

    /// From now on it asks another server.
    pub fn is_before(&self, server: SocketAddr) {
        *self.server.lock().unwrap() = server;
    }

    /// Each query that came.
    pub fn seen(&self) -> Vec<Vec<u8>> {
        self.seen.lock().unwrap().clone()
    }
}

/// What is sent now that there is this response.
fn hold_back(
    response: Vec<u8>,
    to: SocketAddr,
    does: Does,
    batch: &Mutex<Batch>,
    how: &Mutex<Does>,
) -> Vec<Kept> {
    let end = Question::read(&response).unwrap().1;
    let kept = Kept { question: response[header::LENGTH..end].to_vec(), response, to };
    let Does::HoldBack(order) = does else { return vec![kept] };
    let sent = batch.lock().unwrap().add(kept, order);
    if !sent.is_empty() {
        *how.lock().unwrap() = Does::HandOn;
    }
    sent
}

/// What it does with this query; after three that failed it hands on again.
fn next(how: &Mutex<Does>, failed: &mut usize) -> Does {
    let mut does = how.lock().unwrap();
    if *does != Does::FailForThree {
        return *does;
    }
    *failed += 1;
    if *failed == 3 {
        *does = Does::HandOn;
    }
    Does::Fail
}

async fn respond(
    mut query: Vec<u8>,
    server: SocketAddr,
    ask: impl AsyncFnOnce(&[u8], SocketAddr) -> Vec<u8>,
    does: Does,
    count: usize,
) -> Option<Vec<u8>> {
    let end = Question::read(&query).ok()?.1 - 4;
    let name = query[header::LENGTH..end].to_vec();
    match does {
        Does::Nothing => return None,
        Does::DropOfLength(length) if name.len() == length => return None,
        Does::DropExtended if is_extended(&name) => return None,
        Does::Lose if count % 2 == 1 => return None,
        Does::DropWhereCaseMatters | Does::Truncate if is_binary(&name) => return None,
        Does::Truncate => return Some(truncated(&query)),
        Does::LowerCase => query[header::LENGTH..end].make_ascii_lowercase(),
        Does::EndAtZero if is_binary(&name) => return Some(denied(&query, header::rcode::NXDOMAIN)),
        Does::Deny => return Some(denied(&query, header::rcode::NXDOMAIN)),
        Does::Refuse => return Some(denied(&query, header::rcode::REFUSED)),
        Does::Fail => return Some(denied(&query, header::rcode::SERVFAIL)),
        _ => {}
    }
    let mut response = ask(&query, server).await;
    // the server's cookie is not for those behind a resolver
    if let Ok(Some((_, opt))) = Edns::find(&response) {
        response.truncate(opt.start);
        response[11] = 0;
    }
    if does == Does::Tamper {
        // inside the box: behind the header, the question, the head of the record and the two nonces
        let inside = end + 4 + 12 + 1 + 24 + 3;
        response[inside] ^= 1;
    }
    // a resolver responds with the name as it came
    response[header::LENGTH..end].copy_from_slice(&name);
    Some(response)
}

fn is_binary(name: &[u8]) -> bool {
    name[1..].starts_with(b" E^") || name[1..].starts_with(b" E_")
}

fn is_extended(name: &[u8]) -> bool {
    let zone = name.windows(ZONE.len()).position(|octets| octets.eq_ignore_ascii_case(ZONE));
    let boxed = zone.and_then(|end| BoxedQuery::read(&name[..end]));
    boxed.is_some_and(|query| query.format == Format::Extended)
}

async fn by_datagram(query: &[u8], server: SocketAddr) -> Vec<u8> {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(query, server).await.unwrap();
    let mut response = vec![0; 65_535];
    let length = socket.recv(&mut response).await.unwrap();
    response.truncate(length);
    response
}

async fn by_stream(query: &[u8], server: SocketAddr) -> Vec<u8> {
    let mut stream = TcpStream::connect(server).await.unwrap();
    write(&mut stream, query).await.unwrap();
    read(&mut stream).await.unwrap()
}

async fn serve(mut client: TcpStream, server: SocketAddr, does: Does, heard: &Mutex<Vec<Vec<u8>>>) {
    while let Ok(query) = read(&mut client).await {
        let count = {
            let mut heard = heard.lock().unwrap();
            heard.push(query.clone());
            heard.len()
        };
        let Some(response) = respond(query, server, by_stream, does, count).await else { continue };
        if write(&mut client, &response).await.is_err() {
            return;
        }
    }
}

async fn truncate(mut client: TcpStream) {
    while let Ok(query) = read(&mut client).await {
        write(&mut client, &truncated(&query)).await.unwrap();
    }
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut message = vec![0; stream.read_u16().await?.into()];
    stream.read_exact(&mut message).await?;
    Ok(message)
}

async fn write(stream: &mut TcpStream, message: &[u8]) -> std::io::Result<()> {
    stream.write_all(&[&(message.len() as u16).to_be_bytes(), message].concat()).await
}

fn truncated(query: &[u8]) -> Vec<u8> {
    let mut response = denied(query, header::rcode::NOERROR);
    response[2] |= (header::TC >> 8) as u8;
    response
}

fn denied(query: &[u8], rcode: u16) -> Vec<u8> {
    let (_, end) = Question::read(query).unwrap();
    let mut response = query[..end].to_vec();
    response[2] |= (header::QR >> 8) as u8;
    response[3] = (header::RA | rcode) as u8;
    response[6..header::LENGTH].fill(0);
    response
}
