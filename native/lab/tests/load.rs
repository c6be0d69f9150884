//! The load against a server that behaves, and against ones that don't.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::spawn;
use std::time::Duration;

use sotto_lab::load::{Load, Summary};
use sotto_lab::names::Names;
use sotto_skip::waiting::LIMIT;

use crate::stage;

/// For what is never answered: a test waits for as long.
const IN_VAIN: Duration = Duration::from_secs(5);
const HOUR: Duration = Duration::from_secs(3600);

fn load(to: SocketAddr, rate: f64, questions: u64) -> Load {
    Load {
        to,
        rate,
        duration: Duration::from_secs_f64(questions as f64 / rate),
        names: Names::zipf(50, "zipf.example", 1).unwrap(),
        tcp: 0.0,
        timeout: LIMIT,
    }
}

fn run(load: Load) -> Summary {
    load.run(&AtomicBool::new(false), &|_, _| {}).unwrap()
}

/// Answers each question with the datagrams that `script` makes of it; ends with the test.
fn scripted(script: impl Fn(Vec<u8>) -> Vec<Vec<u8>> + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    spawn(move || {
        let mut question = [0; 1500];
        while let Ok((octets, client)) = socket.recv_from(&mut question) {
            for answer in script(question[..octets].to_vec()) {
                let _ = socket.send_to(&answer, client);
            }
        }
    });
    address
}

fn answer(mut question: Vec<u8>) -> Vec<u8> {
    question[2] |= 0x80;
    question
}

#[tokio::test(flavor = "multi_thread")]
async fn every_question_is_answered_once_over_both_protocols() {
    let server = stage::server(|_| {});
    // as many as sockets take at once, because all may be late
    let wanted = Load { tcp: 0.25, ..load(stage::address(&server), 1000.0, 300) };
    let summary = tokio::task::spawn_blocking(|| run(wanted)).await.unwrap();
    assert_eq!((summary.counts.sent, summary.counts.answered), (300, 300));
    assert_eq!((summary.lost, summary.counts.duplicates, summary.counts.strays), (0, 0, 0));
    assert_eq!(summary.counts.rcodes["NOERROR"], 300);
    assert_eq!(summary.tcp_connections, 1);
    assert!(summary.seconds >= 0.29, "it took the time that the rate says: {}", summary.seconds);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delay_is_seen_and_delays_no_question_behind_it() {
    let server = stage::server(|config| config.delay = Duration::from_secs(1).into());
    let wanted = load(stage::address(&server), 1000.0, 200);
    let summary = tokio::task::spawn_blocking(|| run(wanted)).await.unwrap();
    assert_eq!(summary.counts.answered, 200);
    // one at a time, half of them would have taken longer than a minute
    assert!((1000.0..60_000.0).contains(&summary.latency_ms.unwrap().p50));
}

#[test]
fn silence_is_lost_and_slowness_is_late() {
    let count = AtomicU64::new(0);
    let to = scripted(move |question| match count.fetch_add(1, Ordering::Relaxed) % 2 {
        0 => vec![],
        _ => vec![answer(question)],
    });
    let summary = run(Load { timeout: IN_VAIN, ..load(to, 500.0, 100) });
    // where this machine stands still, some are late for that reason
    assert_eq!((summary.counts.answered + summary.counts.late, summary.lost), (50, 50));

    let slow = load(delayed(Duration::from_millis(50)), 500.0, 20);
    let stop = AtomicBool::new(false);
    let slow = Load { timeout: Duration::from_millis(1), duration: HOUR, ..slow };
    let summary =
        slow.run(&stop, &|_, second| stop.store(second.latency_ms.is_some(), Ordering::Relaxed)).unwrap();
    assert_eq!(summary.counts.answered, 0);
    assert!(summary.counts.late > 0, "{summary:?}");
}

/// Answers each question after this time.
fn delayed(time: Duration) -> SocketAddr {
    scripted(move |question| {
        std::thread::sleep(time);
        vec![answer(question)]
    })
}

#[test]
fn second_answers_wrong_questions_and_other_ids_are_told_apart() {
    // the first one has its response last, because nothing is waited for after that
    let (count, first) = (AtomicU64::new(0), Mutex::default());
    let to = scripted(move |question| {
        let right = answer(question);
        let number = count.fetch_add(1, Ordering::Relaxed);
        if number == 0 {
            *first.lock().unwrap() = right;
            return vec![];
        }
        let mut other_question = right.clone();
        other_question[13] ^= 1;
        let mut other_id = right.clone();
        other_id[0] ^= 0x80;
        let last = (number == 99).then(|| first.lock().unwrap().clone());
        [other_question, other_id, right.clone(), right].into_iter().chain(last).collect()
    });
    let summary = run(load(to, 500.0, 100));
    assert_eq!((summary.counts.answered, summary.lost), (100, 0));
    assert_eq!((summary.counts.duplicates, summary.counts.strays), (99, 198));
}

#[test]
fn servfail_is_an_answer_and_one_without_a_reason_is_counted() {
    let to = scripted(|question| {
        let mut failed = answer(question);
        failed[3] = 2;
        vec![failed]
    });
    let summary = run(load(to, 500.0, 50));
    assert_eq!(
        (summary.counts.answered, summary.counts.servfail(), summary.counts.unexplained),
        (50, 50, 50)
    );
}

#[test]
fn where_nobody_listens_all_is_lost() {
    let summary = run(Load { tcp: 0.5, timeout: IN_VAIN, ..load(stage::nobody(), 500.0, 50) });
    assert_eq!((summary.counts.sent, summary.lost), (50, 50));
    assert!(summary.counts.unsent >= 25, "what TCP could not carry is said: {summary:?}");
    assert_eq!(summary.latency_ms, None);
}

#[test]
fn it_stops_when_told() {
    let to = scripted(|question| vec![answer(question)]);
    let stop = AtomicBool::new(false);
    let endless = Load { duration: HOUR, ..load(to, 100.0, 1) };
    let summary = endless.run(&stop, &|_, _| stop.store(true, Ordering::Relaxed)).unwrap();
    assert!((1..360_000).contains(&summary.counts.sent), "{summary:?}");
}
