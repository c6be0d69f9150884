//! What clients make the server hold has a bound: each of them alone, and all together.

use std::net::SocketAddr;
use std::time::Duration;

use domain::base::Rtype;
use rustls::{ALL_VERSIONS, ClientConnection};
use rustls_pki_types::ServerName;
use sotto_skip::clock::pass;
use sotto_skip::waiting::{until_found, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::stage::clients::{client_config, dot, exchange, receive_octets, secure, send};
use crate::stage::messages::{ask, framed};
use crate::stage::watching::{figures, value};
use crate::stage::{NAME, Stage, loopback};

const MEGABYTE: usize = 1 << 20;
const HOUR: Duration = Duration::from_secs(3600);

fn with_memory(octets: usize) -> Stage {
    Stage::with(|config| {
        config.metrics = Some(loopback());
        config.limits.memory = octets;
    })
}

async fn held(stage: &Stage) -> usize {
    value(&figures(stage).await, "sotto_server_held_bytes") as usize
}

/// Queries whose responses of 60 kB each nobody takes at first; the kernel's own buffers take a few megabytes of them.
async fn ask_for_much(stream: &mut (impl AsyncWriteExt + Unpin)) {
    let queries: Vec<u8> = (0..200).flat_map(|id| framed(&ask(id, "huge.test", Rtype::TXT))).collect();
    stream.write_all(&queries).await.unwrap();
    stream.flush().await.unwrap();
}

async fn until_held(stage: &Stage, octets: usize) {
    let is_held = async || (held(stage).await >= octets).then_some(());
    until_found("it is held", is_held).await;
}

/// With a small buffer, so that the server's kernel keeps little for it and always wants more.
async fn from(address: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
    socket.connect(to).await.unwrap()
}

#[tokio::test]
async fn whoever_takes_responses_only_as_fast_as_others_follow_makes_the_server_hold_no_more() {
    let stage = with_memory(256 * MEGABYTE);
    let mut slow = from("127.0.0.2", stage.starttls()).await;
    ask_for_much(&mut slow).await;
    until_held(&stage, 64 * 1024).await;
    for id in 200..500 {
        receive_octets(&mut slow).await;
        send(&mut slow, &ask(id, "huge.test", Rtype::TXT)).await;
    }
    let held = held(&stage).await;
    assert!((1..MEGABYTE).contains(&held), "18 MB have passed, and {held} are held");
    for _ in 0..200 {
        receive_octets(&mut slow).await;
    }
}

#[tokio::test]
async fn where_all_hold_too_much_the_largest_go_of_the_address_that_holds_most() {
    let stage = with_memory(2 * MEGABYTE);
    let mut polite = dot(&stage).await;
    let mut slow = secure(&stage, from("127.0.0.2", stage.dot()).await).await;
    ask_for_much(&mut slow).await;
    until_held(&stage, 64 * 1024).await;

    let mut greedy = vec![];
    for _ in 0..40 {
        let mut stream = TcpStream::connect(stage.starttls()).await.unwrap();
        ask_for_much(&mut stream).await;
        greedy.push(stream);
    }
    stage.until(|stats| stats.memory_wanted >= 10).await;
    assert!(held(&stage).await <= 2 * MEGABYTE);
    assert_eq!(exchange(&mut polite, &ask(9, "www.test", Rtype::A)).await.id(), 9);
    for _ in 0..200 {
        receive_octets(&mut slow).await;
    }
    let mut reading = JoinSet::new();
    for mut stream in greedy {
        reading.spawn(async move { stream.read_to_end(&mut vec![]).await });
    }
    let first = within("the end of one of them", reading.join_next()).await.unwrap().unwrap();
    assert_eq!(first.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(stage.server.stats().slow_readers_cut, 0);
}

fn hello(stage: &Stage) -> Vec<u8> {
    let name = ServerName::try_from(NAME).unwrap();
    let mut client = ClientConnection::new(client_config(stage, ALL_VERSIONS).into(), name).unwrap();
    let mut octets = vec![];
    client.write_tls(&mut octets).unwrap();
    octets
}

#[tokio::test]
async fn handshakes_that_nobody_finishes_count() {
    let stage = with_memory(2 * MEGABYTE);
    let mut polite = dot(&stage).await;
    let mut slow = from("127.0.0.2", stage.dot()).await;
    let hello = hello(&stage);
    let (beginning, rest) = hello.split_at(hello.len() / 2);
    slow.write_all(beginning).await.unwrap();

    // a handshake message of 16 kB in one record, without its last octet
    let endless = [&[22, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xfc][..], &[0; 16_379]].concat();
    let mut greedy = vec![];
    for _ in 0..120 {
        let mut stream = TcpStream::connect(stage.dot()).await.unwrap();
        // it may be one of those that have to go
        let _ = stream.write_all(&endless).await;
        greedy.push(stream);
    }
    stage.until(|stats| stats.memory_wanted >= 10).await;
    assert!(held(&stage).await <= 2 * MEGABYTE);
    assert_eq!(exchange(&mut polite, &ask(9, "www.test", Rtype::A)).await.id(), 9);
    slow.write_all(rest).await.unwrap();
    assert_eq!(slow.read_u8().await.unwrap(), 22, "its handshake goes on");
}

#[tokio::test]
async fn a_first_message_that_never_ends_counts() {
    let stage = with_memory(2 * MEGABYTE);
    let endless = [&[255, 255][..], &[0; 60_000]].concat();
    let mut greedy = vec![];
    for _ in 0..60 {
        let mut stream = TcpStream::connect(stage.starttls()).await.unwrap();
        let _ = stream.write_all(&endless).await;
        greedy.push(stream);
    }
    stage.until(|stats| stats.memory_wanted >= 10).await;
    assert!(held(&stage).await <= 2 * MEGABYTE);
}

#[tokio::test]
async fn a_server_that_stops_holds_no_more_than_before() {
    let stage = Stage::with(|config| {
        config.limits.memory = 2 * MEGABYTE;
        config.delay = HOUR.into();
        config.limits.drain = HOUR * 2;
    });
    let mut greedy = vec![];
    for _ in 0..2 {
        let mut stream = TcpStream::connect(stage.starttls()).await.unwrap();
        ask_for_much(&mut stream).await;
        greedy.push(stream);
    }
    stage.until(|stats| stats.queries.tcp == 400).await;
    assert_eq!(stage.server.stats().memory_wanted, 0);
    let stopping = tokio::spawn(stage.server.stop());
    while !stopping.is_finished() {
        pass(HOUR).await;
    }
    assert!(stopping.await.unwrap().memory_wanted > 0);
    for mut stream in greedy {
        let whole = stream.read_to_end(&mut vec![]).await;
        assert_eq!(whole.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    }
}
