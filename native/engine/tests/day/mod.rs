//! A made-up day of one computer, played through the engine on a clock that moves by itself: what the hot set saves, and what it
//! costs. `plan.rs` says who asks when, `resolver.rs` what the upstream says.

mod plan;
mod resolver;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use sotto_engine::outcome::ClientProtocol;
use sotto_engine::wire::header;
use tokio::time::{Instant, sleep_until};

use crate::script::stage::Stage;
use plan::{Day, Plan};
use resolver::Resolver;

/// From a query on the wire to its response, over a connection that is open.
const ROUND_TRIP: Duration = Duration::from_millis(20);
/// The upstream closes a connection after so long without a query.
const IDLE: Duration = Duration::from_secs(30);
const MINUTE: Duration = Duration::from_secs(60);

/// What is set apart from everything else.
#[derive(Clone, Copy)]
struct Variant {
    name: &'static str,
    hot_set: usize,
    stale_at_once: bool,
}

const fn variant(name: &'static str, hot_set: usize, stale_at_once: bool) -> Variant {
    Variant { name, hot_set, stale_at_once }
}

const VARIANTS: [Variant; 6] = [
    variant("off", 0, false),
    variant("at-once", 0, true),
    variant("50", 50, false),
    variant("200", 200, false),
    variant("1000", 1000, false),
    variant("200 at-once", 200, true),
];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Result {
    variant: &'static str,
    seed: u64,
    queries: usize,
    outcomes: BTreeMap<&'static str, u64>,
    /// seconds that programs waited for responses
    waited: f64,
    /// that the upstream got
    asked: usize,
    sent_ahead: u64,
    prefetched: u64,
    dials: usize,
    most_hot: usize,
    /// most that were sent ahead in any minute
    most_in_a_minute: u64,
}

#[test]
#[ignore = "a measurement: npm run bench:hot-set"]
fn days_with_and_without_a_hot_set() {
    let threads = VARIANTS
        .map(|variant| std::thread::spawn(move || [1, 2, 3].map(|seed| play(variant, &Day::whole(), seed))));
    for result in threads.into_iter().flat_map(|thread| thread.join().unwrap()) {
        println!("day {}", serde_json::to_string(&result).unwrap());
    }
}

#[test]
fn a_morning_with_a_hot_set_waits_less_and_asks_no_more_than_it_may() {
    let [off, hot] = [VARIANTS[0], VARIANTS[2]].map(|variant| play(variant, &Day::morning(), 1));
    assert_eq!(off.sent_ahead, 0);
    assert!(hot.sent_ahead > 0 && hot.most_in_a_minute <= 50 && hot.most_hot <= 50, "{hot:?}");
    assert!(hot.waited < off.waited && hot.outcomes["cached"] > off.outcomes["cached"], "{off:?} {hot:?}");
    assert_eq!(off.queries, hot.queries);
}

fn play(variant: Variant, day: &Day, seed: u64) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(replay(variant, Plan::of(day, seed)))
}

async fn replay(variant: Variant, plan: Plan) -> Result {
    let mut stage = Stage::new();
    stage.settings.hot_set = variant.hot_set;
    stage.settings.entries = 100_000;
    (stage.settings.stale_at_once, stage.settings.stale_hours) =
        (variant.stale_at_once, variant.stale_at_once.then_some(24));
    stage.enter_upstream("main").await;
    let main = stage.peer("main").unwrap().clone();
    let resolver = Resolver::of(&plan, Instant::now());
    {
        let mut state = main.state();
        (state.takes, state.idle) = (ROUND_TRIP, Some(IDLE));
        state.knows = Some(Box::new(move |question| resolver.says(question)));
    }
    let start = Instant::now();
    let mut asking = Vec::new();
    for query in &plan.queries {
        let (engine, at) = (stage.engine.clone(), start + query.at);
        let message = query.question.query(1, header::RD);
        asking.push(tokio::spawn(async move {
            sleep_until(at).await;
            engine.ask_as(ClientProtocol::Udp, message).await;
            at.elapsed()
        }));
    }
    for at in plan.wakes {
        let engine = stage.engine.clone();
        tokio::spawn(async move {
            sleep_until(start + at).await;
            engine.reconnect();
        });
    }
    let watched = watch(&stage, start + plan.end).await;
    let mut waited = Duration::ZERO;
    for asked in asking {
        waited += asked.await.unwrap();
    }
    let status = stage.engine.status();
    let usage = status.cache.usage;
    let state = main.state();
    Result {
        variant: variant.name,
        seed: plan.seed,
        queries: plan.queries.len(),
        outcomes: status.outcomes,
        waited: waited.as_secs_f64(),
        asked: state.asked.len(),
        sent_ahead: usage.sent_ahead,
        prefetched: usage.prefetched,
        dials: state.dials,
        most_hot: watched.0,
        most_in_a_minute: watched.1,
    }
}

/// Looks once a minute, until then. Returns the most names that were hot, and the most queries sent ahead from one look to the next.
async fn watch(stage: &Stage, end: Instant) -> (usize, u64) {
    let (mut most_hot, mut most_sent, mut before) = (0, 0, 0);
    while Instant::now() < end {
        tokio::time::sleep(MINUTE).await;
        let cache = stage.engine.status().cache;
        most_hot = most_hot.max(cache.hot_names);
        most_sent = most_sent.max(cache.usage.sent_ahead - before);
        before = cache.usage.sent_ahead;
    }
    (most_hot, most_sent)
}
