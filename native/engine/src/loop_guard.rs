//! Finds out whether a resolver that we ask would ask us. A query that nobody else would make is sent to it. If that query
//! arrives at a listener of ours, the resolver is not asked again.
//!
//! A bypass resolver is probed before it is first asked for a name of its rule on this network, under the rule's lease and below
//! its suffix. It is about to receive such a name anyway; and as long as no client asks for one, no other network learns which
//! names the rule has. Upstreams are probed when they let a query run out of time, as they do in a loop. A probe never carries a
//! name that a user asked for.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout};

use crate::config::EngineConfig;
use crate::upstream::clear::lease::Lease;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::selection::upstream::Upstream;
use crate::upstream::transport::plain::Plain;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

const PREFIX: &str = "sotto-loop-";
/// The suffix for probes of upstreams: no resolver on the way treats it specially (RFC 6761 section 6.5).
const UPSTREAM_SUFFIX: &str = "example";
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a query waits for the result of its probe.
const HESITATION: Duration = Duration::from_millis(300);
/// A resolver that looped or stayed silent is not probed again before this time has passed.
const AGAIN_AFTER: Duration = Duration::from_secs(30);

pub struct LoopGuard {
    inner: Mutex<Inner>,
    plain: Arc<Plain>,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Debug, Default)]
struct Inner {
    sent: HashMap<String, Probe>,
    looping: HashSet<SocketAddr>,
    /// bypass resolvers that were probed, or are being probed
    checked: HashMap<SocketAddr, Check>,
}

#[derive(Debug)]
struct Probe {
    server: SocketAddr,
    came_back: bool,
}

#[derive(Debug)]
struct Check {
    since: Instant,
    done: Arc<OnceCell<()>>,
    /// it gave no response to a query
    silent: bool,
}

impl LoopGuard {
    /// `on_change` is called when another resolver was found to lead back to us.
    pub fn new(plain: Arc<Plain>, on_change: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { inner: Mutex::default(), plain, on_change }
    }

    /// Results hold for this network, and for the resolvers of rules that stay.
    pub fn configured(&self, before: &EngineConfig, now: &EngineConfig) {
        let here = before.network == now.network;
        if here && before.bypass == now.bypass && before.listen == now.listen {
            return;
        }
        let is_of = |config: &EngineConfig, server: &SocketAddr| {
            config.bypass.iter().any(|rule| rule.to.contains(server))
        };
        let mut inner = self.inner();
        inner.checked.clear();
        inner.looping.retain(|server| here && (is_of(now, server) || !is_of(before, server)));
    }

    /// To be called before a name of a rule is sent to its resolvers: those that were not probed yet are probed now.
    pub async fn examine(self: &Arc<Self>, suffix: Name, servers: &[SocketAddr], lease: &Arc<Lease>) {
        let probes = servers.iter().filter_map(|server| {
            let done = self.check(*server)?;
            let (guard, server, lease) = (self.clone(), *server, lease.clone());
            Some(tokio::spawn(async move {
                done.get_or_init(|| guard.probe_bypass(suffix, server, lease)).await;
            }))
        });
        let probes: Vec<_> = probes.collect();
        let all = async {
            for probe in probes {
                let _ = probe.await;
            }
        };
        let _ = timeout(HESITATION, all).await;
    }

    /// They gave no response to a query, as in a loop.
    pub fn doubt(&self, servers: &[SocketAddr]) {
        let mut inner = self.inner();
        for server in servers {
            if let Some(check) = inner.checked.get_mut(server) {
                check.silent = true;
            }
        }
    }

    /// The probe to wait for; `None` where there is a result already.
    fn check(&self, server: SocketAddr) -> Option<Arc<OnceCell<()>>> {
        let mut inner = self.inner();
        let loops = inner.looping.contains(&server);
        let fresh = Check { since: Instant::now(), done: Arc::default(), silent: false };
        let check = inner.checked.entry(server).or_insert_with(|| fresh);
        if (check.silent || loops) && check.since.elapsed() >= AGAIN_AFTER {
            *check = Check { since: Instant::now(), done: Arc::default(), silent: false };
        }
        (!check.done.initialized()).then(|| check.done.clone())
    }

