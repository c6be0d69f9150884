//! Labels and character strings from anywhere, read as boxed queries and as replies. What is read is written as it was, and nothing opens.
#![no_main]

use std::sync::OnceLock;

use sotto_encdns::SecretKey;
use sotto_encdns::client::{Client, KeyUse};
use sotto_encdns::manners::manners;
use sotto_encdns::name::{BoxedQuery, Labels};
use sotto_encdns::reply::BoxedReply;

fn client() -> &'static Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    let server = SecretKey::from_octets([7; 32]).public();
    CLIENT.get_or_init(|| Client::new(server, vec![0], KeyUse::Session))
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    if let Some(query) = BoxedQuery::read(octets) {
        for labels in [Labels::Binary, Labels::Base32] {
            if let Ok(name) = query.name(&[0], labels) {
                assert_eq!(BoxedQuery::read(&name[..name.len() - 1]), Some(query.clone()));
            }
        }
    }
    if let Some(reply) = BoxedReply::read(octets) {
        assert_eq!(BoxedReply::read(&reply.data()), Some(reply));
    }
    let sealed = client().seal(&[1; 32], manners(None)[0], std::time::Instant::now()).expect("it fits");
    assert!(sealed.open(octets).is_err());
});
