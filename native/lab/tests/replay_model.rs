//! The reuse model on traces whose answers are known: closed forms, and a model that does it the long way.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sotto_lab::replay::model::{Finished, Model, Settings};
use sotto_lab::replay::query::{Micros, Query, SECOND};
use sotto_lab::replay::timeouts::Timeouts;

const START: Micros = 1_700_000_000 * SECOND;

fn settings(timeouts: &str) -> Settings {
    Settings {
        timeouts: timeouts.parse().unwrap(),
        ignored: 0,
        ticket: 7_200 * SECOND,
        by_client: true,
        by_prefix: true,
        keep_warm: None,
    }
}

fn query(at: Micros, client: u32) -> Query {
    Query { at, client: IpAddr::from(Ipv4Addr::from(client)).into(), server: 0 }
}

fn run(settings: Settings, queries: impl IntoIterator<Item = Query>) -> (Model, Finished) {
    let mut model = Model::new(settings);
    queries.into_iter().for_each(|query| model.query(query));
    let finished = model.finish().unwrap();
    (model, finished)
}

fn hit_fraction(model: &Model, index: usize) -> f64 {
    model.sums.hits(index) as f64 / model.sums.all() as f64
}

fn mean_open(model: &Model, finished: &Finished, index: usize, timeout: Micros) -> f64 {
    model.sums.open(index, timeout) as f64 / SECOND as f64 / finished.window.seconds()
}

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within * expected, "{found}, expected {expected}");
}

/// Each client asks at the events of a Poisson process of rate λ.
fn poisson(clients: u32, rate: f64, seconds: f64) -> Vec<Query> {
    let mut random = StdRng::seed_from_u64(1);
    let mut queries = Vec::new();
    for client in 0..clients {
        let mut at = 0.0;
        loop {
            at -= (1.0 - random.random::<f64>()).ln() / rate;
            if at > seconds {
                break;
            }
            queries.push(query(START + (at * SECOND as f64) as Micros, client));
        }
    }
    queries.sort_by_key(|query| query.at);
    queries
}

/// Gaps are exponential: P(gap ≤ T) = 1 − e^(−λT). A connection is open at a moment if the client asked within the T before it,
/// which has the same probability: 1 − e^(−λT) of the clients have one.
#[test]
fn poisson_arrivals_meet_their_closed_form() {
    let (clients, rate) = (400, 0.02);
    let timeouts: [u32; 6] = [1, 10, 30, 60, 120, 300];
    let given = Settings { ignored: 600 * SECOND, ..settings("1,10,30,60,120,300") };
    let (model, finished) = run(given, poisson(clients, rate, 50_000.0));
    for (index, timeout) in timeouts.into_iter().enumerate() {
        let expected = 1.0 - (-rate * f64::from(timeout)).exp();
        near(hit_fraction(&model, index), expected, 0.02);
        let open = mean_open(&model, &finished, index, Micros::from(timeout) * SECOND);
        near(open, expected * f64::from(clients), 0.02);
        let samples = &finished.concurrent.samples()[index];
        near(samples.quartiles().unwrap().median, expected * f64::from(clients), 0.04);
        // a thousand queries of each client are few where one in fifty hits
        near(model.clients.quartiles(index).unwrap().median, expected, 0.06);
    }
}

/// Every P seconds: each query but the first hits if T ≥ P, and none otherwise; then T of P seconds are open.
#[test]
fn periodic_queries_hit_always_or_never() {
    let queries = (0..=1_000).map(|number| query(START + number * 30 * SECOND, 1));
    let (model, finished) = run(settings("10,29,30,60"), queries);
    assert_eq!([0, 1, 2, 3].map(|index| model.sums.hits(index)), [0, 0, 1_000, 1_000]);
    for (index, timeout, open) in [(0, 10, 1.0 / 3.0), (1, 29, 29.0 / 30.0), (2, 30, 1.0), (3, 60, 1.0)] {
        near(mean_open(&model, &finished, index, timeout * SECOND), open, 1e-12);
        assert_eq!(finished.concurrent.samples()[index].most(), 1);
    }
}

