//! Queries and responses of another implementation, which was written from the description (`e2e/rig/encdns/vectors.ts`), octet for octet.

use std::collections::HashMap;

use data_encoding::HEXLOWER;
use sotto_encdns::name::Format::Published;
use sotto_encdns::name::{BoxedQuery, Labels};
use sotto_encdns::reply::BoxedReply;
use sotto_encdns::{SecretKey, SharedKey};

struct Vector(HashMap<&'static str, &'static str>);

/// `kind`: the first word of their lines.
fn vectors(kind: &str) -> Vec<Vector> {
    let lines = include_str!("vectors.txt").lines().filter_map(|line| line.strip_prefix(kind));
    lines
        .map(|line| Vector(line.split_whitespace().filter_map(|word| word.split_once('=')).collect()))
        .collect()
}

impl Vector {
    fn octets(&self, field: &str) -> Vec<u8> {
        HEXLOWER.decode(self.0[field].as_bytes()).unwrap()
    }

    fn nonce(&self, field: &str) -> [u8; 12] {
        self.octets(field).try_into().unwrap()
    }

    fn secret(&self, field: &str) -> SecretKey {
        SecretKey::from_octets(self.octets(field).try_into().unwrap())
    }

    /// As the client computes it, and as the server does.
    fn shared(&self) -> [SharedKey; 2] {
        let (client, server) = (self.secret("client"), self.secret("server"));
        [client.shared(&server.public()), server.shared(&client.public())]
    }

    /// In wire form.
    fn zone(&self) -> Vec<u8> {
        let labels =
            self.0["zone"].split('.').flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat());
        labels.chain([0]).collect()
    }
}

#[test]
fn queries_are_written_as_described_and_read_again() {
    let all = vectors("query ");
    assert_eq!(all.len(), 16);
    for vector in all {
        let [client, server] = vector.shared();
        let (nonce, text, zone) = (vector.nonce("nonce"), vector.octets("text"), vector.zone());
        let query = BoxedQuery {
            format: Published,
            client: vector.secret("client").public(),
            nonce,
            boxed: client.seal(Published, nonce, [0; 12], &text),
        };
        for (labels, field) in [(Labels::Binary, "binary"), (Labels::Base32, "base32")] {
            let written = query.name(&zone, labels).map(|name| HEXLOWER.encode(&name));
            assert_eq!(written.as_deref().unwrap_or("-"), vector.0[field], "{} octets, {field}", text.len());
            if written.is_ok() {
                let name = vector.octets(field);
                let read = BoxedQuery::read(&name[..name.len() - zone.len()]).unwrap();
                assert_eq!(server.open(Published, read.nonce, [0; 12], &read.boxed).as_ref(), Some(&text));
                assert_eq!(read, query);
            }
        }
    }
}

#[test]
fn responses_are_written_as_described_and_read_again() {
    let all = vectors("reply ");
    assert_eq!(all.len(), 10);
    for vector in all {
        let [client, server] = vector.shared();
        let (nonce, of_server) = (vector.nonce("nonce"), vector.nonce("servernonce"));
        let (text, data) = (vector.octets("text"), vector.octets("data"));
        let boxed = server.seal(Published, nonce, of_server, &text);
        let reply = BoxedReply { client: nonce, server: of_server, boxed };
        assert_eq!(reply.data(), data, "{} octets", text.len());
        let read = BoxedReply::read(&data).unwrap();
        assert_eq!(client.open(Published, read.client, read.server, &read.boxed), Some(text));
        assert_eq!(read, reply);
    }
}
