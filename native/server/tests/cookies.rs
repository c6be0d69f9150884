//! Over UDP, a client that has shown no cookie of ours gets no more than it sent.

use domain::base::Rtype;
use domain::base::iana::{OptRcode, Rcode};
use domain::base::opt::cookie::Cookie;
use sotto_server::Unproven;
use tokio::net::TcpStream;

use crate::stage::clients::{datagram, exchange};
use crate::stage::messages::{Question, Reply, ask};
use crate::stage::{self, Stage};

const COOKIE: u16 = 10;
const CLIENT: [u8; 8] = *b"a client";

fn stage() -> Stage {
    Stage::with(|config| config.unproven = Unproven::Truncated)
}

fn with_cookie(name: &str, cookie: &[u8]) -> Vec<u8> {
    Question::new(1, name, Rtype::A).edns(1232, 0, &[(COOKIE, cookie)]).octets()
}

fn cookie(reply: &Reply) -> Vec<u8> {
    let cookie: Cookie = reply.0.opt().unwrap().opt().first().expect("a cookie");
    assert_eq!(cookie.client().into_octets(), CLIENT);
    let server = cookie.server().expect("ours, too");
    [&CLIENT[..], server.as_ref()].concat()
}

/// With a key whose name is the question's, and a signature without octets.
fn signed(mut question: Vec<u8>) -> Vec<u8> {
    question[11] = 1;
    question.extend(b"\xc0\x0c\0\xfa\0\xff\0\0\0\0\0\x1d\x0bhmac-sha256\0");
    question.extend(b"\0\0\x65\x53\xf1\0\x01\x2c\0\0\0\x01\0\0\0\0");
    question
}

fn is_truncated(reply: &Reply) -> bool {
    reply.0.header().tc()
}

#[tokio::test]
async fn without_a_cookie_an_answer_is_no_longer_than_its_question() {
    let stage = stage();
    for question in [
        ask(1, "www.test", Rtype::A),
        ask(1, "nope.test", Rtype::A),
        Question::new(1, "www.test", Rtype::ANY).edns(4096, 0x8000, &[]).octets(),
        Question::new(1, "elsewhere.example", Rtype::A).edns(4096, 0, &[]).octets(),
        Question::new(1, "starttls", Rtype::TXT).edns(4096, 0, &[]).octets(),
        signed(ask(1, "a-long-name-of-the-key.www.test", Rtype::A)),
    ] {
        let reply = datagram(stage.starttls(), &question).await;
        assert!(reply.octets() <= question.len(), "{} for {}", reply.octets(), question.len());
    }
    let padded = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[(12, &[0; 100])]).octets();
    let reply = datagram(stage.starttls(), &padded).await;
    assert!(!is_truncated(&reply) && reply.answers().len() == 2, "who sends as much gets all of it");
}

#[tokio::test]
async fn whoever_signs_learns_that_the_key_is_not_known() {
    let query = signed(ask(1, "key.test", Rtype::A));
    let reply = datagram(stage().starttls(), &query).await;
    assert_eq!(reply.rcode(), Rcode::NOTAUTH);
    // BADKEY, at the same place
    let mut error = query[query.len() - 4..].to_vec();
    error[1] = 17;
    assert_eq!(reply.0.as_slice()[26..], [&query[26..query.len() - 4], &error].concat());
}

#[tokio::test]
async fn a_client_s_cookie_alone_makes_no_response_longer_than_its_query() {
    let zone = stage();
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let behind = Stage::with(|config| {
        config.backend = stage::forwarding_to(silent.local_addr().unwrap());
        config.unproven = Unproven::Truncated;
    });
    let answering = std::thread::spawn(move || {
        let mut query = [0; 512];
        let (octets, from) = silent.recv_from(&mut query).unwrap();
        // NOERROR, with the question and the OPT that came
        query[2] |= 0x80;
        silent.send_to(&query[..octets], from).unwrap();
    });
    for (door, name, shown) in [
        (zone.starttls(), "www.test", &CLIENT[..]),
        (zone.starttls(), "nope.test", &CLIENT[..]),
        (zone.starttls(), "elsewhere.example", &CLIENT[..]),
        (zone.starttls(), "starttls", &CLIENT[..]),
        // a wrong one that is shorter than ours
        (zone.starttls(), "www.test", b"a clientanothers"),
        // malformed
        (zone.starttls(), "www.test", b"a client."),
        (behind.starttls(), "www.test", &CLIENT[..]),
    ] {
        let question = with_cookie(name, shown);
        let reply = datagram(door, &question).await;
        assert!(reply.octets() <= question.len(), "{name}: {} for {}", reply.octets(), question.len());
    }
    answering.join().unwrap();
}

