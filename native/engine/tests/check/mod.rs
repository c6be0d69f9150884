//! What must hold for any octets, whoever sent them: used by the property tests and by the fuzz targets.
#![allow(dead_code)] // each user has its own part

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use sotto_engine::aliases::{Composing, MOST_ALIASES, walk};
use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::describe::{Description, describe};
use sotto_engine::envelope::Envelope;
use sotto_engine::events::courier::Events;
use sotto_engine::listen::seats::Seats;
use sotto_engine::listen::tcp::{LIMITS, converse};
use sotto_engine::outcome::ClientProtocol;
use sotto_engine::pipeline::{Begun, Pipeline};
use sotto_engine::query::{Client, NOBODY, Query, Received};
use sotto_engine::response::{NoResponse, Response};
use sotto_engine::snapshot::{Lasting, Snapshot};
use sotto_engine::upstream::connection::Connection;
use sotto_engine::upstream::connection::link::Link;
use sotto_engine::upstream::dial::protection::{Protection, TlsFacts};
use sotto_engine::upstream::dial::sockets::System;
use sotto_engine::upstream::dial::tls::EarlyData;
use sotto_engine::upstream::outgoing::Outgoing;
use sotto_engine::upstream::stream::framed::Framed;
use sotto_engine::wire::edns::{self, Edns, ExtendedError, OptWriter, option};
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::record::{Record, Records};
use sotto_engine::wire::starttls::{self, Signal};
use sotto_engine::wire::{expand, removal, types};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

pub const CLIENT_ID: u16 = 0x5a5a;

pub fn question(name: &str) -> Question {
    Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN }
}

/// Reading never panics, and what can be shown is plain.
pub fn any_message_can_be_looked_at(message: &[u8]) {
    if let Ok(description) = describe(message) {
        let text = format!("{:?}", description.question);
        assert!(text.bytes().all(|octet| (0x20..0x7f).contains(&octet)), "{text}");
        all_plain(&description);
    }
    if let Ok(Some((_, opt))) = Edns::find(message) {
        let mut without = message.to_vec();
        if removal::remove(&mut without, &opt).is_ok() {
            assert_eq!(without.len(), message.len() - (opt.end() - opt.start));
            assert!(!matches!(Edns::find(&without), Ok(Some(_))), "one OPT was two");
        }
    }
    let _ = edns::option_of(message, option::COOKIE);
    let _ = Name::read(message, header::LENGTH);
    for signal in [Signal::Draft, Signal::Compat] {
        let _ = starttls::judge(message, CLIENT_ID, signal);
    }
}

fn all_plain(description: &Description) {
    let sections = [&description.answer, &description.authority, &description.additional];
    for record in sections.into_iter().flatten() {
        for text in [&record.name, &record.data] {
            assert!(text.bytes().all(|octet| (0x20..0x7f).contains(&octet)), "{text:?}");
        }
    }
}

/// A response to STARTTLS leads to TLS only if it belongs to the dummy query, in so many octets.
pub fn only_an_acceptance_is_accepted(reply: &[u8]) {
    let draft = starttls::judge(reply, CLIENT_ID, Signal::Draft);
    let compat = starttls::judge(reply, CLIENT_ID, Signal::Compat);
    assert!(draft.is_err() || compat.is_ok(), "the stricter signal implies the other");
    if compat.is_ok() {
        let header = Header::read(reply).unwrap();
        assert!(header.is_response() && header.id == CLIENT_ID && header.rcode() == 0);
        let (asked, _) = Question::read(reply).unwrap();
        assert_eq!((asked.kind, asked.class), (types::TXT, types::CH));
    }
}

/// Whatever an upstream sends is refused with a reason, or every client that asked gets a response that can be read.
pub fn an_answer_reaches_the_client_whole_or_not_at_all(said: &[u8], asked: &str) -> bool {
    let response = match Response::read(said.to_vec(), &question(asked)) {
        Ok((response, _)) => response,
        Err(why) => {
            assert!(!why.to_string().is_empty());
            return false;
        }
    };
    assert_eq!(sotto_engine::wire::validity::check(&response.message), Ok(()));
    for (protocol, edns, dnssec_ok) in [
        (ClientProtocol::Udp, None, false),
        (ClientProtocol::Udp, Some(100), false),
        (ClientProtocol::Udp, Some(4096), true),
        (ClientProtocol::Tcp, None, false),
        (ClientProtocol::Tcp, Some(1232), false),
    ] {
        let query = client_query(asked, edns, dnssec_ok);
        let own = [ExtendedError::new(ExtendedError::STALE_ANSWER, "the upstream can't be reached")];
        let errors: Vec<_> = own.into_iter().chain(response.extended_errors.iter().cloned()).collect();
        for (age, ttl, extended_errors) in
            [(0, None, &response.extended_errors[..]), (u32::MAX, None, &[]), (77, Some(30), &errors)]
        {
            let envelope = Envelope { query: &query, protocol, extended_errors, passed_on: header::AD };
            let mut reply = Vec::new();
            envelope.records(response.body(), age, ttl, &mut reply);
            a_reply_fits(&query, protocol, &reply);
        }
    }
    true
}

