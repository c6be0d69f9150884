//! The clients of a DNS-over-TLS server, with a real one.

use std::collections::HashSet;
use std::time::Duration;

use domain::base::iana::Rtype;
use sotto_lab::question::Question;
use sotto_lab::tls::{Kind, Summary, TlsLoad};
use sotto_server::{Identity, Server};

use crate::stage;

fn server() -> Server {
    stage::server(|config| {
        config.dot = vec!["127.0.0.1:0".parse().unwrap()];
        config.identities = Some(Identity::self_signed(&["127.0.0.1".to_owned()]).unwrap().into());
    })
}

fn load(server: &Server, kind: Kind) -> TlsLoad {
    TlsLoad {
        to: server.dot()[0],
        from: Vec::new(),
        kind,
        connections: 3,
        outstanding: 12,
        rate: None,
        stay: false,
        duration: Duration::from_millis(300),
        question: Question::new("n1.zipf.example", Rtype::A).unwrap(),
    }
}

async fn run(server: &Server, kind: Kind) -> Summary {
    let summary = load(server, kind).run().await.unwrap();
    assert!(summary.done > 0 && summary.failed == 0, "{summary:?}");
    summary
}

#[tokio::test(flavor = "multi_thread")]
async fn handshakes_are_full_or_resumed_as_was_wanted() {
    let server = server();
    let full = run(&server, Kind::Full).await;
    let seen = server.stats().handshakes;
    assert_eq!((full.resumed, seen.full, seen.resumed), (0, full.done, 0));
    let resumed = run(&server, Kind::Resumed).await;
    let seen = server.stats().handshakes;
    let firsts = 3;
    assert_eq!((resumed.resumed, seen.full, seen.resumed), (resumed.done, full.done + firsts, resumed.done));
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_stay_ask_on() {
    let server = server();
    let asked = run(&server, Kind::Queries).await;
    let seen = server.stats();
    assert_eq!(seen.handshakes.full, 3);
    let with_first_and_last = asked.done + 3..=asked.done + 3 + 12;
    assert!(with_first_and_last.contains(&seen.queries.tls), "{asked:?} {seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_rate_there_is_a_query_for_each_of_its_times() {
    let server = server();
    let summary = TlsLoad { rate: Some(1000.0), ..load(&server, Kind::Queries) }.run().await.unwrap();
    assert_eq!((summary.done, summary.failed), (300, 0), "{summary:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_rate_there_is_a_handshake_for_each_of_its_times() {
    let server = server();
    let at_a_rate = TlsLoad { rate: Some(100.0), connections: 30, ..load(&server, Kind::Full) };
    let summary = at_a_rate.run().await.unwrap();
    assert_eq!((summary.done, summary.failed, summary.held), (30, 0, 0), "{summary:?}");
    assert_eq!(server.stats().handshakes.full, 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_stay_are_held_and_take_all_places() {
    let server = server();
    let at_a_rate = TlsLoad { rate: Some(100.0), stay: true, ..load(&server, Kind::Full) };
    let summary = at_a_rate.run().await.unwrap();
    assert_eq!((summary.done + summary.failed, summary.held), (30, summary.done), "{summary:?}");
    // where the clients themselves are late, the first have left
    assert!((3..30).contains(&summary.done), "{summary:?}");
    let refused = "as many as may be at a time were there already";
    assert_eq!(summary.failures.into_iter().collect::<Vec<_>>(), [(refused.into(), summary.failed)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_is_told_with_its_reason() {
    let server = server();
    // bound, so that nobody else gets the port, and not listening
    let nobody = tokio::net::TcpSocket::new_v4().unwrap();
    nobody.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let to = nobody.local_addr().unwrap();
    let summary = TlsLoad { to, ..load(&server, Kind::Full) }.run().await.unwrap();
    assert_eq!(summary.done, 0);
    let (reason, count) = summary.failures.first_key_value().unwrap();
    assert!(reason.contains("refused") && *count == summary.failed, "{summary:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_come_from_the_addresses_in_turn() {
    let server = server();
    let from = ["127.0.7.1", "127.0.8.1"].map(|address| address.parse().unwrap()).to_vec();
    let open = TlsLoad { from, connections: 2, ..load(&server, Kind::Idle) }.open().await.unwrap();
    let peers = open.iter().map(|stream| stream.get_ref().0.local_addr().unwrap().ip());
    let peers: HashSet<_> = peers.collect();
    assert_eq!(peers.len(), 2, "{peers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_are_open_and_have_asked() {
    let server = server();
    let open = load(&server, Kind::Idle).open().await.unwrap();
    assert_eq!((open.len(), server.stats().queries.tls), (3, 3));
}

#[tokio::test]
async fn who_does_not_listen_is_told() {
    let server = server();
    let nobody = stage::nobody();
    let load = TlsLoad { to: nobody, ..load(&server, Kind::Idle) };
    let error = load.open().await.unwrap_err();
    assert!(error.contains(&nobody.to_string()), "{error}");
}

#[tokio::test]
async fn a_rate_of_what_has_no_end_is_refused() {
    let server = server();
    let idle = TlsLoad { rate: Some(1.0), ..load(&server, Kind::Idle) };
    assert!(idle.check().unwrap_err().contains("--rate"));
    let staying = TlsLoad { rate: Some(1.0), stay: true, ..load(&server, Kind::Queries) };
    assert!(staying.check().unwrap_err().contains("--stay"));
}
