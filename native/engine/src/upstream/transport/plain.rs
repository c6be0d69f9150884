//! A query in cleartext, from a socket of its own with a random port and a random id (RFC 5452), with a cookie (RFC 7873), and by
//! TCP when the response was truncated.
//!
//! Each packet is counted first (`Counted`), so that the ledger's count is the number that left.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::response::{NoResponse, Response};
use crate::upstream::clear::cookies::{Cookies, Sent, Verdict};
use crate::upstream::clear::lease::{Counted, Lease};
use crate::upstream::dial::open::plain_words;
use crate::upstream::dial::sockets::{Datagrams, Sockets};
use crate::upstream::failure::Failure;
use crate::upstream::failure::dial_error::{DialError, DialReason};
use crate::upstream::outgoing::{Hop, Outgoing};
use crate::upstream::stream::framing::{FRAMING, framed};
use crate::wire::edns::{self, option};
use crate::wire::header::{Header, rcode};

/// A datagram that may be lost is sent again after this time, to the next server.
const RESEND: Duration = Duration::from_millis(1200);
const MOST_SENDS: usize = 3;
const LARGEST: usize = 65_535;
/// Each takes a socket and room for the largest datagram. Others wait for their turn, within their deadline.
const MOST_AT_ONCE: usize = 256;

pub struct Plain {
    sockets: Arc<dyn Sockets>,
    cookies: Arc<Cookies>,
    strays: AtomicU64,
    turns: Semaphore,
}

/// One query to one server.
struct Errand<'a> {
    server: SocketAddr,
    query: &'a Outgoing,
    lease: &'a Lease,
}

/// How the server is addressed; each step down is taken once.
enum Manner {
    Cookie(Sent),
    Edns,
    /// RFC 6891 section 7: it sent FORMERR (or NOTIMP, RFC 2671) without an OPT, so it knows none
    Bare,
}

/// A datagram that came, and what it is.
enum Heard {
    Response(Response),
    /// no response to this query, whoever sent it
    Stray,
    /// the query has to be sent again, in this manner
    Again(Manner),
    /// it could be forged; TCP can tell
    ByStream(Option<Lost>),
}

/// A cookie that a server had before and did not send this time.
struct Lost {
    sent: Sent,
    local: IpAddr,
}

impl Plain {
    pub fn new(sockets: Arc<dyn Sockets>, cookies: Arc<Cookies>) -> Self {
        Self { sockets, cookies, strays: AtomicU64::new(0), turns: Semaphore::new(MOST_AT_ONCE) }
    }

    /// Asks the servers in turn until one responds or the deadline comes. A server that only stayed silent is asked again. One
    /// that can't be reached is not, because each packet reveals the name once more. If the machine changes its network
    /// meanwhile, nothing is left that would be sent on another network.
    pub async fn ask(
        &self,
        servers: &[SocketAddr],
        query: &Outgoing,
        lease: &Lease,
        deadline: Instant,
    ) -> Result<(Response, SocketAddr), Failure> {
        tokio::select! {
            biased;
            asked = self.ask_in_turn(servers, query, lease, deadline) => asked,
            suspended = lease.suspended() => Err(suspended.into()),
        }
    }

