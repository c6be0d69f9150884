//! Why an upstream gave no response. Such failures are expected, so they are values.

pub mod dial_error;
pub mod identity_error;
pub mod proxy_error;
pub mod trust_error;

use std::time::Duration;

use serde::Serialize;

use crate::endpoint::Endpoint;
use crate::response::NoResponse;
use crate::upstream::clear::lease::LeaseError;
use crate::upstream::failure::dial_error::{DialError, Gravity, Tried};
use crate::wire::edns::ExtendedError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Dial(#[from] DialError),
    #[error("the connection closed before the answer came")]
    Closed,
    /// not one octet came, not even for a liveness query: there is no path, or no server at its end
    #[error("the connection went silent")]
    Dead,
    /// the query went out to a server that is alive
    #[error("no answer in time")]
    TimedOut,
    /// the query did not go out
    #[error("still connecting when the time was up")]
    StillConnecting,
    /// the query did not go out: its client has reset the connection
    #[error("the program that asked is gone")]
    Unwanted,
    #[error("its answer was not usable: {0}")]
    BadResponse(#[from] NoResponse),
    #[error(transparent)]
    NotPermitted(#[from] LeaseError),
    /// EncDNS: the first hop responded, and not with what the server sealed
    #[error("{0}")]
    NotCarried(String),
    /// EncDNS: the query did not go out
    #[error("the name is too long for one EncDNS query")]
    DoesNotFit,
    #[error("{}; tried again in {} s", .last.text, .left.as_secs() + 1)]
    Resting { left: Duration, last: Box<LastError> },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LastError {
    pub code: &'static str,
    pub text: String,
    /// the addresses to which no connection could be opened, the gravest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub tried: Vec<Tried>,
    #[serde(skip)]
    pub gravity: Gravity,
}

impl LastError {
    pub fn of(failure: &Failure) -> Self {
        let (code, gravity) = (failure.code(), failure.gravity());
        Self { code, text: failure.to_string(), tried: failure.tried(), gravity }
    }
}

impl Failure {
    /// For as long as `left`, after this error.
    pub fn resting(left: Duration, last: Option<&LastError>) -> Self {
        let unknown = || LastError {
            code: "resting",
            text: String::new(),
            tried: Vec::new(),
            gravity: Gravity::Absent,
        };
        Self::Resting { left, last: Box::new(last.cloned().unwrap_or_else(unknown)) }
    }

    pub fn gravity(&self) -> Gravity {
        match self {
            Self::Dial(error) => error.gravity(),
            Self::Resting { last, .. } => last.gravity,
            Self::Closed | Self::Dead | Self::TimedOut | Self::StillConnecting | Self::Unwanted => {
                Gravity::Absent
            }
            Self::BadResponse(_) | Self::NotPermitted(_) | Self::NotCarried(_) | Self::DoesNotFit => {
                Gravity::Refused
            }
        }
    }

    /// Each address to which no connection could be opened, now or before the rest, the gravest first. Empty for other failures.
    pub fn tried(&self) -> Vec<Tried> {
        match self {
            Self::Dial(error) => error.clone().each().map(Tried::from).collect(),
            Self::Resting { last, .. } => last.tried.clone(),
            _ => Vec::new(),
        }
    }

    /// The same failure for this address.
    pub fn at(self, address: Endpoint) -> Tried {
        match self {
            Self::Dial(error) => error.into(),
            _ => {
                let (code, gravity) = (self.code(), self.gravity());
                Tried { address: address.to_string(), code, text: self.to_string(), gravity }
            }
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::Dial(error) => error.reason.code(),
            Self::Closed => "closed",
            Self::Dead => "dead",
            Self::TimedOut => "timed-out",
            Self::StillConnecting => "still-connecting",
            Self::Unwanted => "unwanted",
            Self::BadResponse(_) => "bad-response",
            Self::NotPermitted(_) => "not-permitted",
            Self::NotCarried(_) => "encdns-not-carried",
            Self::DoesNotFit => "encdns-name-too-long",
            Self::Resting { .. } => "resting",
        }
    }

    /// 22 where no private path could be had, 23 where one broke during the query (RFC 8914).
    pub fn extended_error(&self) -> u16 {
        match self {
            Self::Dial(_) | Self::StillConnecting | Self::Resting { .. } | Self::NotCarried(_) => {
                ExtendedError::NO_REACHABLE_AUTHORITY
            }
            Self::NotPermitted(_) => ExtendedError::PROHIBITED,
            Self::DoesNotFit => ExtendedError::NOT_SUPPORTED,
            Self::Unwanted => ExtendedError::OTHER,
            Self::Closed | Self::Dead | Self::TimedOut | Self::BadResponse(_) => ExtendedError::NETWORK_ERROR,
        }
    }

    /// Whether no query was sent, because no upstream could be reached privately.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Dial(_)
                | Self::StillConnecting
                | Self::Resting { .. }
                | Self::NotPermitted(_)
                | Self::NotCarried(_)
                | Self::DoesNotFit
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::failure::dial_error::DialReason;
    use crate::upstream::failure::trust_error::TrustError;

    fn at(last: u8, reason: DialReason) -> DialError {
        DialError::new(std::net::SocketAddr::from(([192, 0, 2, last], 853)), reason)
    }

    fn impostor(last: u8) -> DialError {
        at(last, TrustError::Issuer("it is self-signed".into()).into())
    }

    fn refused(last: u8) -> DialError {
        at(last, DialReason::Connect("connection refused".into()))
    }

    fn without_route(last: u8) -> DialError {
        at(last, DialReason::NoRoute("network is unreachable".into()))
    }

    #[test]
    fn the_gravest_is_told_first_and_every_address_once() {
        let declined = |last| at(last, DialReason::Starttls("the server declined STARTTLS".into()));
        for (tried, expected, gravity) in [
            (vec![refused(1), refused(2)], vec![1, 2], Gravity::Absent),
            (vec![impostor(1), refused(2)], vec![1, 2], Gravity::Impostor),
            (vec![refused(1), impostor(2), without_route(3)], vec![2, 1, 3], Gravity::Impostor),
            (vec![refused(1), refused(1), impostor(3)], vec![3, 1], Gravity::Impostor),
            (vec![refused(1), declined(2), impostor(3)], vec![3, 2, 1], Gravity::Impostor),
            (vec![refused(1), declined(2)], vec![2, 1], Gravity::Refused),
            // a machine without IPv6, whose upstream restarts
            (vec![without_route(1), refused(2)], vec![2, 1], Gravity::Absent),
            (vec![without_route(1), without_route(2)], vec![1, 2], Gravity::NoRoute),
        ] {
            let failure = Failure::from(tried.into_iter().reduce(DialError::and).unwrap());
            let expected: Vec<_> = expected.iter().map(|last| format!("192.0.2.{last}:853")).collect();
            let told = failure.tried();
            assert_eq!(told.iter().map(|one| one.address.clone()).collect::<Vec<_>>(), expected, "{failure}");
            assert_eq!((failure.gravity(), failure.code()), (gravity, told[0].code), "{failure}");
            let all = told.iter().map(Tried::to_string).collect::<Vec<_>>().join("; ");
            assert_eq!(failure.to_string(), all);
        }
    }

    #[test]
    fn what_two_ways_found_becomes_one_list() {
        let all = refused(1).and(refused(2)).and(refused(3).and(impostor(4)));
        assert_eq!(all.also.len(), 3);
        assert!(all.also.iter().all(|one| one.also.is_empty()));
        assert_eq!(Failure::from(all).code(), "certificate-issuer");
    }

    #[test]
    fn a_rest_is_as_grave_as_what_it_rests_from_and_lists_the_same() {
        let last = LastError::of(&Failure::from(refused(1).and(impostor(2))));
        let resting = Failure::resting(Duration::ZERO, Some(&last));
        assert_eq!(resting.gravity(), Gravity::Impostor);
        assert_eq!(LastError::of(&resting).tried, last.tried);
        assert_eq!(resting.to_string(), format!("{}; tried again in 1 s", last.text));
        assert_eq!(Failure::resting(Duration::ZERO, None).gravity(), Gravity::Absent);
    }
}
