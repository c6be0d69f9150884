//! The key under which a client ends its handshake, which TLS tells whoever listens to its log of keys. It tells the end of a handshake
//! from early data that nobody can read. Without early data that was refused, nobody listens, and no key is told.

use std::cell::RefCell;

use aws_lc_rs::aead::{
    AES_128_GCM, AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce,
};
use aws_lc_rs::hkdf::{HKDF_SHA256, HKDF_SHA384, KeyType, Prk};
use rustls::{CipherSuite, KeyLog};
use zeroize::Zeroizing;

const LABEL: &str = "CLIENT_HANDSHAKE_TRAFFIC_SECRET";

thread_local! {
    /// `None`: nobody listens.
    static HEARD: RefCell<Option<Secret>> = const { RefCell::new(None) };
}

/// Empty until it was told.
type Secret = Zeroizing<Vec<u8>>;

/// For the configuration of TLS.
#[derive(Debug)]
pub struct ToWhoListens;

impl KeyLog for ToWhoListens {
    fn will_log(&self, label: &str) -> bool {
        label == LABEL && HEARD.with_borrow(Option::is_some)
    }

    fn log(&self, _label: &str, _client_random: &[u8], secret: &[u8]) {
        HEARD.set(Some(secret.to_vec().into()));
    }
}

#[derive(Debug)]
pub struct HandshakeKey {
    key: LessSafeKey,
    /// Of the first record (RFC 8446 section 5.3).
    nonce: [u8; NONCE_LEN],
}

impl HandshakeKey {
    /// Lets TLS process a ClientHello, and returns the secret if it came so far.
    pub fn listen<T>(process: impl FnOnce() -> T) -> (T, Secret) {
        HEARD.set(Some(Secret::default()));
        let processed = process();
        (processed, HEARD.take().unwrap_or_default())
    }

    /// `None`: this handshake has no such key.
    pub fn new(suite: CipherSuite, secret: &Secret) -> Option<Self> {
        let (algorithm, hash): (&'static Algorithm, _) = match suite {
            CipherSuite::TLS13_AES_128_GCM_SHA256 => (&AES_128_GCM, HKDF_SHA256),
            CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => (&CHACHA20_POLY1305, HKDF_SHA256),
            CipherSuite::TLS13_AES_256_GCM_SHA384 => (&AES_256_GCM, HKDF_SHA384),
            _ => return None,
        };
        if secret.is_empty() {
            return None;
        }
        let secret = Prk::new_less_safe(hash, secret);
        let mut nonce = [0; NONCE_LEN];
        let (of_nonce, of_key) = (label("iv", NONCE_LEN), label("key", algorithm.key_len()));
        secret.expand(&[&of_nonce], NonceLength).and_then(|octets| octets.fill(&mut nonce)).ok()?;
        let of_key = [&of_key[..]];
        let key = LessSafeKey::new(secret.expand(&of_key, algorithm).ok()?.into());
        Some(HandshakeKey { key, nonce })
    }

    /// Whether this record with its header is the first that was encrypted with the key.
    pub fn opens(&self, record: &[u8], header: usize) -> bool {
        let (header, encrypted) = record.split_at(header);
        let nonce = Nonce::assume_unique_for_key(self.nonce);
        self.key.open_in_place(nonce, Aad::from(header), &mut encrypted.to_vec()).is_ok()
    }
}

struct NonceLength;

impl KeyType for NonceLength {
    fn len(&self) -> usize {
        NONCE_LEN
    }
}

/// RFC 8446 section 7.1, without a context.
fn label(name: &str, length: usize) -> Vec<u8> {
    let name = format!("tls13 {name}");
    [&(length as u16).to_be_bytes()[..], &[name.len() as u8], name.as_bytes(), &[0]].concat()
}

#[cfg(test)]
pub mod tests {
    use rustls::crypto::aws_lc_rs::default_provider;

    use super::*;

    pub fn key(suite: CipherSuite) -> HandshakeKey {
        let octets = if suite == CipherSuite::TLS13_AES_256_GCM_SHA384 { 48 } else { 32 };
        HandshakeKey::new(suite, &vec![7; octets].into()).unwrap()
    }

    /// A first record with so much in it.
    pub fn first_record(key: &HandshakeKey, octets: usize) -> Vec<u8> {
        let mut record = [&[23, 3, 3][..], &(octets as u16 + 17).to_be_bytes()].concat();
        let mut inside = [&vec![20; octets][..], &[22]].concat();
        let nonce = Nonce::assume_unique_for_key(key.nonce);
        key.key.seal_in_place_append_tag(nonce, Aad::from(&record[..]), &mut inside).unwrap();
        record.extend(inside);
        record
    }

    #[test]
    fn a_record_is_known_by_its_key_at_every_length() {
        for suite in default_provider().cipher_suites.iter().filter(|suite| suite.tls13().is_some()) {
            let key = key(suite.suite());
            for octets in [36, 52, 511] {
                let mut record = first_record(&key, octets);
                assert!(key.opens(&record, 5), "{suite:?}");
                record[9] ^= 1;
                assert!(!key.opens(&record, 5), "{suite:?}");
            }
            assert!(!key.opens(&[23, 3, 3, 0, 0], 5) && !key.opens(&[23, 3, 3, 0, 1, 9], 5), "{suite:?}");
        }
    }

    #[test]
    fn secrets_are_told_to_who_listens_and_to_nobody_else() {
        let tell = || {
            if ToWhoListens.will_log(LABEL) {
                ToWhoListens.log(LABEL, &[], &[1, 2]);
            }
            assert!(!ToWhoListens.will_log("CLIENT_TRAFFIC_SECRET_0"));
        };
        tell();
        assert!(HEARD.with_borrow(Option::is_none));
        assert!(HandshakeKey::listen(|| ()).1.is_empty());
        assert_eq!(HandshakeKey::listen(tell).1[..], [1, 2]);
        assert!(HEARD.with_borrow(Option::is_none));
    }
}
