//! What holds for any octets.

use proptest::collection::vec;
use proptest::prelude::*;
use sotto_engine::wire::header::{self, Header};

use crate::check;

const ASKED: &str = "www.example";

/// A record of any kind: its owner is a pointer to anywhere, its lengths are right or wrong.
#[derive(Debug, Clone)]
struct Record {
    owner: Vec<u8>,
    kind: u16,
    class: u16,
    ttl: u32,
    lie: u16,
    data: Vec<u8>,
}

fn record() -> impl Strategy<Value = Record> {
    let owner = prop_oneof![
        4 => Just(vec![0xc0, 12]),
        2 => (0u8..=80).prop_map(|target| vec![0xc0, target]),
        1 => Just(vec![0]),
        1 => (0u8..=80).prop_map(|target| vec![1, b'a', 0xc0, target]),
        1 => vec(any::<u8>(), 1..8),
    ];
    let kind = prop_oneof![
        Just(1u16),
        Just(2),
        Just(5),
        Just(6),
        Just(15),
        Just(16),
        Just(28),
        Just(33),
        Just(39),
        Just(41),
        Just(41),
        Just(46),
        Just(64),
        Just(65),
        any::<u16>()
    ];
    let ttl = prop_oneof![Just(0u32), Just(300), Just(0x8000_0000), any::<u32>(), 0u32..0x1_0000];
    let lie = prop_oneof![9 => Just(0u16), 1 => any::<u16>()];
    let data = prop_oneof![
        vec(any::<u8>(), 0..40),
        (0u8..=90).prop_map(|target| vec![0xc0, target]),
        (any::<u8>(), 0u16..60).prop_map(|(octet, count)| option(15, &vec![octet; usize::from(count)])),
        (0u16..20, vec(any::<u8>(), 0..20)).prop_map(|(code, data)| option(code, &data)),
    ];
    (owner, kind, any::<bool>(), ttl, lie, data).prop_map(|(owner, kind, internet, ttl, lie, data)| Record {
        owner: if kind == 41 { vec![0] } else { owner },
        kind,
        class: if internet { 1 } else { 1232 },
        ttl: if kind == 41 { ttl & 0x00ff_ffff } else { ttl },
        lie,
        data,
    })
}

fn option(code: u16, data: &[u8]) -> Vec<u8> {
    [&code.to_be_bytes()[..], &(data.len() as u16).to_be_bytes(), data].concat()
}

/// A response to a query for `ASKED` with these records, spread over the sections, and with some octets changed.
fn said() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop_oneof![3 => Just(vec![]), 1 => vec((any::<u16>(), any::<u8>()), 1..4)];
    (vec(record(), 0..6), any::<[u8; 2]>(), 0u16..16, changes).prop_map(|(records, split, rcode, changes)| {
        let mut message = check::question(ASKED).query(7, header::QR | rcode);
        let count = records.len() as u16;
        let answers = u16::from(split[0]) % (count + 1);
        let authorities = u16::from(split[1]) % (count - answers + 1);
        let counts = [1, answers, authorities, count - answers - authorities];
        Header { id: 7, flags: header::QR | rcode, counts }.write(&mut message);
        for record in records {
            message.extend(record.owner);
            message.extend(record.kind.to_be_bytes());
            message.extend(record.class.to_be_bytes());
            message.extend(record.ttl.to_be_bytes());
            message.extend((record.data.len() as u16 ^ record.lie).to_be_bytes());
            message.extend(record.data);
        }
        let length = message.len();
        changes.into_iter().for_each(|(at, octet)| message[usize::from(at) % length] = octet);
        message
    })
}

