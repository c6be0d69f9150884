//! The published format, octet for octet, and boxes that were changed on the way.

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use proptest::prelude::*;
use sotto_encdns::extended::Asks;
use sotto_encdns::name::Format::{Extended, Published};
use sotto_encdns::name::{BoxedQuery, FIXED, Labels, most_text};
use sotto_encdns::reply::BoxedReply;
use sotto_encdns::{PublicKey, SecretKey};

const SERVER_SECRET: &str = "59a79183cc11d725c64df8005e784b8abe6908f053e1ac77bb022da250d36049";
const SERVER: &str = "f0c1e42b20bd6b9d930d2a95c083aa8147be457ff16192bbc7d5b1208985ee10";
const CLIENT: &str = "8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f";
const NONCE: &str = "000000000000000100112233";
const TEXT: &str = "beef0100000100000000000003777777076578616d706c6503636f6d0000010001";
const BOX: &str =
    "3760f2323c493e219744ef859f7bba6519464ec76b5c13e9b16cba7249e302e896eabba14a5c1381f4380787d7ae96851d";
/// The same text as a whole query in the extended format; computed by another implementation, from the description.
const EXTENDED_BOX: &str = "641b6e19b01c5b521ded278a28a39733040038d07323c1b474011fd66ffe40a337b3db43bc79d100a49881d0fc2a70ac9aff392a5ab23683a34ad43ebf61dfef77c93587bf9cc4e68ed22aa5e68ccbee";
const NAME: &str = "3f20455e8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f0000000000000001001122333760f2323c493e219744ef859f7bba652119464ec76b5c13e9b16cba7249e302e896eabba14a5c1381f4380787d7ae96851d03656e63076578616d706c6500";
const ZONE: &[u8] = b"\x03enc\x07example\0";

fn octets(hex: &str) -> Vec<u8> {
    HEXLOWER.decode(hex.as_bytes()).unwrap()
}

fn server() -> SecretKey {
    SecretKey::from_octets(octets(SERVER_SECRET).try_into().unwrap())
}

fn client() -> SecretKey {
    SecretKey::from_octets(std::array::from_fn(|at| at as u8))
}

fn published() -> BoxedQuery {
    let nonce = octets(NONCE).try_into().unwrap();
    let boxed = client().shared(&server().public()).seal(Published, nonce, [0; 12], &octets(TEXT));
    BoxedQuery { format: Published, client: client().public(), nonce, boxed }
}

#[test]
fn a_query_has_the_octets_that_were_published() {
    assert_eq!(
        (server().public().to_string(), client().public().to_string()),
        (SERVER.into(), CLIENT.into())
    );
    assert_eq!(PublicKey::parse(SERVER), Some(server().public()));
    let query = published();
    assert_eq!(HEXLOWER.encode(&query.boxed), BOX);
    assert_eq!(HEXLOWER.encode(&query.name(ZONE, Labels::Binary).unwrap()), NAME);
}

#[test]
fn a_query_of_the_extended_format_has_the_octets_that_were_described() {
    let parts = Asks::parts(&octets(TEXT), 176).unwrap();
    let nonce = octets(NONCE).try_into().unwrap();
    let boxed = client().shared(&server().public()).seal(Extended, nonce, [0; 12], &parts[0].write(176));
    assert_eq!((parts.len(), HEXLOWER.encode(&boxed)), (1, EXTENDED_BOX.into()));
}

#[test]
fn the_server_reads_it_from_either_labels_in_any_case() {
    for labels in [Labels::Binary, Labels::Base32] {
        let mut name = published().name(ZONE, labels).unwrap();
        name.truncate(name.len() - ZONE.len());
        if labels == Labels::Base32 {
            assert!(name[1..].starts_with(b"ebcv"));
            for (at, octet) in name.iter_mut().enumerate().filter(|(at, _)| at % 3 == 0) {
                // lengths stay: 63 and less are no letters in base32's alphabet but digits and signs
                if at % 64 != 0 {
                    octet.make_ascii_uppercase();
                }
            }
        }
        let read = BoxedQuery::read(&name).unwrap();
        assert_eq!(read, published());
        let shared = server().shared(&read.client);
        assert_eq!(shared.open(Published, read.nonce, [0; 12], &read.boxed), Some(octets(TEXT)));
    }
}

