//! One TCP connection from accept to close: STARTTLS, or TLS at once, then the conversation, then a close that leaves
//! TIME-WAIT with the client (RFC 7858 section 3.4).

use std::net::IpAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::Service;
use crate::ending::{Ending, given_up};
use crate::pipe::Pipe;
use crate::places::Place;
use crate::secure::Secure;
use crate::starttls::{self, Opening};
use crate::stream::converse;
use crate::transport::Transport;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Cleartext DNS, with STARTTLS in-band.
    Starttls,
    /// TLS from the first octet (RFC 7858).
    Dot,
}

/// For a client whose place somebody else has.
const SHORT_FAREWELL: Duration = Duration::from_millis(200);

/// What a connection needs only to begin and to end is boxed: its memory while it is idle is that of the conversation.
/// `client`: whose connection it is, which may be another one than TCP says.
pub async fn serve(tcp: TcpStream, client: IpAddr, door: Door, service: &Service, place: &Place) {
    let _ = tcp.set_nodelay(true);
    let opened = Box::pin(async {
        tokio::select! {
            opened = open(tcp, door, service, place) => opened,
            () = given_up(place) => None,
        }
    });
    let Some((mut pipe, transport, input)) = opened.await else { return };
    let ending = converse(&mut pipe, input, (transport, client), service, place).await;
    match ending {
        Ending::Polite => {
            let farewell = service.limits.farewell;
            let farewell = if place.is_lost() { farewell.min(SHORT_FAREWELL) } else { farewell };
            let _ = timeout(farewell, Box::pin(pipe.close())).await;
        }
        Ending::Stalled | Ending::Expelled | Ending::Broken => reset(pipe.tcp()),
    }
    service.turns.for_closing(|| drop(pipe)).await;
}

type Opened = (Pipe, Transport, Vec<u8>);

/// Up to the first queries. `None`: there will be none.
async fn open(mut tcp: TcpStream, door: Door, service: &Service, place: &Place) -> Option<Opened> {
    if door == Door::Dot {
        return secure(tcp, service, place).await;
    }
    let clear = Transport::Tcp { idle: service.limits.idle };
    let opening = starttls::open(&mut tcp, service.signal(), clear.into(), place);
    let stats = &service.responder.stats;
    match timeout(service.limits.idle, opening).await {
        Ok(Ok(Opening::Secure)) => {
            stats.accepted();
            secure(tcp, service, place).await
        }
        Ok(Ok(Opening::Clear(input))) => Some((Pipe::Clear(tcp), clear, input)),
        Ok(Ok(Opening::Injected)) => {
            stats.injected();
            reset(&tcp);
            None
        }
        Ok(Ok(Opening::Gone) | Err(_)) | Err(_) => None,
    }
}

async fn secure(tcp: TcpStream, service: &Service, place: &Place) -> Option<Opened> {
    let tls = service.tls.clone()?;
    let deadline = Instant::now() + service.limits.handshake;
    let stats = &service.responder.stats;
    let (stream, queries) = match Secure::accept(tls, tcp, deadline, &service.turns, place).await {
        Ok(opened) => opened,
        Err(error) => {
            stats.handshake_failed((&error).into());
            return None;
        }
    };
    stats.handshake(stream.handshake_kind());
    if stream.was_early() {
        stats.early();
    }
    Some((Pipe::Secure(stream), Transport::Tls { idle: service.limits.idle }, queries))
}

/// The kernel drops what the client has not taken.
pub fn reset(tcp: &TcpStream) {
    let _ = socket2::SockRef::from(tcp).set_linger(Some(Duration::ZERO));
}
