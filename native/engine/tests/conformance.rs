//! What RFC 8906 section 8 requires of a server, and the responses that this stub makes itself, row by row, over real sockets.

use sotto_engine::wire::edns::{Edns, OptWriter, option};
use sotto_engine::wire::header::{self, Header, rcode};
use sotto_engine::wire::question::Question;
use sotto_engine::wire::record::Records;
use sotto_engine::wire::types;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};

use crate::stage::messages::{
    Tap, changed, flags, plain, typed, with_opt, without_question, without_question_but,
};
use crate::stage::{self, Client, Stage};

const NO_OPT: Option<(u8, u16)> = None;

type Row = (&'static str, Vec<u8>, u16, u16, Option<(u8, u16)>);

#[tokio::test]
async fn each_kind_of_question_gets_what_the_texts_say() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    // row, message, response code, answers, version and flags of the response's OPT
    #[rustfmt::skip]
    let rows: Vec<Row> = vec![

        ("8.1.1 plain",                    plain(),                                                  rcode::NOERROR, 1, NO_OPT),
        ("8.1.2 unknown type",             typed("www.example", 1000, types::IN),                    rcode::NOERROR, 0, NO_OPT),
        ("8.1.3.1 CD",                     changed(|m| flags(m, header::CD)),                        rcode::NOERROR, 1, NO_OPT),
        ("8.1.3.2 AD",                     changed(|m| flags(m, header::AD)),                        rcode::NOERROR, 1, NO_OPT),
        ("8.1.3.3 reserved bit",           changed(|m| flags(m, 0x0040)),                            rcode::NOERROR, 1, NO_OPT),
        ("8.1.3.4 RD clear",               changed(|m| m[2] = 0),                                    rcode::REFUSED, 0, NO_OPT),
        ("AA, TC, RA and RCODE set",       changed(|m| flags(m, header::AA | header::TC | header::RA | 5)), rcode::NOERROR, 1, NO_OPT),
        ("8.1.4 unknown opcode",           changed(|m| flags(m, 15 << 11)),                          rcode::NOTIMP,  0, NO_OPT),
        ("8.1.4 IQUERY",                   changed(|m| flags(m, 1 << 11)),                           rcode::NOTIMP,  0, NO_OPT),
        ("STATUS",                         changed(|m| flags(m, 2 << 11)),                           rcode::NOTIMP,  0, NO_OPT),
        ("NOTIFY",                         changed(|m| flags(m, 4 << 11)),                           rcode::NOTIMP,  0, NO_OPT),
        ("UPDATE",                         changed(|m| flags(m, 5 << 11)),                           rcode::NOTIMP,  0, NO_OPT),
        ("DSO",                            changed(|m| flags(m, 6 << 11)),                           rcode::NOTIMP,  0, NO_OPT),
        ("8.2.1 EDNS",                     with_opt(&[], |_| {}),                                    rcode::NOERROR, 1, Some((0, 0))),
        ("8.2.2 unknown version",          with_opt(&[], |opt| opt[6] = 1),                          rcode::BADVERS, 0, Some((0, 0))),
        ("unknown version, highest",       with_opt(&[], |opt| opt[6] = 255),                        rcode::BADVERS, 0, Some((0, 0))),
        ("8.2.3 unknown option",           with_opt(&[(100, b"")], |_| {}),                          rcode::NOERROR, 1, Some((0, 0))),
        ("unknown option with data",       with_opt(&[(65001, b"abc")], |_| {}),                     rcode::NOERROR, 1, Some((0, 0))),
        ("8.2.4 unknown flags",            with_opt(&[], |opt| opt[7..9].copy_from_slice(&[0x7f, 0xff])), rcode::NOERROR, 1, Some((0, 0))),
        ("8.2.5 version and flags",        with_opt(&[], |opt| opt[6..9].copy_from_slice(&[1, 0, 0x40])), rcode::BADVERS, 0, Some((0, 0))),
        ("8.2.6 version and option",       with_opt(&[(100, b"")], |opt| opt[6] = 1),                rcode::BADVERS, 0, Some((0, 0))),
        ("8.2.7 DO",                       with_opt(&[], |opt| opt[7] = 0x80),                       rcode::NOERROR, 1, Some((0, 0x8000))),
        ("8.2.8 version and DO",           with_opt(&[], |opt| opt[6..8].copy_from_slice(&[1, 0x80])), rcode::BADVERS, 0, Some((0, 0x8000))),
        ("8.2.9 NSID",                     with_opt(&[(3, b"")], |_| {}),                            rcode::NOERROR, 1, Some((0, 0))),
        ("8.2.9 cookie",                   with_opt(&[(option::COOKIE, b"12345678")], |_| {}),       rcode::NOERROR, 1, Some((0, 0))),
        ("8.2.9 client subnet",            with_opt(&[(option::CLIENT_SUBNET, &[0, 1, 24, 0, 192, 0, 2])], |_| {}), rcode::NOERROR, 1, Some((0, 0))),
        ("padding",                        with_opt(&[(option::PADDING, &[0; 64])], |_| {}),         rcode::NOERROR, 1, Some((0, 0))),
        ("EDNS size 0",                    with_opt(&[], |opt| opt[3..5].copy_from_slice(&[0, 0])),  rcode::NOERROR, 1, Some((0, 0))),
        ("an option past the OPT's end",   with_opt(&[(100, b"abcd")], |opt| opt[14] = 99),          rcode::FORMERR, 0, Some((0, 0))),
        ("two OPTs",                       changed(|m| (0..2).for_each(|_| OptWriter::start(m, false, 0).finish())), rcode::FORMERR, 0, Some((0, 0))),
        ("an OPT with a name",             with_opt(&[], |_| {}).tap_named(), rcode::FORMERR, 0, Some((0, 0))),
        ("an OPT among the answers",       with_opt(&[], |_| {}).tap_answer(),                       rcode::FORMERR, 0, Some((0, 0))),
        ("QDCOUNT 0 and an OPT",           without_question(),                                       rcode::FORMERR, 0, Some((0, 0))),
        ("QDCOUNT 0, version 1",           without_question().tap(|m| m[18] = 1),                    rcode::BADVERS, 0, Some((0, 0))),
        ("QDCOUNT 2 and an OPT",           with_opt(&[], |_| {}).tap(|m| { m[5] = 2; let again = m[12..m.len() - 11].to_vec(); m.splice(12..12, again); }), rcode::FORMERR, 0, Some((0, 0))),
        ("unknown opcode and an OPT",      with_opt(&[], |opt| opt[7] = 0x80).tap(|m| flags(m, 15 << 11)), rcode::NOTIMP, 0, Some((0, 0x8000))),
        ("UPDATE and an OPT",              with_opt(&[], |_| {}).tap(|m| flags(m, 5 << 11)),         rcode::NOTIMP,  0, Some((0, 0))),
        ("trailing octets",                changed(|m| m.extend([0x5a; 7])),                         rcode::FORMERR, 0, NO_OPT),
        ("trailing octets behind an OPT",  with_opt(&[], |_| {}).tap(|m| m.push(0)),                 rcode::FORMERR, 0, Some((0, 0))),
        ("a cookie of 9 octets",           with_opt(&[(option::COOKIE, b"123456789")], |_| {}),      rcode::FORMERR, 0, Some((0, 0))),
        ("an empty cookie",                with_opt(&[(option::COOKIE, b"")], |_| {}),               rcode::FORMERR, 0, Some((0, 0))),
        ("a cookie with a server's part",  with_opt(&[(option::COOKIE, &[7; 24])], |_| {}),          rcode::NOERROR, 1, Some((0, 0))),
        ("a cookie alone (RFC 7873 5.4)",  without_question_but(&[(option::COOKIE, b"12345678")]),   rcode::NOERROR, 0, Some((0, 0))),
        ("a whole cookie alone",           without_question_but(&[(option::COOKIE, &[7; 24])]),      rcode::NOERROR, 0, Some((0, 0))),
        ("a cookie alone, too short",      without_question_but(&[(option::COOKIE, b"1234")]),       rcode::FORMERR, 0, Some((0, 0))),
        ("a cookie alone, version 1",      without_question_but(&[(option::COOKIE, b"12345678")]).tap(|m| m[18] = 1), rcode::BADVERS, 0, Some((0, 0))),
        ("a cookie alone, octets behind",  without_question_but(&[(option::COOKIE, b"12345678")]).tap(|m| m.push(0)), rcode::FORMERR, 0, Some((0, 0))),
        ("QDCOUNT 0 (RFC 9619)",           changed(|m| { m.truncate(12); m[5] = 0 }),                rcode::FORMERR, 0, NO_OPT),
        ("QDCOUNT 2 (RFC 9619)",           changed(|m| { m[5] = 2; let again = m[12..].to_vec(); m.extend(again) }), rcode::FORMERR, 0, NO_OPT),
        ("a question cut short",           changed(|m| m.truncate(20)),                              rcode::FORMERR, 0, NO_OPT),
        ("a record cut short",             changed(|m| m[7] = 1),                                    rcode::FORMERR, 0, NO_OPT),
        ("a pointer in the question",      changed(|m| { m.truncate(12); m.extend(b"\xc0\x0c\0\x01\0\x01") }), rcode::FORMERR, 0, NO_OPT),
        ("a pointer behind a label",       changed(|m| { m.truncate(12); m.extend(b"\x01a\xc0\x0c\0\x01\0\x01") }), rcode::FORMERR, 0, NO_OPT),
        ("an unknown label type",          changed(|m| m[12] = 0x43),                                rcode::FORMERR, 0, NO_OPT),
        ("a name of 256 octets",           changed(|m| { m.truncate(12); (0..4).for_each(|_| { m.push(63); m.extend([b'a'; 63]) }); m.extend(b"\0\0\x01\0\x01") }), rcode::FORMERR, 0, NO_OPT),
        ("AXFR",                           typed("example", types::AXFR, types::IN),                 rcode::REFUSED, 0, NO_OPT),
        ("IXFR",                           typed("example", types::IXFR, types::IN),                 rcode::REFUSED, 0, NO_OPT),
        ("MAILB",                          typed("example", 253, types::IN),                         rcode::NOTIMP,  0, NO_OPT),
        ("MAILA",                          typed("example", 254, types::IN),                         rcode::NOTIMP,  0, NO_OPT),
        ("TKEY",                           typed("example", 249, types::IN),                         rcode::NOTIMP,  0, NO_OPT),
        ("TSIG",                           typed("example", 250, types::IN),                         rcode::FORMERR, 0, NO_OPT),
        ("OPT as a type",                  typed("example", types::OPT, types::IN),                  rcode::FORMERR, 0, NO_OPT),
        ("type 0",                         typed("example", 0, types::IN),                           rcode::FORMERR, 0, NO_OPT),
        ("NXNAME (RFC 9824)",              typed("www.example", types::NXNAME, types::IN),           rcode::FORMERR, 0, NO_OPT),
        ("ANY (RFC 8482)",                 typed("www.example", types::ANY, types::IN),              rcode::NOERROR, 1, NO_OPT),
        ("class CH",                       typed("version.bind", types::TXT, types::CH),             rcode::REFUSED, 0, NO_OPT),
        ("class NONE",                     typed("www.example", types::A, 254),                      rcode::REFUSED, 0, NO_OPT),
        ("class ANY",                      typed("www.example", types::A, 255),                      rcode::REFUSED, 0, NO_OPT),
        ("class 0",                        typed("www.example", types::A, 0),                        rcode::REFUSED, 0, NO_OPT),
    ];
    for (row, message, code, answers, opt) in rows {
        let said = client.send(&message).await;
        let (asked, got) = (Header::read(&message).unwrap(), Header::read(&said.message).unwrap());
        let edns = Edns::find(&said.message).unwrap().map(|(edns, _)| edns);
        let extended = edns.as_ref().map_or(0, |edns| u16::from(edns.extended_rcode) << 4);
        assert_eq!((extended | got.rcode(), got.counts[1]), (code, answers), "{row}");
        assert_eq!(edns.as_ref().map(|edns| (edns.version, edns.flags)), opt, "{row}");
        assert_eq!((got.id, got.opcode(), got.is_response()), (asked.id, asked.opcode(), true), "{row}");
        let copied = header::RD | header::CD;
        assert_eq!(got.flags & copied, asked.flags & copied, "{row}");
        assert_eq!(
            got.flags & (0x0040 | header::AA | header::TC),
            0,
            "{row}: bits that are nobody's to echo"
        );
        assert!(edns.is_none_or(|edns| edns.keepalive.is_none() && !edns.padded), "{row}");
        if got.counts[0] == 1 {
            let (_, end) = Question::read(&message).unwrap();
            assert_eq!(said.message[header::LENGTH..end], message[header::LENGTH..end], "{row}");
        }
    }
    assert_eq!(
        stage.server.stats().queries.tls,
        5,
        "www.example A (with and without DO and CD), TYPE1000, ANY"
    );
}

