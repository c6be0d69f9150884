//! In front of a resolver that responds as the test tells it to.

use std::net::SocketAddr;
use std::sync::Arc;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use tokio::io::AsyncWriteExt;
use tokio::net::UdpSocket;

use crate::stage::clients::{datagram, dot, exchange, receive};
use crate::stage::messages::{Question, ask, framed};
use crate::stage::resolver::{Over, in_front_of, resolver, response, with_address};
use crate::stage::{self, Stage, nobody};

const EXTENDED_ERROR: u16 = 15;
const COOKIE: u16 = 10;
const PADDING: u16 = 12;

#[tokio::test]
async fn an_answer_is_passed_on_octet_by_octet_with_the_clients_own_id() {
    let stage = in_front_of(resolver(|_, question| Some(with_address(question))).await);
    let question = ask(0x4242, "WwW.test", Rtype::A);
    let reply = exchange(&mut dot(&stage).await, &question).await;
    assert_eq!(reply.0.as_slice(), with_address(&question));
}

#[tokio::test]
async fn nothing_but_the_do_bit_and_extended_errors_cross() {
    let (seen, mut questions) = tokio::sync::mpsc::unbounded_channel();
    let resolver = resolver(move |_, question| {
        seen.send(question.to_vec()).unwrap();
        let mut answer = with_address(question);
        answer[11] = 1;
        answer.extend(b"\0\0\x29\x10\0\0\0\x80\0\0\x1a");
        answer.extend(b"\0\x0a\0\x08COOKIES!");
        answer.extend(b"\0\x0f\0\x06\0\x03late");
        answer.extend(b"\0\x0c\0\0");
        Some(answer)
    });
    let stage = in_front_of(resolver.await);
    let options: &[(u16, &[u8])] =
        &[(COOKIE, b"my-cooky"), (PADDING, &[0; 9]), (8, &[0, 1, 24, 0, 192, 0, 2])];
    let question = Question::new(1, "www.test", Rtype::A).edns(1232, 0x8000, options).octets();
    let reply = exchange(&mut dot(&stage).await, &question).await;
    assert_eq!(reply.option(EXTENDED_ERROR).unwrap(), b"\0\x03late");
    let cookie = reply.option(COOKIE).unwrap();
    assert!(cookie.starts_with(b"my-cooky") && cookie.len() == 24, "this hop's own, not the resolver's");
    assert_eq!(reply.octets(), 468, "padded for this hop");
    assert!(reply.0.opt().unwrap().dnssec_ok());

    let forwarded = questions.recv().await.unwrap();
    assert!(
        forwarded.ends_with(b"\0\0\x29\x04\xd0\0\0\x80\0\0\0"),
        "an OPT without options: {forwarded:02x?}"
    );

    let plain = exchange(&mut dot(&stage).await, &ask(1, "www.test", Rtype::A)).await;
    assert!(plain.0.opt().is_none(), "a client without EDNS gets none");
    assert_eq!(plain.answers().len(), 1);
}

#[tokio::test]
async fn answers_leave_in_the_order_in_which_the_resolver_gave_them() {
    let (seen, mut questions) = tokio::sync::mpsc::unbounded_channel::<(Vec<u8>, SocketAddr)>();
    let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let stage = in_front_of(socket.local_addr().unwrap());
    let receiving = socket.clone();
    tokio::spawn(async move {
        let mut question = [0; 512];
        loop {
            let (octets, from) = receiving.recv_from(&mut question).await.unwrap();
            seen.send((question[..octets].to_vec(), from)).unwrap();
        }
    });
    let mut tls = dot(&stage).await;
    let both = [framed(&ask(1, "first.test", Rtype::A)), framed(&ask(2, "second.test", Rtype::A))].concat();
    tls.write_all(&both).await.unwrap();
    tls.flush().await.unwrap();
    let mut pending = [questions.recv().await.unwrap(), questions.recv().await.unwrap()];
    pending.sort_by_key(|(question, _)| question[12] == b"first".len() as u8);
    let ports = pending.each_ref().map(|(_, from)| from.port());
    assert_ne!(ports[0], ports[1], "a port for each question");
    for (id, (question, from)) in [(2, &pending[0]), (1, &pending[1])] {
        socket.send_to(&with_address(question), from).await.unwrap();
        assert_eq!(receive(&mut tls).await.id(), id);
    }
}

