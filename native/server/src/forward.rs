//! A resolver behind us: every question goes out from a socket and with an id of its own (RFC 5452), over TCP when
//! the answer is truncated. The answer's octets stay as they are, but for id, OPT and what does not fit the client.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{Instant, timeout, timeout_at};

use crate::edns::{self, EXTENDED_ERROR, ReplyOpt};
use crate::query::{Cursor, HEADER, Query, count};
use crate::reply::refuse;
use crate::transport::Terms;

const SERVFAIL: u16 = 2;
/// RFC 8914 section 4.24, "Network Error".
const NETWORK_ERROR: u16 = 23;
const TC: u8 = 0x02;
const OPT: u16 = 41;
/// Recursion desired, authentic data, checking disabled: what a client asks of the resolver itself.
const CLIENT_FLAGS: u16 = 0x0130;

/// How long each datagram is waited for before the next one is sent.
const PATIENCE: [Duration; 3] =
    [Duration::from_millis(1000), Duration::from_millis(1500), Duration::from_millis(2500)];

#[derive(Debug)]
pub struct Forwarder {
    to: SocketAddr,
}

impl Forwarder {
    pub fn new(to: SocketAddr) -> Self {
        Forwarder { to }
    }

    /// The reply in full; SERVFAIL that says why where the resolver gave none.
    pub async fn answer(&self, question: Vec<u8>, terms: Terms) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        let Ok(query) = Query::parse(&question) else {
            return out;
        };
        let outcome = match self.ask(&query, true).await {
            Ok(answer) if refuses_edns(&answer) => self.ask(&query, false).await,
            outcome => outcome,
        };
        let relayed = outcome.and_then(|answer| relay(&answer, &query, terms, &mut out));
        if let Err(error) = relayed {
            let text = format!("{}: {error}", self.to);
            out.clear();
            refuse(&query, terms, SERVFAIL, &edns::extended_error(NETWORK_ERROR, &text), &mut out);
        }
        out
    }

    async fn ask(&self, query: &Query<'_>, with_edns: bool) -> io::Result<Vec<u8>> {
        let mut last = io::Error::new(io::ErrorKind::TimedOut, "no answer over UDP");
        for patience in PATIENCE {
            let message = outgoing(query, with_edns)?;
            match timeout(patience, self.over_udp(&message)).await {
                Ok(Ok(answer)) if answer[2] & TC == 0 => return Ok(answer),
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
        let mut answer = vec![0; 4096];
        loop {
            let octets = socket.recv(&mut answer).await?;
            if belongs_to(&answer[..octets], message) {
                answer.truncate(octets);
                return Ok(answer);
            }
        }
    }

    async fn over_tcp(&self, message: &[u8], deadline: Instant) -> io::Result<Vec<u8>> {
        let exchange = async {
            let mut stream = TcpStream::connect(self.to).await?;
            let mut framed = (message.len() as u16).to_be_bytes().to_vec();
            framed.extend(message);
            stream.write_all(&framed).await?;
            let mut answer = vec![0; usize::from(stream.read_u16().await?)];
            stream.read_exact(&mut answer).await?;
            let ours = belongs_to(&answer, message);
            ours.then_some(answer)
                .ok_or_else(|| io::Error::other("an answer over TCP to something we did not ask"))
        };
        timeout_at(deadline, exchange)
            .await
            .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no answer over TCP")))
    }
}

fn outgoing(query: &Query, with_edns: bool) -> io::Result<Vec<u8>> {
    let mut id = [0; 2];
    aws_lc_rs::rand::fill(&mut id).map_err(|_| io::Error::other("no randomness for a question's id"))?;
    let mut message = Vec::with_capacity(HEADER + query.question.len() + 11);
    message.extend(id);
    message.extend((query.flags & CLIENT_FLAGS).to_be_bytes());
    message.extend([0, 1, 0, 0, 0, 0, 0, u8::from(with_edns)]);
    message.extend(query.question);
    if with_edns {
        let opt = ReplyOpt { udp_size: 1232, dnssec_ok: query.dnssec_ok(), ..ReplyOpt::default() };
        opt.write(&mut message, 0);
    }
    Ok(message)
}

/// Same id, a response, and our question – or none at all, as some errors come.
fn belongs_to(answer: &[u8], message: &[u8]) -> bool {
    if answer.len() < HEADER || answer[..2] != message[..2] || answer[2] & 0x80 == 0 {
        return false;
    }
    let mut cursor = Cursor { message, at: HEADER };
    let Some(()) = cursor.uncompressed_name() else {
        return false;
    };
    let question = HEADER..cursor.at + 4;
    match count(answer, 4) {
        0 => answer[3] & 0xf != 0,
        1 => {
            answer.get(question.clone()).is_some_and(|echoed| echoed.eq_ignore_ascii_case(&message[question]))
        }
        _ => false,
    }
}

/// FORMERR or NOTIMP without an OPT: a server from before EDNS (RFC 6891 section 7).
fn refuses_edns(answer: &[u8]) -> bool {
    matches!(answer[3] & 0xf, 1 | 4) && count(answer, 10) == 0
}

fn relay(answer: &[u8], query: &Query, terms: Terms, out: &mut Vec<u8>) -> io::Result<()> {
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "a malformed answer");
    let body = strip_opt(answer).ok_or_else(malformed)?;
    let client_has_edns = query.edns.is_some();
    if count(answer, 4) == 0 || body.extended_rcode > 0 && !client_has_edns {
        let rcode = if body.extended_rcode > 0 { SERVFAIL } else { u16::from(answer[3] & 0xf) };
        refuse(query, terms, rcode, &body.extended_errors, out);
        return Ok(());
    }
    let mut opt = ReplyOpt {
        extended_rcode: body.extended_rcode,
        ..terms.reply_opt(query.edns.unwrap_or_default(), &body.extended_errors)
    };
    let opt_octets = if client_has_edns { opt.len() } else { 0 };
    let question_ends = HEADER + query.question.len();
    let fits = body.octets.len() + opt_octets <= terms.limit(query);
    let kept = if fits { body.octets } else { &body.octets[..question_ends] };
    let additional = if fits { body.additional } else { 0 } + u16::from(client_has_edns);

    let start = out.len();
    out.extend(kept);
    out[start..start + 2].copy_from_slice(&query.id.to_be_bytes());
    out[start + HEADER..start + question_ends].copy_from_slice(query.question);
    if !fits {
        opt.extended_errors = &[];
        out[start + 2] |= TC;
        out[start + 6..start + 10].fill(0);
    }
    out[start + 10..start + 12].copy_from_slice(&additional.to_be_bytes());
    if client_has_edns {
        opt.write(out, start);
    }
    Ok(())
}