    async fn ask_in_turn(
        &self,
        servers: &[SocketAddr],
        query: &Outgoing,
        lease: &Lease,
        deadline: Instant,
    ) -> Result<(Response, SocketAddr), Failure> {
        let Ok(Ok(_turn)) = timeout_at(deadline, self.turns.acquire()).await else {
            return Err(Failure::TimedOut);
        };
        let mut last = Failure::TimedOut;
        let mut left: VecDeque<SocketAddr> = servers.iter().copied().collect();
        for _ in 0..servers.len().max(MOST_SENDS) {
            let Some(server) = left.pop_front().filter(|_| Instant::now() < deadline) else { break };
            let until = deadline.min(Instant::now() + RESEND);
            match self.ask_one(Errand { server, query, lease }, until, deadline).await {
                Ok(response) => return Ok((response, server)),
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

    /// Messages that were no response to a query of ours: another id, question, address or cookie.
    pub fn strays(&self) -> u64 {
        self.strays.load(Ordering::Relaxed)
    }

    async fn ask_one(
        &self,
        errand: Errand<'_>,
        until: Instant,
        deadline: Instant,
    ) -> Result<Response, Failure> {
        let lost = match timeout_at(until, self.by_datagram(&errand)).await {
            Ok(Ok(Ok(response))) if !response.truncated() => return Ok(response),
            Ok(Ok(Ok(_truncated))) => None,
            Ok(Ok(Err(lost))) => lost,
            Ok(Err(failure)) => return Err(failure),
            Err(_) => return Err(Failure::TimedOut),
        };
        match timeout_at(deadline, self.by_stream(&errand, lost)).await {
            Ok(response) => response,
            Err(_) => Err(Failure::TimedOut),
        }
    }

    /// One datagram out and one in; more only where the server asks for another manner. The inner error: TCP has to tell.
    async fn by_datagram(&self, errand: &Errand<'_>) -> Result<Result<Response, Option<Lost>>, Failure> {
        let broken = |error: std::io::Error| unreachable(errand.server, &error);
        let socket = self.sockets.datagrams(errand.server).await.map_err(broken)?;
        let cookie = self.cookies.towards(errand.server, socket.local());
        let mut manner = cookie.map_or(Manner::Edns, Manner::Cookie);
        let mut buffer = vec![0; LARGEST];
        for _ in 0..MOST_SENDS {
            let id = rand::random();
            let message = manner.message(errand.query, id);
            errand.query.leaves(message.len());
            send(&*socket, &message, errand.server, errand.query.spend(errand.lease)?)
                .await
                .map_err(broken)?;
            manner = loop {
                let (length, from) = socket.receive(&mut buffer).await.map_err(broken)?;
                let message = &buffer[..length];
                let heard = match from == errand.server && is_response(message, id) {
                    true => {
                        errand.query.is_answered(length);
                        self.judge(errand, &*socket, &manner, message)?
                    }
                    false => Heard::Stray,
                };
                match heard {
                    Heard::Response(response) => return Ok(Ok(response)),
                    Heard::ByStream(lost) => return Ok(Err(lost)),
                    Heard::Again(next) => break next,
                    Heard::Stray => self.stray(),
                }
            };
        }
        Ok(Err(None))
    }

    /// Judges the cookie first: without it nothing else in the message can be believed.
    fn judge(
        &self,
        errand: &Errand<'_>,
        socket: &dyn Datagrams,
        manner: &Manner,
        message: &[u8],
    ) -> Result<Heard, Failure> {
        let path = (errand.server, socket.local());
        let returned = edns::option_of(message, option::COOKIE);
        let verdict = manner.cookie().map(|sent| self.cookies.judge(path, sent, returned));
        match verdict {
            Some(Verdict::Forged) => return Ok(Heard::Stray),
            Some(Verdict::Missing) => {
                self.stray();
                let sent = manner.cookie().cloned();
                return Ok(Heard::ByStream(sent.map(|sent| Lost { sent, local: path.1 })));
            }
            _ => {}
        }
        match Response::read(message.to_vec(), &errand.query.question) {
            Ok((response, _)) if matches!(response.rcode(), rcode::FORMERR | rcode::NOTIMP) => {
                Ok(match (manner, verdict) {
                    (Manner::Cookie(_), Some(Verdict::Without)) => {
                        self.cookies.unsupported(path.0, path.1);
                        Heard::Again(Manner::Edns)
                    }
                    (Manner::Edns, _) if edns::Edns::find(message) == Ok(None) => Heard::Again(Manner::Bare),
                    _ => Heard::Response(response),
                })
            }
            Ok((response, _)) => {
                if verdict == Some(Verdict::Without) {
                    self.cookies.unsupported(path.0, path.1);
                }
                Ok(Heard::Response(response))
            }
            Err(NoResponse::ExtendedCode(rcode::BADCOOKIE)) => Ok(self.bad_cookie(path, manner, verdict)),
            Err(NoResponse::OtherQuestion | NoResponse::NotAResponse) => Ok(Heard::Stray),
            Err(error) => Err(error.into()),
        }
    }

    /// Once more with the cookie that came in the response, then by TCP (RFC 7873 section 5.3).
    fn bad_cookie(
        &self,
        (server, local): (SocketAddr, IpAddr),
        manner: &Manner,
        verdict: Option<Verdict>,
    ) -> Heard {
        match (manner, verdict, self.cookies.towards(server, local)) {
            (Manner::Cookie(sent), Some(Verdict::Genuine), Some(next)) if next.option != sent.option => {
                Heard::Again(Manner::Cookie(next))
            }
            _ => Heard::ByStream(None),
        }
    }

    /// Asks for a `lost` cookie again, because over TCP nobody else can respond in the server's name. If it does not come, it is
    /// given up.
    async fn by_stream(&self, errand: &Errand<'_>, lost: Option<Lost>) -> Result<Response, Failure> {
        let broken = |error: std::io::Error| unreachable(errand.server, &error);
        let stream = self.sockets.stream(errand.server).await;
        let mut stream = stream.map_err(|reason| DialError::new(errand.server, reason))?;
        let id = rand::random();
        let message = match &lost {
            Some(lost) => errand.query.with_cookie(id, &lost.sent.option),
            None => errand.query.message(id, Hop::Tcp),
        };
        let framed = framed(&message);
        let Counted { .. } = errand.query.spend(errand.lease)?;
        errand.query.leaves(framed.len());
        stream.write_all(&framed).await.map_err(broken)?;
        stream.flush().await.map_err(broken)?;
        loop {
            let length = stream.read_u16().await.map_err(broken)? as usize;
            let mut message = vec![0; length];
            stream.read_exact(&mut message).await.map_err(broken)?;
            if is_response(&message, id) {
                errand.query.is_answered(FRAMING + length);
                if let Some(lost) = &lost
                    && edns::option_of(&message, option::COOKIE).is_none()
                {
                    self.cookies.unsupported(errand.server, lost.local);
                }
                match Response::read(message, &errand.query.question) {
                    Ok((response, _)) => return Ok(response),
                    Err(NoResponse::OtherQuestion | NoResponse::NotAResponse) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            self.stray();
        }
    }

    fn stray(&self) {
        self.strays.fetch_add(1, Ordering::Relaxed);
    }
}

impl Manner {
    fn cookie(&self) -> Option<&Sent> {
        match self {
            Self::Cookie(sent) => Some(sent),
            Self::Edns | Self::Bare => None,
        }
    }

    fn message(&self, query: &Outgoing, id: u16) -> Vec<u8> {
        match self {
            Self::Cookie(sent) => query.with_cookie(id, &sent.option),
            Self::Edns => query.message(id, Hop::Udp),
            Self::Bare => query.bare(id),
        }
    }
}

async fn send(
    socket: &dyn Datagrams,
    message: &[u8],
    to: SocketAddr,
    _counted: Counted,
) -> std::io::Result<()> {
    socket.send(message, to).await
}

fn is_response(message: &[u8], id: u16) -> bool {
    Header::read(message).is_ok_and(|header| header.id == id && header.is_response())
}

fn unreachable(address: SocketAddr, error: &std::io::Error) -> Failure {
    DialError::new(address, DialReason::Connect(plain_words(error))).into()
}
