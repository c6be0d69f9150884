//! What a probe found, for people and for the control plane.

use std::cmp::Reverse;

use serde::Serialize;

use super::examination::Examination;
use crate::outcome::TransportKind;
use crate::upstream::dial::certificate::Certificate;
use crate::upstream::dial::fast_open::FastOpen;
use crate::upstream::dial::protection::TlsFacts;
use crate::upstream::failure::dial_error::{Gravity, Tried};
use crate::words::words;

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProbeReport {
    pub ok: bool,
    /// the gravest, with all others after it
    pub error: Option<ProbeError>,
    #[cfg_attr(test, ts(type = "UpstreamTransport"))]
    pub transport: TransportKind,
    /// the one that responded, or whose error is the gravest; all other fields but `tried` and `alternative` are about it
    pub address: String,
    /// the addresses that were tried in vain, the gravest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub tried: Vec<Tried>,
    pub ms: f64,
    pub round_trips: u8,
    pub fast_open: FastOpen,
    /// how many octets the server's tickets let a client send with its next hello
    pub early_data: Option<usize>,
    pub steps: Vec<Step>,
    pub tls: Option<TlsFacts>,
    /// as presented, the server's own first
    pub chain: Vec<Certificate>,
    /// base64, without the OPT
    pub response: Option<String>,
    /// packets with a name in cleartext that left under no lease of the service
    pub clear_packets: u64,
    /// how the server behaves, where it works and is private
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub examination: Option<Examination>,
    /// the same for the other private transport, where there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub alternative: Option<Box<ProbeReport>>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProbeError {
    pub code: &'static str,
    pub message: String,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ProbeStep"))]
pub struct Step {
    /// milliseconds since the beginning
    pub at: f64,
    pub step: StepKind,
    pub text: String,
}

words!(
    /// What was done, or how it ended.
    StepKind {
        Connect = "connect",
        Starttls = "starttls",
        Tls = "tls",
        Query = "query",
        Response = "response",
        /// a second connection right after the first
        Again = "again",
        Failed = "failed",
    }
);

impl ProbeReport {
    /// Where neither transport works, the report on the configured one has the errors of both.
    pub(super) fn beside(self, other: Self) -> Self {
        let alternative = Some(Box::new(other.clone()));
        if self.ok || other.ok {
            return Self { alternative, ..self };
        }
        let both = [self.tried.clone(), other.tried].concat();
        Self { alternative, ..self.after(both) }
    }

    /// `tried` holds all that were tried in vain; this one, too, if it was.
    pub(super) fn after(self, mut tried: Vec<Tried>) -> Self {
        tried.sort_by_key(|one| Reverse(one.gravity));
        let error = if self.ok { None } else { Some(ProbeError::of(&tried)) };
        Self { error, tried, ..self }
    }

    pub(super) fn gravity(&self) -> Option<Gravity> {
        self.tried.first().map(|one| one.gravity)
    }
}

impl ProbeError {
    /// `tried` is not empty, and has the gravest first.
    pub(super) fn of(tried: &[Tried]) -> Self {
        let all: Vec<_> = tried.iter().map(Tried::to_string).collect();
        Self { code: tried[0].code, message: all.join("; ") }
    }
}
