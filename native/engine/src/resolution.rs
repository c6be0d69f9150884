//! What came of asking upstreams, for everyone who asked the same, and what is kept of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::answer::Answer;
use crate::cache::entry::SaidBy;
use crate::cache::failures::{How, is_failure};
use crate::cache::key::Key;
use crate::clock::Clock;
use crate::outcome::Cost;
use crate::snapshot::Snapshot;
use crate::upstream::failover::{NobodyAnswered, Source};
use crate::upstream::group::Reach;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::transport::Exchanged;

/// Short of the five seconds after which dig and most stubs give up, so that they hear why.
pub const DEADLINE: Duration = Duration::from_millis(4500);

pub type Resolution = Result<Answered, NobodyAnswered>;

pub struct Answered {
    pub answer: Answer,
    pub source: Source,
    pub cost: Cost,
    pub connect: Duration,
    pub wait: Duration,
    pub round_trips: u8,
}

pub async fn resolve(
    snapshot: &Snapshot,
    clock: &Clock,
    key: &Key,
    outgoing: Arc<Outgoing>,
    reach: Reach,
) -> Resolution {
    let resolution = ask(snapshot, outgoing, reach).await;
    remember(snapshot, clock, key, &resolution);
    resolution
}

async fn ask(snapshot: &Snapshot, outgoing: Arc<Outgoing>, reach: Reach) -> Resolution {
    let group = snapshot.group(&outgoing.question.name);
    let (exchanged, source) = group.exchange(outgoing, Instant::now() + DEADLINE, reach).await?;
    let Exchanged { answer, cost, connect, wait, round_trips } = exchanged;
    Ok(Answered { answer, source, cost, connect, wait, round_trips })
}

fn remember(snapshot: &Snapshot, clock: &Clock, key: &Key, resolution: &Resolution) {
    let (cache, now) = (&snapshot.cache, clock.now());
    // with an expired answer to serve meanwhile, nobody is in a hurry
    let stale = || snapshot.config.cache.serve_stale && cache.stale(key, now).is_some();
    match resolution {
        // a lease that has ended takes with it what came under it
        Ok(Answered { source, .. }) if source.lease.as_ref().is_some_and(|lease| lease.ended()) => {}
        Ok(Answered { answer, source, .. }) => {
            cache.failures.answered();
            let said_by = SaidBy { upstream: source.upstream, authenticated: source.is_private() };
            if is_failure(answer) {
                cache.failures.note(key, How::Said { answer: answer.clone(), said_by }, stale(), now);
                return;
            }
            cache.failures.forget(key);
            if !answer.truncated() {
                cache.insert(key, answer, said_by, now);
            }
        }
        Err(nobody) if nobody.is_refusal() => cache.failures.no_path(),
        Err(nobody) => cache.failures.note(key, How::Silent(nobody.extended_error()), stale(), now),
    }
}
