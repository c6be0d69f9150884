//! Early data that TLS does not accept: it is skipped up to the promised size, and the handshake goes on (RFC 8446 section 4.2.10). rustls
//! skips, too, but counts the tags of all records, and what it was given and has not taken again with every call. So it is shown records
//! one by one, and those not at all that cannot be the end of the handshake.

use rustls::HandshakeKind;
use sotto_wire::u16_at;

use crate::early;

/// Record types (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;
const RECORD_HEADER: usize = 5;
/// Content type and tag behind what is encrypted.
const BEHIND: usize = 1 + 16;
/// What a client encrypts with the keys of the handshake: an alert, or a Finished with SHA-256 or SHA-384.
const OF_THE_HANDSHAKE: [usize; 3] = [2 + BEHIND, 4 + 32 + BEHIND, 4 + 48 + BEHIND];
const CLIENT_HELLO: u8 = 1;
const EARLY_DATA: u16 = 42;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The ClientHello is not whole.
    Unknown,
    /// TLS has the ClientHello, which announces early data.
    Announced,
    /// TLS does not accept it.
    Refused,
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

    /// `kind`: of the handshake, once that is known.
    pub fn next(&mut self, octets: &[u8], kind: Option<HandshakeKind>) -> Next {
        let record = whole_record(octets);
        match (self.stage, record) {
            (Stage::Over, _) | (Stage::Unknown, None) => Next::ShowAll,
            (Stage::Unknown, Some((_, length))) => {
                let announces = announces_early_data(&octets[RECORD_HEADER..length]);
                self.stage = if announces { Stage::Announced } else { Stage::Over };
                if announces { Next::Show(length) } else { Next::ShowAll }
            }
            (_, None) => Next::Wait,
            (_, Some((APPLICATION_DATA, length))) => self.encrypted(length, kind),
            (_, Some((HANDSHAKE, _))) => {
                // the second ClientHello, behind which there is no early data
                self.stage = Stage::Over;
                Next::ShowAll
            }
            (_, Some((_, length))) => Next::Show(length),
        }
    }

    fn encrypted(&mut self, length: usize, kind: Option<HandshakeKind>) -> Next {
        let is_sure = match kind {
            Some(HandshakeKind::Resumed) => self.stage == Stage::Refused,
            Some(HandshakeKind::Full) => true,
            // before the second ClientHello there is nothing else
            _ => return self.skip(length),
        };
        let may_be_its_end = OF_THE_HANDSHAKE.contains(&(length - RECORD_HEADER));
        if is_sure && !may_be_its_end { self.skip(length) } else { Next::Show(length) }
    }

    fn skip(&mut self, length: usize) -> Next {
        let octets = length.saturating_sub(RECORD_HEADER + BEHIND).max(1);
        match self.left.checked_sub(octets) {
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
        if taken == 0 && record[0] == APPLICATION_DATA {
            self.stage = Stage::Refused;
            self.left = self.left.saturating_sub(record.len() - RECORD_HEADER - BEHIND);
            return record.len();
        }
        // it could be read: TLS has accepted it, or it was the end of the handshake
        if record[0] == APPLICATION_DATA || taken < record.len() {
            self.stage = Stage::Over;
        }
        taken
    }
}

/// Type and length of the first record, with its header.
fn whole_record(octets: &[u8]) -> Option<(u8, usize)> {
    let length = RECORD_HEADER + usize::from(u16_at(octets, 3).ok()?);
    (octets.len() >= length).then(|| (octets[0], length))
}

/// Whether these octets begin with a whole ClientHello that says so (RFC 8446 section 4.1.2).
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
    let (kind, message) = message.split_first()?;
    let (length, message) = message.split_first_chunk::<3>()?;
    let message = message.get(..u32::from_be_bytes([0, length[0], length[1], length[2]]) as usize)?;
    // version and random, then session id, cipher suites and compression methods
    let rest = behind(behind(behind(message.get(2 + 32..)?, 1)?, 2)?, 1)?;
    (*kind == CLIENT_HELLO).then_some(rest.get(2..)?)
}