#[test]
fn a_response_is_for_this_query_and_this_client_alone() {
    let query = published();
    let shared = server().shared(&query.client);
    let boxed = shared.seal(Published, query.nonce, [5; 12], b"response");
    let reply = BoxedReply::read(&BoxedReply { client: query.nonce, server: [5; 12], boxed }.data()).unwrap();
    let ours = client().shared(&server().public());
    assert_eq!(
        ours.open(Published, query.nonce, reply.server, &reply.boxed).as_deref(),
        Some(&b"response"[..])
    );
    assert_eq!(ours.open(Published, query.nonce, [6; 12], &reply.boxed), None);
    assert_eq!(ours.open(Published, [0; 12], reply.server, &reply.boxed), None);
    let another = SecretKey::generate().unwrap().shared(&server().public());
    assert_eq!(another.open(Published, query.nonce, reply.server, &reply.boxed), None);
}

#[test]
fn each_changed_bit_is_found() {
    let query = published();
    let shared = server().shared(&query.client);
    for bit in 0..query.boxed.len() * 8 {
        let mut changed = query.boxed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(shared.open(Published, query.nonce, [0; 12], &changed), None, "bit {bit}");
    }
}

proptest! {
    #[test]
    fn what_fits_comes_back(text in prop::collection::vec(any::<u8>(), 0..=176), binary in any::<bool>()) {
        let labels = if binary { Labels::Binary } else { Labels::Base32 };
        let shared = client().shared(&server().public());
        let query = BoxedQuery {
            format: Published,
            client: client().public(),
            nonce: [1; 12],
            boxed: shared.seal(Published, [1; 12], [0; 12], &text),
        };
        let fits = text.len() <= most_text(ZONE.len(), labels).unwrap();
        let name = query.name(ZONE, labels);
        prop_assert_eq!(name.is_ok(), fits);
        if let Ok(name) = name {
            let read = BoxedQuery::read(&name[..name.len() - ZONE.len()]);
            prop_assert_eq!(read, Some(query));
        }
    }

    #[test]
    fn nothing_that_comes_breaks_it(octets in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = BoxedQuery::read(&octets);
        let _ = BoxedReply::read(&octets);
    }

    /// Random octets hardly ever begin as a boxed query does, so these do.
    #[test]
    fn whatever_follows_the_magic_is_read_or_refused(
        behind in prop::collection::vec(any::<u8>(), 0..250),
        label in 1_usize..=63,
        binary in any::<bool>(),
    ) {
        let octets = [b" E^", &behind[..]].concat();
        let written = if binary { octets } else { BASE32_NOPAD.encode(&octets).to_ascii_lowercase().into() };
        let labels: Vec<u8> =
            written.chunks(label).flat_map(|one| [&[one.len() as u8], one].concat()).collect();
        let read = BoxedQuery::read(&labels);
        prop_assert_eq!(read.is_some(), behind.len() + 3 >= FIXED);
        if let Some(query) = read {
            let opened = server().shared(&query.client).open(Published, query.nonce, [0; 12], &query.boxed);
            prop_assert_eq!(opened, None);
        }
    }

    #[test]
    fn a_reply_is_read_as_it_was_written(
        client in any::<[u8; 12]>(),
        server in any::<[u8; 12]>(),
        boxed in prop::collection::vec(any::<u8>(), 0..1500),
        cut in any::<prop::sample::Index>(),
    ) {
        let reply = BoxedReply { client, server, boxed };
        let data = reply.data();
        let _ = BoxedReply::read(&data[..cut.index(data.len())]);
        prop_assert_eq!(BoxedReply::read(&data), Some(reply));
    }
}
