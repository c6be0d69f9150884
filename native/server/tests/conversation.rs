//! Many queries on one connection, and the OPT of their responses.

use std::collections::HashSet;
use std::time::Duration;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};

use crate::stage::Stage;
use crate::stage::clients::{datagram, dot, exchange, receive, send};
use crate::stage::messages::{Question, ask, framed};

const KEEPALIVE: u16 = 11;
const PADDING: u16 = 12;

#[tokio::test]
async fn a_thousand_pipelined_questions_are_answered_out_of_order() {
    let stage = Stage::with(|config| config.delay = "1ms-50ms".parse().unwrap());
    let mut tls = dot(&stage).await;
    let questions: Vec<u8> = (0..1000).flat_map(|id| framed(&ask(id, "www.test", Rtype::AAAA))).collect();
    tls.write_all(&questions).await.unwrap();
    tls.flush().await.unwrap();
    let mut ids = Vec::new();
    for _ in 0..1000 {
        let reply = receive(&mut tls).await;
        assert_eq!(reply.answers().len(), 1);
        ids.push(reply.id());
    }
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 1000, "each one once");
    assert!(!ids.is_sorted(), "an equal delay for all would keep the order");
}

#[tokio::test]
async fn more_questions_than_may_be_in_flight_wait_and_are_answered() {
    let stage = Stage::with(|config| {
        config.limits.in_flight = 3;
        config.delay = Duration::from_millis(1).into();
    });
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    let questions: Vec<u8> = (0..200).flat_map(|id| framed(&ask(id, "www.test", Rtype::A))).collect();
    tcp.write_all(&questions).await.unwrap();
    for id in 0..200 {
        assert_eq!(receive(&mut tcp).await.id(), id, "an equal delay keeps the order");
    }
}

#[tokio::test]
async fn answers_already_asked_for_arrive_after_the_client_has_finished_sending() {
    let stage = Stage::with(|config| config.delay = Duration::from_millis(5).into());
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    send(&mut tcp, &ask(5, "www.test", Rtype::A)).await;
    tcp.shutdown().await.unwrap();
    assert_eq!(receive(&mut tcp).await.id(), 5);
}

#[tokio::test]
async fn a_question_that_arrives_octet_by_octet_is_answered() {
    let stage = Stage::new();
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    tcp.set_nodelay(true).unwrap();
    for octet in framed(&ask(5, "www.test", Rtype::A)) {
        tcp.write_all(&[octet]).await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(receive(&mut tcp).await.id(), 5);
}

#[tokio::test]
async fn answers_are_padded_when_the_question_was_and_only_inside_tls() {
    let stage = Stage::new();
    let padded = || Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[(PADDING, &[0; 40])]).octets();
    let plain = || Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
    let mut tls = dot(&stage).await;
    assert_eq!(exchange(&mut tls, &padded()).await.octets(), 468);
    let medium = Question::new(1, "medium.test", Rtype::TXT).edns(1232, 0, &[(PADDING, &[])]).octets();
    let medium = exchange(&mut tls, &medium).await.octets();
    assert!(medium > 4000 && medium % 468 == 0, "{medium}");
    assert!(exchange(&mut tls, &plain()).await.option(PADDING).is_none(), "not asked for");
    let without_edns = exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    assert!(without_edns.0.opt().is_none());

    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    assert!(exchange(&mut tcp, &padded()).await.option(PADDING).is_none(), "clear TCP");
    assert!(datagram(stage.starttls(), &padded()).await.option(PADDING).is_none(), "UDP");
}

#[tokio::test]
async fn the_idle_time_is_told_to_who_asks_on_a_stream() {
    let stage = Stage::with(|config| config.limits.idle = Duration::from_secs(37));
    let question = || Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[(KEEPALIVE, &[])]).octets();
    let told = Some(370u16.to_be_bytes().to_vec());
    assert_eq!(exchange(&mut dot(&stage).await, &question()).await.option(KEEPALIVE), told);
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    assert_eq!(exchange(&mut tcp, &question()).await.option(KEEPALIVE), told);
    let unasked = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
    assert_eq!(exchange(&mut tcp, &unasked).await.option(KEEPALIVE), None);
    assert_eq!(datagram(stage.starttls(), &question()).await.option(KEEPALIVE), None, "never over UDP");
}

