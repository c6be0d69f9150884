//! Queries from one bridge, passed on octet by octet over loopback. Each gets a socket of its own, and so a port that nobody guesses.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::rc::Rc;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use super::found::Bridge;
use super::shares::Shares;

/// octets of a query; a longer one comes over TCP
const LONGEST_QUERY: usize = 4096;
const LONGEST_RESPONSE: usize = 65_535;
/// waiting at once, shared by the containers of a bridge; one more is dropped, and its program asks again
const QUERIES: usize = 256;
const STREAMS: usize = 64;
/// Sotto has refused by then
const RESPONSE_WITHIN: Duration = Duration::from_secs(10);
const STREAM_LASTS: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);
const BACKLOG: i32 = 64;

pub struct Sockets {
    datagrams: UdpSocket,
    streams: TcpListener,
}

pub fn listen(bridge: &Bridge, port: u16) -> io::Result<Sockets> {
    let datagrams = bound(bridge, port, Type::DGRAM, Protocol::UDP)?;
    let streams = bound(bridge, port, Type::STREAM, Protocol::TCP)?;
    streams.listen(BACKLOG)?;
    Ok(Sockets {
        datagrams: UdpSocket::from_std(datagrams.into())?,
        streams: TcpListener::from_std(streams.into())?,
    })
}

/// Ends with the last of its sockets, which never fail for good.
pub async fn serve(Sockets { datagrams, streams }: Sockets, to: SocketAddr) {
    tokio::join!(serve_datagrams(datagrams, to), serve_streams(streams, to));
}

/// To the device before it has an address, so that at no moment it hears what came by another.
fn bound(bridge: &Bridge, port: u16, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, kind, Some(protocol))?;
    socket.bind_device(Some(bridge.name.as_bytes()))?;
    if kind == Type::STREAM {
        socket.set_reuse_address(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&SocketAddrV4::new(bridge.address, port).into())?;
    Ok(socket)
}

async fn serve_datagrams(socket: UdpSocket, to: SocketAddr) {
    let (socket, shares) = (Rc::new(socket), Shares::of(QUERIES));
    let mut octets = vec![0; LONGEST_QUERY];
    loop {
        let Ok((length, peer)) = socket.recv_from(&mut octets).await else {
            sleep(PAUSE).await;
            continue;
        };
        let Some(place) = shares.take(peer.ip()) else { continue };
        let (socket, query) = (socket.clone(), octets[..length].to_vec());
        spawn_local(async move {
            if let Ok(Ok(response)) = timeout(RESPONSE_WITHIN, exchange(&query, to)).await {
                let _ = socket.send_to(&response, peer).await;
            }
            drop(place);
        });
    }
}

async fn exchange(query: &[u8], to: SocketAddr) -> io::Result<Vec<u8>> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    socket.connect(to).await?;
    socket.send(query).await?;
    let mut response = vec![0; LONGEST_RESPONSE];
    let length = socket.recv(&mut response).await?;
    response.truncate(length);
    Ok(response)
}

async fn serve_streams(listener: TcpListener, to: SocketAddr) {
    let shares = Shares::of(STREAMS);
    loop {
        let Ok((mut stream, peer)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let Some(place) = shares.take(peer.ip()) else { continue };
        spawn_local(async move {
            let passing = async {
                let mut here = TcpStream::connect(to).await?;
                copy_bidirectional(&mut stream, &mut here).await
            };
            let _ = timeout(STREAM_LASTS, passing).await;
            drop(place);
        });
    }
}
