//! The configuration that the control plane hands over: one immutable value, whole (docs/design/engine-boundary.md). The control
//! plane leaves nothing out; the defaults are for tests, which give only the fields that matter to them.

use std::net::SocketAddr;

use serde::Deserialize;
use sotto_encdns::PublicKey;

pub use crate::cache::config::CacheConfig;
use crate::client_identity::IdentityConfig;
pub use crate::domain_name::DomainName;
use crate::endpoint::Endpoint;
use crate::outcome::{ClearClass, Downgrade, TransportKind};
use crate::post_quantum::PostQuantum;
use crate::rule_list::ListConfig;
pub use crate::upstream::memory::connections::ConnectionsConfig;
use crate::upstream::memory::known::Known;
use crate::when::WhenConfig;
use crate::wire::name::Name;
use crate::wire::starttls::Signal;
use crate::words::words;
use crate::zone;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EngineConfig {
    #[serde(deserialize_with = "zone::addresses")]
    pub listen: Vec<SocketAddr>,
    pub mode: Mode,
    /// partitions connections, tickets, cache and STARTTLS memory
    pub network: String,
    /// how many network changes were known when this was decided
    #[serde(default)]
    pub network_changes: u64,
    pub upstreams: Vec<UpstreamConfig>,
    /// the default group, id "", is first; if it is left out, it uses `ordered` and never cleartext
    #[serde(default)]
    pub groups: Vec<GroupConfig>,
    /// the network's own resolvers, for the rung of that name
    #[serde(default, deserialize_with = "zone::addresses")]
    pub network_resolvers: Vec<SocketAddr>,
    /// servers that proved themselves to a process before this one
    #[serde(default)]
    pub known_private: Vec<Known>,
    #[serde(default)]
    pub bypass: Vec<BypassConfig>,
    /// whose queries never leave in cleartext, except by bypass rules that are no downgrade
    #[serde(default)]
    pub refuse_for: Vec<WhenConfig>,
    /// units whose programs ask for others; who that is, nobody knows
    #[serde(default)]
    pub forwarders: Vec<String>,
    /// special-use names to be treated as ordinary ones
    #[serde(default)]
    pub forward_special: Vec<DomainName>,
    /// names whose public responses may hold private addresses
    #[serde(default)]
    pub allow_private: Vec<DomainName>,
    pub cache: CacheConfig,
    #[serde(default)]
    pub portal: PortalConfig,
    #[serde(default)]
    pub connections: ConnectionsConfig,
    #[serde(default)]
    pub leases: Vec<LeaseConfig>,
    /// whether the log keeps anything; if not, no events are made
    #[serde(default = "yes")]
    pub events: bool,
    /// whether events say which program asked
    #[serde(default = "yes")]
    pub programs: bool,
    /// whether connections to addresses that no response gave are looked for
    #[serde(default)]
    pub audit: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Mode {
    Private,
    /// everything goes to these plain resolvers, under a lease of this class; if there are none, queries are refused at once
    Direct {
        class: ClearClass,
        #[serde(deserialize_with = "zone::addresses")]
        servers: Vec<SocketAddr>,
    },
}

/// [`Signal`] as a configuration writes it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Signal"))]
#[serde(remote = "Signal", rename_all = "lowercase")]
pub enum SignalWord {
    Draft,
    Compat,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineUpstream"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpstreamConfig {
    pub id: String,
    #[cfg_attr(test, ts(type = "UpstreamTransport"))]
    pub transport: TransportKind,
    /// in order of preference; names only behind a proxy
    pub addresses: Vec<Endpoint>,
    /// SOCKS5, private transports only
    #[serde(default, deserialize_with = "zone::address")]
    pub proxy: Option<SocketAddr>,
    /// authentication domain names; one of them must be in the certificate
    #[serde(default)]
    pub names: Vec<String>,
    /// base64 SHA-256 of a SubjectPublicKeyInfo
    #[serde(default)]
    pub pins: Vec<String>,
    /// base64 SHA-256 of the TBSCertificate of certificates, of which one must be in the chain
    #[serde(default)]
    pub certificate_pins: Vec<String>,
    /// PEM text; absent: the roots of the operating system
    #[serde(default)]
    pub ca: Option<String>,
    /// who this machine is to the server; absent: nobody in particular
    #[serde(default)]
    pub identity: Option<IdentityConfig>,
    #[serde(default, with = "SignalWord")]
    #[cfg_attr(test, ts(as = "SignalWord"))]
    pub starttls: Signal,
    /// id of its group; empty: the default one
    #[serde(default)]
    pub group: String,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<Alternative>"))]
    pub alternative: Alternative,
    /// the port for the rungs in cleartext; `None`: it is not asked in cleartext
    #[serde(default = "dns_port")]
    pub clear_port: Option<u16>,
    /// the query that opens a connection may leave with the TLS hello; an attacker can deliver it again
    #[serde(default)]
    pub early_data: bool,
    #[serde(default)]
    pub post_quantum: PostQuantum,
    /// transport encdns only
    #[serde(default)]
    pub encdns: Option<EncDnsConfig>,
}

/// How queries are put into boxes, and who carries them (docs/design/encdns.md).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineEncDns"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EncDnsConfig {
    pub zone: DomainName,
    /// the server's public key, 64 hexadecimal digits
    pub key: String,
    #[serde(default)]
    pub keys: Keys,
    /// any resolver, over any other transport; without addresses: the network has named no resolver
    pub first_hop: Box<UpstreamConfig>,
}