#[tokio::test]
async fn a_64_kilobyte_answer_fits_a_stream_and_not_a_datagram() {
    let stage = Stage::new();
    for id in 0..20 {
        let reply = exchange(&mut dot(&stage).await, &ask(id, "huge.test", Rtype::TXT)).await;
        assert!(reply.octets() > 60_000 && !reply.truncated());
        assert_eq!(reply.answers().len(), 260);
    }
    let reply = datagram(stage.starttls(), &ask(1, "huge.test", Rtype::TXT)).await;
    assert!(reply.truncated() && reply.octets() <= 512 && reply.answers().len() == 1, "what fits of it");
    let sized = Question::new(1, "huge.test", Rtype::TXT).edns(1232, 0, &[]).octets();
    let reply = datagram(stage.starttls(), &sized).await;
    assert!(reply.truncated() && reply.answers().is_empty(), "who knows EDNS knows TCP");
}

#[tokio::test]
async fn a_datagram_has_the_size_the_client_can_take_up_to_1232() {
    let stage = Stage::new();
    let sized = |size| Question::new(1, "medium.test", Rtype::TXT).edns(size, 0, &[]).octets();
    for size in [0, 512, 1232, 65_535] {
        let reply = datagram(stage.starttls(), &sized(size)).await;
        assert!(reply.truncated() && reply.octets() <= 1232 && reply.0.opt().is_some(), "{size}");
    }
    let small = datagram(stage.starttls(), &ask(1, "www.test", Rtype::A)).await;
    assert!(!small.truncated() && small.answers().len() == 2);
}

#[tokio::test]
async fn questions_nobody_should_ask_get_the_code_that_says_why() {
    let stage = Stage::new();
    let rcode = async |message: Vec<u8>| datagram(stage.starttls(), &message).await.rcode();
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut message = ask(1, "www.test", Rtype::A);
        change(&mut message);
        message
    };
    assert_eq!(rcode(changed(|m| m[5] = 2)).await, Rcode::FORMERR, "two questions announced");
    assert_eq!(rcode(changed(|m| m[5] = 0)).await, Rcode::FORMERR, "none announced");
    assert_eq!(rcode(changed(|m| m[2] |= 0x20)).await, Rcode::NOTIMP, "NOTIFY");
    assert_eq!(rcode(changed(|m| m.push(0))).await, Rcode::FORMERR, "an octet too many");
    assert_eq!(rcode(ask(1, "test", Rtype::AXFR)).await, Rcode::REFUSED);
    assert_eq!(rcode(ask(1, "www.example.net", Rtype::A)).await, Rcode::REFUSED);
    assert_eq!(rcode(ask(1, "www.test", Rtype::from_int(128))).await, Rcode::FORMERR, "NXNAME");
    let mut future = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
    let version_at = future.len() - 5;
    future[version_at] = 1;
    let reply = datagram(stage.starttls(), &future).await;
    assert_eq!(reply.0.opt().unwrap().rcode(reply.0.header()).to_int(), 16, "BADVERS");
}

#[tokio::test]
async fn a_frame_too_short_for_a_header_ends_the_connection() {
    let stage = Stage::new();
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    exchange(&mut tcp, &ask(1, "www.test", Rtype::A)).await;
    tcp.write_all(&[0, 3, 1, 2, 3]).await.unwrap();
    let mut rest = Vec::new();
    let _ = tokio::io::AsyncReadExt::read_to_end(&mut tcp, &mut rest).await;
    assert!(rest.is_empty());
}

#[tokio::test]
async fn a_response_is_not_answered_and_ends_the_connection() {
    let stage = Stage::new();
    let mut response = ask(1, "www.test", Rtype::A);
    response[2] |= 0x80;
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    send(&mut tcp, &response).await;
    assert!(read_to_end(&mut tcp).await.is_empty());
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(&response, stage.starttls()).await.unwrap();
    socket.send_to(&ask(2, "www.test", Rtype::A), stage.starttls()).await.unwrap();
    let mut reply = [0; 512];
    socket.recv(&mut reply).await.unwrap();
    assert_eq!(reply[..2], [0, 2], "the first reply is to the first question");
}

