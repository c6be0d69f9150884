//! A client of an EncDNS zone, and the servers that it may have.

use domain::rdata::AllRecordData;
use sotto_encdns::name::{BoxedQuery, Format, Labels};
use sotto_encdns::reply::BoxedReply;
use sotto_encdns::{PublicKey, SecretKey, SharedKey};
use sotto_server::EncDns;
use sotto_wire::name::Name;

use super::messages::Reply;

pub const ZONE: &[u8] = b"\x03enc\x07example\0";

pub fn secret() -> SecretKey {
    SecretKey::from_octets([7; 32])
}

/// Of the key above.
pub fn zone() -> EncDns {
    EncDns::new(Name::read(ZONE, 0).unwrap().0, secret(), &["192.0.2.1".parse().unwrap()])
}

pub struct Client {
    pub public: PublicKey,
    shared: SharedKey,
}

impl Client {
    pub fn new() -> Self {
        Self::of(&secret())
    }

    /// A new client, which seals for this key.
    pub fn of(server: &SecretKey) -> Self {
        let own = SecretKey::generate().unwrap();
        Self { public: own.public(), shared: own.shared(&server.public()) }
    }

    pub fn query(&self, nonce: u8, text: &[u8], labels: Labels) -> Vec<u8> {
        let nonce = [nonce; 12];
        let boxed = self.shared.seal(Format::Published, nonce, [0; 12], text);
        let query = BoxedQuery { format: Format::Published, client: self.public, nonce, boxed };
        question(&query.name(ZONE, labels).unwrap())
    }

    pub fn open(&self, nonce: u8, reply: &Reply) -> Option<Vec<u8>> {
        let boxed = BoxedReply::read(&txt(reply)?)?;
        assert_eq!(boxed.client, [nonce; 12]);
        self.shared.open(Format::Published, boxed.client, boxed.server, &boxed.boxed)
    }
}

/// For the type TXT, as published: RD, and an OPT with room for 1232 octets.
pub fn question(name: &[u8]) -> Vec<u8> {
    let mut message = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\x01".to_vec();
    message.extend_from_slice(name);
    message.extend_from_slice(&[0, 16, 0, 1, 0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]);
    message
}

/// The data of the one TXT record in the answer.
pub fn txt(reply: &Reply) -> Option<Vec<u8>> {
    let records = reply.0.answer().ok()?.limit_to::<AllRecordData<_, _>>();
    let record = records.into_iter().next()?.ok()?;
    assert_eq!(record.ttl().as_secs(), 0);
    let AllRecordData::Txt(txt) = record.into_data() else { return None };
    let strings = txt.iter_charstrs();
    Some(strings.flat_map(|string| [&[string.len() as u8], string.as_slice()].concat()).collect())
}
