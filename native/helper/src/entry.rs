//! One thing that was taken: what we set, and what was there before.

use std::net::IpAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::request::{Link, Mechanism, Only, Servers};

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// unix milliseconds
    pub since: u64,
    /// the kernel's word for the boot in which it was taken
    pub boot: String,
    pub link: Option<Link>,
    pub servers: Servers,
    /// while they are being changed: what they were
    pub earlier: Option<Servers>,
    pub giving_back: bool,
    pub undo: Undo,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undo {
    Resolved(LinkDns),
    Networkd(LinkDns),
    NetworkManager(ConnectionDns),
    Resolvconf,
    File(OldFile),
}

/// What systemd-resolved says of a link.
#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub struct LinkDns {
    pub servers: Vec<LinkServer>,
    pub domains: Vec<LinkDomain>,
    pub default_route: bool,
    pub llmnr: String,
    pub multicast_dns: String,
    pub dns_over_tls: String,
    pub dnssec: String,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub struct LinkServer {
    pub address: IpAddr,
    /// 0: the standard one
    pub port: u16,
    /// for its certificate; may be empty
    pub name: String,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub struct LinkDomain {
    pub name: String,
    pub route_only: bool,
}

/// What NetworkManager's applied connection says; a family that has no DNS of its own is absent.
#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub struct ConnectionDns {
    pub ipv4: Option<FamilyDns>,
    pub ipv6: Option<FamilyDns>,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub struct FamilyDns {
    pub servers: Vec<IpAddr>,
    /// the same with what else is said of them, where NetworkManager is new enough to say it
    pub data: Option<Vec<String>>,
    pub search: Vec<String>,
    pub priority: i32,
    pub ignore_auto: bool,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OldFile {
    None,
    Link {
        target: PathBuf,
    },
    File {
        octets: Vec<u8>,
        mode: u32,
        owner: u32,
        group: u32,
        /// seconds and nanoseconds of the last change
        modified: (i64, u32),
    },
}

/// The same in words for whoever decides: the network's own resolvers.
#[derive(Debug, Default, Serialize)]
pub struct Before {
    pub servers: Vec<BeforeServer>,
    pub search: Vec<String>,
    pub routed: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct BeforeServer {
    pub address: String,
    pub port: Option<u16>,
}

impl Entry {
    pub fn mechanism(&self) -> Mechanism {
        match self.undo {
            Undo::Resolved(_) => Mechanism::Resolved,
            Undo::Networkd(_) => Mechanism::Networkd,
            Undo::NetworkManager(_) => Mechanism::NetworkManager,
            Undo::Resolvconf => Mechanism::Resolvconf,
            Undo::File(_) => Mechanism::File,
        }
    }

    pub fn is_meant_by(&self, only: Option<&Only>) -> bool {
        match only {
            None => true,
            Some(Only::Link(link)) => self.link.as_ref() == Some(link),
            Some(Only::Mechanism(mechanism)) => self.mechanism() == *mechanism,
        }
    }

    /// Resolved and networkd are two ways to the same settings.
    pub fn is_about(&self, other: &Self) -> bool {
        let of_link = |entry: &Self| matches!(entry.undo, Undo::Resolved(_) | Undo::Networkd(_));
        self.link == other.link
            && (self.mechanism() == other.mechanism() || (of_link(self) && of_link(other)))
    }

    pub fn may_be_ours(&self, is_set: impl Fn(&Servers) -> bool) -> bool {
        is_set(&self.servers) || self.earlier.as_ref().is_some_and(is_set)
    }
}

impl Undo {
    pub fn before(&self) -> Before {
        match self {
            Self::Resolved(link) | Self::Networkd(link) => link.before(),
            Self::NetworkManager(ConnectionDns { ipv4, ipv6 }) => {
                let families = || ipv4.iter().chain(ipv6);
                Before {
                    servers: families().flat_map(|family| &family.servers).map(BeforeServer::plain).collect(),
                    search: families().flat_map(|family| family.search.clone()).collect(),
                    routed: vec![],
                }
            }
            Self::Resolvconf | Self::File(OldFile::None | OldFile::Link { .. }) => Before::default(),
            Self::File(OldFile::File { octets, .. }) => {
                Before::of_resolv_conf(&String::from_utf8_lossy(octets))
            }
        }
    }
}

impl LinkDns {
    fn before(&self) -> Before {
        let server = |server: &LinkServer| BeforeServer {
            address: server.address.to_string(),
            port: (server.port != 0).then_some(server.port),
        };
        let names = |route_only: bool| {
            let domains = self.domains.iter().filter(move |domain| domain.route_only == route_only);
            domains.map(|domain| domain.name.clone()).collect()
        };
        Before {
            servers: self.servers.iter().map(server).collect(),
            search: names(false),
            routed: names(true),
        }
    }
}

impl Before {
    pub fn of_resolv_conf(text: &str) -> Self {
        let values = |key: &'static str| {
            let lines = text.lines().map(str::split_ascii_whitespace);
            lines.filter_map(move |mut words| (words.next() == Some(key)).then_some(words))
        };
        Self {
            servers: values("nameserver")
                .filter_map(|mut words| words.next())
                .map(BeforeServer::plain)
                .collect(),
            search: values("search").flatten().map(str::to_owned).collect(),
            routed: vec![],
        }
    }
}

impl BeforeServer {
    fn plain(address: impl ToString) -> Self {
        Self { address: address.to_string(), port: None }
    }
}