#[tokio::test]
async fn what_is_no_question_is_passed_over() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let socket = UdpSocket::bind(stage::loopback()).await.unwrap();
    for noise in [vec![], vec![0; 11], changed(|message| flags(message, header::QR)), b"GET / HTTP".to_vec()]
    {
        socket.send_to(&noise, client.to).await.unwrap();
    }
    let mut asked = plain();
    asked[0] = 0x77;
    socket.send_to(&asked, client.to).await.unwrap();
    let mut reply = [0; 512];
    socket.recv(&mut reply).await.unwrap();
    assert_eq!(reply[..2], asked[..2], "the first reply is to the first question");
    stage.until("dropped", 4).await;
    assert_eq!(stage.engine.status().outcomes["dropped"], 4);
}

#[tokio::test]
async fn special_use_names_are_treated_as_their_texts_say() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let (a, aaaa, ptr, soa, ds, mx) = (types::A, types::AAAA, types::PTR, types::SOA, types::DS, types::MX);
    // name, type, response code, answers
    #[rustfmt::skip]
    let rows = [
        // RFC 6761 section 6.3: loopback addresses; other types negative
        ("localhost", a, 0, 1), ("localhost", aaaa, 0, 1), ("x.localhost", a, 0, 1), ("localhost", mx, 0, 0), ("localhost", types::ANY, 0, 1),
        // 6.4, 6.2
        ("invalid", a, 3, 0), ("x.invalid", mx, 3, 0), ("test", a, 3, 0), ("x.test", a, 3, 0),
        // RFC 6762 sections 3, 4, 22.1
        ("local", a, 3, 0), ("printer.local", aaaa, 3, 0), ("9.8.254.169.in-addr.arpa", ptr, 3, 0),
        ("8.e.f.ip6.arpa", ptr, 3, 0), ("1.9.e.f.ip6.arpa", ptr, 3, 0), ("a.e.f.ip6.arpa", ptr, 3, 0), ("1.b.e.f.ip6.arpa", ptr, 3, 0),
        // RFC 7686 section 2, RFC 9476 section 2, ICANN's internal
        ("x.onion", a, 3, 0), ("onion", a, 3, 0), ("x.alt", a, 3, 0), ("corp.internal", a, 3, 0),
        // RFC 8375 section 4: an empty zone of our own
        ("home.arpa", soa, 0, 1), ("home.arpa", types::NS, 0, 1), ("home.arpa", a, 0, 0), ("x.home.arpa", a, 3, 0), ("x.home.arpa", ds, 3, 0),
        // RFC 8880 section 7.1
        ("ipv4only.arpa", a, 0, 2), ("ipv4only.arpa", aaaa, 0, 0), ("x.ipv4only.arpa", a, 3, 0), ("170.0.0.192.in-addr.arpa", ptr, 0, 1), ("171.0.0.192.in-addr.arpa", ptr, 0, 1),
        // RFC 9462 section 6.4: nothing is said of this resolver
        ("resolver.arpa", a, 0, 0), ("_dns.resolver.arpa", types::SVCB, 0, 0), ("_dns.resolver.arpa", a, 0, 0),
        ("use-application-dns.net", a, 3, 0), ("use-application-dns.net", aaaa, 3, 0),
        // RFC 6303 section 4, RFC 7793
        ("1.0.0.127.in-addr.arpa", ptr, 0, 1), ("2.0.0.127.in-addr.arpa", ptr, 3, 0), ("127.in-addr.arpa", soa, 0, 1), ("10.in-addr.arpa", types::NS, 0, 1),
        ("1.2.3.10.in-addr.arpa", ptr, 3, 0), ("1.0.16.172.in-addr.arpa", ptr, 3, 0), ("1.0.31.172.in-addr.arpa", ptr, 3, 0), ("1.1.168.192.in-addr.arpa", ptr, 3, 0),
        ("1.0.64.100.in-addr.arpa", ptr, 3, 0), ("1.0.127.100.in-addr.arpa", ptr, 3, 0), ("1.2.3.0.in-addr.arpa", ptr, 3, 0),
        ("1.2.0.192.in-addr.arpa", ptr, 3, 0), ("1.100.51.198.in-addr.arpa", ptr, 3, 0), ("1.113.0.203.in-addr.arpa", ptr, 3, 0), ("255.255.255.255.in-addr.arpa", soa, 0, 1),
        ("c.f.ip6.arpa", soa, 0, 1), ("1.d.f.ip6.arpa", ptr, 3, 0), ("8.b.d.0.1.0.0.2.ip6.arpa", soa, 0, 1),
        ("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa", ptr, 0, 1),
        ("0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa", ptr, 0, 0),
    ];
    for (name, kind, code, answers) in rows {
        let said = client.ask(name, kind).await;
        assert_eq!((said.rcode, said.answers), (code, answers), "{name} {kind}");
        let header = Header::read(&said.message).unwrap();
        assert!(header.has(header::AA) && !header.has(header::AD), "{name} {kind}");
        assert_eq!(header.counts[2], u16::from(answers == 0), "{name} {kind}: an SOA makes it a denial");
    }
    assert_eq!(stage.server.stats().queries.tls, 0);
    // names that look like them and are others; and the DS of a zone, which its parent has
    for (name, kind) in [
        ("x.localhosts", a),
        ("example", a),
        ("1.0.32.172.in-addr.arpa", ptr),
        ("1.0.128.100.in-addr.arpa", ptr),
        ("home.arpa", ds),
        ("arpa", soa),
    ] {
        let before = stage.server.stats().queries.tls;
        client.ask(name, kind).await;
        assert_eq!(stage.server.stats().queries.tls, before + 1, "{name} {kind}");
    }
}

