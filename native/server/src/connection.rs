//! One TCP connection from accept to close: STARTTLS or TLS at once, the conversation, and a close that leaves
//! TIME-WAIT with the client (RFC 7858 section 3.4).

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::Service;
use crate::starttls::{self, Opening};
use crate::stop::Stop;
use crate::stream::{Ending, converse};
use crate::transport::Transport;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Clear DNS with STARTTLS in-band.
    Starttls,
    /// TLS from the first octet (RFC 7858).
    Dot,
}

pub async fn serve(mut tcp: TcpStream, door: Door, service: &Service, stop: Stop) {
    let _ = tcp.set_nodelay(true);
    if door == Door::Dot {
        return secure(tcp, service, stop).await;
    }
    let clear = Transport::Tcp { idle: service.limits.idle };
    let opening = tokio::select! {
        opening = timeout(service.limits.idle, starttls::open(&mut tcp, service.signal(), clear)) => opening,
        () = stop.asked() => return,
    };
    let stats = &service.responder.stats;
    match opening {
        Ok(Ok(Opening::Secure)) => {
            stats.accepted();
            secure(tcp, service, stop).await;
        }
        Ok(Ok(Opening::Clear(input))) => {
            let (tcp, ending) = converse(tcp, input, clear, service, stop.asked()).await;
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

async fn secure(tcp: TcpStream, service: &Service, stop: Stop) {
    let Some(tls) = &service.tls else {
        return;
    };
    let handshake = timeout(service.limits.handshake, tls.accept(tcp));
    let stream = tokio::select! {
        accepted = handshake => accepted.ok().and_then(Result::ok),
        () = stop.asked() => return,
    };
    let stats = &service.responder.stats;
    let Some(stream) = stream else {
        return stats.handshake(None);
    };
    stats.handshake(stream.get_ref().1.handshake_kind());
    let transport = Transport::Tls { idle: service.limits.idle };
    let (stream, ending) = converse(stream, Vec::new(), transport, service, stop.asked()).await;
    match ending {
        Ending::Polite => {
            let _ = timeout(service.limits.farewell, close(stream)).await;
        }
        Ending::Stalled | Ending::Broken => reset(stream.get_ref().0),
    }
}

/// close_notify, then nothing of ours until the client's FIN: who closes TCP first keeps TIME-WAIT.
async fn close(mut stream: TlsStream<TcpStream>) {
    stream.get_mut().1.send_close_notify();
    if stream.flush().await.is_err() {
        return;
    }
    let (mut tcp, _) = stream.into_inner();
    let mut ignored = [0; 1024];
    while matches!(tcp.read(&mut ignored).await, Ok(octets) if octets > 0) {}
}

/// The kernel drops what the client did not take.
fn reset(tcp: &TcpStream) {
    let _ = socket2::SockRef::from(tcp).set_linger(Some(Duration::ZERO));
}
