//! Why no upstream responded, and what the client learns about it.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::upstream::clear::lease::LeaseError;
use crate::upstream::failure::Failure;
use crate::upstream::selection::upstream::Upstream;
use crate::wire::edns::ExtendedError;

/// No upstream responded. One failure for each, in the order in which they were asked.
#[derive(Debug, Default)]
pub struct NoneResponded {
    pub failures: Vec<(&'static str, Failure)>,
    /// there are upstreams, and all of them lead back to us
    pub looping: bool,
    /// the query has left under a lease, without success
    pub in_cleartext: bool,
}

const LONGEST_TEXT: usize = 240;

impl NoneResponded {
    /// True where the query was not sent, because no upstream could be reached privately.
    pub fn is_refusal(&self) -> bool {
        !self.in_cleartext && self.failures.iter().all(|(_, failure)| failure.is_refusal())
    }

    /// Whether there is no path to any of them. A slow response, or a wrong one, does not count.
    pub fn is_cut_off(&self) -> bool {
        let cut_off = |failure: &Failure| {
            !matches!(
                failure,
                Failure::TimedOut
                    | Failure::BadResponse(_)
                    | Failure::DoesNotFit
                    | Failure::NotPermitted(LeaseError::Ended | LeaseError::Withheld)
            )
        };
        !self.failures.is_empty() && self.failures.iter().all(|(_, failure)| cut_off(failure))
    }

    /// Where the time was over before any of these was asked: a query that waits for the next dial may begin its last round too
    /// late. This is only said: it is no reason to go down the ladder.
    pub fn or_unasked(mut self, upstreams: &[Arc<Upstream>]) -> Self {
        if self.failures.is_empty() && !self.looping {
            self.failures = upstreams.iter().map(|one| (one.id, Failure::StillConnecting)).collect();
        }
        self
    }

    /// Those that took the query and let its time run out.
    pub fn silent(&self, among: &[Arc<Upstream>]) -> Vec<Arc<Upstream>> {
        let silent =
            |id: &str| self.failures.iter().any(|(one, why)| *one == id && *why == Failure::TimedOut);
        among.iter().filter(|upstream| silent(upstream.id)).cloned().collect()
    }

    /// One extended error that says which upstream failed and why, the gravest first; its text is limited.
    pub fn extended_error(&self) -> ExtendedError {
        let asked = self.failures.iter().find(|(_, failure)| !failure.is_refusal());
        let code = asked
            .or(self.failures.first())
            .map_or(ExtendedError::NO_REACHABLE_AUTHORITY, |(_, failure)| failure.extended_error());
        let lead = if self.is_refusal() { "no private path" } else { "no answer" };
        let mut text = lead.to_owned();
        let mut failures: Vec<_> = self.failures.iter().collect();
        failures.sort_by_key(|(_, failure)| Reverse(failure.gravity()));
        for (index, (id, failure)) in failures.into_iter().enumerate() {
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
