//! The in-band upgrade of T-DNS (draft-hzhwm-dprive-start-tls-for-dns, later draft-ietf-dprive-start-tls-for-dns): one dummy
//! query in cleartext, one response, then TLS.

use std::fmt;

use crate::edns::{Edns, OptWriter};
use crate::header::{self, Header, rcode};
use crate::question::Question;
use crate::record::{Records, Section};
use crate::{Malformed, types};

/// "TLS OK", the second EDNS flag bit. RFC 9824 later gave the same bit to "compact answers OK", so it means TLS only here.
pub const TO: u16 = 0x4000;

const NAME: &[u8] = b"\x08STARTTLS\x00";
/// The text of a response that accepts, as servers in the field write it.
pub const ACCEPTED: &str = "STARTTLS";
/// The text of a response that declines.
pub const DECLINED: &str = "NO_TLS";

/// Which sign in the response is believed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Signal {
    /// the TO bit only, as the drafts say
    Draft,
    /// the TO bit or the TXT, as servers in the field did; for servers known beforehand
    #[default]
    Compat,
}

/// The dummy query: RD=0, `STARTTLS. CH TXT`, OPT with TO=1. These thirty-seven octets say nothing about the client's queries.
pub fn query(id: u16) -> Vec<u8> {
    let mut message = vec![0; header::LENGTH];
    Header { id, flags: 0, counts: [1, 0, 0, 0] }.write(&mut message);
    message.extend_from_slice(NAME);
    message.extend_from_slice(&types::TXT.to_be_bytes());
    message.extend_from_slice(&types::CH.to_be_bytes());
    OptWriter::start_behind(&mut message, 0, 4096, 0, TO).finish();
    message
}

/// Whether this is the dummy question, in upper or lower case.
pub fn is_dummy(question: &Question) -> bool {
    question.is(types::TXT, types::CH) && question.name.as_wire().eq_ignore_ascii_case(NAME)
}

/// The one record of a response, without its owner: type, class, a TTL of zero, length and text.
pub fn text_record(text: &str) -> Vec<u8> {
    let mut record = Vec::with_capacity(20);
    for field in [types::TXT, types::CH, 0, 0, 1 + text.len() as u16] {
        record.extend_from_slice(&field.to_be_bytes());
    }
    record.push(text.len() as u8);
    record.extend_from_slice(text.as_bytes());
    record
}

/// Why a response does not lead to TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declined {
    NotOurs(&'static str),
    Unwilling(String),
    Malformed(Malformed),
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOurs(what) => write!(f, "the reply to STARTTLS is not an answer to it ({what})"),
            Self::Unwilling(why) => write!(f, "the server declined STARTTLS ({why})"),
            Self::Malformed(how) => write!(f, "the reply to STARTTLS is malformed ({how})"),
        }
    }
}

impl std::error::Error for Declined {}

impl From<Malformed> for Declined {
    fn from(how: Malformed) -> Self {
        Self::Malformed(how)
    }
}

/// Judges the response. QR, id and question must match, RCODE must be 0, there must be one TXT/CH answer, and then the signal
/// counts.
pub fn judge(reply: &[u8], id: u16, signal: Signal) -> Result<(), Declined> {
    let header = Header::read(reply)?;
    if !header.is_response() || header.id != id {
        return Err(Declined::NotOurs("id or direction"));
    }
    if header.rcode() != rcode::NOERROR {
        return Err(Declined::Unwilling(format!("response code {}", header.rcode())));
    }
    if header.counts[0] != 1 {
        return Err(Declined::NotOurs("question"));
    }
    if !is_dummy(&Question::read(reply)?.0) {
        return Err(Declined::NotOurs("question"));
    }
    let text = answer_text(reply)?;
    let willing_bit = Edns::find(reply)?.is_some_and(|(edns, _)| edns.flags & TO != 0);
    let willing_text = signal == Signal::Compat
        && text.is_some_and(|text| text.strip_prefix(&[8]) == Some(ACCEPTED.as_bytes()));
    match text {
        Some(_) if willing_bit || willing_text => Ok(()),
        Some(text) => Err(Declined::Unwilling(format!("TXT {}", printable(text)))),
        None => Err(Declined::Unwilling("no TXT answer".into())),
    }
}

/// Data of the answer, if there is exactly one and it is a TXT/CH.
fn answer_text(reply: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    let mut text = None;
    let mut answers = 0;
    for record in Records::of(reply)? {
        let record = record?;
        if record.section == Section::Answer {
            answers += 1;
            if record.kind == types::TXT && record.class == types::CH {
                text = Some(&reply[record.data]);
            }
        }
    }
    Ok(text.filter(|_| answers == 1))
}

fn printable(text: &[u8]) -> String {
    text.iter()
        .skip(1)
        .map(|octet| if octet.is_ascii_graphic() { *octet as char } else { '?' })
        .take(32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octets(hex: &str) -> Vec<u8> {
        let hex: String = hex.split_whitespace().collect();
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    const ACCEPT: &str = "1a2b80000001000100000001 085354415254544c5300 00100003 c00c 0010 0003 00000000 0009
        085354415254544c53 0000291000000040000000";

    #[test]
    fn the_query_is_the_recorded_one() {
        let golden = "1a2b00000001000000000001085354415254544c5300001000030000291000000040000000";
        assert_eq!(query(0x1a2b), octets(golden));
    }

    #[test]
    fn only_the_dummy_is_the_dummy() {
        let asks = |message: &[u8]| is_dummy(&Question::read(message).unwrap().0);
        let mut message = query(7);
        assert!(asks(&message));
        message[13..21].make_ascii_lowercase();
        assert!(asks(&message), "any case");
        message[25] = types::IN as u8;
        assert!(!asks(&message), "class IN");
    }

    #[test]
    fn the_recorded_acceptance_is_accepted() {
        assert_eq!(octets(ACCEPT).len(), 58);
        assert_eq!(judge(&octets(ACCEPT), 0x1a2b, Signal::Draft), Ok(()));
    }

    #[test]
    fn text_alone_is_enough_only_where_the_server_is_known() {
        let mut reply = octets(ACCEPT);
        let flags = reply.len() - 4;
        reply[flags] = 0;
        assert_eq!(judge(&reply, 0x1a2b, Signal::Compat), Ok(()));
        assert!(matches!(judge(&reply, 0x1a2b, Signal::Draft), Err(Declined::Unwilling(_))));
    }

    #[test]
    fn another_id_question_or_rcode_is_no_acceptance() {
        let reply = octets(ACCEPT);
        assert!(matches!(judge(&reply, 1, Signal::Compat), Err(Declined::NotOurs(_))));
        for (at, value) in [(2, 0x00), (3, 0x05), (13, b'X'), (25, 1)] {
            let mut broken = reply.clone();
            broken[at] = value;
            assert!(judge(&broken, 0x1a2b, Signal::Compat).is_err(), "octet {at}");
        }
        for end in 0..reply.len() {
            assert!(judge(&reply[..end], 0x1a2b, Signal::Compat).is_err(), "cut at {end}");
        }
    }
}