    /// Probes a bypass resolver, under the rule's own lease.
    async fn probe_bypass(self: Arc<Self>, suffix: Name, server: SocketAddr, lease: Arc<Lease>) {
        let Some(name) = self.probe_name(&suffix, server) else { return };
        let _ = self.plain.ask(&[server], &probe(name), &lease, Instant::now() + PATIENCE).await;
        self.probed(&name);
    }

    /// Probes an upstream that stayed silent, if it is so near that it could lead back to us.
    pub async fn probe_upstream(self: Arc<Self>, upstream: Arc<Upstream>) {
        let suffix = Name::parse(UPSTREAM_SUFFIX).expect("a name");
        let near = upstream.config.straight().find(|address| is_near(address.ip()));
        let Some(name) = near.and_then(|address| self.probe_name(&suffix, address)) else { return };
        let _ = upstream.transport.exchange(Arc::new(probe(name)), Instant::now() + PATIENCE).await;
        if near.is_some_and(|address| self.inner().looping.contains(&address)) {
            upstream.looping.store(true, Ordering::Relaxed);
        }
        self.probed(&name);
    }

    /// If the probe has not come back by now, the server leads elsewhere.
    fn probed(&self, name: &Name) {
        let label =
            name.labels().next().and_then(|label| std::str::from_utf8(label).ok()).unwrap_or_default();
        let other = {
            let mut inner = self.inner();
            match inner.sent.remove(label) {
                Some(Probe { came_back: true, .. }) => true,
                Some(Probe { server, .. }) => inner.looping.remove(&server),
                None => false,
            }
        };
        if other {
            (self.on_change)();
        }
    }

    /// A name below `suffix`, for a probe of `server`.
    fn probe_name(&self, suffix: &Name, server: SocketAddr) -> Option<Name> {
        let label = format!("{PREFIX}{:016x}", rand::random::<u64>());
        let text = if suffix.is_root() { label.clone() } else { format!("{label}.{suffix}") };
        let name = Name::parse(&text).ok()?;
        let mut inner = self.inner();
        inner.sent.insert(label, Probe { server, came_back: false });
        Some(name)
    }

    /// Whether this query is one of our probes that has come back.
    pub fn is_ours(&self, name: &Name) -> bool {
        let Some(label) = name.labels().next().filter(|label| label.starts_with(PREFIX.as_bytes())) else {
            return false;
        };
        let Ok(label) = std::str::from_utf8(label) else {
            return false;
        };
        let mut inner = self.inner();
        let Some(probe) = inner.sent.get_mut(label) else {
            return false;
        };
        probe.came_back = true;
        let server = probe.server;
        inner.looping.insert(server);
        true
    }

    /// The servers that do not lead back to us.
    pub fn sound(&self, servers: &[SocketAddr]) -> Vec<SocketAddr> {
        let inner = self.inner();
        servers.iter().filter(|server| !inner.looping.contains(*server)).copied().collect()
    }

    pub fn looping(&self) -> Vec<SocketAddr> {
        self.inner().looping.iter().copied().collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics while holding the probes")
    }
}

fn probe(name: Name) -> Outgoing {
    Outgoing::of(Question { name, kind: types::A, class: types::IN })
}

/// Whether it is on this machine or its network.
fn is_near(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::dial::sockets::System;

    #[test]
    fn a_probe_that_comes_back_rules_its_server_out() {
        let guard = LoopGuard::new(Arc::new(Plain::new(Arc::new(System), Arc::default())), Arc::new(|| {}));
        let (looping, sound): (SocketAddr, SocketAddr) =
            ("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap());
        let suffix = Name::parse("corp.example").unwrap();
        let name = guard.probe_name(&suffix, looping).unwrap();
        guard.probe_name(&suffix, sound).unwrap();
        assert!(!guard.is_ours(&Name::parse("sotto-loop-0.corp.example").unwrap()));
        assert!(guard.is_ours(&name));
        assert_eq!(guard.sound(&[looping, sound]), [sound]);
    }
}
