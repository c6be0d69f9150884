//! Finds out whether a resolver we ask would ask us: a question nobody else would make is sent to it, and if it comes in at
//! our own door the resolver is not asked again.
//!
//! The probe names the rule's suffix and a nonce, never a name a user asked for.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};

use crate::wire::name::Name;

const PREFIX: &str = "sotto-loop-";

#[derive(Debug, Default)]
pub struct LoopGuard {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    sent: HashMap<String, SocketAddr>,
    looping: HashSet<SocketAddr>,
}

impl LoopGuard {
    /// A name to ask `server` for, below `suffix`.
    pub fn probe_name(&self, suffix: &Name, server: SocketAddr) -> Option<Name> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_that_comes_back_rules_its_server_out() {
        let guard = LoopGuard::default();
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