#[tokio::test]
async fn no_more_questions_reach_the_resolver_than_may_be_in_flight() {
    const MOST: u16 = 4;
    const ALL: u16 = 40;
    let resolver = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = resolver.local_addr().unwrap();
    let stage = Stage::with(|config| {
        config.backend = stage::forwarding_to(address);
        config.limits.in_flight = MOST.into();
    });
    let mut tls = dot(&stage).await;
    let questions: Vec<u8> = (0..ALL).flat_map(|id| framed(&ask(id, "www.test", Rtype::A))).collect();
    tls.write_all(&questions).await.unwrap();
    tls.flush().await.unwrap();
    let next = async || {
        let mut question = [0; 512];
        let (octets, from) = resolver.recv_from(&mut question).await.unwrap();
        (question[..octets].to_vec(), from)
    };
    let answer = async |(question, from): (Vec<u8>, SocketAddr)| {
        resolver.send_to(&with_address(&question), from).await.unwrap();
    };
    for _ in 0..ALL / MOST {
        let mut in_flight = Vec::new();
        for _ in 0..MOST {
            in_flight.push(next().await);
        }
        // one from elsewhere comes behind whatever was sent before
        let of_another = ask(77, "another.test", Rtype::A);
        let behind = async {
            let last = next().await;
            assert!(last.0.windows(7).any(|part| part == b"another"), "more than {MOST} are in flight");
            answer(last).await;
        };
        let (reply, ()) = tokio::join!(datagram(stage.starttls(), &of_another), behind);
        assert_eq!(reply.id(), 77);
        for one in in_flight {
            answer(one).await;
        }
    }
    for _ in 0..ALL {
        receive(&mut tls).await;
    }
}

#[tokio::test]
async fn a_truncated_answer_is_asked_for_again_over_tcp() {
    let resolver = resolver(|over, question| {
        if over == Over::Tcp {
            return Some(with_address(question));
        }
        let mut truncated = response(question, 0, 0);
        truncated[2] |= 0x02;
        Some(truncated)
    });
    let stage = in_front_of(resolver.await);
    let reply = exchange(&mut dot(&stage).await, &ask(1, "www.test", Rtype::A)).await;
    assert_eq!((reply.truncated(), reply.answers().len()), (false, 1));
}

#[tokio::test]
async fn an_answer_too_large_for_a_datagram_is_truncated_for_it() {
    let resolver = resolver(|over, question| {
        let mut answer = response(question, 100, 0);
        for last in 0..100 {
            answer.extend(b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02");
            answer.push(last);
        }
        if over == Over::Udp {
            answer = response(question, 0, 0);
            answer[2] |= 0x02;
        }
        Some(answer)
    });
    let stage = in_front_of(resolver.await);
    let question = || Question::new(1, "www.test", Rtype::A).edns(4096, 0, &[]).octets();
    let reply = datagram(stage.starttls(), &question()).await;
    assert!(reply.truncated() && reply.answers().is_empty() && reply.0.opt().is_some());
    assert_eq!(exchange(&mut dot(&stage).await, &question()).await.answers().len(), 100);
    // musl before 1.2.4 knows neither EDNS nor TCP
    let old = datagram(stage.starttls(), &ask(1, "www.test", Rtype::A)).await;
    assert!(old.truncated() && old.octets() <= 512 && old.0.opt().is_none());
    let fitting = (512 - 12 - 14) / 16;
    assert_eq!(old.answers().len(), fitting);
}

#[tokio::test]
async fn a_forged_answer_is_ignored_and_the_real_one_taken() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let stage = in_front_of(socket.local_addr().unwrap());
    tokio::spawn(async move {
        let mut question = [0; 512];
        let (octets, from) = socket.recv_from(&mut question).await.unwrap();
        let real = with_address(&question[..octets]);
        let mut forged = real.clone();
        *forged.last_mut().unwrap() = 66;
        let mut wrong_id = forged.clone();
        wrong_id[0] ^= 1;
        let mut wrong_name = forged;
        wrong_name[13] ^= 1;
        for answer in [&wrong_id, &wrong_name, &real] {
            socket.send_to(answer, from).await.unwrap();
        }
    });
    let reply = exchange(&mut dot(&stage).await, &ask(77, "www.test", Rtype::A)).await;
    assert_eq!((reply.id(), reply.answers()), (77, vec!["www.test 60 A 192.0.2.5".to_owned()]));
}

#[tokio::test]
async fn that_a_resolver_does_not_respond_is_told_in_general_words() {
    let stage = in_front_of(nobody());
    let question = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
    let reply = exchange(&mut dot(&stage).await, &question).await;
    assert_eq!(reply.rcode(), Rcode::SERVFAIL);
    let error = reply.option(EXTENDED_ERROR).unwrap();
    assert_eq!(error[..2], 23u16.to_be_bytes());
    let text = String::from_utf8(error[2..].to_vec()).unwrap();
    assert_eq!(text, "the server behind does not respond");
    let down = stage.server.behind().remove(0).down.expect("it rests");
    assert!(down.contains("refused"), "{down}");
}

#[tokio::test]
async fn that_a_response_is_malformed_is_told_in_general_words() {
    let resolver = resolver(|_, question| {
        let mut answer = response(question, 1, 0);
        answer.extend(b"\xc0");
        Some(answer)
    });
    let stage = in_front_of(resolver.await);
    let question = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
    let reply = exchange(&mut dot(&stage).await, &question).await;
    assert_eq!(reply.rcode(), Rcode::SERVFAIL);
    assert_eq!(reply.option(EXTENDED_ERROR).unwrap(), b"\0\x17the server behind sent a malformed response");
}
