//! Why nobody answered, and what the client is told of it.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::upstream::clear::lease::LeaseError;
use crate::upstream::failure::Failure;
use crate::upstream::selection::upstream::Upstream;
use crate::wire::edns::ExtendedError;

/// Nobody answered. One failure each, in the order they were asked.
#[derive(Debug, Default)]
pub struct NobodyAnswered {
    pub failures: Vec<(&'static str, Failure)>,
    /// upstreams are configured, and all of them ask us
    pub looping: bool,
    /// the query has left under a lease, in vain
    pub in_cleartext: bool,
}

const LONGEST_TEXT: usize = 240;

impl NobodyAnswered {
    /// True where no query was put to anyone, because nobody could be asked privately.
    pub fn is_refusal(&self) -> bool {
        !self.in_cleartext && self.failures.iter().all(|(_, failure)| failure.is_refusal())
    }

    /// Whether there is no path to any of them. A slow answer, or a wrong one, is no sign of that.
    pub fn is_cut_off(&self) -> bool {
        let cut_off = |failure: &Failure| {
            !matches!(
                failure,
                Failure::TimedOut | Failure::BadAnswer(_) | Failure::NotPermitted(LeaseError::Ended)
            )
        };
        !self.failures.is_empty() && self.failures.iter().all(|(_, failure)| cut_off(failure))
    }

    /// Those that took the question and let it run out of time.
    pub fn silent(&self, among: &[Arc<Upstream>]) -> Vec<Arc<Upstream>> {
        let silent =
            |id: &str| self.failures.iter().any(|(one, why)| *one == id && *why == Failure::TimedOut);
        among.iter().filter(|upstream| silent(upstream.id)).cloned().collect()
    }

    /// One extended error that says which upstream failed why, the gravest first: the text is not without end.
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
