//! `sotto-lab replay` on dnstap files, of Sotto's own programs and of others.

use crate::replaying::{Folder, figures, refused, summary};
use crate::stage;
use crate::traces::{Exchange, dnstap, dnstap_query};

const AUTH_QUERY: u32 = 1;
const RESOLVER_QUERY: u32 = 3;
const RESOLVER_RESPONSE: u32 = 4;
const CLIENT_QUERY: u32 = 5;
const CLIENT_RESPONSE: u32 = 6;

const ANSWERED: Exchange = Exchange {
    version: "unbound 1.22.0",
    kind: CLIENT_RESPONSE,
    client: Some(1),
    asked: Some(100),
    answered: Some(100),
};

fn answered(asked: u64) -> Vec<u8> {
    Exchange { asked: Some(asked), answered: Some(asked + 1), ..ANSWERED }.frame()
}

#[test]
fn queries_are_read_in_both_directions() {
    let folder = Folder::new("dnstap");
    let received = [100, 105, 135, 235].map(|second| dnstap_query(CLIENT_QUERY, second));
    let sent = [106, 235].map(|second| dnstap_query(RESOLVER_QUERY, second));
    let mut frames = received.to_vec();
    frames.insert(2, sent[0].clone());
    frames.push(sent[1].clone());
    let trace = folder.file("a.fstrm", dnstap(&frames));
    assert_eq!(figures(&summary(&trace, &[])), (4, 1, 1, 0.25, 0.5, 2));
    assert_eq!(figures(&summary(&trace, &["--dnstap", "sent"])), (2, 1, 1, 0.0, 0.0, 4));
    let responses = [106, 235].map(|second| dnstap_query(RESOLVER_RESPONSE, second));
    let alone = folder.file("responses.fstrm", dnstap(&responses));
    assert_eq!(figures(&summary(&alone, &["--dnstap", "sent"])), (2, 1, 1, 0.0, 0.0, 0));
    assert!(refused(&alone, &[]).contains("2 other records"));
}

#[test]
fn responses_count_where_no_query_was_told_of_before() {
    let folder = Folder::new("dnstap-responses");
    let moments = [100, 105, 135, 235];
    let alone: Vec<_> = moments.map(answered).into();
    assert_eq!(figures(&summary(&folder.file("alone", dnstap(&alone)), &[])), (4, 1, 1, 0.25, 0.5, 0));
    let with_queries: Vec<_> =
        moments.iter().flat_map(|&at| [dnstap_query(CLIENT_QUERY, at), answered(at)]).collect();
    let both = summary(&folder.file("both", dnstap(&with_queries)), &[]);
    assert_eq!((figures(&both), &both["late"]), ((4, 1, 1, 0.25, 0.5, 4), &0.into()));
    // who began to write after a query came counts responses, and each exchange once
    let begun_late = folder.file("begun late", dnstap(&with_queries[1..]));
    assert_eq!(figures(&summary(&begun_late, &[])), (4, 1, 1, 0.25, 0.5, 3));
    // AUTH and CLIENT are told of apart
    let mut authority = alone.clone();
    authority.insert(1, dnstap_query(AUTH_QUERY, 101));
    assert_eq!(figures(&summary(&folder.file("authority", dnstap(&authority)), &[])).0, 5);
}

/// sotto-server and the service write CLIENT_QUERY only of what they did not answer.
#[test]
fn each_exchange_that_sotto_wrote_counts_once() {
    let folder = Folder::new("dnstap-sotto");
    for (name, version) in [("server", "sotto-server 0.1.0"), ("service", "sotto")] {
        let exchange = Exchange { version, ..ANSWERED };
        let at = |second: u64| Exchange { asked: Some(second), answered: Some(second), ..exchange }.frame();
        let silent = Exchange { kind: CLIENT_QUERY, asked: Some(105), answered: None, ..exchange }.frame();
        let frames = [at(100), silent.clone(), at(135), at(235)];
        let trace = folder.file(name, dnstap(&frames));
        assert_eq!(figures(&summary(&trace, &[])), (4, 1, 1, 0.25, 0.5, 0), "{name}");
        let silent_first = folder.file(name, dnstap(&[&[silent], &frames[2..]].concat()));
        assert_eq!(figures(&summary(&silent_first, &[])).0, 3, "{name}");
        // "sotto query" has no address
        let nowhere = Exchange { client: None, ..exchange }.frame();
        let trace = folder.file(name, dnstap(&[nowhere, frames[2].clone(), frames[3].clone()]));
        assert_eq!(figures(&summary(&trace, &[])), (3, 2, 1, 0.0, 0.0, 0), "{name}");
    }
    let nowhere = Exchange { client: None, ..ANSWERED }.frame();
    let error = refused(&folder.file("of others", dnstap(&[answered(50), nowhere])), &[]);
    assert!(error.contains("frame 2: its query_address"), "{error}");
}

