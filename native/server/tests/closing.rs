//! Which side closes when, and which clients are cut off.

use std::io::ErrorKind;
use std::pin::pin;
use std::time::Duration;

use domain::base::Rtype;
use sotto_skip::clock::pass;
#[cfg(target_os = "linux")]
use sotto_skip::waiting::until_found;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stage::clients::{Tls, dot, exchange, receive, secure_with, send, tls_client};
use crate::stage::messages::{Question, ask, framed};
use crate::stage::{Stage, nobody};

/// A limit that no machine reaches by itself: a test lets this time pass.
const HOUR: Duration = Duration::from_secs(3600);

/// What comes after some of them.
async fn while_hours_pass<T>(comes: impl Future<Output = T>) -> T {
    let mut comes = pin!(comes);
    loop {
        tokio::select! {
            biased;
            it = &mut comes => return it,
            () = pass(HOUR) => {}
        }
    }
}

/// TLS ends in an orderly way while TCP is still open from the server's side.
async fn close_notify_without_fin(mut tls: Tls) -> TcpStream {
    assert_eq!(tls.read(&mut [0; 16]).await.unwrap(), 0, "close_notify, or this would be an error");
    let (tcp, _) = tls.into_inner();
    let after = tcp.try_read(&mut [0; 16]).unwrap_err();
    assert_eq!(after.kind(), ErrorKind::WouldBlock, "no FIN yet");
    tcp
}

#[tokio::test]
async fn an_idle_connection_gets_close_notify_and_the_client_closes_tcp() {
    let stage = Stage::with(|config| {
        config.limits.idle = HOUR;
        config.limits.farewell = HOUR;
    });
    let mut tls = dot(&stage).await;
    exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    pass(HOUR).await;
    let mut tcp = close_notify_without_fin(tls).await;
    let (client, server) = (tcp.local_addr().unwrap().port(), tcp.peer_addr().unwrap().port());
    tcp.shutdown().await.unwrap();
    assert_eq!(tcp.read(&mut [0; 16]).await.unwrap(), 0, "the server's FIN answers ours");
    drop(tcp);
    #[cfg(target_os = "linux")]
    assert_eq!(time_wait_port(client, server).await, client, "TIME-WAIT belongs to the client");
}

/// The local port of the end of this closed connection that is in TIME-WAIT.
#[cfg(target_os = "linux")]
async fn time_wait_port(client: u16, server: u16) -> u16 {
    const TIME_WAIT: &str = "06";
    let port = |address: &str| u16::from_str_radix(&address[address.len() - 4..], 16).unwrap();
    let look = async || {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        table.lines().skip(1).find_map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let (local, remote) = (port(fields[1]), port(fields[2]));
            let is_it =
                fields[3] == TIME_WAIT && [(client, server), (server, client)].contains(&(local, remote));
            is_it.then_some(local)
        })
    };
    until_found("an end in TIME-WAIT", look).await
}

#[tokio::test]
async fn a_client_that_keeps_tcp_open_is_waited_for_only_so_long() {
    let stage = Stage::with(|config| {
        config.limits.idle = HOUR;
        config.limits.farewell = HOUR;
    });
    let mut tls = dot(&stage).await;
    exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    pass(HOUR).await;
    let mut tcp = close_notify_without_fin(tls).await;
    pass(HOUR).await;
    assert_eq!(tcp.read(&mut [0; 16]).await.unwrap(), 0);
}

#[tokio::test]
async fn questions_in_flight_keep_a_connection_from_being_idle() {
    let stage = Stage::with(|config| {
        config.limits.idle = HOUR;
        config.delay = (HOUR * 5).into();
    });
    let mut tls = dot(&stage).await;
    send(&mut tls, &ask(3, "www.test", Rtype::A)).await;
    stage.until(|stats| stats.queries.tls == 1).await;
    for _ in 0..5 {
        pass(HOUR).await;
    }
    assert_eq!(receive(&mut tls).await.id(), 3);
}

#[tokio::test]
async fn half_a_question_does_not_keep_a_connection_open() {
    let stage = Stage::with(|config| {
        config.limits.idle = HOUR;
        config.limits.farewell = HOUR;
    });
    let mut tls = dot(&stage).await;
    exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    tls.write_all(&framed(&ask(3, "www.test", Rtype::A))[..20]).await.unwrap();
    tls.flush().await.unwrap();
    pass(HOUR).await;
    close_notify_without_fin(tls).await;
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    tcp.write_all(&[0]).await.unwrap();
    let ended = while_hours_pass(tcp.read(&mut [0; 16])).await;
    assert_eq!(ended.unwrap(), 0, "not even the first message was whole");
}

#[tokio::test]
async fn a_handshake_that_does_not_come_ends_the_connection() {
    let stage = Stage::with(|config| config.limits.handshake = HOUR);
    let mut tcp = TcpStream::connect(stage.dot()).await.unwrap();
    assert_eq!(while_hours_pass(tcp.read(&mut [0; 16])).await.unwrap(), 0);
    stage.until(|stats| stats.handshakes.failed == 1).await;
}

