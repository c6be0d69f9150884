//! Slow clients against a server with few seats.

use std::net::SocketAddr;
use std::time::Duration;

use domain::base::iana::Rtype;
use sotto_lab::question::Question;
use sotto_lab::slow::{Kind, SlowClients, Summary};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::stage;

const SEATS: usize = 20;

/// Runs until `enough`, or for a minute.
async fn run(slow: SlowClients, enough: impl Fn(&Summary) -> bool) -> Summary {
    let (stop, stopped) = watch::channel(false);
    slow.run(stopped, |_, summary| {
        if enough(summary) {
            let _ = stop.send(true);
        }
    })
    .await
}

fn slow(to: SocketAddr, kind: Kind, count: usize) -> SlowClients {
    SlowClients {
        to,
        count,
        kind,
        duration: Duration::from_secs(60),
        persistent: false,
        question: Question::new("www.zipf.example", Rtype::A).unwrap(),
    }
}

#[tokio::test]
async fn a_crowd_that_says_nothing_makes_room_and_the_probe_tells_what_is_left_for_others() {
    let server = stage::server(|config| config.limits.connections = SEATS);
    let to = stage::address(&server);
    for kind in [Kind::Connect, Kind::HalfMessage] {
        // more than there are seats, and stubborn
        let crowd = SlowClients { persistent: true, ..slow(to, kind, 2 * SEATS) };
        let summary = run(crowd, |summary| {
            summary.seats.closed > 0 && summary.tcp.answered > 0 && summary.udp.answered > 0
        })
        .await;
        assert!(summary.seats.most >= SEATS as u64 && summary.seats.closed > 0, "{kind:?}: {summary:?}");
        assert!(summary.tcp.answered > 0, "{kind:?}: {summary:?}");
        assert!(summary.udp.answered > 0 && summary.udp.failing == 0, "UDP needs no seat: {summary:?}");
    }
}

#[tokio::test]
async fn a_probe_that_is_turned_away_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = listener.local_addr().unwrap();
    tokio::spawn(async move { while listener.accept().await.is_ok() {} });
    let summary =
        run(slow(to, Kind::Connect, 1), |summary| summary.tcp.failing > 0 && summary.seats.closed > 0).await;
    assert!(summary.tcp.failures.contains_key("closed without an answer"), "{summary:?}");
    assert_eq!((summary.tcp.answered, summary.seats.closed), (0, 1), "{summary:?}");
}

#[tokio::test]
async fn who_is_cut_is_counted_and_who_is_persistent_comes_back() {
    let server = stage::server(|config| config.limits.idle = Duration::from_millis(50));
    let persistent = SlowClients { persistent: true, ..slow(stage::address(&server), Kind::Connect, 5) };
    let summary = run(persistent, |summary| summary.seats.opened > 5 && summary.tcp.answered > 0).await;
    assert!(summary.seats.opened > 5 && summary.seats.closed >= 5, "{summary:?}");
    assert!(summary.tcp.answered > 0, "{summary:?}");
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut_by_a_server_that_minds() {
    let server = stage::server(|config| config.limits.stalled = Duration::from_millis(100));
    let enough =
        |summary: &Summary| summary.seats.closed == 3 && summary.udp.answered > 0 && summary.tcp.answered > 0;
    let summary = run(slow(stage::address(&server), Kind::NeverRead, 3), enough).await;
    assert_eq!((summary.seats.opened, summary.seats.closed, summary.seats.open), (3, 3, 0));
    assert!(summary.udp.answered > 0 && summary.tcp.answered > 0, "{summary:?}");
}