async fn dial(client: &Client) -> TcpStream {
    TcpStream::connect(client.to).await.unwrap()
}

fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u16).to_be_bytes()[..], message].concat()
}

async fn next(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let length = stream.read_u16().await.ok()?;
    let mut message = vec![0; usize::from(length)];
    stream.read_exact(&mut message).await.ok()?;
    Some(message)
}

#[tokio::test]
async fn a_keepalive_is_offered_by_tcp_only() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let asked = with_opt(&[(option::KEEPALIVE, b"")], |_| {});
    let by_datagram = Edns::find(&client.send(&asked).await.message).unwrap().unwrap().0;
    assert_eq!(by_datagram.keepalive, None);
    let mut stream = dial(&client).await;
    for (asked, expected) in [(asked, Some(Some(300))), (with_opt(&[], |_| {}), None)] {
        stream.write_all(&framed(&asked)).await.unwrap();
        let reply = next(&mut stream).await.unwrap();
        assert_eq!(Edns::find(&reply).unwrap().unwrap().0.keepalive, expected);
    }
}

#[tokio::test]
async fn questions_on_one_stream_are_answered_as_they_are_ready() {
    let stage = Stage::with(|config| config.delay = std::time::Duration::from_millis(100).into());
    let client = stage.apply(vec![stage.dot()]).await;
    let mut stream = dial(&client).await;
    let with_id = |name: &str, id: u8| {
        let mut message = typed(name, types::A, types::IN);
        message[1] = id;
        framed(&message)
    };
    // a slow one first; then one that is answered here
    stream.write_all(&[with_id("www.example", 1), with_id("localhost", 2)].concat()).await.unwrap();
    let ids = [next(&mut stream).await.unwrap()[1], next(&mut stream).await.unwrap()[1]];
    assert_eq!(ids, [2, 1]);
}

