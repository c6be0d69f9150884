//! Why an upstream gave no answer: expected, so values.

use std::time::Duration;

use super::place::Place;
use super::socks5::ProxyError;
use super::trust::TrustError;
use crate::answer::NoAnswer;
use crate::clear::NoPermit;
use crate::wire::edns::ExtendedError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Dial(#[from] DialError),
    #[error("the connection closed before the answer came")]
    Closed,
    /// not one octet came, and none to a liveness question: there is no path, or nobody at its end
    #[error("the connection went silent")]
    Dead,
    /// the question went out, to a server that lives
    #[error("no answer in time")]
    TimedOut,
    /// the question did not go out
    #[error("still connecting when the time was up")]
    StillConnecting,
    #[error("its answer was not usable: {0}")]
    BadAnswer(#[from] NoAnswer),
    #[error(transparent)]
    NotPermitted(#[from] NoPermit),
    #[error("{last}; tried again in {} s", .left.as_secs() + 1)]
    Resting { left: Duration, last: String },
}

/// Why no connection came about. Names the address and the step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{address}: {reason}{}", .also.as_ref().map_or_else(String::new, |also| format!("; {also}")))]
pub struct DialError {
    pub address: Place,
    pub reason: DialReason,
    /// by the other private way
    pub also: Option<Box<DialError>>,
}

impl DialError {
    pub fn new(address: impl Into<Place>, reason: DialReason) -> Self {
        Self { address: address.into(), reason, also: None }
    }

    pub fn and(self, also: Self) -> Self {
        Self { also: Some(Box::new(also)), ..self }
    }

    /// Whether nobody was there, as while a server restarts. Who is there and refuses, or proves nothing, would do so again.
    pub fn is_absence(&self) -> bool {
        let also = self.also.as_ref().is_none_or(|also| also.is_absence());
        also && matches!(
            self.reason,
            DialReason::Connect(_) | DialReason::Silent(_) | DialReason::Broken { .. }
        )
    }

    /// Whether not one packet left, for want of a way for it.
    pub fn is_without_route(&self) -> bool {
        let also = self.also.as_ref().is_none_or(|also| also.is_without_route());
        also && matches!(self.reason, DialReason::NoRoute(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialReason {
    #[error("can't connect ({0})")]
    Connect(String),
    /// the kernel said so at once: it has no way there, and not one packet left
    #[error("can't connect ({0})")]
    NoRoute(String),
    #[error("no reply to {0} in time")]
    Silent(&'static str),
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    #[error("{0}")]
    Starttls(String),
    /// `during`: STARTTLS or TLS
    #[error("{words}")]
    Broken { during: &'static str, words: String },
    #[error("{0}, less than a minute ago")]
    KnownWithoutTls(String),
    #[error("TLS failed ({0})")]
    Tls(String),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    NotPermitted(#[from] NoPermit),
}

impl DialReason {
    /// Stable word for logs, health issues and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Connect(_) | Self::NoRoute(_) => "connect-failed",
            Self::Silent(_) => "no-reply",
            Self::Proxy(error) => error.code(),
            Self::Starttls(_) => "starttls-failed",
            Self::Broken { during: "STARTTLS", .. } => "starttls-failed",
            Self::Broken { .. } => "tls-failed",
            Self::KnownWithoutTls(_) => "starttls-declined-before",
            Self::Tls(_) => "tls-failed",
            Self::Trust(error) => error.code(),
            Self::NotPermitted(_) => "not-permitted",
        }
    }
}

impl Failure {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Dial(error) => error.reason.code(),
            Self::Closed => "closed",
            Self::Dead => "dead",
            Self::TimedOut => "timed-out",
            Self::StillConnecting => "still-connecting",
            Self::BadAnswer(_) => "bad-answer",
            Self::NotPermitted(_) => "not-permitted",
            Self::Resting { .. } => "resting",
        }
    }

    /// 22 where no private path could be had, 23 where one broke under the question (RFC 8914).
    pub fn extended_error(&self) -> u16 {
        match self {
            Self::Dial(_) | Self::StillConnecting | Self::Resting { .. } => {
                ExtendedError::NO_REACHABLE_AUTHORITY
            }
            Self::NotPermitted(_) => ExtendedError::PROHIBITED,
            Self::Closed | Self::Dead | Self::TimedOut | Self::BadAnswer(_) => ExtendedError::NETWORK_ERROR,
        }
    }

    /// Whether nothing was asked, because nobody could be asked privately.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Dial(_) | Self::StillConnecting | Self::Resting { .. } | Self::NotPermitted(_))
    }
}
