//! Opening a connection: one step after the other, each told to whoever watches.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use rustls_pki_types::CertificateDer;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

use super::early::{Early, EarlyData};
use super::failure::DialReason;
use super::fast_open::{self, FastOpen};
use super::meter::Meter;
use super::outgoing::Hop;
use super::place::Place;
use super::tls::{self, Handshaken, Tls, TlsFacts};
use super::trust;
use crate::clear::Lease;
use crate::resolution::DEADLINE;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub const CONNECT: Duration = Duration::from_secs(2);
const HANDSHAKE: Duration = Duration::from_secs(3);

/// A way to a stream on which messages may travel. One file a transport.
pub trait Dial: Send + Sync {
    fn dial<'a>(&'a self, to: Place, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>>;

    /// Whether its first octets may leave with the SYN: seen by others, and delivered twice.
    fn fast_opens(&self) -> bool {
        false
    }

    /// How many times longer than a straight way everything may take.
    fn patience(&self) -> u32 {
        1
    }
}

/// What belongs to one dial, not to the dialer.
pub struct How<'a> {
    pub watch: &'a Watch<'a>,
    /// TCP Fast Open may be used, by a dialer that [can](Dial::fast_opens)
    pub fast_open: bool,
    /// may leave with the hello
    pub early: Option<&'a Early>,
    /// of the [dialer](Dial::patience)
    pub patience: u32,
}

/// Called after each step.
pub type Watch<'a> = dyn Fn(Step<'_>) + Send + Sync + 'a;

pub enum Step<'a> {
    Connected,
    /// nothing has left yet: the first octets leave with the SYN
    Deferred,
    /// the reply to the dummy question led to TLS
    StarttlsAccepted,
    Secured(&'a TlsFacts, &'a [CertificateDer<'static>]),
}

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// An open connection. Without authenticated TLS it holds the lease that each question on it spends.
pub struct Link {
    pub stream: Box<dyn Stream>,
    pub protection: Protection,
    pub early: EarlyData,
    /// spent on opening it
    pub round_trips: u8,
    pub fast_open: FastOpen,
    pub took: Duration,
    /// of the stream's socket, if it has one
    pub meter: Option<Meter>,
}

impl Link {
    /// `fast_open` as it began. `fits`: all that the server had to hear before it could say something was in the SYN.
    pub fn opened_with(mut self, fast_open: FastOpen, fits: bool) -> Self {
        self.fast_open = fast_open.settled(self.meter.as_ref());
        self.round_trips -= u8::from(fits && self.fast_open == FastOpen::Accepted);
        self
    }

    /// Of the path, as well as it is known by now.
    pub fn round_trip(&self) -> Duration {
        let measured = self.meter.as_ref().and_then(Meter::read).map(|reading| reading.round_trip);
        let seen = self.took / u32::from(self.round_trips.max(1));
        measured.filter(|round_trip| !round_trip.is_zero()).unwrap_or(seen)
    }
}

pub enum Protection {
    Tls(TlsFacts),
    /// TLS to whoever answered: it hides names from those who only listen, and is no protection
    Unauthenticated(TlsFacts, Arc<Lease>),
    Clear(Arc<Lease>),
}

impl Protection {
    pub fn hop(&self) -> Hop {
        match self {
            Self::Tls(_) | Self::Unauthenticated(..) => Hop::Tls,
            Self::Clear(_) => Hop::Tcp,
        }
    }

    pub fn tls(&self) -> Option<&TlsFacts> {
        match self {
            Self::Tls(facts) | Self::Unauthenticated(facts, _) => Some(facts),
            Self::Clear(_) => None,
        }
    }

    /// What each question on it spends.
    pub fn lease(&self) -> Option<&Lease> {
        match self {
            Self::Tls(_) => None,
            Self::Unauthenticated(_, lease) | Self::Clear(lease) => Some(lease),
        }
    }
}

/// With Fast Open, if that is allowed; told as a step.
pub async fn open(address: SocketAddr, how: &How<'_>) -> Result<(TcpStream, FastOpen), DialReason> {
    let socket = socket(address)?;
    let requested = how.fast_open && fast_open::request(&socket);
    let stream = connected(socket, address).await?;
    let begun = if requested { FastOpen::begun(&stream) } else { FastOpen::Off };
    (how.watch)(if begun.is_deferred() { Step::Deferred } else { Step::Connected });
    Ok((stream, begun))
}

pub async fn connect(address: SocketAddr) -> Result<TcpStream, DialReason> {
    connected(socket(address)?, address).await
}

fn socket(address: SocketAddr) -> Result<TcpSocket, DialReason> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    socket.map_err(|error| DialReason::Connect(plain_words(&error)))
}

