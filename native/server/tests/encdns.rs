//! The EncDNS zone: boxed queries over UDP and TCP, copies of them, and what else resolvers ask on the way.

use domain::base::iana::Rcode;
use domain::base::{Message, Rtype};
use sotto_encdns::name::Labels;
use sotto_wire::header;
use tokio::net::TcpStream;

use crate::stage::Stage;
use crate::stage::clients::{datagram, exchange};
use crate::stage::encdns::{Client, ZONE, txt, zone};
use crate::stage::messages::{Reply, ask};

fn stage() -> Stage {
    Stage::with(|config| config.encdns = Some(zone()))
}

fn addresses(message: &[u8]) -> Vec<String> {
    Reply(Message::from_octets(message.to_vec()).unwrap()).answers()
}

#[tokio::test]
async fn a_boxed_query_is_answered_in_a_box_over_udp_and_tcp() {
    let (stage, client) = (stage(), Client::new());
    let inner = ask(0xbeef, "www.test", Rtype::A);
    let plain = datagram(stage.starttls(), &inner).await;
    for (nonce, labels) in [(1, Labels::Binary), (2, Labels::Base32)] {
        let reply = datagram(stage.starttls(), &client.query(nonce, &inner, labels)).await;
        assert_eq!((reply.id(), reply.rcode()), (0x1234, Rcode::NOERROR));
        assert!(reply.0.header().aa());
        let response = client.open(nonce, &reply).unwrap();
        assert_eq!(response[..2], [0xbe, 0xef]);
        assert_eq!(addresses(&response), plain.answers());
    }
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    let reply = exchange(&mut tcp, &client.query(3, &inner, Labels::Binary)).await;
    assert_eq!(addresses(&client.open(3, &reply).unwrap()), plain.answers());
}

#[tokio::test]
async fn copies_of_a_query_get_the_same_reply() {
    let (stage, client) = (stage(), Client::new());
    let query = client.query(1, &ask(1, "www.test", Rtype::A), Labels::Base32);
    let mut other_case = query.clone();
    other_case[header::LENGTH + 1..header::LENGTH + 40].make_ascii_uppercase();
    let replies = tokio::join!(
        datagram(stage.starttls(), &query),
        datagram(stage.starttls(), &query),
        datagram(stage.starttls(), &other_case),
    );
    let data = [replies.0, replies.1, replies.2].map(|reply| txt(&reply));
    assert!(data[0].is_some() && data.iter().all(|one| *one == data[0]));
    let again = client.query(2, &ask(1, "www.test", Rtype::A), Labels::Base32);
    assert_ne!(txt(&datagram(stage.starttls(), &again).await), data[0], "another nonce is another query");
}

#[tokio::test]
async fn a_response_that_does_not_fit_comes_by_tcp() {
    let (stage, client) = (stage(), Client::new());
    let query = client.query(1, &ask(1, "medium.test", Rtype::TXT), Labels::Binary);
    let cut = datagram(stage.starttls(), &query).await;
    assert!(cut.truncated() && cut.answers().is_empty());
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    let whole = client.open(1, &exchange(&mut tcp, &query).await).unwrap();
    assert!(whole.len() > 1232);
}

#[tokio::test]
async fn what_does_not_open_is_servfail() {
    let (stage, client) = (stage(), Client::new());
    let good = client.query(1, &ask(1, "www.test", Rtype::A), Labels::Binary);
    let mut changed = good.clone();
    let last_of_box = good.len() - ZONE.len() - 16;
    changed[last_of_box] ^= 1;
    let reply = datagram(stage.starttls(), &changed).await;
    assert_eq!((reply.rcode(), txt(&reply)), (Rcode::SERVFAIL, None));
    assert!(client.open(1, &datagram(stage.starttls(), &good).await).is_some());
}

#[tokio::test]
async fn what_is_no_query_in_the_box_is_answered_as_it_would_be_outside() {
    let (stage, client) = (stage(), Client::new());
    let mut wrong = ask(7, "www.test", Rtype::A);
    wrong.push(0);
    for (nonce, text, rcode) in [
        (1, wrong, Rcode::FORMERR),
        (2, ask(7, "www.test", Rtype::AXFR), Rcode::REFUSED),
        (3, ask(7, "nothing.test", Rtype::A), Rcode::NXDOMAIN),
    ] {
        let reply = datagram(stage.starttls(), &client.query(nonce, &text, Labels::Binary)).await;
        let response = client.open(nonce, &reply).unwrap();
        assert_eq!(Message::from_octets(response).unwrap().header().rcode(), rcode);
    }
    let empty = datagram(stage.starttls(), &client.query(4, b"", Labels::Binary)).await;
    assert_eq!(client.open(4, &empty).as_deref(), Some(&b""[..]));
}

#[tokio::test]
async fn resolvers_on_their_way_find_a_zone_in_which_nothing_is_denied() {
    let (stage, client) = (stage(), Client::new());
    let address = stage.starttls();
    let soa = "enc.example 3600 SOA ns.enc.example. hostmaster.enc.example. 1 86400 7200 1209600 3600";
    for (name, kind, answers, authority) in [
        ("enc.example", Rtype::SOA, vec![soa], vec![]),
        ("enc.example", Rtype::NS, vec!["enc.example 86400 NS ns.enc.example."], vec![]),
        ("enc.example", Rtype::A, vec![], vec![soa]),
        ("ns.enc.example", Rtype::A, vec!["ns.enc.example 86400 A 192.0.2.1"], vec![]),
        ("ns.enc.example", Rtype::AAAA, vec![], vec![soa]),
        ("nothing.enc.example", Rtype::NS, vec![], vec![soa]),
        ("nothing.enc.example", Rtype::TXT, vec![], vec![soa]),
    ] {
        let reply = datagram(address, &ask(1, name, kind)).await;
        assert_eq!(reply.rcode(), Rcode::NOERROR, "{name} {kind}");
        assert!(reply.0.header().aa());
        assert_eq!(
            (reply.answers(), reply.authority()),
            (strings(&answers), strings(&authority)),
            "{name} {kind}"
        );
    }
    let mut not_txt = client.query(1, &ask(1, "www.test", Rtype::A), Labels::Binary);
    let kind = not_txt.len() - 11 - 4;
    not_txt[kind + 1] = 1;
    let reply = datagram(address, &not_txt).await;
    assert_eq!((reply.rcode(), reply.answers()), (Rcode::NOERROR, vec![]));
    assert_eq!(datagram(address, &ask(1, "www.test", Rtype::A)).await.rcode(), Rcode::NOERROR);
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
