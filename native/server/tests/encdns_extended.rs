//! The extended format of boxes: parts of queries and responses, padding, and puzzles.

use std::time::Instant;

use domain::base::iana::Rcode;
use domain::base::{Message, Rtype};
use sotto_encdns::client::{Client, KeyUse, Opened, Sealed, SealedBox};
use sotto_encdns::manners::{Manner, manners};
use sotto_encdns::name::{Format, Labels};
use sotto_encdns::puzzle::{Effort, Puzzle};
use sotto_encdns::{SecretKey, formats};
use sotto_server::EncDnsLimits;
use sotto_skip::clock;
use tokio::net::TcpStream;

use crate::stage::Stage;
use crate::stage::clients::{datagram, exchange};
use crate::stage::encdns::{Client as Published, ZONE, question, secret, txt, zone};
use crate::stage::messages::{Reply, ask};

const LONG: &str = "a-label-as-long-as-they-may-be-a-label-as-long-as-they-may-be-0";
const BOTH: [Labels; 2] = [Labels::Binary, Labels::Base32];

fn stage() -> Stage {
    Stage::with(|config| config.encdns = Some(zone()))
}

fn client_of(server: &SecretKey) -> Client {
    Client::new(server.public(), ZONE.to_vec(), KeyUse::Session)
}

fn client() -> Client {
    client_of(&secret())
}

fn manner(labels: Labels) -> Manner {
    manners(Some(labels), [Format::Extended; 3])[0]
}

fn seal(client: &Client, message: &[u8], labels: Labels, puzzle: Option<Puzzle>) -> Sealed {
    let effort = Effort::default();
    let puzzle = puzzle.map(|puzzle| (puzzle, &effort));
    client.seal(message, manner(labels), puzzle, Instant::now()).unwrap()
}

/// A name of 253 octets.
fn long_name() -> String {
    [LONG, LONG, LONG, &LONG[..56], "test"].join(".")
}

async fn ask_boxed(stage: &Stage, sealed: &Sealed, one: &SealedBox) -> Result<Opened, Rcode> {
    let reply = datagram(stage.starttls(), &question(&one.name)).await;
    assert!(reply.octets() <= 1232 && !reply.truncated());
    txt(&reply).map(|data| sealed.open(one, &data).unwrap()).ok_or(reply.rcode())
}

fn whole(opened: Result<Opened, Rcode>) -> Reply {
    match opened {
        Ok(Opened::Part { place: 0, count: 1, octets }) => Reply(Message::from_octets(octets).unwrap()),
        other => panic!("no whole response: {other:?}"),
    }
}

