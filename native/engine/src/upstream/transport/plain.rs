//! A query in cleartext, from a socket of its own with a random port and a random id (RFC 5452), with a cookie (RFC 7873), and by
//! TCP when the response was truncated or can't be believed. What a server was found not to do is remembered ([`habits`]).
//!
//! Each packet is counted first (`Counted`), so that the ledger's count is the number that left.

mod datagram;
mod errand;
mod habits;
mod stream;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

use crate::response::Response;
use crate::upstream::clear::lease::Lease;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::running::Running;
use crate::upstream::transport::plain::datagram::Doubt;
use crate::upstream::transport::plain::errand::Errand;
pub use crate::upstream::transport::plain::errand::Plain;
use crate::upstream::transport::plain::habits::{Attempt, Step};

/// How long TCP is waited for, where a datagram has brought a part of the response.
const TO_SEND_ALL: Duration = Duration::from_millis(1500);

/// An attempt at one server.
#[derive(Clone, Copy)]
struct Next {
    server: SocketAddr,
    step: Step,
    /// the server has been silent
    is_again: bool,
}

/// What is left to try for one query.
struct Round {
    left: VecDeque<Next>,
    /// the servers that neither responded nor failed
    silent: Vec<SocketAddr>,
    /// when the next attempt begins, unless all before have ended
    due: Instant,
    last: Failure,
}

impl Round {
    /// `None`: everything was tried, or the time is up.
    fn wakes_at(&self, none_runs: bool, deadline: Instant) -> Option<Instant> {
        let now = Instant::now();
        let at = match (self.left.is_empty(), none_runs) {
            (true, true) => return None,
            (true, false) => deadline,
            (false, true) => now,
            (false, false) => self.due.min(deadline),
        };
        (now < deadline).then_some(at)
    }

    fn next(&mut self) -> Option<Next> {
        let next = self.left.pop_front()?;
        self.due = Instant::now() + next.step.patience;
        Some(next)
    }

    /// A server that is only silent is asked again; one that can't be reached is not.
    fn failed(&mut self, server: SocketAddr, failure: Failure) {
        if failure != Failure::TimedOut {
            self.left.retain(|next| next.server != server);
            self.silent.retain(|silent| *silent != server);
            self.last = failure;
            self.due = Instant::now();
        }
    }
}

impl Plain {
    /// Asks the servers in turn until one responds or the deadline comes. A server that only stayed silent is asked again, in another
    /// way; a response to an earlier attempt is as good. One that can't be reached is not, because each packet reveals the name once
    /// more. If the machine changes its network meanwhile, nothing is left that would be sent on another network.
    pub async fn ask(
        &self,
        servers: &[SocketAddr],
        query: &Outgoing,
        lease: &Lease,
        deadline: Instant,
    ) -> Result<(Response, SocketAddr), Failure> {
        tokio::select! {
            biased;
            asked = self.ask_in_turn(servers, query, lease, deadline) => asked,
            suspended = lease.suspended() => Err(suspended.into()),
        }
    }

    async fn ask_in_turn(
        &self,
        servers: &[SocketAddr],
        query: &Outgoing,
        lease: &Lease,
        deadline: Instant,
    ) -> Result<(Response, SocketAddr), Failure> {
        let _turn = tokio::select! {
            biased;
            () = query.unwanted() => return Err(Failure::Unwanted),
            turn = timeout_at(deadline, self.turns.take(query.asker(), servers)) => {
                turn.map_err(|_| Failure::TimedOut)?
            }
        };
        let (begun, kind) = (Instant::now(), query.question.kind);
        let left = self.plan(servers, kind);
        let until = habits::all_patience(left.iter().map(|next| next.step));
        let deadline = until.map_or(deadline, |until| deadline.min(begun + until));
        let mut round = Round { left, silent: servers.to_vec(), due: begun, last: Failure::TimedOut };
        let mut running = Running::default();
        while let Some(at) = round.wakes_at(running.is_empty(), deadline) {
            tokio::select! {
                biased;
                (next, asked) = running.next(), if !running.is_empty() => {
                    let Next { server, step, is_again } = next;
                    match asked {
                        Ok(response) => {
                            self.heard(next, kind, begun.elapsed());
                            return Ok((response, server));
                        }
                        Err(failure @ Failure::NotPermitted(_)) => return Err(failure),
                        // another way was tried, because it is silent
                        Err(_) if is_again && step.attempt == Attempt::Stream => {}
                        Err(failure) => round.failed(server, failure),
                    }
                }
                () = sleep_until(at) => if let Some(next) = round.next() {
                    let errand = Errand { server: next.server, query, lease, deadline };
                    running.start(next, Box::pin(self.attempt(errand, next.step.attempt)));
                },
            }
        }
        round.silent.iter().for_each(|server| self.habits.silent_since(*server, &query.question, begun));
        Err(round.last)
    }

    fn heard(&self, Next { server, step, is_again }: Next, kind: u16, waited: Duration) {
        if is_again {
            self.habits.silent_before(server, step.attempt);
        }
        self.habits.answered(server, kind, waited);
    }

    /// Each server once, and then those again that were silent.
    fn plan(&self, servers: &[SocketAddr], kind: u16) -> VecDeque<Next> {
        let steps: Vec<_> =
            servers.iter().map(|server| (*server, self.habits.steps(*server, kind))).collect();
        let most = steps.iter().map(|(_, steps)| steps.len()).max().unwrap_or(0);
        let round = |number: usize| {
            let of = move |(server, steps): &(SocketAddr, Vec<Step>)| {
                steps.get(number).map(|step| Next { server: *server, step: *step, is_again: number > 0 })
            };
            steps.iter().filter_map(of)
        };
        (0..most).flat_map(round).collect()
    }

    async fn attempt(&self, errand: Errand<'_>, attempt: Attempt) -> Result<Response, Failure> {
        let doubt = match attempt {
            Attempt::Stream => Doubt::None,
            _ => match timeout_at(errand.deadline, self.by_datagram(&errand, attempt)).await {
                Ok(Ok(Ok(response))) => return Ok(response),
                Ok(Ok(Err(doubt))) => doubt,
                Ok(Err(failure)) => return Err(failure),
                Err(_) => return Err(Failure::TimedOut),
            },
        };
        let until = match &doubt {
            Doubt::Truncated(_) => errand.deadline.min(Instant::now() + TO_SEND_ALL),
            _ => errand.deadline,
        };
        let asked = timeout_at(until, self.by_stream(&errand, doubt.lost())).await;
        match asked.unwrap_or(Err(Failure::TimedOut)) {
            Err(failure) => doubt.instead_of(failure),
            asked => asked,
        }
    }
}