#[tokio::test]
async fn a_client_that_takes_no_answers_is_cut_off_and_others_are_served() {
    let stage = Stage::with(|config| {
        config.limits.stalled = HOUR;
        config.limits.idle = HOUR * 1000;
    });
    let mut greedy = dot(&stage).await;
    let mut clear = TcpStream::connect(stage.starttls()).await.unwrap();
    for stream in [&mut greedy as &mut dyn Stream, &mut clear] {
        let questions: Vec<u8> = (0..400).flat_map(|id| framed(&ask(id, "huge.test", Rtype::TXT))).collect();
        stream.write_all(&questions).await.unwrap();
        stream.flush().await.unwrap();
    }
    stage.until(|stats| stats.queries.tls > 0 && stats.queries.tcp > 0).await;
    while stage.server.stats().slow_readers_cut < 2 {
        pass(HOUR).await;
    }
    assert_eq!(exchange(&mut dot(&stage).await, &ask(9, "www.test", Rtype::A)).await.id(), 9);
    let mut rest = Vec::new();
    assert!(greedy.read_to_end(&mut rest).await.is_err(), "a reset, not a close_notify");
}

trait Stream: tokio::io::AsyncWrite + Unpin {}
impl<S: tokio::io::AsyncWrite + Unpin> Stream for S {}

#[tokio::test]
async fn where_all_wait_for_responses_one_more_is_closed_at_once() {
    let stage = Stage::with(|config| {
        config.limits.connections = 2;
        config.delay = Duration::from_secs(3600).into();
    });
    let mut both = [dot(&stage).await, dot(&stage).await];
    for stream in &mut both {
        send(stream, &ask(1, "www.test", Rtype::A)).await;
    }
    stage.until(|stats| stats.queries.tls == 2).await;
    let mut third = TcpStream::connect(stage.starttls()).await.unwrap();
    assert_eq!(third.read(&mut [0; 16]).await.unwrap_or(0), 0);
    stage.until(|stats| (stats.turned_away, stats.sent_away) == (1, 0)).await;
}

#[tokio::test]
async fn one_more_gets_the_place_of_the_one_that_has_been_idle_for_longest() {
    let stage = Stage::with(|config| config.limits.connections = 2);
    let [mut first, mut second] = [dot(&stage).await, dot(&stage).await];
    for stream in [&mut first, &mut second] {
        exchange(stream, &ask(1, "www.test", Rtype::A)).await;
    }
    let mut third = dot(&stage).await;
    exchange(&mut third, &ask(2, "www.test", Rtype::A)).await;
    assert_eq!(first.read(&mut [0; 16]).await.unwrap(), 0);
    drop(first);
    exchange(&mut second, &ask(3, "www.test", Rtype::A)).await;
    let stats = stage.server.stats();
    assert_eq!((stats.turned_away, stats.sent_away), (0, 1));
}