#[tokio::test]
async fn a_question_in_pieces_is_a_question_and_a_closed_half_is_still_answered() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let mut stream = dial(&client).await;
    stream.set_nodelay(true).unwrap();
    for octet in framed(&plain()) {
        stream.write_all(&[octet]).await.unwrap();
        tokio::task::yield_now().await;
    }
    stream.write_all(&framed(&typed("ns.example", types::A, types::IN))).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answers = [next(&mut stream).await.unwrap(), next(&mut stream).await.unwrap()];
    answers.sort_by_key(Vec::len);
    assert!(answers.iter().all(|response| Header::read(response).unwrap().counts[1] == 1));
    assert_eq!(next(&mut stream).await, None);
}

#[tokio::test]
async fn what_is_no_question_ends_a_stream() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    for noise in [vec![], vec![0; 5], changed(|message| flags(message, header::QR))] {
        let mut stream = dial(&client).await;
        stream.write_all(&framed(&noise)).await.unwrap();
        assert_eq!(next(&mut stream).await, None);
    }
    let mut stream = dial(&client).await;
    stream.write_all(&framed(&changed(|message| flags(message, 4 << 11)))).await.unwrap();
    stream.write_all(&framed(&plain())).await.unwrap();
    let replies = [next(&mut stream).await.unwrap(), next(&mut stream).await.unwrap()];
    let mut codes = replies.map(|reply| Header::read(&reply).unwrap().rcode());
    codes.sort_unstable();
    assert_eq!(codes, [rcode::NOERROR, rcode::NOTIMP], "a wrong question does not end it");
}