#[test]
fn a_response_counts_when_its_query_came() {
    let folder = Folder::new("dnstap-times");
    // it took half a minute, and what was asked after it was answered before it
    let exchange =
        |asked: u64, answered: u64| Exchange { asked: Some(asked), answered: Some(answered), ..ANSWERED };
    let slow = [exchange(100, 101), exchange(120, 121), exchange(105, 135), exchange(140, 141)];
    let slow = summary(&folder.file("slow", dnstap(&slow.map(|each| each.frame()))), &[]);
    assert_eq!((figures(&slow).0, &slow["late"], &slow["seconds"]), (4, &1.into(), &40.0.into()));
    let disorder = [exchange(100, 101), exchange(120, 121), exchange(105, 106), exchange(140, 141)];
    let error = refused(&folder.file("disorder", dnstap(&disorder.map(|each| each.frame()))), &[]);
    assert!(error.contains("frame 3") && error.contains("14.000 s earlier"), "{error}");
    let without = |second: u64| Exchange { asked: None, answered: Some(second), ..ANSWERED }.frame();
    let without = folder.file("without query_time", dnstap(&[100, 105, 135, 235].map(without)));
    assert_eq!(figures(&summary(&without, &[])), (4, 1, 1, 0.25, 0.5, 0));
    let never = Exchange { asked: None, answered: None, ..ANSWERED }.frame();
    let error = refused(&folder.file("never", dnstap(&[answered(100), never])), &[]);
    assert!(error.contains("frame 2: its query_time and its response_time"), "{error}");
    let far = exchange(u64::MAX, u64::MAX).frame();
    assert!(refused(&folder.file("far", dnstap(&[far])), &[]).contains("frame 1"));
    let silent = Exchange { kind: CLIENT_QUERY, ..exchange(0, 1) };
    let silent = Exchange { asked: None, ..silent }.frame();
    assert!(refused(&folder.file("silent", dnstap(&[silent])), &[]).contains("query_time is missing"));
}

#[cfg(unix)]
mod of_sotto_server {
    use std::io::{Read, Write};
    use std::net::UdpSocket;
    use std::os::unix::net::UnixListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{JoinHandle, spawn};
    use std::time::Instant;

    use sotto_skip::waiting::LIMIT;

    use super::*;

    const CONTROL: usize = 4 + 4 + 4 + 4 + 4 + 22;

    /// A reader that keeps what it gets, from START on: that is a file.
    fn reader(listener: UnixListener, length: Arc<AtomicUsize>) -> JoinHandle<Vec<u8>> {
        spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut ready = [0; CONTROL];
            stream.read_exact(&mut ready).unwrap();
            let mut accept = ready;
            accept[11] = 1;
            stream.write_all(&accept).unwrap();
            let (mut file, mut octets) = (Vec::new(), [0; 4096]);
            while let Ok(count @ 1..) = stream.read(&mut octets) {
                file.extend(&octets[..count]);
                length.store(file.len(), Ordering::Relaxed);
            }
            file
        })
    }

    /// Of frames of data.
    fn count(mut file: &[u8]) -> usize {
        let mut count = 0;
        while let Some((length, rest)) = file.split_first_chunk() {
            let (escape, length) = (*length == [0; 4], u32::from_be_bytes(*length) as usize);
            let skipped =
                if escape { 4 + u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize } else { length };
            count += usize::from(!escape);
            file = &rest[skipped..];
        }
        count
    }

    fn client(address: &str) -> UdpSocket {
        let socket = UdpSocket::bind((address, 0)).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        socket
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn its_own_file_is_a_trace() {
        let folder = Folder::new("dnstap-real");
        let socket = std::env::temp_dir().join(format!("sotto-lab-tap-{}", std::process::id()));
        let _ = std::fs::remove_file(&socket);
        let length = Arc::new(AtomicUsize::new(0));
        let reading = reader(UnixListener::bind(&socket).unwrap(), length.clone());
        let server = stage::server(|config| config.dnstap = Some(socket.clone()));
        let to = stage::address(&server);
        let query = b"\0\x01\x01\0\0\x01\0\0\0\0\0\0\x01a\x04zipf\x07example\0\0\x01\0\x01";
        let ask = |from: &UdpSocket| {
            from.send_to(query, to).unwrap();
            assert!(from.recv(&mut [0; 512]).unwrap() > query.len());
        };
        let (one, other) = (client("127.0.0.1"), client("127.0.0.2"));
        let started = Instant::now();
        while length.load(Ordering::Relaxed) <= CONTROL {
            assert!(started.elapsed() < LIMIT, "the server finds its reader");
            ask(&one);
        }
        // a response is no query, and gets no response
        one.send_to(b"\0\x01\x81\0\0\x01\0\0\0\0\0\0\0\0\x02\0\x01", to).unwrap();
        (0..20).for_each(|_| [&one, &other].into_iter().for_each(ask));
        server.stop().await;
        let file = reading.join().unwrap();
        std::fs::remove_file(&socket).unwrap();
        let exchanges = count(&file) as u64;
        assert!(exchanges > 40, "{exchanges}");
        let (client_query, client_response) = ([8, 5, 16, 1], [8, 6, 16, 1]);
        assert!(
            file.windows(4).any(|part| part == client_query)
                && file.windows(4).any(|part| part == client_response)
        );
        let found = summary(&folder.file("tap.fstrm", &file), &[]);
        let (queries, clients, _, hits, _, skipped) = figures(&found);
        assert_eq!((queries, clients, skipped), (exchanges, 2, 0));
        assert_eq!((hits * exchanges as f64).round() as u64, exchanges - 2, "the first of each client opens");
        assert_eq!(found["endsWithin"], serde_json::Value::Null);
    }
}
