//! Why no connection could be opened, address by address, and how grave that is.

use std::cmp::Reverse;

use serde::Serialize;

use crate::endpoint::Endpoint;
use crate::upstream::clear::lease::LeaseError;
use crate::upstream::failure::identity_error::IdentityError;
use crate::upstream::failure::proxy_error::ProxyError;
use crate::upstream::failure::trust_error::TrustError;

/// To which there was no response, in [`DialReason::Silent`].
pub const TLS_HELLO: &str = "the TLS hello";

/// What a failure says about the server at an address. The gravest failure is reported first, so that an impostor at one address
/// is not hidden by a silent second address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// not one packet left, for want of a route
    NoRoute,
    /// no server was there, for example while it restarts
    Absent,
    /// the server refuses or does not authenticate itself, and would do so again
    Refused,
    /// another server is there, which failed to prove that it is the right one
    Impostor,
}

/// One address that was tried in vain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[error("{address}: {text}")]
pub struct Tried {
    pub address: String,
    /// the word of [`Failure::code`]
    pub code: &'static str,
    pub text: String,
    #[serde(skip)]
    pub gravity: Gravity,
}

/// Why no connection could be opened. Names the address and the step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{address}: {reason}{}", .also.iter().map(|also| format!("; {also}")).collect::<String>())]
pub struct DialError {
    pub address: Endpoint,
    pub reason: DialReason,
    /// at other addresses, or with the other private transport; none of them is graver or holds further errors
    pub also: Vec<DialError>,
}

impl DialError {
    pub fn new(address: impl Into<Endpoint>, reason: DialReason) -> Self {
        Self { address: address.into(), reason, also: Vec::new() }
    }

    /// Of errors that are equally grave, the one that was tried first comes first. The same error is listed once.
    pub fn and(self, other: Self) -> Self {
        let mut tried: Vec<Self> = Vec::new();
        for one in self.each().chain(other.each()) {
            if !tried.contains(&one) {
                tried.push(one);
            }
        }
        tried.sort_by_key(|one| Reverse(one.gravity()));
        let gravest = tried.remove(0);
        Self { also: tried, ..gravest }
    }

    /// Adds the errors that were found before it, if any.
    pub fn after(self, before: Option<Self>) -> Self {
        match before {
            Some(before) => before.and(self),
            None => self,
        }
    }

    /// This error, and those beside it.
    pub fn each(mut self) -> impl Iterator<Item = Self> {
        let also = std::mem::take(&mut self.also);
        std::iter::once(self).chain(also)
    }

    /// Of the gravest error.
    pub fn gravity(&self) -> Gravity {
        self.reason.gravity()
    }

    pub fn is_impostor(&self) -> bool {
        self.gravity() == Gravity::Impostor
    }
}

impl From<DialError> for Tried {
    fn from(DialError { address, reason, .. }: DialError) -> Self {
        let (code, gravity) = (reason.code(), reason.gravity());
        Self { address: address.to_string(), code, text: reason.to_string(), gravity }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialReason {
    #[error("can't connect ({0})")]
    Connect(String),
    /// the kernel said at once that it has no route there; not one packet left
    #[error("can't connect ({0})")]
    NoRoute(String),
    #[error("no response to {0} in time")]
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
    Identity(#[from] IdentityError),
    #[error(transparent)]
    NotPermitted(#[from] LeaseError),
}

impl DialReason {
    pub fn gravity(&self) -> Gravity {
        match self {
            Self::Trust(_) => Gravity::Impostor,
            Self::Starttls(_)
            | Self::KnownWithoutTls(_)
            | Self::Tls(_)
            | Self::Identity(_)
            | Self::Proxy(_)
            | Self::NotPermitted(_) => Gravity::Refused,
            Self::Connect(_) | Self::Silent(_) | Self::Broken { .. } => Gravity::Absent,
            Self::NoRoute(_) => Gravity::NoRoute,
        }
    }

    /// Whether a hello that a middlebox does not let pass may be the reason: reset, an alert, or silence after it.
    pub fn may_be_of_the_hello(&self) -> bool {
        matches!(self, Self::Broken { during: "TLS", .. } | Self::Tls(_) | Self::Silent(TLS_HELLO))
    }

    /// The other error, if it is graver.
    pub fn or_graver(self, other: Self) -> Self {
        if other.gravity() > self.gravity() { other } else { self }
    }

    /// A stable word for logs, health issues and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Connect(_) | Self::NoRoute(_) => "connect-failed",
            Self::Silent(_) => "no-response",
            Self::Proxy(error) => error.code(),
            Self::Starttls(_) => "starttls-failed",
            Self::Broken { during: "STARTTLS", .. } => "starttls-failed",
            Self::Broken { .. } => "tls-failed",
            Self::KnownWithoutTls(_) => "starttls-declined-before",
            Self::Tls(_) => "tls-failed",
            Self::Trust(error) => error.code(),
            Self::Identity(error) => error.code(),
            Self::NotPermitted(_) => "not-permitted",
        }
    }
}