/// Wherever aliases lead, they end, and a response composed of them leads there as well. `own` is the label below which the
/// sender may speak for names.
pub fn aliases_lead_to_the_same_end_when_composed(said: &[u8], asked: &str, own: &str) -> bool {
    let (asked, own) = (question(asked), Name::parse(own).unwrap());
    let Ok((response, _)) = Response::read(said.to_vec(), &asked) else { return false };
    let is_its_own = |name: &Name| name.ends_with(&own);
    let Ok(first) = walk(&response.message, &asked, is_its_own) else { return false };
    assert!(first.passed.len() <= MOST_ALIASES && !first.passed.contains(&first.end));
    let mut composing = Composing::of(asked);
    if composing.aliases(&response.message, &first).is_err() {
        return false;
    }
    let Ok(composed) = composing.finish(response.body(), 0) else { return false };
    assert!(composed.message.len() <= usize::from(u16::MAX));
    let again = walk(&composed.message, &asked, is_its_own).unwrap();
    assert_eq!((again.passed, again.end, again.left), (first.passed, first.end, first.left));
    true
}

/// A record says the same in another message.
pub fn a_record_says_the_same_elsewhere(message: &[u8]) -> bool {
    let (Ok(header), Ok((asked, _)), Ok(before)) =
        (Header::read(message), Question::read(message), describe(message))
    else {
        return false;
    };
    let moved = (header.counts[0] == 1).then(|| moved(message, &asked)).flatten();
    let Some(moved) = moved.filter(|moved| moved.len() <= usize::from(u16::MAX)) else { return false };
    assert_eq!(self::moved(&moved, &asked).as_ref(), Some(&moved), "taken out once more");
    let after = describe(&moved).unwrap();
    let sections = |text: &Description| [&text.answer, &text.authority, &text.additional].map(Clone::clone);
    for (before, after) in sections(&before).iter().flatten().zip(sections(&after).iter().flatten()) {
        assert!(before.name.eq_ignore_ascii_case(&after.name), "{before:?} {after:?}");
        assert_eq!((before.ttl, &before.r#type, &before.class), (after.ttl, &after.r#type, &after.class));
        // malformed data is shown unchanged, with its compression
        if !before.data.starts_with("\\#") {
            assert_eq!(before.data, after.data);
        }
    }
    true
}

fn moved(message: &[u8], asked: &Question) -> Option<Vec<u8>> {
    let mut moved = asked.query(0, header::QR);
    let mut counts = [1, 0, 0, 0];
    let records: Vec<Record> = Records::of(message).ok()?.collect::<Result<_, _>>().ok()?;
    for record in records.iter().filter(|record| record.kind != types::OPT) {
        expand::append(message, record, record.ttl, &asked.name, &mut moved).ok()?;
        counts[1 + record.section as usize] += 1;
    }
    Header { id: 0, flags: header::QR, counts }.write(&mut moved);
    Some(moved)
}

fn client_query(name: &str, edns: Option<u16>, dnssec_ok: bool) -> Query {
    let mut message = question(name).query(CLIENT_ID, header::RD);
    if let Some(size) = edns {
        let opt = message.len();
        OptWriter::start(&mut message, dnssec_ok, 0).finish();
        message[opt + 3..opt + 5].copy_from_slice(&size.to_be_bytes());
    }
    // the case of the question must come back
    message[header::LENGTH + 1].make_ascii_uppercase();
    match Query::read(&message) {
        Received::Query(query) => query,
        other => panic!("not a query: {other:?}"),
    }
}

fn a_reply_fits(query: &Query, protocol: ClientProtocol, reply: &[u8]) {
    let described = describe(reply).unwrap_or_else(|error| panic!("{error}: {reply:02x?}"));
    assert_eq!(described.id, query.header.id);
    assert!(described.flags.contains(&"qr"));
    let asked = query.question_octets();
    assert_eq!(&reply[header::LENGTH..header::LENGTH + asked.len()], asked);
    assert_eq!(described.edns.is_some(), query.edns.is_some());
    let limit = match (protocol, &query.edns) {
        (ClientProtocol::Udp, None) => 512,
        (ClientProtocol::Udp, Some(edns)) => usize::from(edns.udp_size).clamp(512, 1232),
        _ => 65_535,
    };
    assert!(reply.len() <= limit, "{} octets where {limit} fit", reply.len());
}

static PIPELINE: LazyLock<Pipeline> = LazyLock::new(|| {
    let lasting = Lasting::new(Arc::new(System), Counts::InMemory, Arc::new(|| {}));
    let config = r#"{"listen": [], "mode": "private", "network": "", "upstreams": [],
        "bypass": [{"rule": "corp.example", "below": ["corp.example"], "to": ["192.0.2.1:53"]}], "events": false,
        "cache": {"entries": 16, "serveStale": true, "staleHours": 24}}"#;
    let config = EngineConfig::parse(config).unwrap();
    let snapshot = Snapshot::compile(config, None, &lasting).unwrap();
    let events = Events::start(Box::new(|_| true));
    events.set_wanted(false);
    Pipeline::new(snapshot, events, &lasting)
});

/// Whatever a client sends: silence, a query that goes on, or a response with its id that can be read.
pub fn a_client_gets_nothing_or_a_reply(message: &[u8]) {
    for protocol in [ClientProtocol::Udp, ClientProtocol::Tcp] {
        let client = Client::now(protocol, ([127, 0, 0, 1], 5353).into(), NOBODY);
        let mut reply = Vec::new();
        match PIPELINE.begin(message, client, &mut reply) {
            Begun::Silence => {
                let silent = Header::read(message).map_or(true, |header| header.is_response());
                assert!(silent, "a question was passed over");
            }
            Begun::Waiting(_) => {}
            Begun::Replied(event) => {
                let described = describe(&reply).unwrap_or_else(|error| panic!("{error}: {reply:02x?}"));
                assert_eq!(&reply[..2], &message[..2]);
                assert!(described.flags.contains(&"qr"));
                assert!(protocol != ClientProtocol::Udp || reply.len() <= 1232);
                if described.edns.is_some() {
                    assert!(Edns::of_wrong(message).is_some(), "an OPT nobody asked for");
                }
                PIPELINE.note(event);
            }
        }
    }
}

/// Names of the queries on one connection.
pub const ASKED: [&str; 3] = ["www.example", "b.example", "."];

/// Whatever octets a server puts on the stream: each query ends with a response of its own, or with a failure.
///
/// Message ids below 3 stand for the id of that query, so that a corpus can match ids that are random.
pub fn a_stream_answers_what_was_asked(octets: &[u8]) {
    RUNTIME.with(|runtime| runtime.block_on(play(octets)));
}

thread_local! {
    static RUNTIME: tokio::runtime::Runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
}

async fn play(octets: &[u8]) {
    let (ours, mut theirs) = tokio::io::duplex(1 << 17);
    let facts = TlsFacts {
        version: "1.3",
        cipher: String::new(),
        group: String::new(),
        resumed: false,
        name: None,
        pinned: false,
    };
    let link = Link {
        carrier: Box::new(Framed::new(ours)),
        protection: Protection::Tls(facts),
        early: EarlyData::NotSent,
        round_trips: 1,
        fast_open: Default::default(),
        took: Duration::ZERO,
        meter: None,
    };
    let connection = Arc::new(Connection::start(link, Arc::default(), |_| {}));
    let deadline = Instant::now() + Duration::from_secs(4);
    let asking = ASKED.map(|name| {
        let (connection, outgoing) = (connection.clone(), Arc::new(Outgoing::of(question(name))));
        tokio::spawn(async move { connection.ask(outgoing, deadline).await })
    });
    let mut ids = [0; ASKED.len()];
    for _ in ASKED {
        let length = theirs.read_u16().await.unwrap();
        let mut message = vec![0; usize::from(length)];
        theirs.read_exact(&mut message).await.unwrap();
        let (seen, _) = Question::read(&message).unwrap();
        let index = ASKED.iter().position(|name| question(name) == seen).unwrap();
        ids[index] = Header::read(&message).unwrap().id;
    }
    let _ = theirs.write_all(&with_ids(octets, &ids)).await;
    let half_closes = octets.first().is_some_and(|first| first & 1 == 0);
    if half_closes {
        drop(theirs);
    }
    for (name, asking) in ASKED.iter().zip(asking) {
        if let Ok(response) = asking.await.expect("asking does not panic") {
            let (answered, _) = Question::read(&response.message).unwrap();
            assert_eq!(answered, question(name));
        }
    }
}

/// Whatever a client puts on its stream, in whatever pieces and with whatever pauses: the conversation ends, and each response
/// belongs to one message of the client.
///
/// The first octet says how the client behaves: bit 0, it closes its side; bit 1, it reads nothing. The rest is written as
/// `in_pieces` says. Returns the number of responses.
pub fn a_conversation_ends_and_answers_what_was_asked(octets: &[u8]) -> usize {
    RUNTIME.with(|runtime| runtime.block_on(converse_with(octets)))
}

/// What is written at once: an octet with the length in its lower 6 bits, and in the upper ones how long the client waits before.
pub fn in_pieces(mut octets: &[u8]) -> Vec<(Duration, &[u8])> {
    let mut pieces = Vec::new();
    while let [head, rest @ ..] = octets {
        let (piece, rest) = rest.split_at(rest.len().min(usize::from(head & 0x3f)));
        pieces.push((Duration::from_millis(PAUSES[usize::from(head >> 6)]), piece));
        octets = rest;
    }
    pieces
}

/// In milliseconds. The last two are longer than a message may take, and than a client may be idle.
const PAUSES: [u64; 4] = [0, 1, 5_500, 61_000];

/// A pipeline without upstreams.
static ALONE: LazyLock<Arc<Pipeline>> = LazyLock::new(|| {
    let lasting = Lasting::new(Arc::new(System), Counts::InMemory, Arc::new(|| {}));
    let snapshot = Snapshot::compile(EngineConfig::nothing(), None, &lasting).unwrap();
    let events = Events::start(Box::new(|_| true));
    events.set_wanted(false);
    Arc::new(Pipeline::new(snapshot, events, &lasting))
});

async fn converse_with(octets: &[u8]) -> usize {
    let [manners, octets @ ..] = octets else { return 0 };
    let (closes, is_deaf) = (manners & 1 != 0, manners & 2 != 0);
    let pieces = in_pieces(octets);
    let (theirs, ours) = duplex(4096);
    let (_open, closed) = watch::channel(());
    let seat = Arc::new(Seats::new(LIMITS)).take([127, 0, 0, 1].into()).unwrap();
    let client = Client::now(ClientProtocol::Tcp, NOBODY, NOBODY);
    let conversation = tokio::spawn(converse(split(ours), client, ALONE.clone(), closed, seat));
    let (mut reader, mut writer) = split(theirs);
    let writing = async {
        for (pause, piece) in &pieces {
            sleep(*pause).await;
            if writer.write_all(piece).await.is_err() {
                return;
            }
        }
        if closes {
            let _ = writer.shutdown().await;
        }
    };
    let mut replies = Vec::new();
    let reading = async {
        if !is_deaf {
            let _ = reader.read_to_end(&mut replies).await;
        }
    };
    let ending =
        async { timeout(Duration::from_secs(86_400), conversation).await.expect("it ends").unwrap() };
    tokio::join!(writing, reading, ending);
    let written: Vec<u8> = pieces.iter().flat_map(|(_, piece)| piece.iter().copied()).collect();
    let mut asked: Vec<_> = messages(&written).filter_map(|message| message.get(..2)).collect();
    for reply in messages(&replies) {
        let described = describe(reply).unwrap_or_else(|error| panic!("{error}: {reply:02x?}"));
        assert!(described.flags.contains(&"qr"));
        let answered = asked.iter().position(|id| *id == &reply[..2]);
        asked.swap_remove(answered.unwrap_or_else(|| panic!("nobody asked for {reply:02x?}")));
    }
    messages(&replies).count()
}

/// The whole messages of a stream.
fn messages(mut stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = stream.split_first_chunk::<2>()?;
        let (message, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        stream = rest;
        Some(message)
    })
}

fn with_ids(octets: &[u8], ids: &[u16]) -> Vec<u8> {
    let mut octets = octets.to_vec();
    let mut at = 0;
    while let Some(&[high, low, id_high, id_low]) = octets.get(at..at + 4) {
        if let Some(id) = ids.get(usize::from(u16::from_be_bytes([id_high, id_low]))) {
            octets[at + 2..at + 4].copy_from_slice(&id.to_be_bytes());
        }
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
    octets
}

/// Whether it is refused for a reason other than another question: the interesting half.
pub fn is_malformed(said: &[u8], asked: &str) -> bool {
    matches!(Response::read(said.to_vec(), &question(asked)), Err(NoResponse::Malformed(_)))
}