struct Body<'a> {
    octets: &'a [u8],
    additional: u16,
    extended_rcode: u8,
    extended_errors: Vec<u8>,
}

/// Records behind the OPT go with it: their names may point past it, and what stands there (TSIG, SIG(0)) is of one
/// hop too.
fn strip_opt(answer: &[u8]) -> Option<Body<'_>> {
    let mut cursor = Cursor { message: answer, at: HEADER };
    if count(answer, 4) == 1 {
        cursor.uncompressed_name()?;
        cursor.at += 4;
    }
    for _ in 0..count(answer, 6) + count(answer, 8) {
        cursor.record()?;
    }
    for additional in 0..count(answer, 10) {
        let record = cursor.record()?;
        if record.rtype == OPT {
            let mut extended_errors = Vec::new();
            for option in edns::options(record.data) {
                let option = option?;
                if option.code == EXTENDED_ERROR {
                    extended_errors.extend(option.octets);
                }
            }
            return Some(Body {
                octets: &answer[..record.starts_at],
                additional: additional as u16,
                extended_rcode: (record.ttl >> 24) as u8,
                extended_errors,
            });
        }
    }
    let octets = &answer[..cursor.at];
    Some(Body {
        octets,
        additional: count(answer, 10) as u16,
        extended_rcode: 0,
        extended_errors: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edns::EXTENDED_ERROR;
    use crate::transport::Transport;

    const QUESTION: &[u8] =
        b"\x12\x34\x01\0\0\x01\0\0\0\0\0\x01\x03www\x04test\0\0\x01\0\x01\0\0\x29\x04\xd0\0\0\0\0\0\0";

    #[tokio::test(start_paused = true)]
    async fn a_silent_resolver_ends_in_servfail_that_names_it() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = silent.local_addr().unwrap();
        let reply = Forwarder::new(address).answer(QUESTION.to_vec(), Terms::from(Transport::Udp)).await;
        assert_eq!((reply[..2].to_vec(), reply[3] & 0xf), (vec![0x12, 0x34], SERVFAIL as u8));
        let text = format!("{address}: no answer over UDP");
        let error = edns::extended_error(NETWORK_ERROR, &text);
        assert_eq!(error[..2], EXTENDED_ERROR.to_be_bytes());
        assert!(reply.ends_with(&error));
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
        let mut answer = message.clone();
        answer[2] |= 0x80;
        assert!(belongs_to(&answer, &message));
        assert!(!belongs_to(&message, &message), "a question");
        for at in [0, 1, 5, 14, 24] {
            let mut wrong = answer.clone();
            wrong[at] ^= 0x15;
            assert!(!belongs_to(&wrong, &message), "octet {at}");
        }
        assert!(!belongs_to(&answer[..11], &message));
    }

    #[test]
    fn malformed_answers_are_refused_at_every_length() {
        let query = Query::parse(QUESTION).unwrap();
        let mut answer = outgoing(&query, true).unwrap();
        answer[2] |= 0x80;
        for length in HEADER..answer.len() {
            let mut out = Vec::new();
            assert!(
                relay(&answer[..length], &query, Terms::from(Transport::Udp), &mut out).is_err(),
                "{length}"
            );
            assert!(out.is_empty());
        }
    }
}
