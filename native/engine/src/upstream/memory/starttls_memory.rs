//! Which servers declined STARTTLS, by network and address. A server that proved itself once is not believed to have lost it. The
//! draft (draft-hzhwm-start-tls-for-dns-01) remembers a refusal for an hour. Here it is a minute: one forged refusal would
//! otherwise cost an hour of privacy, or of responses (docs/decisions/0003-clear-upstreams-and-starttls-memory.md).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use crate::endpoint::Endpoint;
use crate::own_probes::OwnProbes;
use crate::upstream::memory::downgrade_evidence::DowngradeEvidence;

const FORGET_AFTER: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub struct StarttlsMemory {
    /// servers that proved themselves, and what they did later
    pub downgrade_evidence: DowngradeEvidence,
    /// dummy queries sent
    pub offers: OwnProbes,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// since when, and with which text
    declined: HashMap<(String, Endpoint), (Instant, String)>,
}

impl StarttlsMemory {
    pub fn declined(&self, network: &str, address: Endpoint, words: &str) {
        if !self.downgrade_evidence.is_known(address) {
            let since = (Instant::now(), words.to_owned());
            self.inner().declined.insert((network.to_owned(), address.at_port(0)), since);
        }
    }

    pub fn accepted(&self, network: &str, address: Endpoint) {
        self.inner().declined.remove(&(network.to_owned(), address.at_port(0)));
    }

    /// The text with which it declined here, less than a minute ago.
    pub fn refusal(&self, network: &str, address: Endpoint) -> Option<String> {
        let mut inner = self.inner();
        inner.declined.retain(|_, (since, _)| since.elapsed() < FORGET_AFTER);
        inner.declined.get(&(network.to_owned(), address.at_port(0))).map(|(_, words)| words.clone())
    }

    /// A person wants to try again.
    pub fn forget(&self, address: Endpoint) {
        self.inner().declined.retain(|(_, server), _| *server != address.at_port(0));
    }

    /// Another machine may have declined in the servers' name.
    pub fn forget_refusals(&self) {
        self.inner().declined.clear();
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics while holding the memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "192.0.2.1:53";

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_remembered_for_an_hour_on_its_network() {
        let memory = StarttlsMemory::default();
        let server = SERVER.parse().unwrap();
        memory.declined("home", server, "no");
        assert_eq!(memory.refusal("home", server).as_deref(), Some("no"));
        assert_eq!(memory.refusal("cafe", server), None);
        tokio::time::advance(FORGET_AFTER).await;
        assert_eq!(memory.refusal("home", server), None);
    }

    #[tokio::test]
    async fn what_a_portal_declined_is_forgotten() {
        let memory = StarttlsMemory::default();
        let (server, other) = (SERVER.parse().unwrap(), "192.0.2.2:53".parse().unwrap());
        memory.declined("cafe", server, "no");
        memory.downgrade_evidence.authenticated(other);
        memory.forget_refusals();
        assert_eq!(memory.refusal("cafe", server), None);
        memory.declined("cafe", other, "no");
        assert_eq!(memory.refusal("cafe", other), None, "what a server proved stays proved");
    }

    #[tokio::test]
    async fn a_server_seen_with_tls_is_never_believed_to_have_lost_it() {
        let memory = StarttlsMemory::default();
        let server = SERVER.parse().unwrap();
        memory.downgrade_evidence.authenticated(server);
        memory.declined("cafe", server, "no");
        assert_eq!(memory.refusal("cafe", server), None);
    }
}
