//! The in-band exchange, octet by octet.

use domain::base::Rtype;
use sotto_server::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stage::Stage;
use crate::stage::clients::{datagram, dot, exchange, receive_octets, secure, send};
use crate::stage::messages::{ACCEPTED, DECLINED, STARTTLS, ask, framed, octets};

async fn reply_to(stage: &Stage, message: &[u8]) -> (TcpStream, Vec<u8>) {
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    send(&mut tcp, message).await;
    let reply = receive_octets(&mut tcp).await;
    (tcp, reply)
}

#[tokio::test]
async fn accepted_with_the_recorded_octets_and_then_tls() {
    let stage = Stage::new();
    let (tcp, reply) = reply_to(&stage, &octets(STARTTLS)).await;
    assert_eq!(reply.len(), 58);
    assert_eq!(reply, octets(ACCEPTED));
    let mut tls = secure(&stage, tcp).await;
    assert_eq!(tls.get_ref().1.alpn_protocol(), Some(&b"dot"[..]));
    let answer = exchange(&mut tls, &ask(7, "www.test", Rtype::AAAA)).await;
    assert_eq!(answer.answers(), ["www.test 300 AAAA 2001:db8::10"]);
    assert_eq!(stage.server.stats().starttls.accepted, 1);
}

#[tokio::test]
async fn accepted_in_any_case_of_the_name() {
    let stage = Stage::new();
    let mut question = octets(STARTTLS);
    question[13..21].make_ascii_lowercase();
    let (tcp, reply) = reply_to(&stage, &question).await;
    assert_eq!(reply[reply.len() - 4], 0x40, "the TO bit");
    secure(&stage, tcp).await;
}

#[tokio::test]
async fn accepted_for_a_client_that_knows_the_name_and_not_the_bit() {
    let stage = Stage::new();
    let question = octets(STARTTLS);
    let mut without_bit = question.clone();
    without_bit[33] = 0;
    let (tcp, reply) = reply_to(&stage, &without_bit).await;
    assert_eq!(reply, octets(ACCEPTED));
    secure(&stage, tcp).await;

    let mut without_opt = question[..26].to_vec();
    without_opt[11] = 0;
    let (tcp, reply) = reply_to(&stage, &without_opt).await;
    assert_eq!(reply[11], 0, "no OPT to a client without");
    assert!(reply.ends_with(b"\x08STARTTLS"));
    secure(&stage, tcp).await;

    let to_only = Stage::with(|config| config.signal = Signal::To);
    let (mut tcp, reply) = reply_to(&to_only, &without_bit).await;
    assert_eq!(reply, octets(DECLINED), "the draft's own rule");
    exchange(&mut tcp, &ask(2, "www.test", Rtype::A)).await;
}

#[tokio::test]
async fn declined_by_choice_leaves_a_clear_connection() {
    let stage = Stage::with(|config| config.signal = Signal::Decline);
    let (mut tcp, reply) = reply_to(&stage, &octets(STARTTLS)).await;
    assert_eq!(reply.len(), 56);
    assert_eq!(reply, octets(DECLINED));
    let answer = exchange(&mut tcp, &ask(8, "ns.test", Rtype::A)).await;
    assert_eq!(answer.answers(), ["ns.test 300 A 192.0.2.1"]);
}

#[tokio::test]
async fn to_alone_and_txt_alone_differ_in_what_they_say() {
    let to = Stage::with(|config| config.signal = Signal::To);
    let (tcp, reply) = reply_to(&to, &octets(STARTTLS)).await;
    assert!(!reply.windows(8).skip(24).any(|window| window == b"STARTTLS"), "no text to rely on");
    assert_eq!(reply[reply.len() - 4], 0x40);
    secure(&to, tcp).await;

    let txt = Stage::with(|config| config.signal = Signal::Txt);
    let (tcp, reply) = reply_to(&txt, &octets(STARTTLS)).await;
    assert!(reply.ends_with(&octets("085354415254544c53 0000291000000000000000")));
    secure(&txt, tcp).await;
}

