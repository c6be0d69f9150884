//! Early data that TLS does not accept: it is skipped up to the promised size, and the handshake goes on (RFC 8446 section 4.2.10). rustls
//! skips, too, but counts what each record adds, and what it was given and has not taken again with every call. So it is shown records
//! one by one, and of those that are encrypted only the end of the handshake, which is known by its key. Whether TLS accepts is read in
//! what it sends, since it tells in no other way before the first early data has come.

use rustls::HandshakeKind;
use sotto_wire::u16_at;

use crate::early;
use crate::handshake_key::{HandshakeKey, HandshakeKeys};

/// Record types (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;
const RECORD_HEADER: usize = 5;
/// Content type and tag behind what is encrypted.
const BEHIND: usize = 1 + 16;
const CLIENT_HELLO: u8 = 1;
const ENCRYPTED_EXTENSIONS: u8 = 8;
const EARLY_DATA: u16 = 42;

#[derive(Debug)]
enum Stage {
    /// The ClientHello is not whole.
    Unknown,
    /// TLS has the ClientHello, which announces early data, and asks for another one.
    Retried,
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

    /// TLS has the ClientHello, and sends `flight`. `keys`: with which the handshake ends, if they are known.
    pub fn was_announced(&mut self, kind: Option<HandshakeKind>, keys: Option<HandshakeKeys>, flight: &[u8]) {
        self.stage = match (kind, keys) {
            (Some(HandshakeKind::FullWithHelloRetryRequest), _) => Stage::Retried,
            (_, Some(keys)) if accepts(flight, &keys.server) == Some(false) => {
                Stage::Refused(Box::new(keys.client))
            }
            _ => Stage::Over,
        };
    }

    fn encrypted(&mut self, record: &[u8]) -> Next {
        match &self.stage {
            Stage::Refused(key) if key.open(record, RECORD_HEADER).is_some() => {
                self.stage = Stage::Over;
                Next::ShowAll
            }
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

/// Whether this flight of ours says so; `None` where that can not be read. EncryptedExtensions come first of what is encrypted in it, and
/// hold this extension exactly if early data is accepted (RFC 8446 sections 4.2.10 and 4.3.1).
fn accepts(mut flight: &[u8], key: &HandshakeKey) -> Option<bool> {
    loop {
        let (kind, length) = whole_record(flight)?;
        let (record, rest) = flight.split_at(length);
        if kind == APPLICATION_DATA {
            let message = key.open(record, RECORD_HEADER)?;
            let extensions = message_body(&message)?.get(2..)?;
            return (message[0] == ENCRYPTED_EXTENSIONS).then(|| has_early_data(extensions));
        }
        flight = rest;
    }
}

/// Whether these octets are a ClientHello that says so (RFC 8446 section 4.1.2).
fn announces_early_data(message: &[u8]) -> bool {
    extensions(message).is_some_and(has_early_data)
}

fn has_early_data(mut extensions: &[u8]) -> bool {
    while let (Ok(kind), Ok(length)) = (u16_at(extensions, 0), u16_at(extensions, 2)) {
        if kind == EARLY_DATA {
            return true;
        }
        extensions = extensions.get(4 + usize::from(length)..).unwrap_or_default();
    }
    false
}

/// Of a ClientHello.
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

    const SERVER_NAME: u16 = 0;

    fn finished(octets: usize) -> Vec<u8> {
        handshake_key::tests::first_record(&keys().client, &vec![20; octets])
    }

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

    fn keys() -> HandshakeKeys {
        handshake_key::tests::keys(CipherSuite::TLS13_AES_128_GCM_SHA256)
    }

    /// ServerHello, ChangeCipherSpec and EncryptedExtensions, of which the last is this extension.
    fn flight(extension: u16) -> Vec<u8> {
        let extensions = [&[0, 16, 0, 6, 0, 4, 3][..], b"dot", &extension.to_be_bytes(), &[0, 0]].concat();
        let body = [&(extensions.len() as u16).to_be_bytes()[..], &extensions].concat();
        let message = [&[ENCRYPTED_EXTENSIONS, 0, 0, body.len() as u8][..], &body, &[20; 36]].concat();
        let encrypted = handshake_key::tests::first_record(&keys().server, &message);
        [record(HANDSHAKE, 90), record(20, 1), encrypted].concat()
    }

    /// How it goes on when the client has announced early data, in so many records, and the server has sent this.
    fn announced(kind: HandshakeKind, flight: &[u8], records: usize) -> RefusedEarlyData {
        let (mut refused, hello) = (RefusedEarlyData::new(), hello(EARLY_DATA));
        let message = &hello[RECORD_HEADER..];
        let hello: Vec<u8> = message
            .chunks(message.len().div_ceil(records))
            .flat_map(|part| with_header(HANDSHAKE, part))
            .collect();
        assert_eq!(refused.next(&hello[..hello.len() - 1]), Next::ShowAll, "it is not whole");
        assert_eq!(refused.next(&[&hello[..], &[23, 3]].concat()), Next::ShowHello(hello.len()));
        refused.was_announced(Some(kind), Some(keys()), flight);
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
    fn as_much_is_skipped_as_was_promised_whatever_the_records_are() {
        for (each, hello_records) in
            [(1, 1), (2, 2), (20, 3), (36, 1), (41, 1), (52, 1), (1000, 2), (4096, 1)]
        {
            let kind = if each % 2 == 0 { HandshakeKind::Resumed } else { HandshakeKind::Full };
            let early = record(APPLICATION_DATA, each + BEHIND);
            let mut refused = announced(kind, &flight(SERVER_NAME), hello_records);
            for count in 0..early::LIMIT as usize / each {
                assert_eq!(refused.next(&early), Next::Skip(early.len()), "record {count} of {each} octets");
            }
            assert_eq!(refused.next(&early[..9]), Next::Wait);
            // with SHA-256, and padded as OpenSSL does it
            let finished = finished(if each == 1 { 511 } else { 36 });
            assert_eq!(refused.next(&finished), Next::ShowAll);
            assert_eq!(refused.next(&early), Next::ShowAll, "it is over");
        }
        let early = record(APPLICATION_DATA, 4097 + BEHIND);
        let mut refused = announced(HandshakeKind::Full, &flight(SERVER_NAME), 1);
        assert_eq!(refused.next(&early), Next::ShowAll, "more than was promised");
    }

    #[test]
    fn the_answer_of_tls_shows_whether_it_accepts() {
        let early = record(APPLICATION_DATA, 100);
        let without = flight(SERVER_NAME);
        let cases = [
            (flight(EARLY_DATA), Next::ShowAll),
            (without.clone(), Next::Skip(early.len())),
            // it can not be read
            (without[..without.len() - 1].to_vec(), Next::ShowAll),
            (without[..90 + RECORD_HEADER].to_vec(), Next::ShowAll),
        ];
        for (flight, next) in cases {
            assert_eq!(announced(HandshakeKind::Resumed, &flight, 1).next(&early), next);
        }
    }

    #[test]
    fn before_a_second_hello_everything_encrypted_is_early() {
        let mut refused = announced(HandshakeKind::FullWithHelloRetryRequest, &[], 1);
        for octets in [19, 53, 100] {
            let early = record(APPLICATION_DATA, octets);
            assert_eq!(refused.next(&early), Next::Skip(early.len()));
        }
        let change_cipher_spec = record(20, 1);
        assert_eq!(refused.next(&change_cipher_spec), Next::Show(6));
        assert_eq!(refused.next(&hello(41)), Next::ShowAll);
        assert_eq!(refused.next(&record(APPLICATION_DATA, 53)), Next::ShowAll);
    }
}
