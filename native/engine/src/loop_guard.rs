//! Finds out whether a resolver we ask would ask us: a question nobody else would make is sent to it, and if it comes in at
//! our own door the resolver is not asked again.
//!
//! Bypass resolvers are probed when a configuration comes into force, under the rule's lease and below its suffix. Upstreams
//! are probed when they let a question run out of time, which is what a loop looks like. A probe never carries a name that a
//! user asked for.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use crate::clear::Lease;
use crate::upstream::failover::Upstream;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::plain::Plain;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

const PREFIX: &str = "sotto-loop-";
/// Where an upstream is asked: a name that is special to nobody on the way (RFC 6761 section 6.5).
const UPSTREAM_SUFFIX: &str = "example";
const PATIENCE: Duration = Duration::from_secs(2);

pub struct LoopGuard {
    inner: Mutex<Inner>,
    plain: Arc<Plain>,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Debug, Default)]
struct Inner {
    sent: HashMap<String, SocketAddr>,
    looping: HashSet<SocketAddr>,
}

impl LoopGuard {
    /// `on_change`: another resolver was found to lead back to us.
    pub fn new(plain: Arc<Plain>, on_change: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { inner: Mutex::default(), plain, on_change }
    }

    /// Asks a bypass resolver, under the rule's own lease.
    pub async fn probe_bypass(self: Arc<Self>, suffix: Name, server: SocketAddr, lease: Arc<Lease>) {
        let Some(name) = self.probe_name(&suffix, server) else { return };
        let _ = self.plain.ask(&[server], &question(name), &lease, Instant::now() + PATIENCE).await;
        self.probed(&name);
    }

    /// Asks an upstream that kept silent, if it is near enough to be ourselves in disguise.
    pub async fn probe_upstream(self: Arc<Self>, upstream: Arc<Upstream>) {
        let suffix = Name::parse(UPSTREAM_SUFFIX).expect("a name");
        let near = upstream.config.straight().find(|address| is_near(address.ip()));
        let Some(name) = near.and_then(|address| self.probe_name(&suffix, address)) else { return };
        let _ = upstream.transport.exchange(Arc::new(question(name)), Instant::now() + PATIENCE).await;
        if near.is_some_and(|address| self.inner().looping.contains(&address)) {
            upstream.looping.store(true, Ordering::Relaxed);
        }
        self.probed(&name);
    }

    fn probed(&self, name: &Name) {
        let label =
            name.labels().next().and_then(|label| std::str::from_utf8(label).ok()).unwrap_or_default();
        let looped = {
            let mut inner = self.inner();
            let server = inner.sent.remove(label);
            server.is_some_and(|server| inner.looping.contains(&server))
        };
        if looped {
            (self.on_change)();
        }
    }

    /// A name to ask `server` for, below `suffix`.
    fn probe_name(&self, suffix: &Name, server: SocketAddr) -> Option<Name> {
        let label = format!("{PREFIX}{:016x}", rand::random::<u64>());
        let text = if suffix.is_root() { label.clone() } else { format!("{label}.{suffix}") };
        let name = Name::parse(&text).ok()?;
        let mut inner = self.inner();
        inner.looping.remove(&server);
        inner.sent.insert(label, server);
        Some(name)
    }

    /// Whether this question is one of our probes come back.
    pub fn is_ours(&self, name: &Name) -> bool {
        let Some(label) = name.labels().next().filter(|label| label.starts_with(PREFIX.as_bytes())) else {
            return false;
        };
        let Ok(label) = std::str::from_utf8(label) else {
            return false;
        };
        let mut inner = self.inner();
        let Some(server) = inner.sent.get(label).copied() else {
            return false;
        };
        inner.looping.insert(server);
        true
    }

    /// Those that do not lead back to us.
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

fn question(name: Name) -> Outgoing {
    Outgoing::of(Question { name, kind: types::A, class: types::IN })
}

/// On this machine or its network.
fn is_near(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::outside::System;

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