#[tokio::test]
async fn endless_garbage_ends_the_connection() {
    let stage = Stage::new();
    // what a browser would send, cut into frames of its own
    let garbage = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100_000);
    for mut stream in [
        Box::new(TcpStream::connect(stage.starttls()).await.unwrap()) as Box<dyn Both>,
        Box::new(dot(&stage).await),
    ] {
        stream.write_all(&garbage).await.ok();
        let said = read_to_end(&mut stream).await;
        assert!(said.len() <= 17 * 14, "{} octets in answer to garbage", said.len());
    }
}

trait Both: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin {}
impl<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin> Both for S {}

/// Everything that arrives until the connection ends, however it ends.
async fn read_to_end(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> Vec<u8> {
    let mut said = Vec::new();
    let _ = tokio::io::AsyncReadExt::read_to_end(stream, &mut said).await;
    said
}

#[tokio::test]
async fn an_error_has_an_opt_where_the_message_had_one() {
    let stage = Stage::new();
    let with_opt = |change: fn(&mut Vec<u8>)| {
        let mut message = Question::new(1, "www.test", Rtype::A).edns(1232, 0x8000, &[]).octets();
        change(&mut message);
        message
    };
    // header, question up to 26, OPT of eleven octets
    let rows: [(&str, Vec<u8>, u16); 6] = [
        (
            "QDCOUNT 0",
            with_opt(|m| {
                m.drain(12..m.len() - 11);
                m[5] = 0
            }),
            1,
        ),
        ("unknown opcode", with_opt(|m| m[2] |= 0x78), 4),
        (
            "unknown opcode and version",
            with_opt(|m| {
                let at = m.len() - 5;
                (m[2], m[at]) = (m[2] | 0x78, 1)
            }),
            16,
        ),
        (
            "two OPTs",
            with_opt(|m| {
                let again = m[m.len() - 11..].to_vec();
                m.extend(again);
                m[11] = 2
            }),
            1,
        ),
        (
            "an option past the end",
            with_opt(|m| {
                let at = m.len() - 1;
                m[at] = 4;
                m.extend([0, 100, 0, 9])
            }),
            1,
        ),
        ("trailing octets", with_opt(|m| m.extend([0x5a; 3])), 1),
    ];
    for (row, message, code) in rows {
        let reply = datagram(stage.starttls(), &message).await;
        let opt = reply.0.opt().unwrap_or_else(|| panic!("{row}: no OPT"));
        assert_eq!(
            (opt.rcode(reply.0.header()).to_int(), opt.dnssec_ok(), opt.version()),
            (code, true, 0),
            "{row}"
        );
    }
    let mut plain = ask(1, "www.test", Rtype::A);
    plain[2] |= 0x78;
    assert!(datagram(stage.starttls(), &plain).await.0.opt().is_none());
}

#[tokio::test]
async fn a_signed_question_is_told_that_its_key_is_unknown() {
    let stage = Stage::new();
    let mut signed = ask(0x4711, "www.test", Rtype::A);
    signed.extend(b"\x03key\xc0\x10\0\xfa\0\xff\0\0\0\0\0\x21");
    signed.extend(b"\x0bhmac-sha256\0\0\0\x65\x53\xf1\0\x01\x2c\0\x04abcd\x47\x11\0\0\0\0");
    signed[11] = 1;
    let reply = datagram(stage.starttls(), &signed).await;
    assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOTAUTH, 0));
    let octets = reply.0.as_slice();
    assert!(octets.ends_with(b"\0\0\x65\x53\xf1\0\x01\x2c\0\0\x47\x11\0\x11\0\0"), "BADKEY: {octets:02x?}");
    let mut cut = signed.clone();
    let signature = cut.len() - 11;
    cut[signature] = 9;
    assert_eq!(datagram(stage.starttls(), &cut).await.rcode(), Rcode::FORMERR);
    // a pointer to something that is not in the response
    signed[31] = 0x04;
    assert_eq!(datagram(stage.starttls(), &signed).await.rcode(), Rcode::FORMERR);
}

