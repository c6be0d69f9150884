//! Servers behind: pools of resolvers over each way, and stub zones. What left how is counted at the other end.

use std::sync::Arc;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use sotto_server::{Backend, Forwarder, Queries, ServerAddress, Signal, StubZone, Way};
use sotto_skip::waiting::within;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, UdpSocket};

use crate::stage::clients::{Tls, dot, exchange, receive, receive_octets, send};
use crate::stage::messages::{ask, framed};
use crate::stage::{self, Stage, loopback, nobody};

const EXTENDED_ERROR: u16 = 15;

fn in_front_of(resolvers: &[String], stub_zones: &[String], roots: Option<&str>) -> Stage {
    let resolvers = resolvers.iter().map(|text| ServerAddress::parse(text, Way::Udp).unwrap()).collect();
    let stub_zones = stub_zones.iter().map(|text| StubZone::parse(text).unwrap()).collect();
    let forwarder = Forwarder::new(resolvers, stub_zones, roots).unwrap();
    Stage::with(|config| config.backend = Backend::Forward(Arc::new(forwarder)))
}

fn queries(behind: &Stage) -> Queries {
    behind.server.stats().queries
}

async fn www(client: &mut Tls) -> Rcode {
    exchange(client, &ask(7, "www.test", Rtype::A)).await.rcode()
}

