//! TLS on one connection, which keeps nothing while nothing moves: it is received and encrypted in buffers of the thread, and only a part
//! of a record that waits for its rest stays with the connection. Queries that came as early data are answered before the handshake is
//! finished (0.5-RTT, RFC 8446 section 4.4.4), and each response is a record of its own, all of them in one write to the socket.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::server::UnbufferedServerConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, EncryptError, WriteTraffic};
use rustls::{HandshakeKind, ServerConfig};
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::early;
use crate::handshake_key::HandshakeKeys;
use crate::places::Place;
use crate::received::{poll_received, until_ended, with_received};
use crate::refused_early_data::{Next, RefusedEarlyData};
use crate::turns::Turns;

/// Header, content type and tag of a record (RFC 8446 section 5.2).
const RECORD_OVERHEAD: usize = 5 + 1 + 16;
const CLOSE_NOTIFY: usize = 2 + RECORD_OVERHEAD;
/// Octets that a handshake takes which is not finished, besides messages that are not whole.
const OF_A_HANDSHAKE: usize = 8 * 1024;

thread_local! {
    static ENCRYPTED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub struct Secure {
    tcp: TcpStream,
    tls: UnbufferedServerConnection,
    /// The beginning of a record, or of a message in several.
    incoming: Vec<u8>,
    /// Encrypted, and not taken by the socket yet.
    outgoing: Vec<u8>,
    /// Early data that was not handed on yet.
    early: Vec<u8>,
    refused: RefusedEarlyData,
    was_early: bool,
    /// The client's close_notify came.
    has_ended: bool,
    /// Something was written. Before that, the handshake's last flight waits, and leaves with the first responses.
    spoke: bool,
    /// By when the handshake must be finished; `None` afterwards.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Secure {
    /// Returns when the handshake is finished, or when there are queries that need not wait for it: these octets begin the
    /// conversation. What the handshake still has to send leaves with the next responses or flush.
    pub async fn accept(
        config: Arc<ServerConfig>,
        tcp: TcpStream,
        deadline: Instant,
        turns: &Turns,
        place: &Place,
    ) -> io::Result<(Box<Self>, Vec<u8>)> {
        let mut stream = Box::new(Secure {
            tcp,
            tls: UnbufferedServerConnection::new(config).map_err(io::Error::other)?,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            early: Vec::new(),
            refused: RefusedEarlyData::new(),
            was_early: false,
            has_ended: false,
            spoke: false,
            deadline: Some(Box::pin(sleep_until(deadline))),
        });
        let mut queries = Vec::new();
        while queries.is_empty() && stream.deadline.is_some() {
            place.holds(OF_A_HANDSHAKE + stream.held());
            poll_fn(|context| stream.poll_hear(context)).await?;
            let advanced = turns.for_handshake(|context| stream.poll_advance(context, &mut queries)).await;
            if let Poll::Ready(advanced) = advanced {
                advanced?;
            }
        }
        Ok((stream, queries))
    }

    pub fn handshake_kind(&self) -> Option<HandshakeKind> {
        self.tls.handshake_kind()
    }

    /// Whether the client sent early data and they were accepted.
    pub fn was_early(&self) -> bool {
        self.was_early
    }

    pub fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    /// Sends close_notify, then nothing until the client's FIN: the side that closes TCP first keeps TIME-WAIT.
    pub async fn close(&mut self) {
        self.say_goodbye();
        while let Ok(left) = poll_fn(|context| self.poll_flush(context)).await {
            if left == 0 {
                return until_ended(&mut self.tcp).await;
            }
        }
    }

    /// Octets that wait in it, in either direction.
    pub fn held(&self) -> usize {
        self.incoming.capacity() + self.outgoing.capacity()
    }

    /// Appends what the client sent, which ends with its close_notify: then it is 0 octets.
    pub fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
        input: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        let before = input.len();
        if !self.has_ended {
            ready!(self.poll_advance(context, input))?;
        }
        if input.len() == before && !self.has_ended {
            // what came carries nothing, such as key updates: others have their turn before more of it is read
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Ok(input.len() - before))
    }

    /// Takes all of it; what the socket does not take now leaves with the next send or flush. Before that is through, it takes nothing,
    /// and returns when the socket has taken some.
    pub fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if std::mem::replace(&mut self.spoke, true) && ready!(self.poll_flush(context))? > 0 {
            return Poll::Ready(Ok(0));
        }
        let taken = slices.iter().map(|slice| slice.len()).sum();
        ENCRYPTED.with_borrow_mut(|encrypted| {
            encrypted.clear();
            encrypted.append(&mut self.outgoing);
            self.encrypt(slices, encrypted)?;
            let sent = match Pin::new(&mut self.tcp).poll_write(context, encrypted) {
                Poll::Ready(sent) => sent?,
                Poll::Pending => 0,
            };
            self.outgoing = encrypted[sent..].to_vec();
            Poll::Ready(Ok(taken))
        })
    }

    /// Returns how many octets still wait, once the socket has taken some.
    pub fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if !self.outgoing.is_empty() {
            match ready!(Pin::new(&mut self.tcp).poll_write(context, &self.outgoing))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                sent if sent == self.outgoing.len() => self.outgoing = Vec::new(),
                sent => drop(self.outgoing.drain(..sent)),
            }
        }
        Poll::Ready(Ok(self.outgoing.len()))
    }

    /// Sends what TLS itself has to send, and waits until the client has sent something.
    fn poll_hear(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.outgoing.is_empty()
            && let Poll::Ready(flushed) = self.poll_flush(context)
        {
            flushed?;
        }
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        self.tcp.poll_read_ready(context)
    }

    /// Takes in what the client sent.
    fn poll_advance(&mut self, context: &mut Context<'_>, input: &mut Vec<u8>) -> Poll<io::Result<()>> {
        ready!(self.poll_hear(context))?;
        let taken = with_received(|received| {
            let octets = ready!(poll_received(&mut self.tcp, context, &self.incoming, received))?;
            let all = self.incoming.len() + octets;
            let done = self.process(&mut received[..all], input)?;
            self.incoming = received[done..all].to_vec();
            Poll::Ready(Ok::<_, io::Error>(octets))
        });
        match ready!(taken) {
            Ok(0) if !self.has_ended => return Poll::Ready(Err(ErrorKind::UnexpectedEof.into())),
            Ok(_) => {}
            Err(error) => {
                let _ = self.poll_flush(context); // the alert
                return Poll::Ready(Err(error));
            }
        }
        if !self.tls.is_handshaking() {
            self.deadline = None;
        }
        self.hand_on_early(input);
        Poll::Ready(Ok(()))
    }

    /// The part of the early data that may be answered now.
    fn hand_on_early(&mut self, input: &mut Vec<u8>) {
        let octets = match self.deadline {
            Some(_) => early::answerable(&self.early),
            None => self.early.len(),
        };
        input.extend(self.early.drain(..octets));
    }

    /// Returns how many of the octets are done with.
    fn process(&mut self, received: &mut [u8], input: &mut Vec<u8>) -> io::Result<usize> {
        let mut done = 0;
        loop {
            let left = &mut received[done..];
            match self.refused.next(left) {
                Next::ShowAll => return Ok(done + self.show(left, input)?),
                Next::ShowHello(octets) => {
                    let sent = self.outgoing.len();
                    let (taken, secrets) = HandshakeKeys::listen(|| self.show(&mut left[..octets], input));
                    done += taken?;
                    let suite = self.tls.negotiated_cipher_suite();
                    let keys = suite.and_then(|suite| HandshakeKeys::new(suite.suite(), &secrets));
                    self.refused.was_announced(self.tls.handshake_kind(), keys, &self.outgoing[sent..]);
                }
                Next::Show(octets) => done += self.show(&mut left[..octets], input)?,
                Next::Skip(octets) => done += octets,
                Next::Wait => return Ok(done),
            }
        }
    }

    /// Returns how many of the octets TLS has taken.
    fn show(&mut self, received: &mut [u8], input: &mut Vec<u8>) -> io::Result<usize> {
        let mut done = 0;
        loop {
            let status = self.tls.process_tls_records(&mut received[done..]);
            done += status.discard;
            match status.state {
                Ok(ConnectionState::ReadTraffic(mut records)) => {
                    input.append(&mut self.early);
                    while let Some(record) = records.next_record() {
                        input.extend_from_slice(record.map_err(invalid)?.payload);
                    }
                }
                Ok(ConnectionState::ReadEarlyData(mut records)) => {
                    self.was_early = true;
                    while let Some(record) = records.next_record() {
                        self.early.extend_from_slice(record.map_err(invalid)?.payload);
                    }
                }
                Ok(ConnectionState::EncodeTlsData(message)) => encode(message, &mut self.outgoing)?,
                // it is sent with all that is outgoing
                Ok(ConnectionState::TransmitTlsData(message)) => message.done(),
                Ok(ConnectionState::PeerClosed) => self.has_ended = true,
                Ok(_) => return Ok(done),
                Err(error) => {
                    self.encode_alert(&mut received[done..]);
                    return Err(invalid(error));
                }
            }
        }
    }

    /// `rest`: what TLS was given and is not done with, to which its own account refers.
    fn encode_alert(&mut self, rest: &mut [u8]) {
        while let Ok(ConnectionState::EncodeTlsData(alert)) = self.tls.process_tls_records(rest).state {
            let _ = encode(alert, &mut self.outgoing);
        }
    }

    fn encrypt(&mut self, slices: &[IoSlice<'_>], encrypted: &mut Vec<u8>) -> io::Result<()> {
        let ConnectionState::WriteTraffic(mut traffic) =
            self.tls.process_tls_records(&mut self.incoming).state.map_err(invalid)?
        else {
            return Err(ErrorKind::NotConnected.into());
        };
        for slice in slices {
            append(encrypted, slice.len() + RECORD_OVERHEAD, |buffer| traffic.encrypt(slice, buffer))?;
        }
        Ok(())
    }

    fn say_goodbye(&mut self) {
        let state = self.tls.process_tls_records(&mut self.incoming).state;
        if let Ok(ConnectionState::WriteTraffic(mut traffic)) = state {
            let notify = |buffer: &mut [u8]| WriteTraffic::queue_close_notify(&mut traffic, buffer);
            let _ = append(&mut self.outgoing, CLOSE_NOTIFY, notify);
        }
    }
}

/// Gives as much room as `write` wants, starting with `likely`.
fn append(
    out: &mut Vec<u8>,
    likely: usize,
    mut write: impl FnMut(&mut [u8]) -> Result<usize, EncryptError>,
) -> io::Result<()> {
    let start = out.len();
    out.resize(start + likely, 0);
    let written = loop {
        match write(&mut out[start..]) {
            Ok(octets) => break octets,
            Err(EncryptError::InsufficientSize(size)) => out.resize(start + size.required_size, 0),
            Err(exhausted) => return Err(io::Error::other(exhausted)),
        }
    };
    out.truncate(start + written);
    Ok(())
}

fn encode<Data>(mut message: EncodeTlsData<'_, Data>, out: &mut Vec<u8>) -> io::Result<()> {
    let start = out.len();
    loop {
        match message.encode(&mut out[start..]) {
            Ok(_) => return Ok(()),
            Err(EncodeError::InsufficientSize(size)) => out.resize(start + size.required_size, 0),
            Err(error) => return Err(io::Error::other(error)),
        }
    }
}

fn invalid(error: rustls::Error) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}
