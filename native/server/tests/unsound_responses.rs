//! Responses of resolvers that are broken, or only a part.

use std::net::SocketAddr;
use std::sync::Arc;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use sotto_server::{Backend, Forwarder, ServerAddress, Way};
use tokio::net::{TcpListener, UdpSocket};

use crate::stage::clients::{datagram, dot, exchange, receive_octets, send};
use crate::stage::messages::{Question, ask};
use crate::stage::resolver::{Over, resolver, with_address};
use crate::stage::{self, Stage, loopback};

const EXTENDED_ERROR: u16 = 15;

fn in_front_of(resolvers: &[String]) -> Stage {
    let resolvers = resolvers.iter().map(|text| ServerAddress::parse(text, Way::Udp).unwrap()).collect();
    let forwarder = Forwarder::new(resolvers, vec![], None).unwrap();
    Stage::with(|config| config.backend = Backend::Forward(Arc::new(forwarder)))
}

/// A resolver that answers each query with this behind the question, in so many records of the answer section.
async fn resolver_with(answers: u8, records: Vec<u8>) -> SocketAddr {
    let socket = UdpSocket::bind(loopback()).await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut query = [0; 512];
        loop {
            let (octets, from) = socket.recv_from(&mut query).await.unwrap();
            // without the OPT
            let mut response = query[..octets - 11].to_vec();
            (response[2], response[7], response[11]) = (0x81, answers, 0);
            response.extend(&records);
            socket.send_to(&response, from).await.unwrap();
        }
    });
    address
}

#[tokio::test]
async fn a_response_that_is_truncated_over_a_connection_is_not_handed_on() {
    let listener = TcpListener::bind(loopback()).await.unwrap();
    let resolver = format!("tcp://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut tcp, _) = listener.accept().await.unwrap();
        loop {
            let mut response = receive_octets(&mut tcp).await;
            response[2] |= 0x82;
            send(&mut tcp, &response).await;
        }
    });
    let stage = in_front_of(&[resolver]);
    let reply = exchange(&mut dot(&stage).await, &ask(7, "www.test", Rtype::A)).await;
    assert_eq!((reply.rcode(), reply.truncated()), (Rcode::SERVFAIL, false));
}

#[tokio::test]
async fn a_broken_response_is_not_handed_on() {
    let good = b"\xc0\x0c\0\x01\0\x01\0\0\0\x05\0\x04\x7f\0\0\x01".to_vec();
    let of = |kind: u8, data: &[u8]| [&good[..3], &[kind], &good[4..11], &[data.len() as u8], data].concat();
    let second = Stage::new();
    for (records, is_good) in [
        (good.clone(), true),
        (of(1, &[127, 0, 0]), false),
        (of(28, &[0; 4]), false),
        (of(5, &[0xc0, 0x30]), false),
        (of(16, &[9, b'a']), false),
        (of(15, &[0, 1]), false),
        ([&good[..], &[0]].concat(), false),
        ([&good[..5], &[3], &good[6..]].concat(), false),
        (good[..good.len() - 1].to_vec(), false),
        ([&[0xc0, 0x22][..], &good[2..]].concat(), false),
    ] {
        let first = resolver_with(1, records.clone()).await.to_string();
        let stage = in_front_of(std::slice::from_ref(&first));
        let question = Question::new(7, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
        let reply = exchange(&mut dot(&stage).await, &question).await;
        if is_good {
            assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOERROR, 1));
            continue;
        }
        assert_eq!(reply.rcode(), Rcode::SERVFAIL, "{records:02x?}");
        let error = reply.option(EXTENDED_ERROR).expect("with its reason");
        assert_eq!(error, b"\0\x17the server behind sent a malformed response", "{records:02x?}");
        assert_eq!(stage.server.behind().remove(0).down, None, "it is there");
        let stage = in_front_of(&[first, second.starttls().to_string()]);
        let reply = exchange(&mut dot(&stage).await, &question).await;
        assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOERROR, 2), "the next one is asked");
    }
}

/// Over TCP it is silent, or truncates as well.
#[tokio::test]
async fn the_next_resolver_is_asked_where_one_has_a_part_of_the_response_alone() {
    let second = Stage::new();
    for is_silent in [true, false] {
        let listener = TcpListener::bind(loopback()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let socket = UdpSocket::bind(address).await.unwrap();
        tokio::spawn(async move {
            let mut query = [0; 512];
            loop {
                let (octets, from) = socket.recv_from(&mut query).await.unwrap();
                query[2] |= 0x82;
                socket.send_to(&query[..octets], from).await.unwrap();
            }
        });
        tokio::spawn(async move {
            loop {
                let (mut tcp, _) = listener.accept().await.unwrap();
                let mut response = receive_octets(&mut tcp).await;
                if is_silent {
                    std::future::pending::<()>().await;
                }
                response[2] |= 0x82;
                send(&mut tcp, &response).await;
            }
        });
        let stage = in_front_of(&[address.to_string(), second.starttls().to_string()]);
        let reply = exchange(&mut dot(&stage).await, &ask(7, "www.test", Rtype::A)).await;
        assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOERROR, 2), "silent: {is_silent}");
    }
}

#[tokio::test]
async fn flags_without_a_meaning_do_not_cross() {
    let resolver = resolver(|_, question| {
        let mut answer = with_address(question);
        answer[3] |= 0x40;
        Some(answer)
    });
    let stage = stage::resolver::in_front_of(resolver.await);
    let reply = exchange(&mut dot(&stage).await, &ask(1, "www.test", Rtype::A)).await;
    assert_eq!((reply.0.as_slice()[3], reply.answers().len()), (0x80, 1));
}

/// Its client may have TCP to us, and the resolver has none.
#[tokio::test]
async fn what_a_resolver_without_tcp_truncates_is_for_clients_over_udp() {
    let resolver = resolver(|over, question| {
        let mut truncated = with_address(question);
        truncated[2] |= 0x02;
        (over == Over::Udp).then_some(truncated)
    });
    let stage = stage::resolver::in_front_of(resolver.await);
    let question = ask(1, "www.test", Rtype::A);
    let reply = datagram(stage.starttls(), &question).await;
    assert_eq!((reply.rcode(), reply.truncated(), reply.answers().len()), (Rcode::NOERROR, true, 1));
    let reply = exchange(&mut dot(&stage).await, &question).await;
    assert_eq!((reply.rcode(), reply.truncated()), (Rcode::SERVFAIL, false));
}
