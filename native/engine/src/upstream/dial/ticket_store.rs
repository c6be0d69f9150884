//! Tickets of all networks, which outlive configurations. A machine that comes back to a network finds the tickets that it got
//! there, and no other network sees them.
//!
//! rustls resumes a session only with the verifier with which it began. So the whole [`Tls`] is stored here, and is used again only
//! where it would prove exactly the same.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use rustls_pki_types::ServerName;

use crate::clock::Clock;
use crate::endpoint::Endpoint;
use crate::post_quantum::PostQuantum;
use crate::upstream::dial::identity::Identity;
use crate::upstream::dial::tickets::Tickets;
use crate::upstream::dial::tls::Tls;
use crate::upstream::dial::trust::Trust;
use crate::upstream::memory::connections::Connections;

/// The most entries, one for each upstream and network; the one that was needed longest ago is dropped first.
const ROOM: usize = 64;

pub struct TicketStore {
    clock: Arc<Clock>,
    connections: Arc<Connections>,
    /// the one that was needed last is last
    kept: Mutex<VecDeque<Kept>>,
}

struct Kept {
    partition: Partition,
    tls: Arc<Tls>,
}

/// Whose tickets they are. Both private transports of an upstream share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    pub network: Arc<str>,
    pub upstream: String,
    pub addresses: Vec<Endpoint>,
}

impl Partition {
    pub fn new(network: &Arc<str>, upstream: &str, addresses: &[Endpoint]) -> Self {
        let addresses = addresses.iter().map(|address| address.at_port(0)).collect();
        Self { network: network.clone(), upstream: upstream.to_owned(), addresses }
    }
}

impl TicketStore {
    pub fn new(clock: Arc<Clock>, connections: Arc<Connections>) -> Self {
        Self { clock, connections, kept: Mutex::default() }
    }

    /// TLS settings for servers that prove `trust` and are shown `identity`, with the tickets of earlier connections if these were
    /// the same in all.
    pub fn tls(
        &self,
        partition: Partition,
        name: ServerName<'static>,
        trust: Trust,
        identity: Option<Identity>,
        post_quantum: PostQuantum,
    ) -> Arc<Tls> {
        let mut kept = self.kept();
        let same = kept.iter().position(|old| {
            old.partition == partition && old.tls.proves(&name, &trust, identity.as_ref(), post_quantum)
        });
        if let Some(found) = same.and_then(|position| kept.remove(position)) {
            let tls = found.tls.clone();
            kept.push_back(found);
            return tls;
        }
        kept.retain(|old| {
            old.partition.network != partition.network || old.partition.upstream != partition.upstream
        });
        if kept.len() == ROOM {
            kept.pop_front();
        }
        let tickets = || Tickets::new(self.clock.clone(), self.connections.clone());
        let tls = Arc::new(Tls::new(name, trust, identity, post_quantum, tickets));
        kept.push_back(Kept { partition, tls: tls.clone() });
        tls
    }

    /// How many tickets there are for the next handshakes.
    pub fn tickets(&self) -> usize {
        self.kept().iter().map(|kept| kept.tls.tickets()).sum()
    }

    /// How many octets the newest ticket allows to be sent with the TLS hello. `None`: none.
    pub fn early_data(&self) -> Option<usize> {
        self.kept().back().map(|kept| kept.tls.early_data()).filter(|octets| *octets > 0)
    }

    /// Forgets the tickets of one upstream or of all, on every network, and returns how many there were.
    pub fn forget(&self, upstream: Option<&str>) -> usize {
        let kept = self.kept();
        let meant = kept.iter().filter(|kept| upstream.is_none_or(|id| kept.partition.upstream == id));
        meant.map(|kept| kept.tls.forget()).sum()
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.kept.lock().expect("nothing panics while holding the ticket store")
    }
}

impl Default for TicketStore {
    /// A store for one examination. It is not used again.
    fn default() -> Self {
        Self::new(Arc::new(Clock::system()), Arc::default())
    }
}