#[tokio::test]
async fn a_large_datagram_is_a_question() {
    let stage = Stage::new();
    let question = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[(PADDING, &[0; 60_000])]).octets();
    assert_eq!(datagram(stage.starttls(), &question).await.rcode(), Rcode::NOERROR);
}

/// The beginning of a ClientHello in a record of its own, and then something else.
#[tokio::test]
async fn a_handshake_that_breaks_off_within_a_message_gets_an_alert() {
    const BEGINNING: &[u8] = b"\x16\x03\x01\0\x08\x01\0\x01\xf4\x03\x03\x11\x22";
    let stage = Stage::new();
    for then in [&b"\x63\x03\x03\0\x01\0"[..], b"\x16\x03\x03\xff\xff\0", b"GET / HTTP/1.1\r\n\r\n"] {
        let mut tcp = TcpStream::connect(stage.dot()).await.unwrap();
        tcp.write_all(BEGINNING).await.unwrap();
        tcp.write_all(then).await.unwrap();
        let mut alert = [0; 5];
        tcp.read_exact(&mut alert).await.unwrap_or_else(|error| panic!("{then:?}: {error}"));
        assert_eq!(alert[0], 21, "{then:?}");
    }
    stage.until(|stats| stats.handshakes.failed == 3).await;
}

/// Each asks for one of ours.
#[tokio::test]
async fn some_key_updates_are_followed_and_a_storm_of_them_ends_its_connection() {
    let stage = Stage::new();
    let mut tls = dot(&stage).await;
    for _ in 0..3 {
        (0..10).for_each(|_| tls.get_mut().1.refresh_traffic_keys().unwrap());
        assert_eq!(exchange(&mut tls, &ask(7, "www.test", Rtype::A)).await.id(), 7);
    }
    (0..1000).for_each(|_| tls.get_mut().1.refresh_traffic_keys().unwrap());
    let _ = tls.flush().await;
    assert!(tls.read(&mut [0; 16]).await.is_err(), "the server has enough of it");
    exchange(&mut dot(&stage).await, &ask(8, "www.test", Rtype::A)).await;
}

#[tokio::test]
async fn who_asks_now_and_then_waits_for_few_of_those_who_ask_without_end() {
    const MANY: usize = 40;
    const EACH: usize = 1500;
    let stage = Stage::new();
    let mut polite = TcpStream::connect(stage.starttls()).await.unwrap();
    exchange(&mut polite, &ask(1, "www.test", Rtype::A)).await;
    let queries = framed(&ask(2, "www.test", Rtype::A)).repeat(EACH);
    let mut greedy = Vec::new();
    for _ in 0..MANY {
        let stream = TcpStream::connect(stage.starttls()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let sent = stream.try_write(&queries).unwrap();
        assert_eq!(sent, queries.len(), "the kernel takes all of it, before the server has had its turn");
        greedy.push(stream);
    }
    exchange(&mut polite, &ask(3, "www.test", Rtype::A)).await;
    let before = stage.server.stats().queries.tcp;
    for id in 0..10 {
        exchange(&mut polite, &ask(id, "www.test", Rtype::A)).await;
    }
    let between = stage.server.stats().queries.tcp - before;
    assert!(before < (MANY * EACH) as u64, "they still ask: {before}");
    assert!(between < 10 * 10 * 32, "each waits for a few turns, not for one of everybody: {between}");
}

#[tokio::test]
async fn many_datagrams_make_others_wait_for_a_batch_of_them() {
    let stage = Stage::new();
    // so that its socket has been met as empty
    datagram(stage.starttls(), &ask(0, "www.test", Rtype::A)).await;
    let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for id in 0..150 {
        client.send_to(&ask(id, "www.test", Rtype::A), stage.starttls()).unwrap();
    }
    let count = || stage.server.stats().queries.udp;
    let (mut before, mut most) = (count(), 0);
    while count() < 151 {
        tokio::task::yield_now().await;
        most = most.max(count() - before);
        before = count();
    }
    assert!(most <= 64, "{most} at once");
}
