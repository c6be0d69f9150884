//! Labels, character strings and texts from anywhere, read as boxed queries, as replies, and as what stands in boxes. What is read is written
//! as it was, and nothing opens.
#![no_main]

use std::sync::OnceLock;

use sotto_encdns::SecretKey;
use sotto_encdns::client::{Client, KeyUse};
use sotto_encdns::extended::{Asks, Says};
use sotto_encdns::formats;
use sotto_encdns::manners::manners;
use sotto_encdns::name::{BoxedQuery, Format, Labels};
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
    if let Some(asks) = Asks::read(octets) {
        assert_eq!(Asks::read(&asks.write(200)), Some(asks));
    }
    if let Some(says) = Says::read(octets) {
        assert_eq!(Says::read(&says.write(200)), Some(says));
    }
    formats::best(octets);
    for format in [Format::Published, Format::Extended] {
        let [manner, ..] = manners(None, [format; 3]);
        let sealed = client().seal(&[1; 32], manner, None, std::time::Instant::now()).expect("it fits");
        assert!(sealed.open(&sealed.boxes[0], octets).is_err());
    }
});
