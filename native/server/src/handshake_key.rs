//! The keys under which both sides end a handshake, which TLS tells whoever listens to its log of keys. The client's tells the end of a
//! handshake from early data that nobody can read. Ours opens what this server sends itself. Unless a client announces early data,
//! nobody listens, and no key is told.

use std::cell::RefCell;

use aws_lc_rs::aead::{
    AES_128_GCM, AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce,
};
use aws_lc_rs::hkdf::{HKDF_SHA256, HKDF_SHA384, KeyType, Prk};
use rustls::{CipherSuite, KeyLog};
use zeroize::Zeroizing;

const OF_CLIENT: &str = "CLIENT_HANDSHAKE_TRAFFIC_SECRET";
const OF_SERVER: &str = "SERVER_HANDSHAKE_TRAFFIC_SECRET";

thread_local! {
    /// `None`: nobody listens.
    static HEARD: RefCell<Option<Secrets>> = const { RefCell::new(None) };
}

/// Empty until it was told.
type Secret = Zeroizing<Vec<u8>>;

#[derive(Default)]
pub struct Secrets {
    client: Secret,
    server: Secret,
}

impl Secrets {
    fn named(&mut self, label: &str) -> Option<&mut Secret> {
        match label {
            OF_CLIENT => Some(&mut self.client),
            OF_SERVER => Some(&mut self.server),
            _ => None,
        }
    }
}

fn told(label: &str, tell: impl FnOnce(&mut Secret)) -> bool {
    HEARD.with_borrow_mut(|heard| heard.as_mut().and_then(|secrets| secrets.named(label)).map(tell).is_some())
}

/// For the configuration of TLS.
#[derive(Debug)]
pub struct ToWhoListens;

impl KeyLog for ToWhoListens {
    fn will_log(&self, label: &str) -> bool {
        told(label, |_| ())
    }

    fn log(&self, label: &str, _client_random: &[u8], secret: &[u8]) {
        told(label, |place| *place = secret.to_vec().into());
    }
}

#[derive(Debug)]
pub struct HandshakeKeys {
    pub client: HandshakeKey,
    pub server: HandshakeKey,
}

impl HandshakeKeys {
    /// Lets TLS process a ClientHello, and returns the secrets if it came so far.
    pub fn listen<T>(process: impl FnOnce() -> T) -> (T, Secrets) {
        HEARD.set(Some(Secrets::default()));
        let processed = process();
        (processed, HEARD.take().unwrap_or_default())
    }

    /// `None`: this handshake has no such keys.
    pub fn new(suite: CipherSuite, secrets: &Secrets) -> Option<Self> {
        let client = HandshakeKey::new(suite, &secrets.client)?;
        Some(Self { client, server: HandshakeKey::new(suite, &secrets.server)? })
    }
}

#[derive(Debug)]
pub struct HandshakeKey {
    key: LessSafeKey,
    /// Of the first record (RFC 8446 section 5.3).
    nonce: [u8; NONCE_LEN],
}

impl HandshakeKey {
    fn new(suite: CipherSuite, secret: &Secret) -> Option<Self> {
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

    /// What is in this record with its header, if that is the first that was encrypted with the key.
    pub fn open(&self, record: &[u8], header: usize) -> Option<Vec<u8>> {
        let (header, mut inside) = (&record[..header], record[header..].to_vec());
        let nonce = Nonce::assume_unique_for_key(self.nonce);
        let length = self.key.open_in_place(nonce, Aad::from(header), &mut inside).ok()?.len();
        inside.truncate(length);
        Some(inside)
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

    pub fn keys(suite: CipherSuite) -> HandshakeKeys {
        let octets = if suite == CipherSuite::TLS13_AES_256_GCM_SHA384 { 48 } else { 32 };
        let secrets = Secrets { client: vec![7; octets].into(), server: vec![8; octets].into() };
        HandshakeKeys::new(suite, &secrets).unwrap()
    }

    pub fn first_record(key: &HandshakeKey, message: &[u8]) -> Vec<u8> {
        let mut record = [&[23, 3, 3][..], &(message.len() as u16 + 17).to_be_bytes()].concat();
        let mut inside = [message, &[22]].concat();
        let nonce = Nonce::assume_unique_for_key(key.nonce);
        key.key.seal_in_place_append_tag(nonce, Aad::from(&record[..]), &mut inside).unwrap();
        record.extend(inside);
        record
    }

    #[test]
    fn a_record_is_known_by_its_key_at_every_length() {
        for suite in default_provider().cipher_suites.iter().filter(|suite| suite.tls13().is_some()) {
            let HandshakeKeys { client, server } = keys(suite.suite());
            for octets in [36, 52, 511] {
                let message = vec![20; octets];
                let mut record = first_record(&client, &message);
                assert_eq!(client.open(&record, 5), Some([&message[..], &[22]].concat()), "{suite:?}");
                assert_eq!(server.open(&record, 5), None, "{suite:?}");
                record[9] ^= 1;
                assert_eq!(client.open(&record, 5), None, "{suite:?}");
            }
            for record in [&[23, 3, 3, 0, 0][..], &[23, 3, 3, 0, 1, 9]] {
                assert_eq!(client.open(record, 5), None, "{suite:?}");
            }
        }
    }

    #[test]
    fn secrets_are_told_to_who_listens_and_to_nobody_else() {
        let tell = || {
            for (label, secret) in [(OF_CLIENT, [1, 2]), (OF_SERVER, [3, 4])] {
                if ToWhoListens.will_log(label) {
                    ToWhoListens.log(label, &[], &secret);
                }
            }
            assert!(!ToWhoListens.will_log("CLIENT_TRAFFIC_SECRET_0"));
        };
        tell();
        assert!(HEARD.with_borrow(Option::is_none));
        let silent = HandshakeKeys::listen(|| ()).1;
        assert!(silent.client.is_empty() && silent.server.is_empty());
        let secrets = HandshakeKeys::listen(tell).1;
        assert_eq!((&secrets.client[..], &secrets.server[..]), (&[1, 2][..], &[3, 4][..]));
        assert!(HEARD.with_borrow(Option::is_none));
    }
}
