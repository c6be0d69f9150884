//! One TCP connection from accept to close: STARTTLS, or TLS at once, then the conversation, then a close that leaves
//! TIME-WAIT with the client (RFC 7858 section 3.4).

use std::net::IpAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::Service;
use crate::places::Place;
use crate::secure::Secure;
use crate::starttls::{self, Opening};
use crate::stream::{Ending, converse};
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

/// `client`: whose connection it is, which may be another one than TCP says.
pub async fn serve(mut tcp: TcpStream, client: IpAddr, door: Door, service: &Service, place: &Place) {
    let _ = tcp.set_nodelay(true);
    if door == Door::Dot {
        return secure(tcp, client, service, place).await;
    }
    let clear = Transport::Tcp { idle: service.limits.idle };
    let opening = tokio::select! {
        opening = timeout(service.limits.idle, starttls::open(&mut tcp, service.signal(), clear.into())) => opening,
        () = place.is_wanted() => return,
    };
    let stats = &service.responder.stats;
    match opening {
        Ok(Ok(Opening::Secure)) => {
            stats.accepted();
            secure(tcp, client, service, place).await;
        }
        Ok(Ok(Opening::Clear(input))) => {
            let (tcp, ending) = converse(tcp, input, (clear, client), service, place).await;
            if ending != Ending::Polite {
                reset(&tcp);
            }
        }
        Ok(Ok(Opening::Injected)) => {
            stats.injected();
            reset(&tcp);
        }
        Ok(Ok(Opening::Gone) | Err(_)) | Err(_) => {}
    }
}

async fn secure(tcp: TcpStream, client: IpAddr, service: &Service, place: &Place) {
    let Some(tls) = &service.tls else {
        return;
    };
    let deadline = Instant::now() + service.limits.handshake;
    let accepted = tokio::select! {
        accepted = Secure::accept(tls.clone(), tcp, deadline) => accepted,
        () = place.is_wanted() => return,
    };
    let stats = &service.responder.stats;
    let (mut stream, early) = match accepted {
        Ok(opened) => opened,
        Err(error) => return stats.handshake_failed((&error).into()),
    };
    stats.handshake(stream.handshake_kind());
    if stream.was_early() {
        stats.early();
    }
    let transport = Transport::Tls { idle: service.limits.idle };
    let (stream, ending) = converse(stream, early, (transport, client), service, place).await;
    match ending {
        Ending::Polite => {
            let farewell = service.limits.farewell;
            let farewell = if place.is_lost() { farewell.min(SHORT_FAREWELL) } else { farewell };
            let _ = timeout(farewell, stream.close()).await;
        }
        Ending::Stalled | Ending::Broken => reset(stream.tcp()),
    }
}

/// The kernel drops what the client has not taken.
pub fn reset(tcp: &TcpStream) {
    let _ = socket2::SockRef::from(tcp).set_linger(Some(Duration::ZERO));
}