#[tokio::test]
async fn each_way_is_taken_as_it_is_written() {
    let behind = Stage::new();
    let (plain, tls, pin) = (behind.starttls(), behind.dot(), behind.same_identity().pin);
    for (resolver, over) in [
        (format!("{plain}"), [1, 0, 0]),
        (format!("tcp://{plain}"), [0, 1, 0]),
        (format!("dot://{tls}#{}", stage::NAME), [0, 0, 1]),
        (format!("dot://{tls}"), [0, 0, 1]),
        (format!("tdns://{plain}#sha256/{pin}"), [0, 0, 1]),
    ] {
        let before = queries(&behind);
        let stage = in_front_of(std::slice::from_ref(&resolver), &[], Some(&behind.authority));
        let reply = exchange(&mut dot(&stage).await, &ask(7, "www.test", Rtype::A)).await;
        assert_eq!(reply.answers().len(), 2, "{resolver}");
        let now = queries(&behind);
        assert_eq!([now.udp - before.udp, now.tcp - before.tcp, now.tls - before.tls], over, "{resolver}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_the_right_one_gets_no_query() {
    let behind = Stage::new();
    let (plain, tls) = (behind.starttls(), behind.dot());
    let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    for (resolver, why) in [
        (format!("dot://{tls}#other.test"), "other.test"),
        (format!("dot://{tls}#{other}"), "pin"),
        (format!("tdns://{plain}#{other}"), "pin"),
    ] {
        let stage = in_front_of(std::slice::from_ref(&resolver), &[], Some(&behind.authority));
        let question = stage::messages::Question::new(7, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
        let reply = exchange(&mut dot(&stage).await, &question).await;
        assert_eq!(reply.rcode(), Rcode::SERVFAIL, "{resolver}");
        let error = reply.option(EXTENDED_ERROR).unwrap();
        assert_eq!(error, b"\0\x17the server behind could not be authenticated", "{resolver}");
        let down = stage.server.behind().remove(0).down.expect("it rests");
        assert!(down.contains(why), "the operator learns more: {down}");
    }
    // STARTTLS itself is asked for by a query, which holds no name
    assert_eq!(queries(&behind).tls + queries(&behind).udp, 0);
}

#[tokio::test]
async fn queries_share_a_connection_and_slow_ones_hold_nobody_up() {
    let behind = Stage::with(|config| config.delay = "1ms-60ms".parse().unwrap());
    let stage =
        in_front_of(&[format!("dot://{}#{}", behind.dot(), stage::NAME)], &[], Some(&behind.authority));
    let mut client = dot(&stage).await;
    let asked: Vec<u8> = (0..200).flat_map(|id| framed(&ask(id, "www.test", Rtype::A))).collect();
    client.write_all(&asked).await.unwrap();
    client.flush().await.unwrap();
    let mut order = Vec::new();
    for _ in 0..200 {
        let reply = receive(&mut client).await;
        assert_eq!(reply.answers().len(), 2);
        order.push(reply.id());
    }
    assert!(!order.is_sorted(), "responses come as the resolver gave them");
    order.sort_unstable();
    assert_eq!(order, (0..200).collect::<Vec<_>>(), "each query has its own");
    let stats = behind.server.stats();
    assert_eq!((stats.connections, stats.queries.tls), (1, 200));
}

#[tokio::test]
async fn the_next_resolver_is_asked_where_one_is_not_there() {
    let behind = Stage::new();
    let stage = in_front_of(
        &[
            format!("{}", nobody()),
            format!("tcp://{}", nobody()),
            format!("{}", nobody()),
            format!("dot://{}", nobody()),
            format!("{}", behind.starttls()),
        ],
        &[],
        None,
    );
    let mut client = dot(&stage).await;
    for _ in 0..20 {
        assert_eq!(www(&mut client).await, Rcode::NOERROR);
    }
    assert_eq!(queries(&behind).udp, 20);
}

#[tokio::test]
async fn a_resolver_that_came_back_is_asked_again() {
    let first = nobody();
    let second = Stage::new();
    let stage = in_front_of(&[first.to_string(), second.starttls().to_string()], &[], None);
    let mut client = dot(&stage).await;
    www(&mut client).await;
    let back = Stage::with(|config| config.starttls = vec![first]);
    // what it gets first is not a client's query, but one for the root
    let asked = async {
        while queries(&back).udp < 2 {
            assert_eq!(www(&mut client).await, Rcode::NOERROR);
        }
    };
    within("it rests, and is asked again", asked).await;
}

#[tokio::test]
async fn a_query_survives_the_end_of_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stage = in_front_of(&[format!("tcp://{}", listener.local_addr().unwrap())], &[], None);
    let mut client = dot(&stage).await;
    send(&mut client, &ask(7, "www.test", Rtype::A)).await;
    let (mut first, _) = listener.accept().await.unwrap();
    receive_octets(&mut first).await;
    drop(first);
    let (mut second, _) = listener.accept().await.unwrap();
    let mut response = receive_octets(&mut second).await;
    response[2] |= 0x80;
    let mut wrong = response.clone();
    wrong[0] ^= 1;
    // neither a fragment nor a response to somebody else's query does harm
    for message in [&b"x"[..], &wrong, &response] {
        send(&mut second, message).await;
    }
    assert_eq!(receive(&mut client).await.rcode(), Rcode::NOERROR);
}

#[tokio::test]
async fn a_server_that_closes_after_each_response_answers_all() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stage = in_front_of(&[format!("tcp://{}", listener.local_addr().unwrap())], &[], None);
    tokio::spawn(async move {
        loop {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let mut response = receive_octets(&mut tcp).await;
            response[2] |= 0x80;
            send(&mut tcp, &response).await;
        }
    });
    let mut client = dot(&stage).await;
    let asked: Vec<u8> = (0..50).flat_map(|id| framed(&ask(id, "www.test", Rtype::A))).collect();
    client.write_all(&asked).await.unwrap();
    client.flush().await.unwrap();
    for _ in 0..50 {
        assert_eq!(receive(&mut client).await.rcode(), Rcode::NOERROR);
    }
}

#[tokio::test]
async fn a_stub_zone_goes_to_its_authorities_without_recursion_and_its_ds_does_not() {
    let authority = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let resolver = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let zone = format!("sub.test=udp://{}", authority.local_addr().unwrap());
    let stage = in_front_of(&[resolver.local_addr().unwrap().to_string()], &[zone], None);
    let mut client = dot(&stage).await;
    for (name, kind, is_in_it) in [
        ("www.SUB.test", Rtype::A, true),
        ("sub.test", Rtype::SOA, true),
        ("sub.test", Rtype::DS, false),
        ("below.sub.test", Rtype::DS, true),
        ("test", Rtype::A, false),
        ("notsub.test", Rtype::A, false),
    ] {
        send(&mut client, &ask(7, name, kind)).await;
        let mut message = [0; 512];
        let server = if is_in_it { &authority } else { &resolver };
        let (octets, from) = server.recv_from(&mut message).await.unwrap();
        assert_eq!(message[2] & 1, u8::from(!is_in_it), "recursion desired for {name} {kind}");
        // authoritative, and a referral: without answers
        message[2] |= 0x84;
        server.send_to(&message[..octets], from).await.unwrap();
        let reply = receive(&mut client).await;
        assert!(
            reply.0.header().aa() && reply.0.header().rd() && reply.rcode() == Rcode::NOERROR,
            "{name} {kind}"
        );
    }
}

#[tokio::test]
async fn names_outside_of_all_stub_zones_are_refused_where_there_is_no_resolver() {
    let stage = in_front_of(&[], &["sub.test=udp://127.0.0.1:9".into()], None);
    let question = stage::messages::Question::new(7, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
    let reply = exchange(&mut dot(&stage).await, &question).await;
    assert_eq!(reply.rcode(), Rcode::REFUSED);
    assert_eq!(reply.option(EXTENDED_ERROR).unwrap()[..2], 20u16.to_be_bytes(), "not authoritative");
}

/// Asks until all that comes from now on is inside TLS.
async fn ask_until_private(client: &mut Tls, authority: &Stage) {
    let asked = async {
        while queries(authority).tls < 3 {
            assert_eq!(www(client).await, Rcode::NOERROR);
        }
    };
    within("it has TLS", asked).await;
}

#[tokio::test]
async fn an_authority_with_tls_gets_one_query_in_cleartext_and_then_none() {
    let authority = Stage::new();
    let stage = in_front_of(&[], &[format!("test={}", authority.starttls())], None);
    let mut client = dot(&stage).await;
    assert_eq!(www(&mut client).await, Rcode::NOERROR);
    assert_eq!(queries(&authority).udp, 1, "it did not wait for the probe");
    ask_until_private(&mut client, &authority).await;
    let before = queries(&authority);
    for _ in 0..50 {
        assert_eq!(www(&mut client).await, Rcode::NOERROR);
    }
    let now = queries(&authority);
    assert_eq!((now.udp, now.tls), (before.udp, before.tls + 50));
}

#[tokio::test]
async fn a_slow_response_is_no_reason_for_cleartext() {
    let authority = Stage::with(|config| config.delay = "1200ms".parse().unwrap());
    let stage = in_front_of(&[], &[format!("test={}", authority.starttls())], None);
    let mut client = dot(&stage).await;
    ask_until_private(&mut client, &authority).await;
    let before = queries(&authority).udp;
    assert_eq!(www(&mut client).await, Rcode::NOERROR, "it is slower than the first try has time");
    assert_eq!(queries(&authority).udp, before);
}

#[tokio::test]
async fn what_is_known_of_an_authority_serves_all_its_zones() {
    let authority = Stage::new();
    let at = authority.starttls();
    let stage = in_front_of(&[], &[format!("test={at}"), format!("www.test={at},{at}")], None);
    let mut client = dot(&stage).await;
    ask_until_private(&mut client, &authority).await;
    let before = queries(&authority).udp;
    exchange(&mut client, &ask(7, "ns.test", Rtype::A)).await;
    assert_eq!(queries(&authority).udp, before, "that it has TLS was learned with the other zone");
}

#[tokio::test]
async fn an_authority_without_tls_is_asked_in_cleartext_and_probed_once() {
    let authority = Stage::with(|config| config.signal = Signal::Decline);
    let stage = in_front_of(&[], &[format!("test={}", authority.starttls())], None);
    let mut client = dot(&stage).await;
    for _ in 0..50 {
        assert_eq!(www(&mut client).await, Rcode::NOERROR);
    }
    authority.until(|stats| stats.starttls.declined == 1).await;
    for _ in 0..50 {
        assert_eq!(www(&mut client).await, Rcode::NOERROR);
    }
    let stats = authority.server.stats();
    assert_eq!((stats.queries.udp, stats.starttls.declined), (100, 1));
}

#[tokio::test]
async fn an_authority_that_was_away_at_the_first_query_is_probed_when_it_is_back() {
    let place = nobody();
    let stage = in_front_of(&[], &[format!("test={place}")], None);
    let mut client = dot(&stage).await;
    assert_eq!(www(&mut client).await, Rcode::SERVFAIL);
    let authority = Stage::with(|config| config.starttls = vec![place]);
    ask_until_private(&mut client, &authority).await;
}

#[tokio::test]
async fn an_authority_that_loses_its_tls_is_asked_in_cleartext_at_once() {
    let place = nobody();
    let authority = Stage::with(|config| config.starttls = vec![place]);
    let stage = in_front_of(&[], &[format!("test={place}")], None);
    let mut client = dot(&stage).await;
    ask_until_private(&mut client, &authority).await;
    authority.server.stop().await;
    let authority = Stage::with(|config| {
        config.starttls = vec![place];
        config.signal = Signal::Decline;
        config.dot = vec![loopback()];
    });
    for _ in 0..10 {
        assert_eq!(www(&mut client).await, Rcode::NOERROR);
    }
    assert_eq!(queries(&authority).udp, 10);
}

#[tokio::test]
async fn an_authority_that_has_to_prove_itself_gets_nothing_in_cleartext() {
    let authority = Stage::with(|config| config.signal = Signal::Decline);
    let pin = authority.same_identity().pin;
    let zone = format!("test=tdns://{}#sha256/{pin}", authority.starttls());
    let stage = in_front_of(&[], &[zone], None);
    assert_eq!(www(&mut dot(&stage).await).await, Rcode::SERVFAIL);
    let stats = authority.server.stats();
    assert_eq!((stats.queries.udp, stats.queries.tls), (0, 0));
    assert_eq!(stats.queries.tcp, stats.starttls.declined, "STARTTLS alone");
}
