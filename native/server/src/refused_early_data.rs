//! Early data that TLS does not accept: it is skipped up to the promised size, and the handshake goes on (RFC 8446 section 4.2.10). rustls
//! skips, too, but counts what each record adds, and what it was given and has not taken again with every call. So it is shown records
//! one by one, and of those that are encrypted only the end of the handshake, which is known by its key.

use rustls::HandshakeKind;
use sotto_wire::u16_at;

use crate::early;
use crate::handshake_key::HandshakeKey;

/// Record types (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;
const RECORD_HEADER: usize = 5;
/// Content type and tag behind what is encrypted.
const BEHIND: usize = 1 + 16;
const CLIENT_HELLO: u8 = 1;
const EARLY_DATA: u16 = 42;

#[derive(Debug)]
enum Stage {
    /// The ClientHello is not whole.
    Unknown,
    /// TLS has the ClientHello, which announces early data, and asks for another one.
    Retried,
    /// The session is resumed: what comes first shows whether TLS accepts.
    Resumed(Box<HandshakeKey>),
    /// TLS does not accept it.
    Refused(Box<HandshakeKey>),
    /// Nothing has to be skipped any more.
    Over,
}

#[derive(Debug)]
pub struct RefusedEarlyData {
    stage: Stage,
    /// Octets that may still be skipped, without what TLS adds to them.
    left: usize,
}

/// What is done with the next octets.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    ShowAll,
    /// So many, which are a ClientHello that announces early data.
    ShowHello(usize),
    /// So many, which are a record.
    Show(usize),
    Skip(usize),
    /// A record is not whole.
    Wait,
}

impl RefusedEarlyData {
    pub fn new() -> Self {
        Self { stage: Stage::Unknown, left: early::LIMIT as usize }
    }

    pub fn next(&mut self, octets: &[u8]) -> Next {
        match (&self.stage, whole_record(octets)) {
            (Stage::Over, _) => Next::ShowAll,
            (Stage::Unknown, _) => self.hello(octets),
            (_, None) => Next::Wait,
            (_, Some((APPLICATION_DATA, length))) => self.encrypted(&octets[..length]),
            (_, Some((HANDSHAKE, _))) => {
                // the second ClientHello, behind which there is no early data
                self.stage = Stage::Over;
                Next::ShowAll
            }
            (_, Some((_, length))) => Next::Show(length),
        }
    }

    fn hello(&mut self, octets: &[u8]) -> Next {
        let Some((hello, length)) = whole_hello(octets) else {
            return Next::ShowAll;
        };
        if announces_early_data(&hello) {
            return Next::ShowHello(length);
        }
        self.stage = Stage::Over;
        Next::ShowAll
    }

    /// TLS has the ClientHello. `key`: with which the handshake ends, if that is known.
    pub fn was_announced(&mut self, kind: Option<HandshakeKind>, key: Option<HandshakeKey>) {
        self.stage = match (kind, key.map(Box::new)) {
            (Some(HandshakeKind::Full), Some(key)) => Stage::Refused(key),
            (Some(HandshakeKind::Resumed), Some(key)) => Stage::Resumed(key),
            (Some(HandshakeKind::Full | HandshakeKind::Resumed), None) => Stage::Over,
            _ => Stage::Retried,
        };
    }

    fn encrypted(&mut self, record: &[u8]) -> Next {
        match &self.stage {
            Stage::Resumed(key) | Stage::Refused(key) if key.opens(record, RECORD_HEADER) => {
                self.stage = Stage::Over;
                Next::ShowAll
            }
            Stage::Resumed(_) => Next::Show(record.len()),
            _ => self.skip(record.len()),
        }
    }

    fn skip(&mut self, length: usize) -> Next {
        match self.left.checked_sub(early_octets(length)) {
            Some(left) => {
                self.left = left;
                Next::Skip(length)
            }
            None => {
                self.stage = Stage::Over;
                Next::ShowAll
            }
        }
    }

