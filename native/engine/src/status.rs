//! What the engine is doing, for people. It is read on request and never while a query is handled.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::cache::store::Usage;
use crate::events::courier::Delivery;
use crate::listen::accepting::AcceptFailures;
use crate::listen::keeping::BrokenListener;
use crate::listen::slots::TurnedAway;
use crate::outcome::{ClearClass, TransportKind};
use crate::own_probes::OwnProbesStatus;
use crate::pipeline::Pipeline;
use crate::snapshot::Lasting;
use crate::upstream::condition::Condition;
use crate::upstream::memory::downgrade_evidence::Evidence;
use crate::upstream::memory::known::Known;
use crate::upstream::selection::ladder::RungStatus;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EngineStatus {
    pub listening: Vec<SocketAddr>,
    /// addresses of the settings that are none of this machine now
    pub elsewhere: Vec<String>,
    /// `private`, or the class of the lease under which everything goes out
    #[cfg_attr(test, ts(type = "'private' | 'off' | 'paused'"))]
    pub mode: &'static str,
    pub upstreams: Vec<UpstreamStatus>,
    /// below the private paths; empty unless a lease allows them
    pub rungs: Vec<RungStatus>,
    /// queries that found no private path, and wait for a lease or for a path
    pub holding: usize,
    /// servers that proved themselves before, and then did something else
    pub downgrade_evidence: Vec<Evidence>,
    /// where servers proved themselves, for the next process
    pub known_private: Vec<Known>,
    #[cfg_attr(test, ts(type = "Partial<Record<Outcome, number>>"))]
    pub outcomes: BTreeMap<&'static str, u64>,
    pub clear: Vec<ClearStatus>,
    /// packets sent in cleartext outside the ledger, without a name that a client asked for
    #[cfg_attr(test, ts(as = "Vec<OwnProbesStatus>"))]
    pub own_probes: [OwnProbesStatus; 3],
    pub events: Delivery,
    pub cache: CacheStatus,
    /// bypass resolvers that lead back to us
    pub looping: Vec<SocketAddr>,
    /// messages from bypass resolvers, or from the system's resolvers while off, that were no response to a query of ours
    pub strays: u64,
    /// TCP connections that could not be accepted
    pub accept_failures: AcceptFailures,
    /// listeners that ended by themselves, and start again
    pub broken_listeners: Vec<BrokenListener>,
    /// queries that were turned away because too many waited for the network
    pub turned_away: TurnedAway,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineUpstreamStatus"))]
pub struct UpstreamStatus {
    pub id: String,
    #[cfg_attr(test, ts(type = "UpstreamTransport"))]
    pub transport: TransportKind,
    /// empty: the default group
    pub group: String,
    /// queries that it got along with other upstreams, which were quicker
    pub outrun: u64,
    #[serde(flatten)]
    pub condition: Condition,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LeaseStatus"))]
pub struct ClearStatus {
    /// the ledger's id
    pub entry: u64,
    pub class: ClearClass,
    /// packets with a name in cleartext
    pub count: u64,
    pub ended: bool,
    /// the network has changed, and the control plane has not confirmed the lease since
    pub suspended: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CacheStatus {
    pub entries: usize,
    /// octets it may take
    pub capacity: u64,
    pub octets: u64,
    /// names that are asked for ahead
    #[serde(rename = "hotNames")]
    pub hot_names: usize,
    #[serde(flatten)]
    pub usage: Usage,
}

impl EngineStatus {
    pub fn of(
        pipeline: &Pipeline,
        (listening, elsewhere): (Vec<SocketAddr>, Vec<String>),
        lasting: &Lasting,
    ) -> Self {
        let snapshot = pipeline.snapshot.load_full();
        let upstreams = snapshot.upstreams.all.iter().map(|upstream| UpstreamStatus {
            id: upstream.id.to_string(),
            transport: upstream.kind,
            group: upstream.config.group.clone(),
            outrun: upstream.outrun.load(Ordering::Relaxed),
            condition: upstream.transport.condition(),
        });
        let clear = snapshot.leases.iter().chain(&snapshot.revoked).map(|lease| ClearStatus {
            entry: lease.entry,
            class: lease.class,
            // read before the count: if it says that the lease has ended, the count is the last one
            ended: lease.ended(),
            suspended: lease.is_suspended(),
            count: lease.count(),
        });
        let rungs = snapshot
            .upstreams
            .groups
            .iter()
            .filter_map(|group| group.live_ladder().map(|ladder| ladder.status(&group.config.id)));
        Self {
            listening,
            elsewhere,
            rungs: rungs.flatten().collect(),
            holding: lasting.holding.count(),
            downgrade_evidence: lasting.memory.downgrade_evidence.list(),
            known_private: lasting.memory.downgrade_evidence.known(),
            mode: snapshot.direct.as_ref().map_or("private", |direct| direct.class.word()),
            upstreams: upstreams.collect(),
            outcomes: pipeline.outcomes().collect(),
            clear: clear.collect(),
            own_probes: [
                lasting.memory.offers.status("starttls"),
                pipeline.portal_probes.status("portal-names"),
                lasting.connections.encdns.boxes.status("encdns"),
            ],
            events: pipeline.events.delivery(),
            cache: CacheStatus {
                entries: snapshot.cache.len(),
                capacity: snapshot.cache.capacity(),
                octets: snapshot.cache.octets(),
                hot_names: snapshot.hot_set.as_ref().map_or(0, |hot_set| hot_set.len()),
                usage: snapshot.cache.usage(),
            },
            looping: pipeline.loops.looping(),
            strays: pipeline.plain.strays(),
            accept_failures: pipeline.accepting.failures(),
            broken_listeners: pipeline.broken.list(),
            turned_away: pipeline.slots.turned_away(),
        }
    }
}
