//! A query as it arrived: checked to the last octet.

use sotto_wire::edns::Edns;
use sotto_wire::header::{self, Header, rcode};
use sotto_wire::question::Question;
use sotto_wire::{Malformed, tsig, validity};

use crate::cookies::CookieOption;

#[derive(Debug)]
pub struct Query<'a> {
    pub header: Header,
    pub question: Question,
    /// The question exactly as received: a response repeats these octets.
    pub octets: &'a [u8],
    pub edns: Option<Edns>,
    pub cookie: Option<CookieOption>,
    /// It is signed with a key, which we do not have: the record that says so.
    pub key_refusal: Option<Vec<u8>>,
}

/// Why a message is not a query to answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is shorter than a header, or a response: answering could start a loop (RFC 8906 section 3.1.4).
    Silence,
    /// It gets a header with this code, and an OPT where one came.
    Code { header: Header, rcode: u16, edns: Option<Edns> },
    /// It has no question, and asks for a cookie of ours (RFC 7873 section 5.4).
    CookieWish { header: Header, edns: Edns, cookie: CookieOption },
}

impl<'a> Query<'a> {
    pub fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        let header = Header::read(message).map_err(|_| Fault::Silence)?;
        if header.is_response() {
            return Err(Fault::Silence);
        }
        let fault = |rcode| {
            let edns = Edns::of_wrong(message);
            let is_too_new = edns.as_ref().is_some_and(|edns| edns.version > 0);
            Fault::Code { header, rcode: if is_too_new { rcode::BADVERS } else { rcode }, edns }
        };
        if header.opcode() != 0 {
            return Err(fault(rcode::NOTIMP));
        }
        if header.counts == [0, 0, 0, 1]
            && let Some((edns, cookie)) = cookie_alone(message)
        {
            return Err(Fault::CookieWish { header, edns, cookie });
        }
        if header.counts[0] != 1 {
            return Err(fault(rcode::FORMERR));
        }
        Self::parse_body(message, header).map_err(|_| fault(rcode::FORMERR))
    }

    /// Of EDNS.
    pub fn is_of_later_version(&self) -> bool {
        self.edns.as_ref().is_some_and(|edns| edns.version > 0)
    }

    pub fn dnssec_ok(&self) -> bool {
        self.edns.as_ref().is_some_and(|edns| edns.dnssec_ok)
    }

    fn parse_body(message: &'a [u8], header: Header) -> Result<Self, Malformed> {
        let (question, question_end) = Question::read(message)?;
        let octets = &message[header::LENGTH..question_end];
        let (edns, cookie) = validity::check_query(message)?;
        let cookie = cookie.map(CookieOption::read).transpose()?;
        let key_refusal = tsig::refusal(message)?;
        Ok(Query { header, question, octets, edns, cookie, key_refusal })
    }
}

/// Where the one record of the message is an OPT, of a version that we know, with a cookie.
fn cookie_alone(message: &[u8]) -> Option<(Edns, CookieOption)> {
    let (edns, cookie) = validity::check_query(message).ok()?;
    let edns = edns.filter(|edns| edns.version == 0)?;
    Some((edns, CookieOption::read(cookie?).ok()?))
}

#[cfg(test)]
mod tests {
    use sotto_wire::types;

    use super::*;

    const WWW_A: &[u8] = b"\x12\x34\x01\x00\0\x01\0\0\0\0\0\0\x03www\x04test\0\0\x01\0\x01";

    fn with(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut message = WWW_A.to_vec();
        change(&mut message);
        message
    }

    fn refused_with(message: &[u8]) -> Option<u16> {
        match Query::parse(message) {
            Err(Fault::Code { rcode, .. }) => Some(rcode),
            _ => None,
        }
    }

    #[test]
    fn a_plain_query_is_read_without_copying() {
        let query = Query::parse(WWW_A).unwrap();
        assert_eq!(
            (query.header.id, query.question.kind, query.question.class),
            (0x1234, types::A, types::IN)
        );
        assert_eq!(query.octets, b"\x03www\x04test\0\0\x01\0\x01");
        assert!(query.edns.is_none());
    }

    #[test]
    fn responses_and_fragments_of_headers_are_met_with_silence() {
        assert_eq!(Query::parse(&WWW_A[..11]).unwrap_err(), Fault::Silence);
        assert_eq!(Query::parse(&with(|m| m[2] |= 0x80)).unwrap_err(), Fault::Silence);
    }

    #[test]
    fn malformed_queries_are_named_so() {
        assert_eq!(refused_with(&with(|m| m[5] = 0)), Some(rcode::FORMERR));
        assert_eq!(refused_with(&with(|m| m[5] = 2)), Some(rcode::FORMERR));
        assert_eq!(refused_with(&with(|m| m.push(0))), Some(rcode::FORMERR), "trailing octet");
        assert_eq!(refused_with(&with(|m| m[12] = 0xc0)), Some(rcode::FORMERR), "compressed question");
        assert_eq!(refused_with(&WWW_A[..20]), Some(rcode::FORMERR), "cut short");
        assert_eq!(refused_with(&with(|m| m[2] |= 0x28)), Some(rcode::NOTIMP), "UPDATE");
    }

    #[test]
    fn records_of_a_query_are_read_to_their_last_octet() {
        let with_record = |octets: &[u8]| {
            with(|m| {
                m[11] = 1;
                m.extend(octets);
            })
        };
        let a = b"\xc0\x0c\0\x01\0\x01\0\0\0\0\0\x04\x7f\0\0\x01";
        assert!(Query::parse(&with_record(a)).is_ok());
        let mut short = a.to_vec();
        (short[11], short[15]) = (3, 0);
        short.pop();
        assert_eq!(refused_with(&with_record(&short)), Some(rcode::FORMERR), "an address of three octets");
        let mut forward = a.to_vec();
        forward[1] = 0x30;
        assert_eq!(refused_with(&with_record(&forward)), Some(rcode::FORMERR), "a name that leads nowhere");
    }

    #[test]
    fn a_second_opt_is_malformed() {
        let opt = [0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0];
        let one = with(|m| {
            m[11] = 1;
            m.extend(opt);
        });
        assert_eq!(Query::parse(&one).unwrap().edns.unwrap().udp_size, 4096);
        let two = with(|m| {
            m[11] = 2;
            m.extend(opt);
            m.extend(opt);
        });
        assert_eq!(refused_with(&two), Some(rcode::FORMERR));
        assert!(
            matches!(Query::parse(&two), Err(Fault::Code { edns: Some(edns), .. }) if edns.udp_size == 4096)
        );
    }
}
