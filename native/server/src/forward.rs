//! A resolver behind us. Each query goes out from a socket and with an id of its own (RFC 5452), over TCP when the response is
//! truncated. The response's octets stay as they are, except for id, OPT and what does not fit the client.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use sotto_wire::Malformed;
use sotto_wire::edns::{Edns, ExtendedError, OptWriter};
use sotto_wire::header::{self, Header, rcode};
use sotto_wire::question::Question;
use sotto_wire::record::{Record, Records, Section};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{Instant, timeout, timeout_at};

use crate::edns::ResponseOpt;
use crate::query::Query;
use crate::response::refuse;
use crate::transport::Terms;
use crate::watchers::resolver_figures::{ResolverFigures, ResolverSnapshot};

/// The flags by which a client tells the resolver how to resolve.
const CLIENT_FLAGS: u16 = header::RD | header::AD | header::CD;

/// How long to wait after each datagram before the next one is sent.
const PATIENCE: [Duration; 3] =
    [Duration::from_millis(1000), Duration::from_millis(1500), Duration::from_millis(2500)];

#[derive(Debug)]
pub struct Forwarder {
    to: SocketAddr,
    figures: ResolverFigures,
}

impl Forwarder {
    pub fn new(to: SocketAddr) -> Self {
        Forwarder { to, figures: ResolverFigures::default() }
    }

    pub fn figures(&self) -> ResolverSnapshot {
        self.figures.snapshot()
    }

    /// The whole response. If the resolver gave none: SERVFAIL, with the reason.
    pub async fn answer(&self, message: Vec<u8>, terms: Terms) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        let Ok(query) = Query::parse(&message) else {
            return out;
        };
        let in_flight = self.figures.query();
        let outcome = match self.ask(&query, true).await {
            Ok(response) if refuses_edns(&response) => self.ask(&query, false).await,
            outcome => outcome,
        };
        let relayed = outcome.and_then(|response| {
            relay(&response, &query, terms, &mut out)
                .map_err(|malformed| io::Error::new(io::ErrorKind::InvalidData, malformed))
        });
        let Err(error) = relayed else {
            in_flight.responded();
            return out;
        };
        in_flight.failed();
        let why = ExtendedError::new(ExtendedError::NETWORK_ERROR, format!("{}: {error}", self.to));
        out.clear();
        refuse(&query, terms, rcode::SERVFAIL, &[why], &mut out);
        out
    }

    async fn ask(&self, query: &Query<'_>, with_edns: bool) -> io::Result<Vec<u8>> {
        let mut last = io::Error::new(io::ErrorKind::TimedOut, "no response over UDP");
        for patience in PATIENCE {
            let message = outgoing(query, with_edns)?;
            match timeout(patience, self.over_udp(&message)).await {
                Ok(Ok(response)) if !Header::read(&response).is_ok_and(|header| header.has(header::TC)) => {
                    return Ok(response);
                }
                Ok(Ok(_)) => return self.over_tcp(&message, Instant::now() + PATIENCE[2]).await,
                Ok(Err(error)) => last = error,
                Err(_) => {}
            }
        }
        Err(last)
    }

    async fn over_udp(&self, message: &[u8]) -> io::Result<Vec<u8>> {
        let any: SocketAddr = match self.to {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any).await?;
        socket.connect(self.to).await?;
        socket.send(message).await?;
        let mut response = vec![0; 4096];
        loop {
            let octets = socket.recv(&mut response).await?;
            if belongs_to(&response[..octets], message) {
                response.truncate(octets);
                return Ok(response);
            }
        }
    }

    async fn over_tcp(&self, message: &[u8], deadline: Instant) -> io::Result<Vec<u8>> {
        let exchange = async {
            let mut stream = TcpStream::connect(self.to).await?;
            let mut framed = (message.len() as u16).to_be_bytes().to_vec();
            framed.extend(message);
            stream.write_all(&framed).await?;
            let mut response = vec![0; usize::from(stream.read_u16().await?)];
            stream.read_exact(&mut response).await?;
            let ours = belongs_to(&response, message);
            ours.then_some(response)
                .ok_or_else(|| io::Error::other("a response over TCP to something we did not ask"))
        };
        timeout_at(deadline, exchange)
            .await
            .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no response over TCP")))
    }
}

fn outgoing(query: &Query, with_edns: bool) -> io::Result<Vec<u8>> {
    let mut id = [0; 2];
    aws_lc_rs::rand::fill(&mut id).map_err(|_| io::Error::other("no randomness for a query's id"))?;
    let mut message = vec![0; header::LENGTH];
    let header =
        Header { id: u16::from_be_bytes(id), flags: query.header.flags & CLIENT_FLAGS, counts: [1, 0, 0, 0] };
    header.write(&mut message);
    message.extend(query.octets);
    if with_edns {
        OptWriter::start(&mut message, query.dnssec_ok(), 0).finish();
    }
    Ok(message)
}

/// Whether it is a response with the same id and our question. Some errors come without a question.
fn belongs_to(response: &[u8], message: &[u8]) -> bool {
    let (Ok(header), Ok((asked, _))) = (Header::read(response), Question::read(message)) else {
        return false;
    };
    let is_ours = match header.counts[0] {
        0 => header.rcode() != rcode::NOERROR,
        1 => Question::read(response).is_ok_and(|(echoed, _)| echoed == asked),
        _ => false,
    };
    is_ours && header.is_response() && response[..2] == message[..2]
}