#[tokio::test]
async fn endless_garbage_ends_a_stream() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let mut stream = dial(&client).await;
    // what a browser would send, cut into frames of its own
    stream.write_all(&b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100_000)).await.ok();
    let mut replies = 0;
    while next(&mut stream).await.is_some() {
        replies += 1;
    }
    assert!(replies <= 16, "{replies} replies to garbage");
}

#[tokio::test]
async fn a_large_datagram_is_a_question() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    for padding in [1200, 1300, 4096, 60_000] {
        let asked = with_opt(&[(option::PADDING, &vec![0; padding][..])], |_| {});
        let said = client.send(&asked).await;
        assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1), "{padding} octets of padding");
    }
}

#[tokio::test]
async fn a_signed_question_is_told_that_its_key_is_unknown() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    let data = b"\x0bhmac-sha256\0\0\0\x65\x53\xf1\0\x01\x2c\0\x04abcd\x47\x11\0\0\0\0";
    let sign = |message: &mut Vec<u8>| {
        message.extend_from_slice(b"\x03key\0\0\xfa\0\xff\0\0\0\0");
        message.extend_from_slice(&(data.len() as u16).to_be_bytes());
        message.extend_from_slice(data);
    };
    let signed = with_opt(&[], |_| {}).tap(|message| {
        sign(message);
        message[11] = 2;
    });
    let said = client.send(&signed).await;
    assert_eq!((said.rcode, said.answers), (rcode::NOTAUTH, 0));
    let records: Vec<_> = Records::of(&said.message).unwrap().map(Result::unwrap).collect();
    assert_eq!(records.iter().map(|record| record.kind).collect::<Vec<_>>(), [types::OPT, types::TSIG]);
    assert_eq!(said.message[said.message.len() - 4..], [0, 17, 0, 0], "BADKEY");
    assert_eq!(stage.server.stats().queries.tls, 0);
    let behind = signed.tap(|message| {
        message.extend_from_slice(b"\0\0\x10\0\x01\0\0\0\0\0\0");
        message[11] = 3;
    });
    assert_eq!(client.send(&behind).await.rcode, rcode::FORMERR, "a TSIG is the last record");
    for (section, name) in [(7, "answer"), (9, "authority")] {
        for with_opt in [false, true] {
            let elsewhere = changed(|message| {
                sign(message);
                message[section] = 1;
                if with_opt {
                    OptWriter::start(message, false, 0).finish();
                }
            });
            assert_eq!(
                client.send(&elsewhere).await.rcode,
                rcode::FORMERR,
                "in {name}, with an OPT: {with_opt}"
            );
        }
    }
}

#[tokio::test]
async fn a_probe_of_ours_is_nobodys_query() {
    let stage = Stage::new();
    let client = stage.apply(vec![stage.dot()]).await;
    for name in [stage.engine.expect_probe().as_str(), "sotto-probe.test"] {
        assert_eq!(client.ask(name, types::A).await.answers, 1, "{name}");
    }
    let tried = stage.engine.try_out(stage::query("www.example", types::A)).await;
    assert_eq!((stage::said(tried.response).answers, tried.event.is_empty()), (1, false));
    // Only one query comes from a client.
    client.ask("www.example", types::A).await;
    stage.until("cached", 1).await;
    let counted: u64 = stage.engine.status().outcomes.values().sum();
    assert_eq!(counted, 1);
    stage.engine.stop().await;
    let kept = String::from_utf8_lossy(&stage.records.lock().unwrap()).into_owned();
    assert!(kept.contains("www.example") && !kept.contains("sotto-probe"), "{kept:?}");
    assert_eq!(kept.matches("www.example").count(), 1);
    assert_eq!(stage.engine.status().events.dropped, 0);
}
