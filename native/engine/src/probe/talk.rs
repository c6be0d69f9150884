//! Sends queries of our own over one open connection, and returns whole responses: an examination needs what is otherwise removed
//! from a response.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};

use crate::upstream::dial::sockets::Stream;
use crate::upstream::outgoing::{Hop, Outgoing};
use crate::wire::edns::Edns;
use crate::wire::header::{self, Header};
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::record::{Records, Section};
use crate::wire::types;

/// One query to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub name: Name,
    pub kind: u16,
    pub recursive: bool,
    pub dnssec_ok: bool,
    pub checking_disabled: bool,
}

/// The response to one of them.
#[derive(Debug)]
pub struct Response {
    /// the position of its query among those sent
    pub to: usize,
    pub octets: Vec<u8>,
    pub after: Duration,
}

impl Asked {
    /// For the root, which tells nothing about anyone.
    pub const fn of_the_root(kind: u16) -> Self {
        Self { name: Name::ROOT, kind, recursive: true, dnssec_ok: false, checking_disabled: false }
    }

    fn question(&self) -> Question {
        Question { name: self.name, kind: self.kind, class: types::IN }
    }

    fn message(&self, id: u16) -> Vec<u8> {
        let query = self.question().query(0, 0);
        let octets = &query[header::LENGTH..];
        let outgoing = Outgoing::new(self.question(), octets, self.checking_disabled, self.dnssec_ok);
        let mut message = outgoing.message(id, Hop::Tls);
        if !self.recursive {
            message[2] &= !(header::RD >> 8) as u8;
        }
        message
    }
}

/// Sends all in one write, and returns the responses in the order in which they came. Ends when all have come, the server has
/// closed, or time is up.
pub async fn ask(stream: &mut dyn Stream, queries: &[Asked], deadline: Instant) -> Vec<Response> {
    let (mut responses, first) = (Vec::new(), rand::random::<u16>());
    let id = |index: usize| first.wrapping_add(index as u16);
    let mut framed = Vec::new();
    for (index, asked) in queries.iter().enumerate() {
        let message = asked.message(id(index));
        framed.extend_from_slice(&(message.len() as u16).to_be_bytes());
        framed.extend_from_slice(&message);
    }
    let talking = async {
        stream.write_all(&framed).await?;
        stream.flush().await?;
        let left = Instant::now();
        while responses.len() < queries.len() {
            let length = stream.read_u16().await?;
            let mut octets = vec![0; usize::from(length)];
            stream.read_exact(&mut octets).await?;
            let to =
                queries.iter().enumerate().position(|(index, asked)| is_response(&octets, id(index), asked));
            if let Some(to) = to.filter(|to| responses.iter().all(|response: &Response| response.to != *to)) {
                responses.push(Response { to, octets, after: left.elapsed() });
            }
        }
        io::Result::Ok(())
    };
    // the responses up to then are the result
    let _ = timeout_at(deadline, talking).await;
    responses
}

fn is_response(octets: &[u8], id: u16, asked: &Asked) -> bool {
    let Ok(header) = Header::read(octets) else { return false };
    let question = Question::read(octets).map(|(question, _)| question);
    header.is_response() && header.id == id && header.counts[0] == 1 && question == Ok(asked.question())
}

impl Response {
    pub fn rcode(&self) -> u16 {
        self.header().map_or(0, |header| header.rcode())
    }

    pub fn has(&self, flag: u16) -> bool {
        self.header().is_some_and(|header| header.has(flag))
    }

    pub fn edns(&self) -> Option<Edns> {
        Edns::find(&self.octets).ok()?.map(|(edns, _)| edns)
    }

    pub fn answers_with(&self, kind: u16) -> bool {
        Records::of(&self.octets).is_ok_and(|mut records| {
            records.any(|record| {
                record.is_ok_and(|record| record.section == Section::Answer && record.kind == kind)
            })
        })
    }

    fn header(&self) -> Option<Header> {
        Header::read(&self.octets).ok()
    }
}
