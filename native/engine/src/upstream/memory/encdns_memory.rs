//! What was learned of resolvers that carry EncDNS queries, by network and resolver, and how many packets with boxes left in cleartext.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use sotto_encdns::name::Labels;

use crate::own_probes::OwnProbes;

#[derive(Debug, Default)]
pub struct EncDnsMemory {
    /// packets to first hops without TLS: each name in them is a box
    pub boxes: Arc<OwnProbes>,
    labels: Mutex<HashMap<(Arc<str>, String), Labels>>,
}

impl EncDnsMemory {
    /// The labels that came through; `None`: none did yet.
    pub fn labels(&self, network: &Arc<str>, first_hop: &str) -> Option<Labels> {
        self.known().get(&(network.clone(), first_hop.to_owned())).copied()
    }

    pub fn came_through(&self, network: &Arc<str>, first_hop: &str, labels: Labels) {
        self.known().insert((network.clone(), first_hop.to_owned()), labels);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(Arc<str>, String), Labels>> {
        self.labels.lock().expect("nothing panics while holding the labels")
    }
}