words!(
    /// When the client has a new key pair, so that the server can't connect the queries before with those after.
    #[derive(Default)]
    #[cfg_attr(test, ts(rename = "KeyUse"))]
    Keys {
        /// at the start, and on each network
        #[default]
        Session = "session",
        /// also every ten minutes
        Interval = "interval",
        PerQuery = "per-query",
    }
);

impl UpstreamConfig {
    /// As what its servers are noted once they proved themselves.
    pub fn noted_as(&self) -> impl Iterator<Item = Known> {
        let by_key = self.encdns.as_ref().and_then(|encdns| PublicKey::parse(&encdns.key)).map(Known::EncDns);
        self.addresses.iter().copied().map(Known::At).chain(by_key)
    }

    /// The addresses to which our packets go.
    pub fn straight(&self) -> impl Iterator<Item = SocketAddr> {
        self.addresses.iter().filter(|_| self.proxy.is_none()).filter_map(|endpoint| endpoint.address())
    }
}

fn dns_port() -> Option<u16> {
    Some(53)
}

/// Another transport to the same server, with the same authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "number | null"))]
#[serde(from = "Option<u16>")]
pub enum Alternative {
    /// on its standard port, because the configured transport is on its own
    #[default]
    Standard,
    None,
    Port(u16),
}

impl From<Option<u16>> for Alternative {
    fn from(port: Option<u16>) -> Self {
        port.map_or(Self::None, Self::Port)
    }
}

/// Upstreams for names of their own (docs/design/policy.md).
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineGroup"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupConfig {
    /// empty: the default group
    pub id: String,
    /// with everything below them; empty: every name that no other group takes
    #[serde(default)]
    pub names: Vec<DomainName>,
    #[serde(default)]
    pub strategy: Strategy,
    /// the rungs that a lease of the group allows, in order
    #[serde(default)]
    pub rungs: Vec<Rung>,
    /// queries without a private path wait for a lease
    #[serde(default)]
    pub hold: bool,
    /// in force here and now
    #[serde(default)]
    #[cfg_attr(test, ts(type = "'refuse' | 'warn' | 'fallback'"))]
    pub policy: Downgrade,
    /// absent: everybody's names
    #[serde(default)]
    pub when: Option<WhenConfig>,
}

