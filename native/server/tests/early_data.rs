//! Queries in the first flight of a resumed handshake: answered before the client's Finished, and once.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use domain::base::Rtype;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, ClientConnection};
use sotto_server::Server;
use sotto_server::delay::Delay;
use sotto_skip::clock::pass;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stage::clients::{client_config, receive_octets, send};
use crate::stage::messages::{ACCEPTED, Question, Reply, STARTTLS, ask, framed, octets};
use crate::stage::{NAME, Stage};

const HOUR: Duration = Duration::from_secs(3600);

/// A client without sockets: a test sees each octet and decides when it travels.
struct Client {
    tls: ClientConnection,
    answers: Vec<u8>,
}

impl Client {
    fn new(config: &Arc<ClientConfig>) -> Self {
        let tls = ClientConnection::new(config.clone(), ServerName::try_from(NAME).unwrap()).unwrap();
        Client { tls, answers: Vec::new() }
    }

    /// ClientHello and these messages behind it.
    fn first_flight(&mut self, messages: &[Vec<u8>]) -> Vec<u8> {
        let mut early = self.tls.early_data().expect("a ticket that allows early data");
        for message in messages {
            early.write_all(&framed(message)).unwrap();
        }
        self.outgoing()
    }

    fn outgoing(&mut self) -> Vec<u8> {
        let mut flight = Vec::new();
        while self.tls.wants_write() {
            self.tls.write_tls(&mut flight).unwrap();
        }
        flight
    }

    async fn take_in(&mut self, tcp: &mut TcpStream) {
        let mut octets = vec![0; 16 * 1024];
        let count = tcp.read(&mut octets).await.unwrap();
        assert_ne!(count, 0, "the server closed");
        self.tls.read_tls(&mut &octets[..count]).unwrap();
        let state = self.tls.process_new_packets().unwrap();
        let before = self.answers.len();
        self.answers.resize(before + state.plaintext_bytes_to_read(), 0);
        self.tls.reader().read_exact(&mut self.answers[before..]).unwrap();
    }

    /// Takes in only; nothing of the client leaves.
    async fn next_answer(&mut self, tcp: &mut TcpStream) -> Reply {
        loop {
            if let Some(length) = self.answers.get(..2) {
                let end = 2 + usize::from(u16::from_be_bytes([length[0], length[1]]));
                if self.answers.len() >= end {
                    return Reply::new(self.answers.drain(..end).skip(2).collect());
                }
            }
            self.take_in(tcp).await;
        }
    }

    /// Finished, and what waits behind it.
    async fn finish(&mut self, tcp: &mut TcpStream) {
        while self.tls.is_handshaking() {
            self.take_in(tcp).await;
        }
        let flight = self.outgoing();
        tcp.write_all(&flight).await.unwrap();
    }
}

fn returning(stage: &Stage) -> Arc<ClientConfig> {
    let mut config = client_config(stage, &[&rustls::version::TLS13]);
    config.enable_early_data = true;
    Arc::new(config)
}

fn early_world() -> Stage {
    Stage::with(|config| config.early_data = true)
}

async fn dial(server: &Server) -> TcpStream {
    TcpStream::connect(server.dot()[0]).await.unwrap()
}

/// Where TLS begins.
async fn door(stage: &Stage, starttls: bool) -> TcpStream {
    if !starttls {
        return dial(&stage.server).await;
    }
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    send(&mut tcp, &octets(STARTTLS)).await;
    assert_eq!(receive_octets(&mut tcp).await, octets(ACCEPTED));
    tcp
}

/// Leaves with tickets.
async fn first_visit(server: &Server, config: &Arc<ClientConfig>) {
    let (mut client, mut tcp) = (Client::new(config), dial(server).await);
    client.tls.writer().write_all(&framed(&ask(1, "www.test", Rtype::A))).unwrap();
    let hello = client.outgoing();
    tcp.write_all(&hello).await.unwrap();
    client.finish(&mut tcp).await;
    client.next_answer(&mut tcp).await;
}

#[tokio::test]
async fn the_answer_is_in_the_first_flight_at_both_doors() {
    let stage = early_world();
    let config = returning(&stage);
    first_visit(&stage.server, &config).await;
    for starttls in [false, true] {
        let (mut client, mut tcp) = (Client::new(&config), door(&stage, starttls).await);
        let questions = [ask(7, "www.test", Rtype::AAAA), ask(8, "ns.test", Rtype::A)];
        let flight = client.first_flight(&questions);
        tcp.write_all(&flight).await.unwrap();
        // nothing else left the client yet
        assert_eq!(client.next_answer(&mut tcp).await.answers(), ["www.test 300 AAAA 2001:db8::10"]);
        assert_eq!(client.next_answer(&mut tcp).await.answers(), ["ns.test 300 A 192.0.2.1"]);
        assert!(client.tls.is_early_data_accepted());
        client.finish(&mut tcp).await;
        client.tls.writer().write_all(&framed(&ask(9, "www.test", Rtype::A))).unwrap();
        tcp.write_all(&client.outgoing()).await.unwrap();
        assert_eq!(client.next_answer(&mut tcp).await.id(), 9, "the conversation goes on");
    }
    let handshakes = stage.server.stats().handshakes;
    assert_eq!((handshakes.full, handshakes.resumed, handshakes.early, handshakes.failed), (1, 2, 2, 0));
}