/// FORMERR or NOTIMP without an OPT: the server is from before EDNS (RFC 6891 section 7).
fn refuses_edns(response: &[u8]) -> bool {
    Header::read(response)
        .is_ok_and(|header| matches!(header.rcode(), rcode::FORMERR | rcode::NOTIMP) && header.counts[3] == 0)
}

fn relay(response: &[u8], query: &Query, terms: Terms, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let header = Header::read(response)?;
    let body = Body::of(response)?;
    if header.counts[0] == 0 || body.extended_rcode > 0 && query.edns.is_none() {
        let rcode = if body.extended_rcode > 0 { rcode::SERVFAIL } else { header.rcode() };
        refuse(query, terms, rcode, &body.extended_errors, out);
        return Ok(());
    }
    let start = out.len();
    let opt = query.edns.as_ref().map(|edns| ResponseOpt {
        extended_rcode: body.extended_rcode,
        ..terms.response_opt(edns, &body.extended_errors)
    });
    let counts = [1, header.counts[1], header.counts[2], body.additional];
    let whole = Header { id: query.header.id, counts, ..header };
    write(whole, body.octets, query, opt, out);
    if out.len() - start > terms.limit(query) {
        out.truncate(start);
        let cut = Header { flags: header.flags | header::TC, counts: [1, 0, 0, 0], ..whole };
        let opt = opt.map(|opt| ResponseOpt { extended_errors: &[], ..opt });
        write(cut, &body.octets[..header::LENGTH + query.octets.len()], query, opt, out);
    }
    Ok(())
}

/// Writes these octets under this header, with the question as the client sent it.
fn write(header: Header, octets: &[u8], query: &Query, opt: Option<ResponseOpt>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(octets);
    header.write(&mut out[start..]);
    out[start + header::LENGTH..][..query.octets.len()].copy_from_slice(query.octets);
    if let Some(opt) = opt {
        opt.write(out, start);
    }
}

struct Body<'a> {
    octets: &'a [u8],
    additional: u16,
    extended_rcode: u8,
    extended_errors: Vec<ExtendedError>,
}

impl<'a> Body<'a> {
    /// Records behind the OPT are dropped with it: their names may point past it, and what stands there (TSIG, SIG(0)) belongs to
    /// one hop, too.
    fn of(response: &'a [u8]) -> Result<Self, Malformed> {
        let (edns, end) = match Edns::find(response)? {
            Some((edns, opt)) => (edns, opt.start),
            None => (Edns::default(), Records::of(response)?.end()?),
        };
        let before = |record: &Record| record.section == Section::Additional && record.start < end;
        let additional = Records::of(response)?.flatten().filter(before).count() as u16;
        let Edns { extended_rcode, extended_errors, .. } = edns;
        Ok(Body { octets: &response[..end], additional, extended_rcode, extended_errors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Transport;

    const QUESTION: &[u8] =
        b"\x12\x34\x01\0\0\x01\0\0\0\0\0\x01\x03www\x04test\0\0\x01\0\x01\0\0\x29\x04\xd0\0\0\0\0\0\0";

    #[tokio::test(start_paused = true)]
    async fn a_silent_resolver_ends_in_servfail_that_names_it() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = silent.local_addr().unwrap();
        let response = Forwarder::new(address).answer(QUESTION.to_vec(), Terms::from(Transport::Udp)).await;
        assert_eq!((response[..2].to_vec(), response[3] & 0xf), (vec![0x12, 0x34], rcode::SERVFAIL as u8));
        let text = format!("{address}: no response over UDP");
        let (edns, _) = Edns::find(&response).unwrap().unwrap();
        assert_eq!(edns.extended_errors, [ExtendedError::new(ExtendedError::NETWORK_ERROR, text)]);
        let mut asked = std::collections::HashSet::new();
        let mut message = [0; 512];
        while let Ok((_, from)) = silent.try_recv_from(&mut message) {
            asked.insert((from.port(), message[0], message[1]));
        }
        assert_eq!(asked.len(), PATIENCE.len(), "each try from a port and with an id of its own");
    }

    #[test]
    fn an_answer_to_something_else_does_not_belong() {
        let query = Query::parse(QUESTION).unwrap();
        let message = outgoing(&query, true).unwrap();
        let mut response = message.clone();
        response[2] |= 0x80;
        assert!(belongs_to(&response, &message));
        assert!(!belongs_to(&message, &message), "a query");
        for at in [0, 1, 5, 14, 24] {
            let mut wrong = response.clone();
            wrong[at] ^= 0x15;
            assert!(!belongs_to(&wrong, &message), "octet {at}");
        }
        assert!(!belongs_to(&response[..11], &message));
    }

    #[test]
    fn malformed_answers_are_refused_at_every_length() {
        let query = Query::parse(QUESTION).unwrap();
        let mut response = outgoing(&query, true).unwrap();
        response[2] |= 0x80;
        for length in header::LENGTH..response.len() {
            let mut out = Vec::new();
            assert!(
                relay(&response[..length], &query, Terms::from(Transport::Udp), &mut out).is_err(),
                "{length}"
            );
            assert!(out.is_empty());
        }
    }
}