/// What a client may put into a frame: a query, a query with some octets changed, or anything.
fn asked() -> impl Strategy<Value = Vec<u8>> {
    let query = any::<u16>().prop_map(|id| check::question(ASKED).query(id, header::RD));
    let odd = (said(), any::<u16>()).prop_map(|(mut message, flags)| {
        message[2..4].copy_from_slice(&(flags & 0x7fff).to_be_bytes());
        message
    });
    prop_oneof![3 => query, 1 => odd, 1 => said(), 1 => vec(any::<u8>(), 0..40)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_answer_reaches_the_client_whole_or_not_at_all(said in said()) {
        check::an_answer_reaches_the_client_whole_or_not_at_all(&said, ASKED);
    }

    #[test]
    fn any_octets_are_an_answer_or_none(said in vec(any::<u8>(), 0..200)) {
        check::an_answer_reaches_the_client_whole_or_not_at_all(&said, ".");
    }

    #[test]
    fn any_message_can_be_looked_at(message in said()) {
        check::any_message_can_be_looked_at(&message);
    }

    #[test]
    fn aliases_lead_to_the_same_end_when_composed(said in said(), own in prop_oneof![Just("."), Just("b.example")]) {
        check::aliases_lead_to_the_same_end_when_composed(&said, ASKED, own);
    }

    #[test]
    fn any_record_says_the_same_elsewhere(message in said()) {
        check::a_record_says_the_same_elsewhere(&message);
    }

    #[test]
    fn any_client_gets_nothing_or_a_reply(mut message in said(), flags in any::<u16>(), asks in any::<bool>()) {
        if asks && message.len() > 4 {
            message[2..4].copy_from_slice(&(flags & 0x07ff).to_be_bytes());
        }
        check::a_client_gets_nothing_or_a_reply(&message);
    }

    #[test]
    fn any_octets_of_a_client_are_borne(message in vec(any::<u8>(), 0..64)) {
        check::a_client_gets_nothing_or_a_reply(&message);
    }

    #[test]
    fn only_an_acceptance_is_accepted(reply in vec(any::<u8>(), 0..80)) {
        check::only_an_acceptance_is_accepted(&reply);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_conversation_ends_and_answers_what_was_asked(
        said in vec(asked(), 0..6), noise in vec(any::<u8>(), 0..20), cuts in vec(any::<u8>(), 1..40), manners in any::<u8>(),
    ) {
        let framed = said.iter().flat_map(|said| [&(said.len() as u16).to_be_bytes()[..], said].concat());
        let mut octets = framed.chain(noise).collect::<Vec<_>>().into_iter();
        let mut pieces = vec![manners];
        for cut in cuts.iter().cycle().map(|cut| cut | 1) {
            if octets.len() == 0 {
                break;
            }
            pieces.push(cut);
            pieces.extend(octets.by_ref().take(usize::from(cut & 0x3f)));
        }
        check::a_conversation_ends_and_answers_what_was_asked(&pieces);
    }

    #[test]
    fn any_stream_answers_what_was_asked(said in vec(said(), 0..4), noise in vec(any::<u8>(), 0..20)) {
        let mut octets = Vec::new();
        for (index, mut message) in said.into_iter().enumerate() {
            message[0] = 0;
            message[1] = index as u8;
            octets.extend((message.len() as u16).to_be_bytes());
            octets.extend(message);
        }
        octets.extend(noise);
        check::a_stream_answers_what_was_asked(&octets);
    }
}

/// The generator must make both kinds, or the properties above prove nothing.
#[test]
fn the_generator_makes_answers_and_malformed_ones() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let messages: Vec<Vec<u8>> = (0..2000).map(|_| said().new_tree(&mut runner).unwrap().current()).collect();
    let good =
        messages.iter().filter(|said| check::an_answer_reaches_the_client_whole_or_not_at_all(said, ASKED));
    let bad = messages.iter().filter(|said| check::is_malformed(said, ASKED));
    assert!(good.count() > 200 && bad.count() > 200);
    let composed =
        messages.iter().filter(|said| check::aliases_lead_to_the_same_end_when_composed(said, ASKED, "."));
    let moved = messages.iter().filter(|said| check::a_record_says_the_same_elsewhere(said));
    assert!(composed.count() > 200 && moved.count() > 200);
}

#[test]
fn a_conversation_has_as_many_replies_as_it_has_queries() {
    let replies = |seed: &str| {
        let file = format!("{}/fuzz/corpus/conversation/{seed}", env!("CARGO_MANIFEST_DIR"));
        check::a_conversation_ends_and_answers_what_was_asked(&std::fs::read(file).unwrap())
    };
    let seeds = ["one", "pipelined", "octet-by-octet", "half", "deaf"].map(replies);
    assert_eq!(seeds, [1, 3, 1, 0, 0]);
}