#[tokio::test]
async fn a_query_and_its_response_are_padded() {
    let (stage, client) = (stage(), client());
    let plain = datagram(stage.starttls(), &ask(7, "www.test", Rtype::A)).await;
    for labels in BOTH {
        let mut lengths = vec![];
        for name in ["www.test", "a.test", "any-other-name.test"] {
            let sealed = seal(&client, &ask(7, name, Rtype::A), labels, None);
            let reply = datagram(stage.starttls(), &question(&sealed.boxes[0].name)).await;
            lengths.push((sealed.boxes[0].name.len(), reply.octets()));
            let response = whole(Ok(sealed.open(&sealed.boxes[0], &txt(&reply).unwrap()).unwrap()));
            if name == "www.test" {
                assert_eq!(response.answers(), plain.answers());
            }
        }
        assert!(lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
    }
}

#[tokio::test]
async fn a_name_of_any_length_is_asked_for_in_parts_in_any_order() {
    let (stage, client) = (stage(), client());
    for (labels, count) in [(Labels::Binary, 2), (Labels::Base32, 4)] {
        for reversed in [false, true] {
            let sealed = seal(&client, &ask(7, &long_name(), Rtype::A), labels, None);
            assert_eq!(sealed.boxes.len(), count);
            let mut order: Vec<&SealedBox> = sealed.boxes.iter().collect();
            if reversed {
                order.reverse();
            }
            let (last, before) = order.split_last().unwrap();
            for one in before {
                assert_eq!(ask_boxed(&stage, &sealed, one).await, Ok(Opened::Held));
            }
            assert_eq!(whole(ask_boxed(&stage, &sealed, last).await).rcode(), Rcode::NXDOMAIN);
            // copies, which resolvers send
            assert_eq!(ask_boxed(&stage, &sealed, before[0]).await, Ok(Opened::Held));
            assert_eq!(whole(ask_boxed(&stage, &sealed, last).await).rcode(), Rcode::NXDOMAIN);
        }
    }
    assert_eq!(stage.server.stats().encdns.answered, 4);
}

#[tokio::test]
async fn parts_of_different_queries_make_none() {
    let (stage, client) = (stage(), client());
    let message = ask(7, &long_name(), Rtype::A);
    let [one, other] = [0, 1].map(|_| seal(&client, &message, Labels::Binary, None));
    assert_eq!(ask_boxed(&stage, &one, &one.boxes[0]).await, Ok(Opened::Held));
    assert_eq!(ask_boxed(&stage, &other, &other.boxes[1]).await, Ok(Opened::Held));
    assert_eq!(stage.server.stats().encdns.answered, 0);
    let elsewhere = seal(&client_of(&SecretKey::from_octets([8; 32])), &message, Labels::Binary, None);
    assert_eq!(ask_boxed(&stage, &elsewhere, &elsewhere.boxes[0]).await, Err(Rcode::SERVFAIL));
}

#[tokio::test]
async fn a_large_response_comes_in_parts_over_udp_and_whole_over_tcp() {
    let (stage, client) = (stage(), client());
    let message = ask(7, "medium.test", Rtype::TXT);
    for labels in BOTH {
        let sealed = seal(&client, &message, labels, None);
        let Ok(Opened::Part { place: 0, count, octets }) = ask_boxed(&stage, &sealed, &sealed.boxes[0]).await
        else {
            panic!("no first part")
        };
        assert!(count > 1);
        let mut response = octets;
        for place in 1..count {
            let wish = client.wish(&sealed, place, None).unwrap();
            match ask_boxed(&stage, &sealed, &wish).await {
                Ok(Opened::Part { place: at, octets, .. }) if at == place => response.extend(octets),
                other => panic!("part {place} is {other:?}"),
            }
        }
        let late = client.wish(&sealed, count, None).unwrap();
        assert_eq!(ask_boxed(&stage, &sealed, &late).await, Err(Rcode::SERVFAIL), "there is no such part");
        let sealed = seal(&client, &message, labels, None);
        let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
        let reply = exchange(&mut tcp, &question(&sealed.boxes[0].name)).await;
        let by_tcp = whole(Ok(sealed.open(&sealed.boxes[0], &txt(&reply).unwrap()).unwrap()));
        assert_eq!(by_tcp.0.as_slice(), response);
        assert!(response.len() > 1232);
    }
}

#[tokio::test]
async fn the_formats_are_told_inside_a_box_and_outside() {
    let (stage, published) = (stage(), Published::new());
    let asked = ask(7, "_encdns.enc.example", Rtype::TXT);
    let outside = datagram(stage.starttls(), &asked).await;
    assert_eq!(outside.answers(), ["_encdns.enc.example 3600 TXT \"formats=1,2\""]);
    let inside = datagram(stage.starttls(), &published.query(1, &asked, Labels::Binary)).await;
    let inside = Reply(Message::from_octets(published.open(1, &inside).unwrap()).unwrap());
    assert_eq!(inside.answers(), outside.answers());
    assert_eq!(formats::best(formats::RECORD), Format::Extended);
}

#[tokio::test]
async fn a_box_in_a_box_is_not_opened() {
    let (stage, published) = (stage(), Published::new());
    let nested = published.query(1, &ask(7, "www.test", Rtype::A), Labels::Binary);
    let nested = &nested[..nested.len() - 11];
    let sealed = client().seal(&without_opt(nested), manner(Labels::Binary), None, Instant::now()).unwrap();
    let (last, before) = sealed.boxes.split_last().unwrap();
    for one in before {
        assert_eq!(ask_boxed(&stage, &sealed, one).await, Ok(Opened::Held));
    }
    let response = whole(ask_boxed(&stage, &sealed, last).await);
    assert_eq!((response.rcode(), response.answers()), (Rcode::NOERROR, vec![]));
    assert_eq!(response.authority().len(), 1, "the zone's SOA");
}

fn without_opt(message: &[u8]) -> Vec<u8> {
    let mut message = message.to_vec();
    message[11] = 0;
    message
}

#[tokio::test]
async fn beyond_the_limit_of_a_resolver_a_client_may_work_for_its_answer() {
    clock::stands_still();
    let limits = EncDnsLimits { per_client: 0, per_resolver: 1 };
    let stage = Stage::with(|config| config.encdns = Some(zone().with_limits(limits)));
    let inner = ask(7, "www.test", Rtype::A);
    let flood = || async {
        let query = Published::new().query(1, &inner, Labels::Binary);
        datagram(stage.starttls(), &query).await.rcode()
    };
    while flood().await == Rcode::NOERROR {}
    let (client, computed) = (client(), stage.server.stats().encdns.shared_keys);
    let sealed = seal(&client, &inner, Labels::Binary, None);
    let Ok(Opened::Puzzle(puzzle)) = ask_boxed(&stage, &sealed, &sealed.boxes[0]).await else {
        panic!("no puzzle")
    };
    let copy = ask_boxed(&stage, &sealed, &sealed.boxes[0]).await;
    assert_eq!(copy, Ok(Opened::Puzzle(puzzle)), "not a matter of asking twice");
    assert_eq!(stage.server.stats().encdns.shared_keys, computed, "nothing is computed before");
    let solved = seal(&client, &inner, Labels::Binary, Some(puzzle));
    assert!(!whole(ask_boxed(&stage, &solved, &solved.boxes[0]).await).answers().is_empty());
    assert_eq!(flood().await, Rcode::SERVFAIL, "who does not work gets nothing");
}