#[tokio::test]
async fn an_answer_that_takes_time_leaves_before_finished_too() {
    let stage = Stage::with(|config| {
        config.early_data = true;
        config.delay = Delay::from(Duration::from_millis(30));
        config.limits.in_flight = 1;
    });
    let config = returning(&stage);
    first_visit(&stage.server, &config).await;
    let (mut client, mut tcp) = (Client::new(&config), dial(&stage.server).await);
    let flight = client.first_flight(&[ask(7, "www.test", Rtype::A)]);
    tcp.write_all(&flight).await.unwrap();
    client.take_in(&mut tcp).await;
    assert!(client.tls.is_early_data_accepted(), "the handshake does not wait for the answer");
    assert_eq!(client.next_answer(&mut tcp).await.id(), 7);
}

#[tokio::test]
async fn a_first_flight_delivered_again_is_answered_once() {
    let stage = early_world();
    let config = returning(&stage);
    first_visit(&stage.server, &config).await;
    let mut client = Client::new(&config);
    let flight = client.first_flight(&[ask(7, "www.test", Rtype::A)]);
    let mut tcp = dial(&stage.server).await;
    tcp.write_all(&flight).await.unwrap();
    client.next_answer(&mut tcp).await;
    assert_eq!(stage.server.stats().queries.tls, 2);

    for replay in 1..=3 {
        let mut attacker = dial(&stage.server).await;
        attacker.write_all(&flight).await.unwrap();
        attacker.shutdown().await.unwrap();
        let mut received = Vec::new();
        let _ = attacker.read_to_end(&mut received).await;
        stage.until(|stats| stats.handshakes.failed == replay).await;
        let stats = stage.server.stats();
        assert_eq!((stats.queries.tls, stats.handshakes.early), (2, 1), "delivered {replay} times more");
    }
}

#[tokio::test]
async fn what_is_no_plain_question_waits_for_the_handshake_and_so_does_all_behind_it() {
    let stage = early_world();
    let config = returning(&stage);
    first_visit(&stage.server, &config).await;
    let mut notify = ask(8, "www.test", Rtype::SOA);
    notify[2] = 4 << 3;
    let (mut client, mut tcp) = (Client::new(&config), dial(&stage.server).await);
    let messages = [ask(7, "www.test", Rtype::A), notify, ask(9, "www.test", Rtype::A)];
    let flight = client.first_flight(&messages);
    tcp.write_all(&flight).await.unwrap();
    assert_eq!(client.next_answer(&mut tcp).await.id(), 7);
    while client.tls.is_handshaking() {
        client.take_in(&mut tcp).await;
    }
    assert_eq!(stage.server.stats().queries.tls, 2, "the first visit's and the plain one in front");
    client.finish(&mut tcp).await;
    assert_eq!(client.next_answer(&mut tcp).await.id(), 8);
    assert_eq!(client.next_answer(&mut tcp).await.id(), 9);
}

