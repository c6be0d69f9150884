//! The client's end: which key pair a query is boxed with, and how its response is opened.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::manners::Manner;
use crate::name::{BoxedQuery, TooLong};
use crate::nonces::Nonces;
use crate::reply::BoxedReply;
use crate::{HalfNonce, PublicKey, SecretKey, SharedKey};

/// For how long a key pair serves with [`KeyUse::Interval`].
pub const INTERVAL: Duration = Duration::from_secs(600);

/// When a new key pair replaces the one before it. The server can tell which queries have the same key. A new one costs both ends two
/// multiplications on the curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// at the start, and on each network
    Session,
    /// also after [`INTERVAL`]
    Interval,
    PerQuery,
}

pub struct Client {
    server: PublicKey,
    /// in wire form, with the root label at its end
    zone: Vec<u8>,
    key_use: KeyUse,
    pair: Mutex<Option<Pair>>,
}

#[derive(Clone)]
struct Pair {
    public: PublicKey,
    shared: Arc<SharedKey>,
    nonces: Arc<Nonces>,
    since: Instant,
}

/// A query in its box, and what opens the response to it.
pub struct Sealed {
    /// in wire form
    pub name: Vec<u8>,
    nonce: HalfNonce,
    shared: Arc<SharedKey>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Unsealed {
    TooLong,
    /// the system gave no random octets
    NoRandomness,
}

/// Why a TXT record is no response to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotOurs {
    /// no boxed response, or one to another query
    OtherNonce,
    /// it was changed on the way, or somebody else sealed it
    NotOpened,
}

impl Client {
    pub fn new(server: PublicKey, zone: Vec<u8>, key_use: KeyUse) -> Self {
        Self { server, zone, key_use, pair: Mutex::new(None) }
    }

    /// Octets of the zone in wire form.
    pub fn zone_length(&self) -> usize {
        self.zone.len()
    }

    /// Puts a query into a box.
    pub fn seal(&self, text: &[u8], manner: Manner, now: Instant) -> Result<Sealed, Unsealed> {
        let Pair { public, shared, nonces, .. } = self.pair_at(now)?;
        let nonce = nonces.next(manner.tail)?;
        let boxed = shared.seal(nonce, [0; 12], text);
        let name = BoxedQuery { client: public, nonce, boxed }.name(&self.zone, manner.labels)?;
        Ok(Sealed { name, nonce, shared })
    }

    /// The next query has a new key pair, so that nobody connects it with the ones before.
    pub fn forget_pair(&self) {
        self.lock().take();
    }

    fn pair_at(&self, now: Instant) -> Result<Pair, Unsealed> {
        let mut pair = self.lock();
        let is_over = |pair: &Pair| match self.key_use {
            KeyUse::Session => false,
            KeyUse::Interval => now.saturating_duration_since(pair.since) >= INTERVAL,
            KeyUse::PerQuery => true,
        };
        match pair.as_ref().filter(|pair| !is_over(pair)) {
            Some(pair) => Ok(pair.clone()),
            None => Ok(pair.insert(Pair::with(&self.server, now)?).clone()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pair>> {
        self.pair.lock().expect("nothing panics while holding the key pair")
    }
}

impl Pair {
    fn with(server: &PublicKey, since: Instant) -> Result<Self, getrandom::Error> {
        let secret = SecretKey::generate()?;
        let shared = Arc::new(secret.shared(server));
        Ok(Self { public: secret.public(), shared, nonces: Arc::default(), since })
    }
}

impl Sealed {
    /// `data`: of the TXT record that came.
    pub fn open(&self, data: &[u8]) -> Result<Vec<u8>, NotOurs> {
        let reply = BoxedReply::read(data).filter(|reply| reply.client == self.nonce);
        let reply = reply.ok_or(NotOurs::OtherNonce)?;
        self.shared.open(self.nonce, reply.server, &reply.boxed).ok_or(NotOurs::NotOpened)
    }
}

impl From<TooLong> for Unsealed {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

impl From<getrandom::Error> for Unsealed {
    fn from(_: getrandom::Error) -> Self {
        Self::NoRandomness
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Labels;
    use crate::nonces::Tail;

    const ZONE: &[u8] = b"\x03enc\x07example\0";

    fn client(key_use: KeyUse) -> (Client, SecretKey) {
        let server = SecretKey::generate().unwrap();
        (Client::new(server.public(), ZONE.to_vec(), key_use), server)
    }

    fn manner(labels: Labels) -> Manner {
        Manner { labels, tail: Tail::Random }
    }

    fn asked(client: &Client, now: Instant) -> (Sealed, BoxedQuery) {
        let sealed = client.seal(b"query", manner(Labels::Binary), now).unwrap();
        let boxed = BoxedQuery::read(&sealed.name[..sealed.name.len() - ZONE.len()]).unwrap();
        (sealed, boxed)
    }

    #[test]
    fn a_key_pair_serves_for_as_long_as_was_wished() {
        let start = Instant::now();
        for (key_use, after, same) in [
            (KeyUse::Session, INTERVAL * 100, true),
            (KeyUse::Interval, INTERVAL - Duration::from_millis(1), true),
            (KeyUse::Interval, INTERVAL, false),
            (KeyUse::PerQuery, Duration::ZERO, false),
        ] {
            let (client, _) = client(key_use);
            let [(_, first), (_, second)] = [start, start + after].map(|now| asked(&client, now));
            assert_eq!(first.client == second.client, same, "{key_use:?} after {after:?}");
            assert_ne!((first.client, first.nonce), (second.client, second.nonce));
            client.forget_pair();
            assert_ne!(asked(&client, start + after).1.client, second.client);
        }
    }

    #[test]
    fn only_the_server_s_response_to_this_query_is_opened() {
        let (client, server) = client(KeyUse::Session);
        let now = Instant::now();
        let ((sealed, query), (other, _)) = (asked(&client, now), asked(&client, now));
        let shared = server.shared(&query.client);
        let reply = |by: &SharedKey, client: HalfNonce| {
            let boxed = by.seal(client, [7; 12], b"response");
            BoxedReply { client, server: [7; 12], boxed }.data()
        };
        assert_eq!(sealed.open(&reply(&shared, query.nonce)), Ok(b"response".to_vec()));
        assert_eq!(other.open(&reply(&shared, query.nonce)), Err(NotOurs::OtherNonce));
        let impostor = SecretKey::generate().unwrap().shared(&query.client);
        assert_eq!(sealed.open(&reply(&impostor, query.nonce)), Err(NotOurs::NotOpened));
        let whole = reply(&shared, query.nonce);
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(sealed.open(&changed).is_err(), "octet {at}");
            assert!(sealed.open(&whole[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn what_does_not_fit_is_not_sealed() {
        let (client, _) = client(KeyUse::Session);
        let seal = |text: &[u8], labels| client.seal(text, manner(labels), Instant::now()).map(drop);
        for labels in [Labels::Binary, Labels::Base32] {
            let most = crate::name::most_text(client.zone_length(), labels).unwrap();
            assert_eq!(seal(&vec![0; most], labels), Ok(()));
            assert_eq!(seal(&vec![0; most + 1], labels), Err(Unsealed::TooLong));
        }
    }
}
