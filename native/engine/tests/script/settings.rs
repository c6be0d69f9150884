//! The settings of a scenario, as the control plane would hand them over.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

#[derive(Default)]
pub struct Settings {
    pub upstreams: Vec<(String, String, SocketAddr)>,
    pub bypass: Vec<(String, Vec<SocketAddr>)>,
    /// the rules that are downgrades
    pub wide: Vec<String>,
    pub leases: Vec<Lease>,
    pub mode: Option<(String, Vec<SocketAddr>)>,
    pub network: String,
    /// of this machine, as far as these settings know
    pub network_changes: u64,
    /// none: expired answers do not serve
    pub stale_hours: Option<u32>,
    pub stale_at_once: bool,
    pub entries: usize,
    pub hot_set: usize,
    pub forward_special: Vec<String>,
    pub allow_private: Vec<String>,
    pub connections: serde_json::Map<String, Value>,
    pub strategy: Option<String>,
    /// an upstream, and the name that it takes from a user who is not among the clients. Its policy is stricter than that of the others
    pub for_some: Option<(String, String)>,
    pub holds: bool,
    /// where the rung `network` leads; empty: there is no rung
    pub network_resolvers: Vec<SocketAddr>,
    next_entry: u64,
}

pub struct Lease {
    pub entry: u64,
    pub class: String,
    rule: Option<String>,
    until: Option<u64>,
}

/// `corp.example` with everything below, `=name` alone, `*` for single labels.
fn rule(word: &str, to: &[SocketAddr]) -> Value {
    match word.strip_prefix('=') {
        Some(name) => json!({"rule": word, "alone": [name], "to": to}),
        None if word == "*" => json!({"rule": word, "singleLabels": true, "to": to}),
        None => json!({"rule": word, "below": [word], "to": to}),
    }
}

impl Settings {
    pub fn new() -> Self {
        Self { network: "home".into(), entries: 1000, ..Self::default() }
    }

    /// `lasting` is its length; `None`: until it is withdrawn.
    pub fn grant(&mut self, class: &str, rule: Option<String>, lasting: Option<Duration>) {
        self.next_entry += 1;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let until = lasting.map(|lasting| (now + lasting).as_millis() as u64);
        self.leases.push(Lease { entry: self.next_entry, class: class.into(), rule, until });
    }

    pub fn json(&self) -> String {
        let some = self.for_some.as_ref();
        let group = |id: &str| some.filter(|(own, _)| own == id).map_or("", |_| "some");
        let upstream = |(id, transport, address): &(String, String, SocketAddr)| json!({"id": id, "transport": transport, "addresses": [address], "names": ["dns.example"], "group": group(id)});
        let for_some =
            some.map(|(_, name)| json!({"id": "some", "names": [name], "when": {"users": [u32::MAX]}}));
        let policy = if some.is_some() { "fallback" } else { "refuse" };
        let lease = |lease: &Lease| {
            let mut value = json!({"entry": lease.entry, "class": lease.class});
            if let Some(rule) = &lease.rule {
                value["rule"] = json!(rule);
            }
            if let Some(until) = lease.until {
                value["until"] = json!(until);
            }
            value
        };
        let mode = match &self.mode {
            None => json!("private"),
            Some((class, servers)) => json!({"direct": {"class": class, "servers": servers}}),
        };
        let bypass = self.bypass.iter().map(|(word, to)| {
            let mut rule = rule(word, to);
            if self.wide.contains(word) {
                rule["class"] = json!("policy");
            }
            rule
        });
        let rungs: &[&str] = if self.network_resolvers.is_empty() { &[] } else { &["network"] };
        let strategy = self.strategy.as_deref().unwrap_or("ordered");
        let all =
            json!({"id": "", "strategy": strategy, "rungs": rungs, "hold": self.holds, "policy": policy});
        let groups = [all].into_iter().chain(for_some);
        json!({
            "groups": groups.collect::<Vec<Value>>(),
            "networkResolvers": self.network_resolvers,
            "listen": [], "mode": mode, "network": self.network, "networkChanges": self.network_changes,
            "upstreams": self.upstreams.iter().map(upstream).collect::<Vec<Value>>(),
            "bypass": bypass.collect::<Vec<Value>>(),
            "forwardSpecial": self.forward_special, "allowPrivate": self.allow_private,
            "cache": {"entries": self.entries, "serveStale": self.stale_hours.is_some(), "staleAtOnce": self.stale_at_once, "staleHours": self.stale_hours.unwrap_or(24), "hotSet": self.hot_set},
            "connections": self.connections,
            "leases": self.leases.iter().map(lease).collect::<Vec<Value>>(),
        })
        .to_string()
    }
}