/// Bursts of n queries: n − 1 hit, and the first does where the burst before lies within T.
#[test]
fn a_burst_pays_once() {
    let burst = |start: u64| (0..20).map(move |number| query(START + start * SECOND + number * 50_000, 7));
    let (model, _) = run(settings("1,60,600"), (0..100).flat_map(|number| burst(number * 300)));
    assert_eq!([0, 1, 2].map(|index| model.sums.hits(index)), [1_900, 1_900, 1_999]);
}

#[test]
fn clients_at_once_are_all_open_at_once() {
    let queries = (0..5_000).map(|client| query(START, client)).chain([query(START + 100 * SECOND, 1)]);
    let (model, finished) = run(settings("20,50"), queries);
    assert_eq!([0, 1].map(|index| finished.concurrent.samples()[index].most()), [5_000, 5_000]);
    // open for 20 of 100 seconds
    near(mean_open(&model, &finished, 0, 20 * SECOND), 1_000.0, 1e-9);
    assert_eq!(model.clients.active(), 5_000);
    assert_eq!(model.prefixes.active(), 20, "5,000 addresses in 20 networks of 256");
}

#[test]
fn what_the_warm_up_ignores_still_opens_connections() {
    let queries = [0, 590, 610, 650].map(|second| query(START + second * SECOND, 1));
    let (model, finished) = run(Settings { ignored: 600 * SECOND, ..settings("60") }, queries);
    assert_eq!((model.sums.all(), model.sums.hits(0)), (2, 2));
    near(mean_open(&model, &finished, 0, 60 * SECOND), 1.0, 1e-12);
    let (model, _) = run(Settings { ignored: 3_600 * SECOND, ..settings("60") }, queries_of_an_hour());
    assert_eq!(model.sums.all(), 0, "a trace shorter than what is ignored has nothing to say");
}

fn queries_of_an_hour() -> Vec<Query> {
    (0..60).map(|minute| query(START + minute * 60 * SECOND, 1)).collect()
}

#[test]
fn servers_have_connections_of_their_own() {
    let queries = (0..10)
        .map(|number| Query { server: number % 2, ..query(START + u64::from(number) * 40 * SECOND, 1) });
    let (model, _) = run(settings("60,80"), queries);
    assert_eq!(
        [0, 1].map(|index| model.sums.hits(index)),
        [0, 8],
        "80 s between two queries to the same server"
    );
    assert_eq!(model.servers.of(&0, 1), Some((5, 0.8)));
}

#[test]
fn a_ticket_lives_longer_than_its_connection() {
    let queries = [0, 100, 7_299, 14_600].map(|second| query(START + second * SECOND, 1));
    let (model, _) = run(settings("60"), queries);
    // gaps of 100, 7,199 and 7,301 s, tickets of 7,200 s
    assert_eq!((model.sums.all(), model.sums.hits(0), model.sums.resumed(0)), (4, 0, 2));
}

/// Pairs are forgotten, so a trace of ever new clients does not fill the memory.
#[test]
fn memory_is_bounded_by_live_pairs() {
    let given = Settings { ticket: 0, by_client: false, by_prefix: false, ..settings("10,60") };
    let (model, _) =
        run(given, (0..200_000).map(|number| query(START + u64::from(number) * SECOND / 10, number)));
    // ten new clients a second, each for 60 s, looked for every 600 s
    assert!(model.most_pairs <= 10 * 661 + 1, "{}", model.most_pairs);
}

#[test]
fn a_leap_of_years_costs_neither_time_nor_memory() {
    let far = 250_000_000_000 * SECOND;
    let queries = [START, START + SECOND, far, far + 5 * SECOND].map(|at| query(at, 1));
    let given = Settings { keep_warm: Some(40_000), ..settings("10,3600") };
    let (model, finished) = run(given, queries);
    assert_eq!([0, 1].map(|index| model.sums.hits(index)), [2, 2]);
    assert_eq!(finished.concurrent.samples()[1].most(), 1);
}

