//! The private paths to one upstream: the configured one, and its alternative where that one is silent or fails. The first path on
//! which the server proves itself is taken, and the other is dropped.

pub mod attempt;
pub mod happy_eyeballs;
pub mod one_address;
pub mod path;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::endpoint::Endpoint;
use crate::holding::Holding;
use crate::outcome::TransportKind;
use crate::upstream::connection::early::Early;
use crate::upstream::connection::link::Link;
use crate::upstream::dial::protection::Protection;
use crate::upstream::failure::dial_error::{DialError, DialReason};
use crate::upstream::memory::starttls_memory::StarttlsMemory;
use crate::upstream::paths::attempt::Progress;
use crate::upstream::paths::happy_eyeballs::Schedule;
use crate::upstream::paths::one_address::{Surface, dial_address};
use crate::upstream::paths::path::{Arrived, Path};
use crate::upstream::running::Running;

/// How long the first path is waited for while its round trip is not known.
const HEAD_START: Duration = Duration::from_millis(300);
/// How long it is waited for beyond two round trips, where they are known.
const ALLOWANCE: Duration = Duration::from_millis(150);

pub struct Paths {
    surface: Surface,
    first: Path,
    second: Option<Path>,
    /// the second was taken last time, so it need not wait for the first
    second_won: AtomicBool,
    witness: Option<Witness>,
}

/// Notes which servers proved themselves, and which did so before and do not now.
pub struct Witness {
    pub upstream: &'static str,
    pub network: Arc<str>,
    pub memory: Arc<StarttlsMemory>,
    pub holding: Arc<Holding>,
}

impl Paths {
    pub fn only(path: Path, surface: Surface) -> Self {
        Self { surface, first: path, second: None, second_won: AtomicBool::new(false), witness: None }
    }

    pub fn or(self, second: Option<Path>) -> Self {
        Self { second, ..self }
    }

    pub fn watched_by(self, witness: Witness) -> Self {
        Self { witness: Some(witness), ..self }
    }

    /// The best path of another network may not be the best one here.
    pub fn forget(&self) {
        std::iter::once(&self.first).chain(&self.second).for_each(|path| *path.best() = None);
    }

    /// The configured transport, until another was taken.
    pub fn kind(&self) -> TransportKind {
        self.first.kind
    }

    /// `early` may leave with the hello, on each path that is tried. `progress` is the first path's.
    pub async fn dial(
        &self,
        round_trip: Option<Duration>,
        early: Option<&Early>,
        progress: &Progress<'_>,
    ) -> Result<Arrived, DialError> {
        let failed = Notify::new();
        let mut first = Box::pin(self.by(&self.first, round_trip, early, progress));
        let Some(second) = &self.second else { return first.await };
        let patience = round_trip.map_or(HEAD_START, |round_trip| round_trip * 2 + ALLOWANCE);
        let patience = patience * self.first.dialer.patience();
        let mut second = Box::pin(async {
            if !self.second_won.load(Ordering::Relaxed) {
                silence(progress, patience, &failed).await;
            }
            self.by(second, round_trip, early, &Progress::start()).await
        });
        let (first, second) = tokio::select! {
            biased;
            result = &mut first => match result {
                Ok(arrived) => (Some(Ok(arrived)), None),
                Err(missed) => {
                    failed.notify_one();
                    (Some(Err(missed)), Some(second.await))
                }
            },
            result = &mut second => match result {
                Ok(arrived) => (None, Some(Ok(arrived))),
                Err(missed) => (Some(first.await), Some(Err(missed))),
            },
        };
        self.second_won.store(matches!(second, Some(Ok(_))), Ordering::Relaxed);
        result_of_both(first, second)
    }

    /// The first address that proves itself is taken.
    async fn by(
        &self,
        path: &Path,
        round_trip: Option<Duration>,
        early: Option<&Early>,
        progress: &Progress<'_>,
    ) -> Result<Arrived, DialError> {
        let order = happy_eyeballs::order(&path.addresses, *path.best());
        let mut schedule = Schedule::new(order, round_trip, path.dialer.patience(), Instant::now());
        let mut running = Running::default();
        let mut error: Option<DialError> = None;
        loop {
            if let Some(address) = schedule.next(Instant::now()) {
                running.start(
                    address,
                    Box::pin(dial_address(path, address, round_trip, early, progress, &self.surface)),
                );
            }
            let (address, result) = tokio::select! {
                ended = running.next() => ended,
                () = until(schedule.due()) => {
                    schedule.sign(progress.since());
                    continue;
                }
            };
            if let Some(witness) = &self.witness {
                witness.note(address, &result);
            }
            let failed = match result {
                Ok(link) => {
                    *path.best() = Some(address);
                    let missed = error.filter(DialError::is_impostor);
                    return Ok(Arrived { link, kind: path.kind, address, missed });
                }
                Err(reason) => DialError::new(address, reason).after(error),
            };
            schedule.failed(Instant::now());
            if running.is_empty() && schedule.due().is_none() {
                return Err(failed);
            }
            error = Some(failed);
        }
    }
}

impl Witness {
    fn note(&self, address: Endpoint, result: &Result<Link, DialReason>) {
        match result {
            Ok(Link { protection: Protection::Tls(_), .. }) => {
                if self.memory.downgrade_evidence.authenticated(address) {
                    self.holding.path_changed();
                }
            }
            Ok(_) => {}
            Err(reason) => {
                if self.memory.downgrade_evidence.failed(self.upstream, address, &self.network, reason) {
                    self.holding.path_changed();
                }
            }
        }
    }
}

/// `None` for a path that was dropped because the other one was taken.
fn result_of_both(
    first: Option<Result<Arrived, DialError>>,
    second: Option<Result<Arrived, DialError>>,
) -> Result<Arrived, DialError> {
    match (first, second) {
        (Some(Ok(arrived)), second) => {
            Ok(arrived.despite(second.and_then(Result::err).filter(DialError::is_impostor)))
        }
        (first, Some(Ok(arrived))) => Ok(arrived.despite(first.and_then(Result::err))),
        (Some(Err(error)), Some(Err(also))) => Err(error.and(also)),
        (Some(Err(error)), None) | (None, Some(Err(error))) => Err(error),
        (None, None) => unreachable!("one of them has ended"),
    }
}

/// Never returns if there is no such time.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Returns when the first path has failed, or has given no sign for longer than it takes.
async fn silence(progress: &Progress<'_>, patience: Duration, failed: &Notify) {
    loop {
        let until = progress.since() + patience;
        if until <= Instant::now() {
            return;
        }
        tokio::select! {
            () = failed.notified() => return,
            () = sleep_until(until) => {}
        }
    }
}
