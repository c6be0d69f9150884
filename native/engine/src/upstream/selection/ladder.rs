//! The rungs below a group's private paths, while a lease lasts. Each is tried for a moment, and the next query begins at the one
//! that responded.
//!
//! A rung's steps are the upstreams to which it leads, in the group's order. A step that stays silent is not given up when the
//! next one starts: on a slow path its response may still be the first.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde::Serialize;
use tokio::time::{Instant, timeout_at};

use crate::config::{GroupConfig, Rung};
use crate::outcome::TransportKind;
use crate::upstream::clear::lease::Lease;
use crate::upstream::condition::State;
use crate::upstream::exchange::{Exchange, Exchanged};
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::Running;
use crate::upstream::selection::upstream::{Source, Upstream};

/// What a dead rung costs a query.
const TURN: Duration = Duration::from_millis(700);

/// What a ladder is made from. While this stays the same, the ladder stays, with its connections.
pub struct Materials<'a> {
    pub group: &'a GroupConfig,
    /// all of the group
    pub upstreams: &'a [Arc<Upstream>],
    pub network_resolvers: &'a [SocketAddr],
    pub lease: Arc<Lease>,
}

pub struct Ladder {
    pub lease: Arc<Lease>,
    rungs: Vec<Steps>,
    upstreams: Vec<Arc<Upstream>>,
    network_resolvers: Vec<SocketAddr>,
    /// the position of the rung that responded last
    foothold: AtomicUsize,
}

pub struct Steps {
    pub rung: Rung,
    pub steps: Vec<Step>,
}

pub struct Step {
    /// id of the upstream, or address of the network's resolver
    pub upstream: &'static str,
    /// rung and upstream, for the reason in an error
    pub words: &'static str,
    pub kind: TransportKind,
    pub transport: Box<dyn Exchange>,
    /// it stayed silent or failed when it was asked last
    pub silent: AtomicBool,
}

/// A step at this moment, as `status()` shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RungStatus {
    pub group: String,
    pub rung: Rung,
    pub upstream: &'static str,
    pub state: State,
    pub last_error: Option<String>,
}

impl Ladder {
    pub fn new(from: &Materials<'_>, rungs: Vec<Steps>) -> Self {
        Self {
            lease: from.lease.clone(),
            rungs,
            upstreams: from.upstreams.to_vec(),
            network_resolvers: from.network_resolvers.to_vec(),
            foothold: AtomicUsize::new(0),
        }
    }

    pub fn is_made_of(&self, from: &Materials<'_>) -> bool {
        Arc::ptr_eq(&self.lease, &from.lease)
            && self.rungs.iter().map(|steps| steps.rung).eq(from.group.rungs.iter().copied())
            && self.network_resolvers == from.network_resolvers
            && self.upstreams.len() == from.upstreams.len()
            && self.upstreams.iter().zip(from.upstreams).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// `order` has the upstreams in the strategy's order for this query.
    pub async fn exchange(
        &self,
        query: Arc<Outgoing>,
        deadline: Instant,
        order: &[&Arc<Upstream>],
    ) -> Result<(Exchanged, Source), Vec<(&'static str, Failure)>> {
        let mut waiting = self.descent(order);
        let (mut running, mut failures) = (Running::default(), Vec::new());
        loop {
            let next = waiting.pop_front();
            if let Some(Turn { at, step, .. }) = next {
                running.start((at, step), step.transport.exchange(query.clone(), deadline));
            } else if running.is_empty() {
                return Err(failures);
            }
            let turn = next.filter(|_| !waiting.is_empty()).map(|turn| Instant::now() + turn.lasts);
            match until(turn, running.next()).await {
                Some(((at, step), Ok(exchanged))) => {
                    running.all().for_each(|(_, step)| step.silent.store(true, Ordering::Relaxed));
                    step.silent.store(false, Ordering::Relaxed);
                    self.foothold.store(at, Ordering::Relaxed);
                    return Ok((exchanged, self.source(step)));
                }
                Some(((_, step), Err(failure))) => {
                    step.silent.store(true, Ordering::Relaxed);
                    failures.push((step.words, failure));
                }
                None => {}
            }
        }
    }

    /// The steps to try, one after the other: first the rung that responded last, then from the top. Within a rung, those that
    /// stayed silent come last.
    fn descent(&self, order: &[&Arc<Upstream>]) -> VecDeque<Turn<'_>> {
        let foothold = self.foothold.load(Ordering::Relaxed);
        let others = (0..self.rungs.len()).filter(|at| *at != foothold);
        let rungs = self.rungs.get(foothold).map(|_| foothold).into_iter().chain(others);
        let turns = rungs.flat_map(|at| {
            let mut steps: Vec<&Step> = self.rungs[at].steps.iter().collect();
            let place = |step: &Step| order.iter().position(|upstream| upstream.id == step.upstream);
            steps.sort_by_key(|step| (step.silent.load(Ordering::Relaxed), place(step)));
            let lasts = TURN / steps.len().max(1) as u32;
            steps.into_iter().map(move |step| Turn { at, step, lasts })
        });
        turns.collect()
    }

    fn source(&self, step: &Step) -> Source {
        Source { upstream: step.upstream, transport: step.kind, lease: Some(self.lease.clone()) }
    }

    pub fn status(&self, group: &str) -> impl Iterator<Item = RungStatus> {
        let steps = self.rungs.iter().flat_map(|rung| rung.steps.iter().map(|step| (rung.rung, step)));
        steps.map(|(rung, step)| {
            let condition = step.transport.condition();
            RungStatus {
                group: group.to_owned(),
                rung,
                upstream: step.upstream,
                state: condition.state,
                last_error: condition.last_error.map(|error| error.text),
            }
        })
    }

    /// What began before this [`NetworkChanges`](crate::upstream::memory::network_change::NetworkChanges) ends at once, with
    /// everything that the kernel would send again.
    pub fn abandon(&self, network_change: u64) {
        self.rungs
            .iter()
            .flat_map(|rung| &rung.steps)
            .for_each(|step| step.transport.abandon(network_change));
    }

    /// Closes every connection.
    pub fn retire(&self) {
        self.rungs.iter().flat_map(|rung| &rung.steps).for_each(|step| step.transport.retire());
    }
}

/// A step's place in a descent.
#[derive(Clone, Copy)]
struct Turn<'a> {
    /// the position of its rung
    at: usize,
    step: &'a Step,
    /// until the next one starts
    lasts: Duration,
}

async fn until<T>(when: Option<Instant>, what: impl Future<Output = T>) -> Option<T> {
    match when {
        Some(when) => timeout_at(when, what).await.ok(),
        None => Some(what.await),
    }
}
