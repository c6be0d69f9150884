//! What one network may do in a short time, and that it takes nothing from others.

use domain::base::Rtype;
use domain::base::opt::cookie::Cookie;
use sotto_server::Unproven;
use sotto_skip::waiting::until_found;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::time::Instant;

use crate::stage::clients::{datagram_from, exchange, send};
use crate::stage::messages::{Question, ask};
use crate::stage::{self, Stage};

/// A second's allowance is one, so that five are held.
const HELD: usize = 5;
/// The allowance comes back while a slow machine tries.
const TRIES: usize = 100;
const CLIENT: [u8; 8] = *b"a client";

async fn connect(stage: &Stage, from: &str) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
    socket.connect(stage.starttls()).await
}

/// A reset may come at any time, also before the client knows that it is connected.
async fn is_answered(tcp: std::io::Result<TcpStream>) -> bool {
    let Ok(mut tcp) = tcp else { return false };
    send_or_fail(&mut tcp).await && tcp.read_u16().await.is_ok()
}

async fn send_or_fail(tcp: &mut TcpStream) -> bool {
    let query = stage::messages::framed(&ask(1, "www.test", Rtype::A));
    tokio::io::AsyncWriteExt::write_all(tcp, &query).await.is_ok()
}

#[tokio::test]
async fn a_network_that_opens_too_many_connections_is_reset_and_others_are_not() {
    let stage = Stage::with(|config| config.limits.new_connections = 1);
    let mut answered = 0;
    while is_answered(connect(&stage, "127.0.0.1").await).await {
        answered += 1;
        assert!(answered < TRIES, "nobody was reset");
    }
    assert!(answered >= HELD, "{answered}");
    assert!(is_answered(connect(&stage, "127.0.0.2").await).await);
    let stats = stage.server.stats();
    assert_eq!((stats.too_many_new, stats.connections as usize), (1, answered + 1));
}

#[tokio::test]
async fn an_open_connection_goes_on_whatever_its_network_does() {
    let stage = Stage::with(|config| config.limits.new_connections = 1);
    let mut open = connect(&stage, "127.0.0.1").await.unwrap();
    let mut tries = 0;
    while is_answered(connect(&stage, "127.0.0.1").await).await {
        tries += 1;
        assert!(tries < TRIES);
    }
    for _ in 0..TRIES {
        exchange(&mut open, &ask(2, "www.test", Rtype::A)).await;
    }
}

/// How many of many queries got a response.
async fn asked_without_response(stage: &Stage, from: &str) -> u64 {
    let socket = UdpSocket::bind((from, 0)).await.unwrap();
    socket.connect(stage.starttls()).await.unwrap();
    let before = stage.server.stats().queries;
    for _ in 0..TRIES {
        socket.send(&ask(1, "www.test", Rtype::A)).await.unwrap();
    }
    let mut responses = 0;
    let each_is_decided = async || {
        while socket.try_recv(&mut [0; 512]).is_ok() {
            responses += 1;
        }
        let unanswered = stage.server.stats().queries.unanswered - before.unanswered;
        (responses + unanswered == TRIES as u64).then_some(())
    };
    until_found("each has its response or none", each_is_decided).await;
    responses
}

#[tokio::test]
async fn who_may_be_forged_gets_few_responses_and_who_shows_a_cookie_gets_all() {
    let stage = Stage::with(|config| {
        config.unproven = Unproven::Truncated;
        config.limits.unproven_responses = 1;
    });
    // padded, so that there is room for a cookie in the response
    let with_cookie = |cookie: &[u8]| {
        Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[(10, cookie), (12, &[0; 16])]).octets()
    };
    let first = datagram_from("127.0.9.1", stage.starttls(), &with_cookie(&CLIENT)).await;
    let server: Cookie = first.0.opt().unwrap().opt().first().unwrap();
    let cookie = [&CLIENT[..], server.server().unwrap().as_ref()].concat();

    let begun = Instant::now();
    let one = asked_without_response(&stage, "127.0.0.2").await;
    let neighbour = asked_without_response(&stage, "127.0.0.3").await;
    let held_and_new = HELD as u64 + begun.elapsed().as_secs() + 1;
    assert!((HELD as u64..=held_and_new).contains(&(one + neighbour)), "{one} and {neighbour}");
    assert!(asked_without_response(&stage, "127.0.1.2").await >= HELD as u64, "it has others");
    let all = datagram_from("127.0.9.1", stage.starttls(), &with_cookie(&cookie)).await;
    assert!(!all.0.header().tc() && !all.answers().is_empty());
    let mut tcp = connect(&stage, "127.0.0.2").await.unwrap();
    send(&mut tcp, &ask(3, "www.test", Rtype::A)).await;
    assert!(tcp.read_u16().await.is_ok());
}