#[tokio::test]
async fn stopping_answers_what_is_in_flight_and_says_goodbye() {
    let stage = Stage::with(|config| {
        config.starttls = vec![nobody()];
        config.delay = HOUR.into();
        config.limits.drain = HOUR * 2;
        config.limits.farewell = HOUR * 2;
    });
    let mut busy = dot(&stage).await;
    let idle = dot(&stage).await;
    send(&mut busy, &ask(4, "www.test", Rtype::A)).await;
    stage.until(|stats| stats.queries.tls == 1).await;
    let starttls = stage.starttls();
    let stopping = tokio::spawn(stage.server.stop());
    drop(close_notify_without_fin(idle).await);
    pass(HOUR).await;
    assert_eq!(receive(&mut busy).await.id(), 4);
    drop(close_notify_without_fin(busy).await);
    assert_eq!(stopping.await.unwrap().queries.tls, 1);
    assert!(TcpStream::connect(starttls).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn whoever_has_just_come_is_still_answered_once() {
    let stage = Stage::new();
    let connected = TcpStream::connect(stage.dot()).await.unwrap();
    let mut secure = dot(&stage).await;
    let mut clear = TcpStream::connect(stage.starttls()).await.unwrap();
    stage.until(|stats| stats.connections == 3).await;
    let client = tls_client(&stage, rustls::ALL_VERSIONS);
    let stopping = tokio::spawn(stage.server.stop());
    let mut begun = secure_with(&client, connected).await;
    for stream in [&mut secure, &mut begun] {
        exchange(stream, &ask(5, "www.test", Rtype::A)).await;
    }
    exchange(&mut clear, &ask(6, "www.test", Rtype::A)).await;
    for stream in [secure, begun] {
        drop(close_notify_without_fin(stream).await);
    }
    assert_eq!(clear.read(&mut [0; 16]).await.unwrap(), 0);
    let stats = stopping.await.unwrap();
    assert_eq!((stats.queries.tls, stats.queries.tcp), (2, 1));
}

#[tokio::test]
async fn what_was_asked_before_a_stop_is_answered_though_it_had_no_room_yet() {
    let stage = Stage::with(|config| {
        config.limits.in_flight = 2;
        config.delay = HOUR.into();
        config.limits.drain = HOUR * 1000;
    });
    let mut tls = dot(&stage).await;
    let queries: Vec<u8> = (0..6).flat_map(|id| framed(&ask(id, "www.test", Rtype::A))).collect();
    tls.write_all(&queries).await.unwrap();
    tls.flush().await.unwrap();
    stage.until(|stats| stats.queries.tls == 2).await;
    let stopping = tokio::spawn(stage.server.stop());
    for _ in 0..6 {
        while_hours_pass(receive(&mut tls)).await;
    }
    drop(close_notify_without_fin(tls).await);
    assert_eq!(stopping.await.unwrap().queries.tls, 6);
}

#[tokio::test]
async fn who_takes_responses_slowly_but_all_the_time_is_not_cut_off() {
    let stage = Stage::with(|config| {
        config.limits.stalled = HOUR;
        config.limits.idle = HOUR * 1000;
    });
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let tcp = socket.connect(stage.dot()).await.unwrap();
    let mut slow = secure_with(&tls_client(&stage, rustls::ALL_VERSIONS), tcp).await;
    let count = 150;
    let queries: Vec<u8> = (0..count).flat_map(|id| framed(&ask(id, "huge.test", Rtype::TXT))).collect();
    slow.write_all(&queries).await.unwrap();
    slow.flush().await.unwrap();
    for _ in 0..count {
        receive(&mut slow).await;
        pass(HOUR / 50).await;
    }
    assert_eq!(stage.server.stats().slow_readers_cut, 0);
}

#[tokio::test]
async fn a_stop_in_the_middle_of_queries_in_cleartext_drops_no_response_that_was_sent() {
    let stage = Stage::with(|config| config.limits.farewell = HOUR);
    let (mut responses_of, mut queries_to) = TcpStream::connect(stage.starttls()).await.unwrap().into_split();
    let queries: Vec<u8> = (0..4000).flat_map(|id| framed(&ask(id, "www.test", Rtype::A))).collect();
    let asking = tokio::spawn(async move { while queries_to.write_all(&queries).await.is_ok() {} });
    stage.until(|stats| stats.queries.tcp > 0).await;
    let stopping = tokio::spawn(stage.server.stop());
    let mut responses = Vec::new();
    responses_of.read_to_end(&mut responses).await.expect("no reset");
    asking.abort();
    drop(responses_of);
    let mut count = 0;
    let mut rest = &responses[..];
    while let Some((length, behind)) = rest.split_first_chunk() {
        (count, rest) = (count + 1, &behind[usize::from(u16::from_be_bytes(*length))..]);
    }
    assert_eq!(count, stopping.await.unwrap().queries.tcp);
}

#[tokio::test]
async fn a_query_before_what_is_no_dns_is_answered() {
    let later = Stage::with(|config| config.delay = Duration::from_millis(60).into());
    for stage in [Stage::new(), later] {
        for broken in [framed(&[0; 5]), framed(&ask(2, "www.test", Rtype::A)[..11]), framed(&[0x80; 40])] {
            let flight = [
                framed(&ask(1, "www.test", Rtype::A)),
                broken.clone(),
                framed(&ask(3, "www.test", Rtype::A)),
            ];
            let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
            tcp.write_all(&flight.concat()).await.unwrap();
            assert_eq!(receive(&mut tcp).await.id(), 1);
            assert_eq!(tcp.read(&mut [0]).await.unwrap(), 0, "nothing behind it is read");
            let mut tls = dot(&stage).await;
            tls.write_all(&flight.concat()).await.unwrap();
            assert_eq!(receive(&mut tls).await.id(), 1);
            assert_eq!(tls.read(&mut [0]).await.unwrap(), 0, "with a close_notify");
        }
    }
}

/// RFC 8906 section 3.1.4: their senders may wait for these responses as well.
#[tokio::test]
async fn a_fault_before_what_is_no_dns_has_its_response() {
    let stage = Stage::new();
    let fault = |id| {
        let mut message = ask(id, "www.test", Rtype::A);
        message[2] |= 4 << 3;
        framed(&message)
    };
    let cookie_alone =
        framed(&Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[(10, &[7; 8])]).octets());
    let cookie_alone = [&[0, 35][..], &cookie_alone[2..6], &[0; 7], &[1], &cookie_alone[28..]].concat();
    let many = (1..=17).flat_map(fault).collect();
    for (begins, responses) in [(fault(1), 1), (cookie_alone, 1), (many, 17)] {
        let flight = [begins, vec![0, 0], framed(&ask(99, "www.test", Rtype::A))].concat();
        let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
        tcp.write_all(&flight).await.unwrap();
        let mut tls = dot(&stage).await;
        tls.write_all(&flight).await.unwrap();
        for id in 1..=responses {
            assert_eq!(receive(&mut tcp).await.id(), id);
            assert_eq!(receive(&mut tls).await.id(), id);
        }
        assert_eq!(tcp.read(&mut [0]).await.unwrap(), 0, "and no reset");
        assert_eq!(tls.read(&mut [0]).await.unwrap(), 0, "with a close_notify");
    }
}