async fn connected(socket: TcpSocket, address: SocketAddr) -> Result<TcpStream, DialReason> {
    let mut connecting = pin!(timeout(CONNECT, socket.connect(address)));
    // what fails before anything is waited for, the kernel refused: nobody has been asked yet
    let (outcome, at_once) = match poll_fn(|cx| Poll::Ready(connecting.as_mut().poll(cx))).await {
        Poll::Ready(outcome) => (outcome, true),
        Poll::Pending => (connecting.await, false),
    };
    let stream = match outcome {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) if at_once && is_without_route(&error) => {
            return Err(DialReason::NoRoute(plain_words(&error)));
        }
        Ok(Err(error)) => return Err(DialReason::Connect(plain_words(&error))),
        Err(_) => return Err(DialReason::Silent("TCP")),
    };
    // a question is one small write that must not wait for the answer to the one before
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_keepalive(true);
    Ok(stream)
}

/// For questions in clear: what nobody has taken when the stream ends is not sent any more, nor for longer than a question
/// lasts. Else the kernel would go on sending it, after the permission has ended, and wherever the machine is by then.
pub fn leave_nothing_behind(stream: &TcpStream) {
    let socket = SockRef::from(stream);
    let _ = socket.set_linger(Some(Duration::ZERO));
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(DEADLINE));
}

/// Authenticates the server on an open stream; `round_trips` were spent before.
pub async fn secure(
    tls: &Tls,
    stream: TcpStream,
    started: Instant,
    round_trips: u8,
    how: &How<'_>,
) -> Result<Link, DialReason> {
    let meter = Meter::of(&stream);
    let question = how.early.map(|early| early.framed.as_slice());
    let Handshaken { stream, early } =
        match timeout(HANDSHAKE * how.patience, tls.handshake(stream, question)).await {
            Ok(Ok(handshaken)) => handshaken,
            Ok(Err(error)) => {
                return Err(match trust::trust_error(&error) {
                    Some(error) => DialReason::Trust(error),
                    None if is_unreachable(&error) => DialReason::Connect(plain_words(&error)),
                    None if is_break(&error) => DialReason::Broken {
                        during: "TLS",
                        words: format!("TLS failed ({})", plain_words(&error)),
                    },
                    None => DialReason::Tls(plain_words(&error)),
                });
            }
            Err(_) => return Err(DialReason::Silent("the TLS hello")),
        };
    let facts = tls.facts(&stream);
    (how.watch)(Step::Secured(&facts, tls::chain(&stream)));
    let handshake = if facts.version == "1.2" && !facts.resumed { 2 } else { 1 };
    Ok(Link {
        stream: Box::new(stream),
        protection: tls.protection(facts),
        early,
        round_trips: round_trips + handshake,
        fast_open: FastOpen::Off,
        took: started.elapsed(),
        meter,
    })
}

/// Whether somebody ended the connection, instead of saying something we can't accept.
pub fn is_break(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    matches!(error.kind(), ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof)
}

/// Whether there never was a connection: one whose SYN carries its first octets is refused when those are written or read.
pub fn is_unreachable(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable, TimedOut};

    matches!(error.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable | TimedOut)
}

/// No route, no link, or (IPv6) no address of our own to begin at.
fn is_without_route(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{AddrNotAvailable, HostUnreachable, NetworkDown, NetworkUnreachable};

    matches!(error.kind(), NetworkUnreachable | HostUnreachable | NetworkDown | AddrNotAvailable)
}

/// The system's words without its number.
pub fn plain_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
