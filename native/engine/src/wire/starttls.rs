//! The in-band upgrade of T-DNS (draft-hzhwm-dprive-start-tls-for-dns): one dummy question in clear, one reply, then TLS.

use super::edns::Edns;
use super::header::{Header, rcode};
use super::name::Name;
use super::question::Question;
use super::record::{Records, Section};
use super::{Malformed, types};

/// "TLS OK", the second EDNS flag bit. RFC 9824 later gave the same bit to "compact answers OK", so it means TLS only here.
pub const TO: u16 = 0x4000;

const NAME: &[u8] = b"\x08STARTTLS\x00";
const ACCEPTED: &[u8] = b"\x08STARTTLS";

/// Which sign in the reply is believed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// the TO bit only, as the drafts say
    Draft,
    /// the TO bit or the TXT, as servers in the field did; for servers known beforehand
    #[default]
    Compat,
}

/// The dummy question: RD=0, `STARTTLS. CH TXT`, OPT with TO=1. Thirty-seven octets that name nobody.
pub fn question(id: u16) -> Vec<u8> {
    let mut message = vec![0; 12];
    Header { id, flags: 0, counts: [1, 0, 0, 1] }.write(&mut message);
    message.extend_from_slice(NAME);
    message.extend_from_slice(&types::TXT.to_be_bytes());
    message.extend_from_slice(&types::CH.to_be_bytes());
    message.extend_from_slice(&[0, 0, 41, 0x10, 0, 0, 0, (TO >> 8) as u8, 0, 0, 0]);
    message
}

/// Why a reply does not lead to TLS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Declined {
    #[error("the reply to STARTTLS is not an answer to it ({0})")]
    NotOurs(&'static str),
    #[error("the server declined STARTTLS ({0})")]
    Unwilling(String),
    #[error("the reply to STARTTLS is malformed ({0})")]
    Malformed(#[from] Malformed),
}

/// Judges the reply: QR, id and question must match, RCODE be 0, one TXT/CH answer stand there – and then the signal.
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
    let (asked, _) = Question::read(reply)?;
    let name = Name::read(NAME, 0)?.0;
    if asked != (Question { name, kind: types::TXT, class: types::CH }) {
        return Err(Declined::NotOurs("question"));
    }
    let text = answer_text(reply)?;
    let willing_bit = Edns::find(reply)?.is_some_and(|(edns, _)| edns.flags & TO != 0);
    let willing_text = signal == Signal::Compat && text.as_deref() == Some(ACCEPTED);
    match text {
        Some(_) if willing_bit || willing_text => Ok(()),
        Some(text) => Err(Declined::Unwilling(format!("TXT {}", printable(&text)))),
        None => Err(Declined::Unwilling("no TXT answer".into())),
    }
}

/// Data of the one answer, if it is the only one and a TXT/CH.
fn answer_text(reply: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
    let mut text = None;
    let mut answers = 0;
    for record in Records::of(reply)? {
        let record = record?;
        if record.section == Section::Answer {
            answers += 1;
            if record.kind == types::TXT && record.class == types::CH {
                text = Some(reply[record.data].to_vec());
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
    fn the_question_is_the_recorded_one() {
        let golden = "1a2b00000001000000000001085354415254544c5300001000030000291000000040000000";
        assert_eq!(question(0x1a2b), octets(golden));
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