#[tokio::test]
async fn a_server_that_lost_its_sessions_refuses_and_answers_after_the_handshake() {
    let first = early_world();
    let config = returning(&first);
    first_visit(&first.server, &config).await;
    let long = Question::new(7, "www.test", Rtype::A).edns(1232, 0, &[(12, &[0; 4000])]).octets();
    let short = ask(7, "www.test", Rtype::A);
    // its record is as long as the end of a handshake
    let (sha256, sha384) = (
        ask(7, &format!("{}.www.test", "a".repeat(7)), Rtype::A),
        ask(7, &format!("{}.www.test", "a".repeat(23)), Rtype::A),
    );
    assert_eq!((framed(&sha256).len(), framed(&sha384).len()), (4 + 32, 4 + 48));
    let many = |question: &[u8]| 4096 / (2 + question.len());
    // it may also have been started without early data
    let cases = [
        (true, 1, &short),
        (true, 1, &long),
        (true, many(&short), &short),
        (true, many(&sha256), &sha256),
        (true, many(&sha384), &sha384),
        (false, 1, &long),
        (false, many(&sha256), &sha256),
    ];
    for (early_data, count, question) in cases {
        for hello_records in [1, 2] {
            let second = Stage::with(|each| {
                each.early_data = early_data;
                each.identities = Some(first.same_identity().into());
            });
            first_visit(&first.server, &config).await;
            let (mut client, mut tcp) = (Client::new(&config), dial(&second.server).await);
            let flight = in_records(hello_records, &client.first_flight(&vec![question.clone(); count]));
            // in three pieces, of which the first ends within the early data
            for piece in flight.chunks(flight.len().div_ceil(3).max(1900)) {
                tcp.write_all(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
            client.finish(&mut tcp).await;
            assert!(!client.tls.is_early_data_accepted());
            client.tls.writer().write_all(&framed(question)).unwrap();
            tcp.write_all(&client.outgoing()).await.unwrap();
            assert_eq!(client.next_answer(&mut tcp).await.id(), 7);
            let stats = second.server.stats();
            let handshakes = (stats.handshakes.early, stats.handshakes.full);
            let octets = question.len();
            assert_eq!(
                (stats.queries.tls, handshakes),
                (1, (0, 1)),
                "{count} queries of {octets}, early data: {early_data}"
            );
        }
    }
}

/// Nothing but what the server says in its own flight shows that.
#[tokio::test]
async fn a_session_that_is_resumed_without_its_early_data_loses_nothing_else() {
    type Change = fn(&mut ClientConfig);
    let no_longer_fresh: Change = |config| config.time_provider = Arc::new(InTenMinutes);
    let of_another_protocol: Change = |config| config.alpn_protocols.clear();
    let stage = early_world();
    let longest = padded(4096 - 2);
    for starttls in [false, true] {
        for change in [no_longer_fresh, of_another_protocol] {
            let short = ask(7, "www.test", Rtype::A);
            let half = padded(2048 - 2);
            for questions in
                [vec![padded(4080 - 2)], vec![longest.clone()], vec![half; 2], vec![short; 4096 / 28]]
            {
                let mut config = ClientConfig::clone(&returning(&stage));
                first_visit(&stage.server, &Arc::new(config.clone())).await;
                change(&mut config);
                let before = stage.server.stats();
                let (mut client, mut tcp) = (Client::new(&Arc::new(config)), door(&stage, starttls).await);
                let flight = client.first_flight(&questions);
                tcp.write_all(&flight).await.unwrap();
                client.finish(&mut tcp).await;
                assert!(!client.tls.is_early_data_accepted());
                client.tls.writer().write_all(&framed(&longest)).unwrap();
                tcp.write_all(&client.outgoing()).await.unwrap();
                assert_eq!(client.next_answer(&mut tcp).await.id(), 7);
                let stats = stage.server.stats();
                let handshakes = (stats.handshakes.early, stats.handshakes.resumed, stats.handshakes.failed);
                assert_eq!(handshakes, (0, before.handshakes.resumed + 1, 0), "{} queries", questions.len());
                assert_eq!(stats.queries.tls, before.queries.tls + 1);
            }
        }
    }
}

#[derive(Debug)]
struct InTenMinutes;

impl TimeProvider for InTenMinutes {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs() + 600)))
    }
}

/// A query of so many octets.
fn padded(octets: usize) -> Vec<u8> {
    let with = |padding: usize| {
        Question::new(7, "www.test", Rtype::A).edns(1232, 0, &[(12, &vec![0; padding])]).octets()
    };
    with(octets - with(0).len())
}

/// A first flight whose ClientHello is in so many records.
fn in_records(count: usize, flight: &[u8]) -> Vec<u8> {
    let (hello, rest) = flight.split_at(5 + usize::from(u16::from_be_bytes([flight[3], flight[4]])));
    let (header, message) = hello.split_at(5);
    let mut records = Vec::new();
    for part in message.chunks(message.len().div_ceil(count)) {
        records.extend([&header[..3], &(part.len() as u16).to_be_bytes(), part].concat());
    }
    [&records, rest].concat()
}

#[tokio::test]
async fn nothing_is_taken_early_unless_it_was_chosen() {
    let stage = Stage::new();
    let config = returning(&stage);
    first_visit(&stage.server, &config).await;
    assert!(Client::new(&config).tls.early_data().is_none(), "tickets do not offer it");
}

#[tokio::test]
async fn who_never_finishes_the_handshake_is_cut() {
    let stage = Stage::with(|config| {
        config.early_data = true;
        config.limits.handshake = HOUR;
        config.limits.idle = HOUR * 2;
    });
    let config = returning(&stage);
    first_visit(&stage.server, &config).await;
    let (mut client, mut tcp) = (Client::new(&config), dial(&stage.server).await);
    let flight = client.first_flight(&[ask(7, "www.test", Rtype::A)]);
    tcp.write_all(&flight).await.unwrap();
    client.next_answer(&mut tcp).await;
    pass(HOUR).await;
    let mut rest = Vec::new();
    let _ = tcp.read_to_end(&mut rest).await; // ends: the idle limit is an hour away
}
