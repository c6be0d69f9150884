//! The client's end: which key pair a query is boxed with, and how its response is opened.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::extended::{Asks, Says};
use crate::manners::Manner;
use crate::name::{BoxedQuery, Format, TooLong, most_text};
use crate::nonces::{Nonces, nonce};
use crate::puzzle::{Effort, Puzzle};
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

/// A query in its box, or in several, and what opens the response to it.
pub struct Sealed {
    pub boxes: Vec<SealedBox>,
    manner: Manner,
    pair: Pair,
    /// the count in the nonce of the first box
    first: u64,
}

/// A name that carries a box, and as which the reply to it is known.
pub struct SealedBox {
    /// in wire form
    pub name: Vec<u8>,
    nonce: HalfNonce,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Unsealed {
    TooLong,
    /// the system gave no random octets
    NoRandomness,
    /// nobody should do so much work as was asked for
    TooHard,
}

/// What a reply says.
#[derive(Debug, PartialEq, Eq)]
pub enum Opened {
    /// `place` of `count` parts of the response
    Part { place: u8, count: u8, octets: Vec<u8> },
    /// The server waits for the other boxes of the query.
    Held,
    /// It was not opened: to be sealed again, with a solution.
    Puzzle(Puzzle),
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

    /// The most octets that one box of this manner has room for.
    pub fn room(&self, manner: Manner) -> usize {
        most_text(self.zone.len(), manner.labels).unwrap_or(0)
    }

    /// Puts a query into as many boxes as the format allows. `puzzle`: what the server wants to be solved first, with what effort.
    pub fn seal(
        &self,
        message: &[u8],
        manner: Manner,
        puzzle: Option<(Puzzle, &Effort)>,
        now: Instant,
    ) -> Result<Sealed, Unsealed> {
        let room = self.room(manner);
        let texts = match manner.format {
            Format::Published => vec![message.to_vec()],
            Format::Extended => {
                let parts = Asks::parts(message, room).ok_or(Unsealed::TooLong)?;
                parts.iter().map(|part| part.write(room)).collect()
            }
        };
        let pair = self.pair_at(now)?;
        let first = pair.nonces.run_of(texts.len());
        let boxes =
            texts.iter().zip(first..).map(|(text, count)| self.boxed(&pair, manner, puzzle, count, text));
        Ok(Sealed { boxes: boxes.collect::<Result<_, _>>()?, manner, pair, first })
    }

    /// What brings another part of the response.
    pub fn wish(
        &self,
        sealed: &Sealed,
        place: u8,
        puzzle: Option<(Puzzle, &Effort)>,
    ) -> Result<SealedBox, Unsealed> {
        let Sealed { manner, pair, first, .. } = sealed;
        let text = Asks::Wish { query: *first, place }.write(self.room(*manner));
        self.boxed(pair, *manner, puzzle, pair.nonces.run_of(1), &text)
    }

    fn boxed(
        &self,
        pair: &Pair,
        manner: Manner,
        puzzle: Option<(Puzzle, &Effort)>,
        count: u64,
        text: &[u8],
    ) -> Result<SealedBox, Unsealed> {
        let nonce = match puzzle {
            None => nonce(count, manner.tail)?,
            Some((puzzle, effort)) => puzzle.solve(&pair.public, count, effort).ok_or(Unsealed::TooHard)?,
        };
        let boxed = pair.shared.seal(manner.format, nonce, [0; 12], text);
        let query = BoxedQuery { format: manner.format, client: pair.public, nonce, boxed };
        Ok(SealedBox { name: query.name(&self.zone, manner.labels)?, nonce })
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
        // a clock would tell the server which pairs are of one machine
        let nonces = Arc::new(Nonces::starting_at(0));
        Ok(Self { public: secret.public(), shared, nonces, since })
    }
}

impl Sealed {
    /// `data`: of the TXT record that came for this box.
    pub fn open(&self, asked: &SealedBox, data: &[u8]) -> Result<Opened, NotOurs> {
        let reply = BoxedReply::read(data).filter(|reply| reply.client == asked.nonce);
        let reply = reply.ok_or(NotOurs::OtherNonce)?;
        let format = self.manner.format;
        if let (Format::Extended, Some(puzzle)) = (format, Puzzle::of(&reply)) {
            return Ok(Opened::Puzzle(puzzle));
        }
        // the client's own boxes have zeros there, and whoever carries them could send them back
        if reply.server == [0; 12] {
            return Err(NotOurs::NotOpened);
        }
        let text = self.pair.shared.open(format, asked.nonce, reply.server, &reply.boxed);
        let text = text.ok_or(NotOurs::NotOpened)?;
        match format {
            Format::Published => Ok(Opened::Part { place: 0, count: 1, octets: text }),
            Format::Extended => match Says::read(&text) {
                Some(Says::Part { place, count, octets }) => Ok(Opened::Part { place, count, octets }),
                Some(Says::Held) => Ok(Opened::Held),
                None => Err(NotOurs::NotOpened),
            },
        }
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
    use crate::nonces::{Tail, count_of};

    const ZONE: &[u8] = b"\x03enc\x07example\0";
    const FORMATS: [Format; 2] = [Format::Published, Format::Extended];

    fn client(key_use: KeyUse) -> (Client, SecretKey) {
        let server = SecretKey::generate().unwrap();
        (Client::new(server.public(), ZONE.to_vec(), key_use), server)
    }

    fn manner(format: Format, labels: Labels) -> Manner {
        Manner { format, labels, tail: Tail::Random }
    }

    fn read(one: &SealedBox) -> BoxedQuery {
        BoxedQuery::read(&one.name[..one.name.len() - ZONE.len()]).unwrap()
    }

    fn asked(client: &Client, format: Format, now: Instant) -> (Sealed, BoxedQuery) {
        let sealed = client.seal(b"query", manner(format, Labels::Binary), None, now).unwrap();
        let boxed = read(&sealed.boxes[0]);
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
            let asked = |now| asked(&client, Format::Published, now).1;
            let [first, second] = [start, start + after].map(asked);
            assert_eq!(first.client == second.client, same, "{key_use:?} after {after:?}");
            assert_ne!((first.client, first.nonce), (second.client, second.nonce));
            client.forget_pair();
            assert_ne!(asked(start + after).client, second.client);
        }
    }