#[tokio::test]
async fn declined_over_udp_whatever_the_bit_says() {
    let stage = Stage::new();
    let reply = datagram(stage.starttls(), &octets(STARTTLS)).await;
    assert!(reply.0.as_slice().windows(7).any(|window| window == b"\x06NO_TLS"));
    assert_eq!(reply.0.as_slice()[reply.octets() - 4], 0);
}

#[tokio::test]
async fn declined_later_on_a_connection() {
    let stage = Stage::new();
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    exchange(&mut tcp, &ask(1, "www.test", Rtype::A)).await;
    send(&mut tcp, &octets(STARTTLS)).await;
    assert_eq!(receive_octets(&mut tcp).await, octets(DECLINED));
    exchange(&mut tcp, &ask(2, "www.test", Rtype::A)).await;
    assert_eq!(stage.server.stats().starttls.accepted, 0);
}

#[tokio::test]
async fn declined_inside_tls() {
    let stage = Stage::new();
    let mut tls = dot(&stage).await;
    send(&mut tls, &octets(STARTTLS)).await;
    assert_eq!(receive_octets(&mut tls).await, octets(DECLINED));
    let (tcp, _) = reply_to(&stage, &octets(STARTTLS)).await;
    let mut tls = secure(&stage, tcp).await;
    send(&mut tls, &octets(STARTTLS)).await;
    assert_eq!(receive_octets(&mut tls).await, octets(DECLINED));
}

#[tokio::test]
async fn another_class_or_type_is_an_ordinary_question() {
    let stage = Stage::new();
    for (at, value) in [(23, 1), (25, 1)] {
        let mut question = octets(STARTTLS);
        question[at] = value;
        let (mut tcp, reply) = reply_to(&stage, &question).await;
        assert_eq!(reply[3] & 0xf, 5, "REFUSED");
        exchange(&mut tcp, &ask(2, "www.test", Rtype::A)).await;
    }
}

#[tokio::test]
async fn octets_pipelined_behind_the_question_end_the_connection() {
    let stage = Stage::new();
    for injected in [&framed(&ask(9, "www.test", Rtype::A))[..], b"\x16"] {
        let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
        let sent = [&framed(&octets(STARTTLS)), injected].concat();
        tcp.write_all(&sent).await.unwrap();
        let mut received = Vec::new();
        let _ = tcp.read_to_end(&mut received).await; // closed or reset
        assert!(received.is_empty(), "no reply to what may have been tampered with");
    }
    assert_eq!(stage.server.stats().starttls.injected, 2);
    assert_eq!(stage.server.stats().queries.tcp, 0, "the injected question was never read as one");
}

#[tokio::test]
async fn after_an_accepted_starttls_clear_dns_is_not_understood() {
    let stage = Stage::new();
    let (mut tcp, _) = reply_to(&stage, &octets(STARTTLS)).await;
    send(&mut tcp, &ask(9, "www.test", Rtype::A)).await;
    let mut received = Vec::new();
    let _ = tcp.read_to_end(&mut received).await;
    assert!(received.is_empty() || received[0] == 21, "at most a TLS alert, got {received:02x?}");
    stage.until(|stats| stats.handshakes.failed == 1).await;
    assert_eq!(stage.server.stats().queries.tcp, 0);
}

#[tokio::test]
async fn an_edns_version_of_the_future_is_not_an_acceptance() {
    let stage = Stage::new();
    let mut question = octets(STARTTLS);
    let version_at = question.len() - 5;
    question[version_at] = 1;
    let (_, reply) = reply_to(&stage, &question).await;
    assert_eq!(reply[reply.len() - 6], 1, "BADVERS in the extended RCODE");
    assert_eq!(reply[reply.len() - 4], 0, "and no TO bit");
}