words!(
    /// Which upstream of a group is asked.
    #[derive(Default)]
    Strategy {
        /// the first that works
        #[default]
        Ordered = "ordered",
        /// the one that has responded soonest of late
        Fastest = "fastest",
        /// several at once
        Race = "race",
        /// each registered domain has an upstream of its own
        Spread = "spread",
    }
);

words!(
    /// A step below the private paths. All of them count as cleartext.
    Rung {
        /// TLS without authentication
        Unauthenticated = "unauthenticated",
        Tcp = "tcp",
        Udp = "udp",
        /// the network's own resolvers
        Network = "network",
    }
);

/// Which names go to which plain resolvers (docs/design/split-horizon.md).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineBypass"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BypassConfig {
    /// its name in ledger, lease and query log
    pub rule: String,
    /// with everything below them
    #[serde(default)]
    pub below: Vec<DomainName>,
    #[serde(default)]
    pub alone: Vec<DomainName>,
    /// names of one label that are no top-level domain
    #[serde(default)]
    pub single_labels: bool,
    /// absent: it is one rule, and no list of many
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<ListConfig>"))]
    pub list: Option<ListConfig>,
    /// empty: they are not known now, so the rule's names are refused
    #[serde(deserialize_with = "zone::addresses")]
    pub to: Vec<SocketAddr>,
    /// the class of its lease: `policy` where the rule is a downgrade
    #[serde(default = "bypass")]
    pub class: ClearClass,
    /// absent: it holds for everybody
    #[serde(default)]
    pub when: Option<WhenConfig>,
}

impl BypassConfig {
    /// One of the names that it is for; the root where it only names single labels.
    pub fn a_name(&self) -> Name {
        self.below.first().or(self.alone.first()).map_or(Name::ROOT, |name| name.0)
    }
}

fn bypass() -> ClearClass {
    ClearClass::Bypass
}

/// The queries that a network gets which may want a login (docs/design/portals.md).
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PortalConfig {
    /// the network's own
    #[serde(deserialize_with = "zone::addresses")]
    pub resolvers: Vec<SocketAddr>,
    /// no client asked for these names, so they need no lease
    pub probes: Vec<DomainName>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineLease"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaseConfig {
    /// the ledger's id
    pub entry: u64,
    pub class: ClearClass,
    /// the bypass rule it was given for; absent: class `bypass` then allows any rule, class `policy` none
    #[serde(default)]
    pub rule: Option<String>,
    /// class `policy` without a rule: the group it was given for
    #[serde(default)]
    pub group: String,
    /// unix milliseconds
    #[serde(default)]
    pub until: Option<u64>,
}

impl EngineConfig {
    /// Listens nowhere and has no upstream: an engine starts with it.
    pub fn nothing() -> Self {
        Self {
            listen: vec![],
            mode: Mode::Private,
            network: String::new(),
            network_changes: 0,
            upstreams: vec![],
            groups: vec![],
            network_resolvers: vec![],
            known_private: vec![],
            bypass: vec![],
            refuse_for: vec![],
            forwarders: vec![],
            forward_special: vec![],
            allow_private: vec![],
            cache: CacheConfig::nothing(),
            portal: PortalConfig::default(),
            connections: ConnectionsConfig::default(),
            leases: vec![],
            events: true,
            programs: true,
            audit: false,
        }
    }

    pub fn parse(json: &str) -> Result<Self, ConfigError> {
        serde_json::from_str(json).map_err(|error| {
            ConfigError::new("config-invalid", "", error.to_string(), "this is a defect: report it")
        })
    }
}

/// Why a configuration was refused; the one before it stays in force.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[error("{path}: {message}")]
pub struct ConfigError {
    pub code: &'static str,
    /// the field, as in `upstreams[0].ca`
    pub path: String,
    pub message: String,
    pub remedy: String,
}

impl ConfigError {
    pub fn new(
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { code, path: path.into(), message: message.into(), remedy: remedy.into() }
    }
}
