//! A query as it goes to a server behind, with an id of its own (RFC 5452).

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use sotto_engine::response::with_question;
use sotto_wire::edns::{Edns, OptWriter};
use sotto_wire::header::{self, Header, rcode};
use sotto_wire::name::Name;
use sotto_wire::question::Question;
use sotto_wire::types;

use super::habits::Manner;
use crate::network::network;
use crate::query::Query;

/// The flags by which a client tells the resolver how to resolve.
const CLIENT_FLAGS: u16 = header::RD | header::AD | header::CD;
/// RFC 8467 section 4.1.
const PADDING_BLOCK: usize = 128;

#[derive(Debug, Clone)]
pub struct Outgoing {
    /// whose it is
    pub network: IpAddr,
    question: Arc<[u8]>,
    flags: u16,
    dnssec_ok: bool,
    with_edns: bool,
    /// over TCP, also where the server is asked over UDP
    pub by_stream: bool,
}

impl Outgoing {
    /// `recursive`: whether the server may ask others for the answer, if the client wishes that.
    pub fn of(query: &Query, client: IpAddr, recursive: bool) -> Self {
        let wished = query.header.flags & CLIENT_FLAGS;
        let flags = if recursive { wished } else { wished & !header::RD };
        Outgoing {
            network: network(client),
            question: query.octets.into(),
            flags,
            dnssec_ok: query.dnssec_ok(),
            with_edns: true,
            by_stream: false,
        }
    }

    /// Our own. Whether somebody is there: an authority has the SOA of its zone, and every resolver a response to the name servers of the root.
    pub fn sign_of_life(zone: Option<&Name>) -> Self {
        let (name, kind, flags) = match zone {
            Some(zone) => (*zone, types::SOA, 0),
            None => (Name::ROOT, types::NS, header::RD),
        };
        let question = [name.as_wire(), &kind.to_be_bytes(), &types::IN.to_be_bytes()].concat();
        let network = Ipv4Addr::UNSPECIFIED.into();
        Outgoing {
            network,
            question: question.into(),
            flags,
            dnssec_ok: false,
            with_edns: true,
            by_stream: false,
        }
    }

    pub fn in_manner(&self, manner: Manner) -> Self {
        let bare = Outgoing { with_edns: false, flags: self.flags & header::RD, ..self.clone() };
        match manner {
            Manner::Edns => self.clone(),
            Manner::Bare => bare,
            Manner::Stream { bare: true } => Outgoing { by_stream: true, ..bare },
            Manner::Stream { bare: false } => Outgoing { by_stream: true, ..self.clone() },
        }
    }

    /// `padded`: it goes into TLS, where its length would tell much of its name.
    pub fn message(&self, padded: bool) -> io::Result<Vec<u8>> {
        let mut message = vec![0; header::LENGTH];
        Header { id: random_id()?, flags: self.flags, counts: [1, 0, 0, 0] }.write(&mut message);
        message.extend(&*self.question);
        if self.with_edns {
            let mut opt = OptWriter::start(&mut message, self.dnssec_ok, 0);
            if padded {
                opt.pad_to(PADDING_BLOCK);
            }
            opt.finish();
        }
        Ok(message)
    }
}

pub fn random_id() -> io::Result<u16> {
    let mut id = [0; 2];
    aws_lc_rs::rand::fill(&mut id).map_err(|_| io::Error::other("no randomness for a query's id"))?;
    Ok(u16::from_be_bytes(id))
}

/// Whether it is a response with the same id and our question. Some errors come without a question.
pub fn belongs_to(response: &[u8], message: &[u8]) -> bool {
    is_response_to(response, message)
        && match (Header::read(response), Question::read(message), Question::read(response)) {
            (Ok(header), ..) if header.counts[0] == 0 => header.rcode() != rcode::NOERROR,
            (Ok(header), Ok((asked, _)), Ok((echoed, _))) => header.counts[0] == 1 && echoed == asked,
            _ => false,
        }
}

/// Whether it is one that names no question, as those of some old servers.
pub fn names_no_question(response: &[u8], message: &[u8]) -> bool {
    is_response_to(response, message) && Header::read(response).is_ok_and(|header| header.counts[0] == 0)
}

fn is_response_to(response: &[u8], message: &[u8]) -> bool {
    let is_response = Header::read(response).is_ok_and(|header| header.is_response() && header.opcode() == 0);
    is_response && response[..2] == message[..2]
}

/// The response to this message, over a connection, where nobody else can respond: also if it names no question.
pub fn over_connection(response: Vec<u8>, message: &[u8]) -> Option<Vec<u8>> {
    if belongs_to(&response, message) {
        return Some(response);
    }
    let (asked, _) = Question::read(message).ok().filter(|_| is_response_to(&response, message))?;
    with_question(&response, &asked)
}

/// An error that may have another reason than what was asked.
pub fn is_error(response: &[u8]) -> bool {
    let is_of_edns =
        Edns::find(response).is_ok_and(|found| found.is_some_and(|(edns, _)| edns.extended_rcode > 0));
    is_of_edns
        || Header::read(response).is_ok_and(|header| {
            matches!(header.rcode(), rcode::FORMERR | rcode::SERVFAIL | rcode::NOTIMP | rcode::REFUSED)
        })
}

/// FORMERR or NOTIMP without an OPT: the server is from before EDNS (RFC 6891 section 7).
pub fn refuses_edns(response: &[u8]) -> bool {
    Header::read(response)
        .is_ok_and(|header| matches!(header.rcode(), rcode::FORMERR | rcode::NOTIMP) && header.counts[3] == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const QUESTION: &[u8] =
        b"\x12\x34\x01\0\0\x01\0\0\0\0\0\x01\x03www\x04test\0\0\x01\0\x01\0\0\x29\x04\xd0\0\0\0\0\0\0";

    #[test]
    fn an_answer_to_something_else_does_not_belong() {
        let query = Query::parse(QUESTION).unwrap();
        let message = Outgoing::of(&query, CLIENT, true).message(false).unwrap();
        let mut response = message.clone();
        response[2] |= 0x80;
        assert!(belongs_to(&response, &message));
        assert!(!belongs_to(&message, &message), "a query");
        let mut notify = response.clone();
        notify[2] |= 4 << 3;
        assert!(!belongs_to(&notify, &message), "a response to something else than a query");
        for at in [0, 1, 5, 14, 24] {
            let mut wrong = response.clone();
            wrong[at] ^= 0x15;
            assert!(!belongs_to(&wrong, &message), "octet {at}");
        }
        assert!(!belongs_to(&response[..11], &message));
    }

    #[test]
    fn inside_tls_lengths_tell_little_and_authorities_are_not_asked_to_recurse() {
        let query = Query::parse(QUESTION).unwrap();
        assert_eq!(Outgoing::of(&query, CLIENT, true).message(true).unwrap().len(), PADDING_BLOCK);
        let flags = |outgoing: Outgoing| Header::read(&outgoing.message(true).unwrap()).unwrap().flags;
        assert_eq!(flags(Outgoing::of(&query, CLIENT, true)), header::RD);
        assert_eq!(flags(Outgoing::of(&query, CLIENT, false)), 0);
    }
}
