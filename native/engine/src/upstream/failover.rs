//! Which upstream is asked: in the order given, those that failed last time after the others, and tried again behind
//! everybody's back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::failure::Failure;
use super::outgoing::Outgoing;
use super::transport::{Exchanged, Transport};
use crate::config::UpstreamConfig;
use crate::outcome::TransportKind;
use crate::wire::edns::ExtendedError;

pub struct Upstream {
    pub id: &'static str,
    pub kind: TransportKind,
    pub config: UpstreamConfig,
    pub transport: Box<dyn Transport>,
    /// it was found to ask us
    pub looping: AtomicBool,
}

/// All of one configuration, in order of preference.
#[derive(Default)]
pub struct Upstreams {
    pub all: Vec<Arc<Upstream>>,
}

/// Nobody answered. One failure each, in the order they were asked.
#[derive(Debug, Default)]
pub struct NobodyAnswered {
    failures: Vec<(&'static str, Failure)>,
    /// upstreams are configured, and all of them ask us
    looping: bool,
}

const LONGEST_TEXT: usize = 240;

impl Upstreams {
    pub async fn exchange(
        &self,
        question: Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<(Exchanged, Arc<Upstream>), NobodyAnswered> {
        let candidates = self.candidates();
        let looping = candidates.is_empty() && !self.all.is_empty();
        let mut nobody = NobodyAnswered { looping, ..NobodyAnswered::default() };
        for (index, upstream) in candidates.iter().enumerate() {
            let others = (candidates.len() - index) as u32;
            let Some(until) = turn_ends(deadline, others) else { break };
            match upstream.transport.exchange(question.clone(), until).await {
                Ok(exchanged) => return Ok((exchanged, (*upstream).clone())),
                Err(failure) => nobody.failures.push((upstream.id, failure)),
            }
        }
        Err(nobody)
    }

    /// Who may be asked: private upstreams; clear ones only where no private one is configured, because a clear upstream
    /// beside a private one is a rung that `refuse` never descends.
    fn usable(&self) -> impl Iterator<Item = &Arc<Upstream>> {
        let any_private = self.all.iter().any(|upstream| upstream.kind.is_private());
        let sound = |upstream: &&Arc<Upstream>| !upstream.looping.load(Ordering::Relaxed);
        self.all.iter().filter(move |upstream| upstream.kind.is_private() || !any_private).filter(sound)
    }

    /// Whether what they are asked is nobody else's to read.
    pub fn are_private(&self) -> bool {
        self.usable().all(|upstream| upstream.kind.is_private())
    }

    fn candidates(&self) -> Vec<&Arc<Upstream>> {
        let mut candidates: Vec<_> = self.usable().collect();
        if candidates.iter().any(|upstream| upstream.transport.is_failing()) {
            let (mut sound, failing): (Vec<_>, Vec<_>) =
                candidates.into_iter().partition(|upstream| !upstream.transport.is_failing());
            if !sound.is_empty() {
                failing.iter().for_each(|upstream| upstream.transport.nudge());
            }
            sound.extend(failing);
            candidates = sound;
        }
        candidates
    }

    /// Connects to the preferred upstream before anyone asks.
    pub fn warm_up(&self) {
        if let Some(first) = self.usable().next() {
            first.transport.nudge();
        }
    }
}

/// When the first of so many has had its share of the time that is left; `None`: none is left.
fn turn_ends(deadline: Instant, among: u32) -> Option<Instant> {
    let now = Instant::now();
    let left = deadline.checked_duration_since(now).filter(|left| !left.is_zero())?;
    let share = if among == 1 { left } else { (left / among).max(Duration::from_secs(1)).min(left) };
    Some(now + share)
}

impl NobodyAnswered {
    /// True where no question was put to anyone, because nobody could be asked privately.
    pub fn is_refusal(&self) -> bool {
        self.failures.iter().all(|(_, failure)| failure.is_refusal())
    }

    /// Those that took the question and let it run out of time.
    pub fn silent(&self, among: &Upstreams) -> Vec<Arc<Upstream>> {
        let silent =
            |id: &str| self.failures.iter().any(|(one, why)| *one == id && *why == Failure::TimedOut);
        among.all.iter().filter(|upstream| silent(upstream.id)).cloned().collect()
    }

    /// One extended error that says which upstream failed why.
    pub fn extended_error(&self) -> ExtendedError {
        let asked = self.failures.iter().find(|(_, failure)| !failure.is_refusal());
        let code = asked
            .or(self.failures.first())
            .map_or(ExtendedError::NO_REACHABLE_AUTHORITY, |(_, failure)| failure.extended_error());
        let lead = if self.is_refusal() { "no private path" } else { "no answer" };
        let mut text = lead.to_owned();
        for (index, (id, failure)) in self.failures.iter().enumerate() {
            text.push_str(if index == 0 { ": " } else { "; " });
            text.push_str(&format!("{id}: {failure}"));
        }
        if self.failures.is_empty() {
            text.push_str(if self.looping {
                ": the upstreams lead back to us"
            } else {
                ": no upstream is configured"
            });
        }
        while text.len() > LONGEST_TEXT {
            text.pop();
        }
        ExtendedError::new(code, text)
    }
}