/// The long way: every connection as an interval, each moment looked at.
struct Reference {
    hits: Vec<u64>,
    open: Vec<u128>,
    most: Vec<u64>,
}

fn reference(queries: &[Query], timeouts: &Timeouts, from: Micros) -> Reference {
    let end = queries.last().unwrap().at;
    let mut found = Reference { hits: vec![], open: vec![], most: vec![] };
    for &seconds in timeouts.seconds() {
        let timeout = Micros::from(seconds) * SECOND;
        let mut intervals: Vec<(Micros, Micros)> = Vec::new();
        let mut latest: HashMap<_, usize> = HashMap::new();
        let mut hits = 0;
        for query in queries {
            match latest.get(&(query.client, query.server)) {
                Some(&index) if query.at <= intervals[index].1 => {
                    hits += u64::from(query.at >= from);
                    intervals[index].1 = query.at + timeout;
                }
                _ => {
                    latest.insert((query.client, query.server), intervals.len());
                    intervals.push((query.at, query.at + timeout));
                }
            }
        }
        let inside =
            |&(start, stop): &(Micros, Micros)| u128::from(stop.min(end).saturating_sub(start.max(from)));
        found.open.push(intervals.iter().map(inside).sum());
        found.hits.push(hits);
        // at the end of each second
        let moments = from.div_ceil(SECOND)..end / SECOND;
        let open_at = |second: u64| {
            let moment = (second + 1) * SECOND;
            intervals.iter().filter(|(start, stop)| *start < moment && *stop >= moment).count() as u64
        };
        found.most.push(moments.map(open_at).max().unwrap_or(0));
    }
    found
}

fn traces() -> impl Strategy<Value = Vec<Query>> {
    let gap = prop_oneof![
        Just(0),
        0..SECOND,
        0..20 * SECOND,
        (0u64..20).prop_map(|s| s * SECOND),
        0..4_000 * SECOND
    ];
    proptest::collection::vec((gap, 0u32..4, 0u32..2), 1..120).prop_map(|steps| {
        let mut at = START + 123_456;
        let mut next = |(gap, client, server)| {
            at += gap;
            Query { server, ..query(at, client) }
        };
        steps.into_iter().map(&mut next).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn one_pass_says_what_the_long_way_says(
        queries in traces(),
        seconds in proptest::collection::vec(1u32..=3_600, 1..6),
        ignored in 0u64..2_000,
        ticket in 0u64..9_000,
    ) {
        let timeouts = Timeouts::new(seconds).unwrap();
        let given = Settings {
            timeouts: timeouts.clone(),
            ignored: ignored * SECOND,
            ticket: ticket * SECOND,
            ..settings("1")
        };
        let expected = reference(&queries, &timeouts, queries[0].at + ignored * SECOND);
        let (model, finished) = run(given, queries.iter().copied());
        for index in 0..timeouts.count() {
            prop_assert_eq!(model.sums.hits(index), expected.hits[index]);
            prop_assert_eq!(model.sums.open(index, timeouts.micros(index)), expected.open[index]);
            prop_assert_eq!(finished.concurrent.samples()[index].most(), expected.most[index]);
        }
    }

    #[test]
    fn keeping_warm_never_loses_more_than_the_margin(queries in traces()) {
        let given = Settings { keep_warm: Some(40_000), ..settings("10,60,600") };
        let (model, finished) = run(given, queries.iter().copied());
        let warm = finished.warm.unwrap();
        // a client that leaves a second early hits at least as often as one whose server closes a second earlier
        let (shorter, _) = run(settings("9,59,599"), queries.iter().copied());
        for (index, warmed) in warm.iter().enumerate() {
            prop_assert!(warmed.hits >= shorter.sums.hits(index));
            prop_assert!(warmed.hits <= model.sums.all());
            let all = u128::from((finished.window.to - finished.window.from) * 8);
            prop_assert!(warmed.open_micros <= all, "eight pairs have eight connections at most");
        }
    }
}