    /// TLS has taken so many octets of the record that it was shown. Returns how many are done with: what it could not read is.
    pub fn was_shown(&mut self, record: &[u8], taken: usize) -> usize {
        if record[0] != APPLICATION_DATA {
            return taken;
        }
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Resumed(key) if taken == 0 => {
                self.stage = Stage::Refused(key);
                self.left = self.left.saturating_sub(early_octets(record.len()));
                record.len()
            }
            // TLS could read it, and so it accepts
            _ => taken,
        }
    }
}

/// What is in a record of this length with its header; at least one, so that empty ones have an end, too.
fn early_octets(length: usize) -> usize {
    length.saturating_sub(RECORD_HEADER + BEHIND).max(1)
}

/// A whole ClientHello in one record or several (RFC 8446 section 5.1), and how many octets these have.
fn whole_hello(octets: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut message, mut end) = (Vec::new(), 0);
    while let Some((HANDSHAKE, length)) = whole_record(&octets[end..]) {
        message.extend_from_slice(&octets[end + RECORD_HEADER..end + length]);
        end += length;
        if message_body(&message).is_some() {
            return Some((message, end));
        }
    }
    None
}

/// Type and length of the first record, with its header.
fn whole_record(octets: &[u8]) -> Option<(u8, usize)> {
    let length = RECORD_HEADER + usize::from(u16_at(octets, 3).ok()?);
    (octets.len() >= length).then(|| (octets[0], length))
}

/// Whether these octets are a ClientHello that says so (RFC 8446 section 4.1.2).
fn announces_early_data(message: &[u8]) -> bool {
    let Some(mut extensions) = extensions(message) else {
        return false;
    };
    while let (Ok(kind), Ok(length)) = (u16_at(extensions, 0), u16_at(extensions, 2)) {
        if kind == EARLY_DATA {
            return true;
        }
        extensions = extensions.get(4 + usize::from(length)..).unwrap_or_default();
    }
    false
}

fn extensions(message: &[u8]) -> Option<&[u8]> {
    let body = message_body(message)?;
    // version and random, then session id, cipher suites and compression methods
    let rest = behind(behind(behind(body.get(2 + 32..)?, 1)?, 2)?, 1)?;
    (message[0] == CLIENT_HELLO).then_some(rest.get(2..)?)
}

/// Of a message of the handshake, if it is whole.
fn message_body(message: &[u8]) -> Option<&[u8]> {
    let ([_, length @ ..], body) = message.split_first_chunk::<4>()?;
    body.get(..u32::from_be_bytes([0, length[0], length[1], length[2]]) as usize)
}

/// What follows a list that stands behind its length, which has one octet or two.
fn behind(octets: &[u8], length_octets: usize) -> Option<&[u8]> {
    let length =
        octets.get(..length_octets)?.iter().fold(0, |length, octet| length << 8 | usize::from(*octet));
    octets.get(length_octets + length..)
}

#[cfg(test)]
mod tests {
    use rustls::CipherSuite;

    use super::*;
    use crate::handshake_key;

    fn record(kind: u8, octets: usize) -> Vec<u8> {
        with_header(kind, &vec![0; octets])
    }

    fn with_header(kind: u8, octets: &[u8]) -> Vec<u8> {
        [&[kind, 3, 3][..], &(octets.len() as u16).to_be_bytes(), octets].concat()
    }

    fn hello(extension: u16) -> Vec<u8> {
        let extensions = [&[0, 43, 0, 1, 7][..], &extension.to_be_bytes(), &[0, 0]].concat();
        let body = [
            &[3; 34][..],
            &[1, 9],
            &[0, 2, 0x13, 1],
            &[1, 0],
            &(extensions.len() as u16).to_be_bytes(),
            &extensions,
        ]
        .concat();
        let message = [&[CLIENT_HELLO, 0, 0, body.len() as u8][..], &body].concat();
        with_header(HANDSHAKE, &message)
    }

    fn key() -> HandshakeKey {
        handshake_key::tests::key(CipherSuite::TLS13_AES_128_GCM_SHA256)
    }