#[tokio::test]
async fn a_client_that_sends_enough_gets_a_cookie_with_tc_and_then_everything() {
    let stage = stage();
    let options: [(u16, &[u8]); 2] = [(COOKIE, &CLIENT), (12, &[0; 12])];
    let question = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &options).octets();
    let first = datagram(stage.starttls(), &question).await;
    assert!(is_truncated(&first) && first.answers().is_empty());
    assert_eq!(first.octets(), question.len());
    let ours = cookie(&first);
    let second = datagram(stage.starttls(), &with_cookie("www.test", &ours)).await;
    assert!(!is_truncated(&second));
    assert_eq!(second.answers().len(), 2);
    cookie(&second);
}

#[tokio::test]
async fn a_wrong_cookie_is_said_to_be_one_and_replaced() {
    let stage = stage();
    let wrong = with_cookie("www.test", &[&CLIENT[..], &[1; 16]].concat());
    let reply = datagram(stage.starttls(), &wrong).await;
    assert_eq!(reply.0.opt().unwrap().rcode(reply.0.header()), OptRcode::BADCOOKIE);
    assert_eq!(reply.octets(), wrong.len());
    let again = datagram(stage.starttls(), &with_cookie("www.test", &cookie(&reply))).await;
    assert_eq!(again.answers().len(), 2);
}

#[tokio::test]
async fn over_tcp_no_cookie_is_needed_and_one_is_given() {
    let stage = stage();
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    let reply = exchange(&mut tcp, &with_cookie("www.test", &[&CLIENT[..], &[1; 16]].concat())).await;
    assert_eq!(reply.answers().len(), 2);
    let over_udp = datagram(stage.starttls(), &with_cookie("www.test", &cookie(&reply))).await;
    assert_eq!(over_udp.answers().len(), 2);
}

#[tokio::test]
async fn a_cookie_of_no_possible_length_is_malformed() {
    let stage = stage();
    for octets in [0, 7, 9, 15, 41] {
        let reply = datagram(stage.starttls(), &with_cookie("www.test", &vec![1; octets])).await;
        assert_eq!(reply.rcode(), Rcode::FORMERR, "{octets} octets");
    }
}

/// No question, and these options.
fn without_question(options: &[(u16, &[u8])]) -> Vec<u8> {
    let with_question = Question::new(1, ".", Rtype::A).edns(1232, 0, options).octets();
    let mut query = [&with_question[..12], &with_question[17..]].concat();
    query[5] = 0;
    query
}

/// RFC 7873 section 5.4
#[tokio::test]
async fn a_cookie_without_a_question_gets_one_of_ours() {
    let stage = stage();
    let wish = without_question(&[(COOKIE, &CLIENT)]);
    let reply = datagram(stage.starttls(), &wish).await;
    assert_eq!((reply.rcode(), reply.0.header_counts().qdcount()), (Rcode::NOERROR, 0));
    let ours = cookie(&reply);
    assert_eq!(ours.len(), 24);
    assert_eq!(reply.octets(), wish.len() + 16, "longer by our half of the cookie, as the manual says");
    let shown = with_cookie("www.test", &ours);
    assert_eq!(datagram(stage.starttls(), &shown).await.answers().len(), 2, "it is good for queries");
    let again = datagram(stage.starttls(), &without_question(&[(COOKIE, &ours)])).await;
    assert_eq!((again.rcode(), cookie(&again).len()), (Rcode::NOERROR, 24));
    for length in [8, 16, 32] {
        let wrong = without_question(&[(COOKIE, &[&CLIENT[..], &vec![9; length]].concat())]);
        let reply = datagram(stage.starttls(), &wrong).await;
        assert_eq!(reply.0.opt_rcode(), OptRcode::BADCOOKIE);
        assert!(cookie(&reply).len() == 24 && reply.octets() <= wrong.len() + 8);
    }
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    for _ in 0..40 {
        assert_eq!(exchange(&mut tcp, &wish).await.rcode(), Rcode::NOERROR, "it is no fault");
    }
    for bad in
        [without_question(&[]), without_question(&[(COOKIE, &CLIENT[..7])]), [&wish[..], &[0]].concat()]
    {
        assert_eq!(datagram(stage.starttls(), &bad).await.rcode(), Rcode::FORMERR, "{bad:02x?}");
    }
}
