//! One thing that was taken over: what we set, and what was there before.

use std::net::IpAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::servers::{Search, Servers};
use crate::target::{Link, Mechanism, Only};

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// unix milliseconds
    pub since: u64,
    /// the kernel's identifier of the boot in which it was taken over
    pub boot: String,
    pub link: Option<Link>,
    pub servers: Servers,
    /// `None`: those that were there before are kept
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// only while the servers are being changed: the ones from before the change
    pub earlier: Option<Servers>,
    pub giving_back: bool,
    pub undo: Undo,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undo {
    Resolved(LinkDns),
    Networkd(LinkDns),
    NetworkManager(OldFile),
    Resolvconf,
    File(OldFile),
}

/// What systemd-resolved reports about a link.
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
        /// `None`: it was never on disk, or an earlier version of this program wrote this
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inode: Option<u64>,
    },
}

/// The same in words, for the program that decides: the network's own resolvers.
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

    pub fn is_network_managers(&self) -> bool {
        matches!(self.undo, Undo::NetworkManager(_))
    }

    pub fn is_of_link(&self) -> bool {
        matches!(self.undo, Undo::Resolved(_) | Undo::Networkd(_))
    }

    /// resolved and networkd are two ways to the same settings.
    pub fn is_about(&self, other: &Self) -> bool {
        self.link == other.link
            && (self.mechanism() == other.mechanism() || (self.is_of_link() && other.is_of_link()))
    }

    pub fn may_be_ours(&self, is_set: impl Fn(&Servers) -> bool) -> bool {
        is_set(&self.servers) || self.earlier.as_ref().is_some_and(is_set)
    }
}

impl Undo {
    pub fn old_file_mut(&mut self) -> Option<&mut OldFile> {
        match self {
            Self::NetworkManager(before) | Self::File(before) => Some(before),
            Self::Resolved(_) | Self::Networkd(_) | Self::Resolvconf => None,
        }
    }

    pub fn before(&self) -> Before {
        match self {
            Self::Resolved(link) | Self::Networkd(link) => link.before(),
            // NetworkManager, resolvconf and a link's target themselves know what the network has now.
            Self::NetworkManager(_) | Self::Resolvconf | Self::File(OldFile::None | OldFile::Link { .. }) => {
                Before::default()
            }
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