    /// What is left of this handshake when the client has announced early data, in one record or two.
    fn announced(kind: HandshakeKind, records: usize) -> RefusedEarlyData {
        let (mut refused, hello) = (RefusedEarlyData::new(), hello(EARLY_DATA));
        let message = &hello[RECORD_HEADER..];
        let hello: Vec<u8> = message
            .chunks(message.len().div_ceil(records))
            .flat_map(|part| with_header(HANDSHAKE, part))
            .collect();
        assert_eq!(refused.next(&hello[..hello.len() - 1]), Next::ShowAll, "it is not whole");
        assert_eq!(refused.next(&[&hello[..], &[23, 3]].concat()), Next::ShowHello(hello.len()));
        refused.was_announced(Some(kind), Some(key()));
        refused
    }

    #[test]
    fn without_early_data_tls_sees_everything_at_once() {
        for octets in [hello(41), record(HANDSHAKE, 100), b"GET / HTTP/1.1".to_vec()] {
            let mut refused = RefusedEarlyData::new();
            assert_eq!(refused.next(&octets), Next::ShowAll);
            assert_eq!(refused.next(&record(APPLICATION_DATA, 100)), Next::ShowAll);
        }
    }

    #[test]
    fn a_full_handshake_skips_as_much_as_was_promised_whatever_its_records_are() {
        for (each, hello_records) in [(1, 1), (2, 2), (20, 3), (36, 1), (41, 1), (52, 1), (1000, 2)] {
            let (mut refused, early) =
                (announced(HandshakeKind::Full, hello_records), record(APPLICATION_DATA, each + BEHIND));
            for count in 0..early::LIMIT as usize / each {
                assert_eq!(refused.next(&early), Next::Skip(early.len()), "record {count} of {each} octets");
            }
            assert_eq!(refused.next(&early[..9]), Next::Wait);
            // with SHA-256, and padded as OpenSSL does it
            let finished = handshake_key::tests::first_record(&key(), if each == 1 { 511 } else { 36 });
            assert_eq!(refused.next(&finished), Next::ShowAll);
            assert_eq!(refused.next(&early), Next::ShowAll, "it is over");
        }
        let (mut refused, early) =
            (announced(HandshakeKind::Full, 1), record(APPLICATION_DATA, 4097 + BEHIND));
        assert_eq!(refused.next(&early), Next::ShowAll, "more than was promised");
    }

    #[test]
    fn a_resumed_handshake_shows_whether_it_accepts() {
        let early = record(APPLICATION_DATA, 100);
        let mut accepted = announced(HandshakeKind::Resumed, 1);
        assert_eq!(accepted.next(&early), Next::Show(early.len()));
        assert_eq!(accepted.was_shown(&early, early.len()), early.len());
        assert_eq!(accepted.next(&early), Next::ShowAll);
        let mut refused = announced(HandshakeKind::Resumed, 1);
        assert_eq!(refused.next(&early), Next::Show(early.len()));
        assert_eq!(refused.was_shown(&early, 0), early.len());
        assert_eq!(refused.next(&early), Next::Skip(early.len()));
        assert_eq!(refused.next(&handshake_key::tests::first_record(&key(), 36)), Next::ShowAll);
        assert_eq!(refused.next(&early), Next::ShowAll, "it is over");
    }

    #[test]
    fn before_a_second_hello_everything_encrypted_is_early() {
        let mut refused = announced(HandshakeKind::FullWithHelloRetryRequest, 1);
        for octets in [19, 53, 100] {
            let early = record(APPLICATION_DATA, octets);
            assert_eq!(refused.next(&early), Next::Skip(early.len()));
        }
        let change_cipher_spec = record(20, 1);
        assert_eq!(refused.next(&change_cipher_spec), Next::Show(6));
        assert_eq!(refused.was_shown(&change_cipher_spec, 6), 6);
        assert_eq!(refused.next(&hello(41)), Next::ShowAll);
        assert_eq!(refused.next(&record(APPLICATION_DATA, 53)), Next::ShowAll);
    }
}
