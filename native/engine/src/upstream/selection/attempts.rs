//! The attempts of one query: upstream after upstream, or several at once.
//!
//! The next upstream is asked where one failed, and where one is still connecting although a round trip has long passed: a dead
//! upstream gives no sign either. One that has taken the query is waited for, however slow it is.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::cache::failures::is_failure;
use crate::upstream::exchange::Exchanged;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::Running;
use crate::upstream::selection::none_responded::NoneResponded;
use crate::upstream::selection::upstream::Upstream;

/// How long to wait for a sign from an upstream whose round trip is known: three of them and this.
const SIGN_OF_LIFE: Duration = Duration::from_millis(400);
/// How long to wait for an upstream that never responded.
const FIRST_SIGN: Duration = Duration::from_secs(1);
const MOST_ASKED_AGAIN: usize = 2;

pub struct Attempts<'a> {
    query: Arc<Outgoing>,
    deadline: Instant,
    waiting: VecDeque<&'a Arc<Upstream>>,
    running: Running<'a, &'a Arc<Upstream>, Result<Exchanged, Failure>>,
    /// when the latest one should have given a sign
    overdue: Instant,
    /// a response with an error; better than nothing
    spare: Option<Answered<'a>>,
    /// connections that died with this query
    died: usize,
    nobody: NoneResponded,
}

pub type Answered<'a> = (Exchanged, &'a Arc<Upstream>);

enum Event<'a> {
    Ended(&'a Arc<Upstream>, Result<Exchanged, Failure>),
    Overdue,
    EnoughConnecting,
}

impl<'a> Attempts<'a> {
    /// `candidates` are in the order in which they are asked.
    pub fn new(candidates: Vec<&'a Arc<Upstream>>, query: Arc<Outgoing>, deadline: Instant) -> Self {
        Self {
            query,
            deadline,
            waiting: candidates.into(),
            running: Running::default(),
            overdue: deadline,
            spare: None,
            died: 0,
            nobody: NoneResponded::default(),
        }
    }

    /// If none is connected at `connected_by`, there is no path to any of them.
    pub async fn run(
        mut self,
        at_once: usize,
        mut connected_by: Option<Instant>,
    ) -> Result<Answered<'a>, NoneResponded> {
        for _ in 0..at_once {
            self.start_next();
        }
        loop {
            if self.running.is_empty() && !self.start_next() {
                return self.spare.ok_or(self.nobody);
            }
            match self.event(connected_by).await {
                Event::Ended(upstream, Ok(exchanged))
                    if is_failure(&exchanged.response) && !self.running.is_empty() =>
                {
                    self.spare.get_or_insert((exchanged, upstream));
                }
                Event::Ended(upstream, Ok(exchanged)) => {
                    self.count_outrun();
                    return Ok((exchanged, upstream));
                }
                Event::Ended(upstream, Err(failure)) => {
                    if failure == Failure::Dead {
                        self.ask_again(upstream);
                    }
                    self.note(upstream, failure);
                    self.start_next();
                }
                Event::Overdue => {
                    self.overdue = self
                        .running
                        .latest()
                        .map_or(self.deadline, |latest| Instant::now() + patience(latest));
                    if self.running.latest().is_some_and(|latest| !latest.transport.is_connected()) {
                        self.start_next();
                    } else if let Some(next) = self.waiting.front() {
                        // it gets the name only if this one is found dead, and then at once
                        next.transport.nudge();
                    }
                }
                Event::EnoughConnecting if self.is_anyone_connected() => connected_by = None,
                Event::EnoughConnecting => {
                    let still = self.running.all().map(|upstream| (upstream.id, Failure::StillConnecting));
                    self.nobody.failures.extend(still);
                    return self.spare.ok_or(self.nobody);
                }
            }
        }
    }

    fn start_next(&mut self) -> bool {
        let now = Instant::now();
        if now >= self.deadline {
            return false;
        }
        let Some(upstream) = self.waiting.pop_front() else { return false };
        // a connection sends its liveness query after half of the time that a silent one has
        let patience = patience(upstream);
        self.overdue = now + if upstream.transport.is_connected() { patience / 2 } else { patience };
        self.running.start(upstream, upstream.transport.exchange(self.query.clone(), self.deadline));
        true
    }

    /// Asks it again on a new connection, after those that were not asked yet; at most three times in all (RFC 9520 section 3.1).
    fn ask_again(&mut self, upstream: &'a Arc<Upstream>) {
        if self.died < MOST_ASKED_AGAIN {
            self.died += 1;
            self.waiting.push_back(upstream);
        }
    }

    fn note(&mut self, upstream: &Upstream, failure: Failure) {
        let failed = (upstream.id, failure);
        if !self.nobody.failures.contains(&failed) {
            self.nobody.failures.push(failed);
        }
    }

    async fn event(&mut self, connected_by: Option<Instant>) -> Event<'a> {
        let overdue = (!self.waiting.is_empty()).then_some(self.overdue);
        tokio::select! {
            biased;
            (upstream, result) = self.running.next() => Event::Ended(upstream, result),
            () = at(connected_by) => Event::EnoughConnecting,
            () = at(overdue) => Event::Overdue,
        }
    }

    fn is_anyone_connected(&self) -> bool {
        self.running.all().any(|upstream| upstream.transport.is_connected())
    }

    /// Counts those that have the query and are too late. If the query has not left yet, it never will.
    fn count_outrun(&self) {
        for upstream in self.running.all().filter(|upstream| upstream.transport.is_connected()) {
            upstream.outrun.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn at(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => std::future::pending().await,
    }
}

fn patience(upstream: &Upstream) -> Duration {
    upstream.transport.round_trip().map_or(FIRST_SIGN, |round_trip| round_trip * 3 + SIGN_OF_LIFE)
}
