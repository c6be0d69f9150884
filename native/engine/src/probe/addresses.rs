//! One question to an upstream's addresses in their order, until one answers. What they found is one report: the gravest error
//! is told first, and every address that was tried in vain.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::attempt::Attempt;
use super::{ProbeError, ProbeReport, Step};
use crate::config::UpstreamConfig;
use crate::upstream::clear::lease::Lease;
use crate::upstream::failure::dial_error::{Gravity, Tried};
use crate::upstream::memory::connections::Connections;
use crate::upstream::memory::starttls_memory::StarttlsMemory;
use crate::upstream::outgoing::Outgoing;

/// How its addresses are asked, each of them.
pub(super) struct Course<'a> {
    pub config: &'a UpstreamConfig,
    /// made anew for each: it counts what it costs
    pub question: &'a (dyn Fn() -> Outgoing + Send + Sync),
    pub memory: Arc<StarttlsMemory>,
    pub connections: Arc<Connections>,
    pub lease: Option<Arc<Lease>>,
    /// of each
    pub timeout: Duration,
    /// of all; what works is examined until then at most, and not where there is no such time
    pub end: Option<Instant>,
    pub on_step: &'a (dyn Fn(&Step) + Send + Sync),
}

impl Course<'_> {
    pub async fn run(&self) -> ProbeReport {
        let (mut tried, mut gravest) = (Vec::new(), None::<ProbeReport>);
        for address in &self.config.addresses {
            let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            let timeout = left.map_or(self.timeout, |left| left.min(self.timeout));
            let report = Attempt::new(self, *address).run(timeout).await;
            if report.ok {
                return report.after(tried);
            }
            tried.extend(report.tried.clone());
            if gravest.as_ref().is_none_or(|before| report.gravity() > before.gravity()) {
                gravest = Some(report);
            }
        }
        gravest.expect("an upstream has an address").after(tried)
    }
}

impl ProbeReport {
    /// Where neither way works, the configured one tells of both.
    pub(super) fn beside(self, other: Self) -> Self {
        let alternative = Some(Box::new(other.clone()));
        if self.ok || other.ok {
            return Self { alternative, ..self };
        }
        let both = [self.tried.clone(), other.tried].concat();
        Self { alternative, ..self.after(both) }
    }

    /// `tried`: all that were tried in vain, this one among them if it was.
    fn after(self, mut tried: Vec<Tried>) -> Self {
        tried.sort_by_key(|one| Reverse(one.gravity));
        let error = if self.ok { None } else { Some(ProbeError::of(&tried)) };
        Self { error, tried, ..self }
    }

    fn gravity(&self) -> Option<Gravity> {
        self.tried.first().map(|one| one.gravity)
    }
}

impl ProbeError {
    /// `tried`: not empty, the gravest first.
    pub(super) fn of(tried: &[Tried]) -> Self {
        let all: Vec<_> = tried.iter().map(Tried::to_string).collect();
        Self { code: tried[0].code, message: all.join("; ") }
    }
}