    #[test]
    fn only_the_server_s_response_to_this_query_is_opened() {
        for format in FORMATS {
            let (client, server) = client(KeyUse::Session);
            let now = Instant::now();
            let ((sealed, query), (other, _)) = (asked(&client, format, now), asked(&client, format, now));
            let shared = server.shared(&query.client);
            let says = Says::Part { place: 0, count: 1, octets: b"response".to_vec() };
            let text = if format == Format::Published { b"response".to_vec() } else { says.write(200) };
            let reply = |by: &SharedKey, client: HalfNonce| {
                let boxed = by.seal(format, client, [7; 12], &text);
                BoxedReply { client, server: [7; 12], boxed }.data()
            };
            let response = Opened::Part { place: 0, count: 1, octets: b"response".to_vec() };
            let open = |sealed: &Sealed, data: &[u8]| sealed.open(&sealed.boxes[0], data);
            assert_eq!(open(&sealed, &reply(&shared, query.nonce)), Ok(response));
            assert_eq!(open(&other, &reply(&shared, query.nonce)), Err(NotOurs::OtherNonce));
            let impostor = SecretKey::generate().unwrap().shared(&query.client);
            assert_eq!(open(&sealed, &reply(&impostor, query.nonce)), Err(NotOurs::NotOpened));
            let whole = reply(&shared, query.nonce);
            for at in 0..whole.len() {
                let mut changed = whole.clone();
                changed[at] ^= 1;
                assert!(open(&sealed, &changed).is_err(), "octet {at}");
                assert!(open(&sealed, &whole[..at]).is_err(), "cut at {at}");
            }
        }
    }

    #[test]
    fn a_box_that_is_sent_back_is_no_response() {
        for format in FORMATS {
            let (client, _) = client(KeyUse::Session);
            let (sealed, query) = asked(&client, format, Instant::now());
            let reply = BoxedReply { client: query.nonce, server: [0; 12], boxed: query.boxed };
            assert_eq!(sealed.open(&sealed.boxes[0], &reply.data()), Err(NotOurs::NotOpened));
        }
    }

    #[test]
    fn what_does_not_fit_is_not_sealed() {
        let (client, _) = client(KeyUse::Session);
        for labels in [Labels::Binary, Labels::Base32] {
            let seal = |text: &[u8], format| {
                client
                    .seal(text, manner(format, labels), None, Instant::now())
                    .map(|sealed| sealed.boxes.len())
            };
            let most = client.room(manner(Format::Published, labels));
            assert_eq!(seal(&vec![0; most], Format::Published), Ok(1));
            assert_eq!(seal(&vec![0; most + 1], Format::Published), Err(Unsealed::TooLong));
            assert_eq!(seal(&vec![0; most - 2], Format::Extended), Ok(1));
            assert_eq!(seal(&vec![0; (most - 2) * 15], Format::Extended), Ok(15));
            assert_eq!(seal(&vec![0; (most - 2) * 15 + 1], Format::Extended), Err(Unsealed::TooLong));
        }
    }

    #[test]
    fn the_boxes_of_a_query_follow_each_other() {
        let (client, server) = client(KeyUse::PerQuery);
        let message: Vec<u8> = (0..=255).collect();
        let sealed =
            client.seal(&message, manner(Format::Extended, Labels::Base32), None, Instant::now()).unwrap();
        let wish = client.wish(&sealed, 3, None).unwrap();
        let first = count_of(&read(&sealed.boxes[0]).nonce);
        let mut joined = vec![];
        for (one, at) in sealed.boxes.iter().chain([&wish]).zip(0..) {
            let query = read(one);
            assert_eq!(count_of(&query.nonce), first + at);
            let text = server.shared(&query.client).open(query.format, query.nonce, [0; 12], &query.boxed);
            match Asks::read(&text.unwrap()).unwrap() {
                Asks::Part { octets, .. } => joined.extend(octets),
                Asks::Wish { query, place } => assert_eq!((query, place), (first, 3)),
            }
        }
        assert_eq!(joined, message);
    }

    #[test]
    fn a_puzzle_is_solved_in_the_nonce_and_only_by_who_knows_the_format() {
        let (client, _) = client(KeyUse::Session);
        let puzzle = Puzzle { seed: [9; 12], bits: 8 };
        for format in FORMATS {
            let (sealed, query) = asked(&client, format, Instant::now());
            let said = sealed.open(&sealed.boxes[0], &puzzle.reply(query.nonce).data());
            assert_eq!(said.is_ok(), format == Format::Extended);
        }
        let seal = |puzzle| {
            let wanted = Some((puzzle, &Effort::default()));
            client.seal(b"x", manner(Format::Extended, Labels::Binary), wanted, Instant::now())
        };
        let query = read(&seal(puzzle).unwrap().boxes[0]);
        assert!(puzzle.is_solved_by(&query.client, &query.nonce));
        assert_eq!(seal(Puzzle { bits: 60, ..puzzle }).map(|_| ()), Err(Unsealed::TooHard));
    }
}