/// What follows a list that stands behind its length, which has one octet or two.
fn behind(octets: &[u8], length_octets: usize) -> Option<&[u8]> {
    let length =
        octets.get(..length_octets)?.iter().fold(0, |length, octet| length << 8 | usize::from(*octet));
    octets.get(length_octets + length..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, octets: usize) -> Vec<u8> {
        [&[kind, 3, 3][..], &(octets as u16).to_be_bytes(), &vec![0; octets]].concat()
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
        let mut hello = record(HANDSHAKE, message.len());
        hello[RECORD_HEADER..].copy_from_slice(&message);
        hello
    }

    /// What is left of this handshake when the client has announced early data.
    fn announced() -> RefusedEarlyData {
        let (mut refused, hello) = (RefusedEarlyData::new(), hello(EARLY_DATA));
        assert_eq!(refused.next(&hello[..hello.len() - 1], None), Next::ShowAll, "it is not whole");
        assert_eq!(refused.next(&hello, None), Next::Show(hello.len()));
        assert_eq!(refused.was_shown(&hello, hello.len()), hello.len());
        refused
    }

    #[test]
    fn without_early_data_tls_sees_everything_at_once() {
        for octets in [hello(41), record(HANDSHAKE, 100), b"GET / HTTP/1.1".to_vec()] {
            let mut refused = RefusedEarlyData::new();
            assert_eq!(refused.next(&octets, None), Next::ShowAll);
            assert_eq!(
                refused.next(&record(APPLICATION_DATA, 100), Some(HandshakeKind::Full)),
                Next::ShowAll
            );
        }
    }

    #[test]
    fn a_full_handshake_skips_as_much_as_was_promised_whatever_its_records_add() {
        for each in [20, 41, 1000] {
            let (mut refused, early) = (announced(), record(APPLICATION_DATA, each + BEHIND));
            for count in 0..early::LIMIT as usize / each {
                let next = refused.next(&early, Some(HandshakeKind::Full));
                assert_eq!(next, Next::Skip(early.len()), "record {count} of {each} octets");
            }
            assert_eq!(refused.next(&early[..9], Some(HandshakeKind::Full)), Next::Wait);
            let finished = record(APPLICATION_DATA, 53);
            assert_eq!(refused.next(&finished, Some(HandshakeKind::Full)), Next::Show(finished.len()));
            refused.was_shown(&finished, finished.len());
            assert_eq!(refused.next(&early, Some(HandshakeKind::Full)), Next::ShowAll, "it is over");
        }
        let (mut refused, early) = (announced(), record(APPLICATION_DATA, 4097 + BEHIND));
        assert_eq!(refused.next(&early, Some(HandshakeKind::Full)), Next::ShowAll, "more than was promised");
    }

    #[test]
    fn a_resumed_handshake_shows_whether_it_accepts() {
        let early = record(APPLICATION_DATA, 100);
        let mut accepted = announced();
        assert_eq!(accepted.next(&early, Some(HandshakeKind::Resumed)), Next::Show(early.len()));
        accepted.was_shown(&early, early.len());
        assert_eq!(accepted.next(&early, Some(HandshakeKind::Resumed)), Next::ShowAll);
        let mut refused = announced();
        assert_eq!(refused.next(&early, Some(HandshakeKind::Resumed)), Next::Show(early.len()));
        assert_eq!(refused.was_shown(&early, 0), early.len());
        assert_eq!(refused.next(&early, Some(HandshakeKind::Resumed)), Next::Skip(early.len()));
    }

    #[test]
    fn before_a_second_hello_everything_encrypted_is_early() {
        let (mut refused, retry) = (announced(), Some(HandshakeKind::FullWithHelloRetryRequest));
        for octets in [19, 53, 100] {
            let early = record(APPLICATION_DATA, octets);
            assert_eq!(refused.next(&early, retry), Next::Skip(early.len()));
        }
        let change_cipher_spec = record(20, 1);
        assert_eq!(refused.next(&change_cipher_spec, retry), Next::Show(6));
        refused.was_shown(&change_cipher_spec, 6);
        assert_eq!(refused.next(&hello(41), retry), Next::ShowAll);
        assert_eq!(refused.next(&record(APPLICATION_DATA, 53), retry), Next::ShowAll);
    }
}
