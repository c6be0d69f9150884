//! Servers that proved themselves before and now do something else. An attack on the path looks like this, and sometimes a
//! mistake of the server does. A server that never proved anything is not suspected.

use std::sync::{Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::endpoint::Endpoint;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::failure::identity_error::IdentityError;
use crate::upstream::memory::known::Known;
use crate::words::words;

/// The most that is kept; the one that was seen longest ago is dropped.
const MOST: usize = 64;
/// The most servers that are known; the one that proved itself longest ago is dropped.
const MOST_KNOWN: usize = 256;

#[derive(Debug, Default)]
pub struct DowngradeEvidence {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// where a server proved itself, on any network; the latest is last
    known: Vec<Known>,
    seen: Vec<Evidence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DowngradeEvidence"))]
pub struct Evidence {
    /// id
    pub upstream: &'static str,
    pub address: Endpoint,
    /// a hint, as the configuration names it
    pub network: String,
    pub what: What,
    /// what was seen last
    pub text: String,
    /// unix milliseconds
    pub first: u64,
    pub last: u64,
    pub count: u64,
}

words!(
    #[cfg_attr(test, ts(rename = "DowngradeSign"))]
    What {
        /// TO=0, NO_TLS, an error or something unreadable instead of the acceptance
        StarttlsDeclined = "starttls-declined",
        /// no TLS where TLS was: an alert, or something in cleartext
        TlsRefused = "tls-refused",
        /// reset or closed between STARTTLS or hello and the end of the handshake
        Reset = "reset",
        CertificateWrong = "certificate-wrong",
    }
);

impl What {
    /// What a failed dial shows; `None` where it only shows that a server or a network is down.
    pub fn of(reason: &DialReason) -> Option<Self> {
        match reason {
            DialReason::Starttls(_) => Some(Self::StarttlsDeclined),
            DialReason::Broken { .. } => Some(Self::Reset),
            // in TLS 1.2 anybody on the way can write these alerts
            DialReason::Tls(_)
            | DialReason::Identity(IdentityError::Wanted(_) | IdentityError::Refused { .. }) => {
                Some(Self::TlsRefused)
            }
            DialReason::Trust(_) => Some(Self::CertificateWrong),
            DialReason::Connect(_)
            | DialReason::NoRoute(_)
            | DialReason::Silent(_)
            | DialReason::Proxy(_)
            | DialReason::KnownWithoutTls(_)
            | DialReason::Identity(_)
            | DialReason::NotPermitted(_) => None,
        }
    }
}

impl DowngradeEvidence {
    /// Takes over what an earlier process knew.
    pub fn know(&self, servers: &[Known]) {
        servers.iter().for_each(|server| {
            self.authenticated(*server);
        });
    }

    /// A server proved itself. `true`: for the first time.
    pub fn authenticated(&self, server: impl Into<Known>) -> bool {
        let (server, known) = (server.into(), &mut self.inner().known);
        let before = known.iter().position(|one| *one == server).map(|at| known.remove(at));
        if known.len() == MOST_KNOWN {
            known.remove(0);
        }
        known.push(server);
        before.is_none()
    }

    pub fn is_known(&self, server: impl Into<Known>) -> bool {
        self.inner().known.contains(&server.into())
    }

    /// The latest last.
    pub fn known(&self) -> Vec<Known> {
        self.inner().known.clone()
    }

    /// Forgets that these ever proved themselves.
    pub fn forget_known(&self, which: impl Fn(&Known) -> bool) {
        self.inner().known.retain(|server| !which(server));
    }

    /// Whether this is evidence, and the first of its kind.
    pub fn failed(
        &self,
        upstream: &'static str,
        address: Endpoint,
        network: &str,
        reason: &DialReason,
    ) -> bool {
        let mut inner = self.inner();
        let Some(what) = What::of(reason).filter(|_| inner.known.contains(&address.into())) else {
            return false;
        };
        let (now, text) = (unix_ms(), reason.to_string());
        let before = inner.seen.iter_mut().find(|seen| {
            seen.upstream == upstream
                && seen.address == address
                && seen.network == network
                && seen.what == what
        });
        if let Some(seen) = before {
            (seen.last, seen.text) = (now, text);
            seen.count += 1;
            return false;
        }
        if inner.seen.len() == MOST
            && let Some((oldest, _)) = inner.seen.iter().enumerate().min_by_key(|(_, seen)| seen.last)
        {
            inner.seen.remove(oldest);
        }
        let network = network.to_owned();
        inner.seen.push(Evidence { upstream, address, network, what, text, first: now, last: now, count: 1 });
        true
    }

    /// What was seen on this network had an innocent reason.
    pub fn forget(&self, network: &str) {
        self.inner().seen.retain(|seen| seen.network != network);
    }

    /// In the order in which they were first seen.
    pub fn list(&self) -> Vec<Evidence> {
        self.inner().seen.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics while holding the evidence")
    }
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> Endpoint {
        text.parse().unwrap()
    }

    fn declined() -> DialReason {
        DialReason::Starttls("the server declined STARTTLS (TXT NO_TLS)".into())
    }

    #[test]
    fn nothing_is_suspected_of_a_server_that_never_proved_itself() {
        let downgrade_evidence = DowngradeEvidence::default();
        assert!(!downgrade_evidence.failed("main", endpoint("192.0.2.1:53"), "cafe", &declined()));
        assert!(downgrade_evidence.list().is_empty());
    }

    #[test]
    fn what_was_seen_on_a_network_with_a_login_page_is_forgotten_and_nothing_else() {
        let (downgrade_evidence, server) = (DowngradeEvidence::default(), endpoint("192.0.2.1:53"));
        downgrade_evidence.authenticated(server);
        for network in ["cafe", "train"] {
            assert!(downgrade_evidence.failed("main", server, network, &declined()));
        }
        downgrade_evidence.forget("cafe");
        let left: Vec<_> = downgrade_evidence.list().into_iter().map(|seen| seen.network).collect();
        assert_eq!(left, ["train"]);
        assert!(downgrade_evidence.failed("main", server, "cafe", &declined()), "it is news again");
    }

    #[test]
    fn equal_sightings_are_counted_and_others_kept_apart() {
        let (downgrade_evidence, server) = (DowngradeEvidence::default(), endpoint("192.0.2.1:53"));
        downgrade_evidence.authenticated(server);
        assert!(downgrade_evidence.failed("main", server, "cafe", &declined()));
        assert!(!downgrade_evidence.failed("main", server, "cafe", &declined()));
        assert!(downgrade_evidence.failed("main", server, "train", &declined()));
        let broken = DialReason::Broken { during: "TLS", words: "connection reset by peer".into() };
        assert!(downgrade_evidence.failed("main", server, "cafe", &broken));
        let seen: Vec<_> =
            downgrade_evidence.list().into_iter().map(|seen| (seen.network, seen.what, seen.count)).collect();
        let cafe = |what, count| ("cafe".to_owned(), what, count);
        assert_eq!(
            seen,
            [
                cafe(What::StarttlsDeclined, 2),
                ("train".into(), What::StarttlsDeclined, 1),
                cafe(What::Reset, 1)
            ]
        );
    }

    #[test]
    fn a_server_that_is_merely_down_is_no_sighting() {
        let (downgrade_evidence, server) = (DowngradeEvidence::default(), endpoint("192.0.2.1:853"));
        downgrade_evidence.know(&[server.into()]);
        for reason in [DialReason::Connect("connection refused".into()), DialReason::Silent("TCP")] {
            assert!(!downgrade_evidence.failed("main", server, "cafe", &reason), "{reason}");
        }
    }

    #[test]
    fn so_many_servers_are_known_and_each_can_be_forgotten() {
        let downgrade_evidence = DowngradeEvidence::default();
        let server = |number: usize| endpoint(&format!("192.0.{}.{}:53", number / 256, number % 256));
        for number in 0..MOST_KNOWN {
            assert!(downgrade_evidence.authenticated(server(number)));
        }
        assert!(!downgrade_evidence.authenticated(server(0)), "it is known already");
        assert!(downgrade_evidence.authenticated(server(MOST_KNOWN)));
        assert_eq!(downgrade_evidence.known().len(), MOST_KNOWN);
        assert!(downgrade_evidence.is_known(server(0)) && !downgrade_evidence.is_known(server(1)));
        downgrade_evidence.forget_known(|known| known.is_same_server(&server(0).into()));
        assert!(!downgrade_evidence.failed("main", server(0), "cafe", &declined()));
        assert!(downgrade_evidence.failed("main", server(2), "cafe", &declined()));
    }

    #[test]
    fn the_oldest_leaves() {
        let downgrade_evidence = DowngradeEvidence::default();
        let server = |last: usize| endpoint(&format!("192.0.2.{last}:53"));
        for last in 0..=MOST {
            downgrade_evidence.authenticated(server(last));
            assert!(downgrade_evidence.failed("main", server(last), "cafe", &declined()));
        }
        let seen = downgrade_evidence.list();
        assert_eq!((seen.len(), seen[0].address), (MOST, server(1)));
    }
}
