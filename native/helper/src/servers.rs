//! The servers that the system is told to ask, and the search domains set with them.

use std::net::IpAddr;
use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

use crate::failure::{Code, Failure};

const MOST_SERVERS: usize = 8;
/// names, and octets of all of them
const MOST_SEARCHED: usize = 32;
const LONGEST_SEARCH: usize = 1024;

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub address: IpAddr,
    pub port: NonZeroU16,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<Server>")]
pub struct Servers(Vec<Server>);

/// Domains that are appended to a name without a dot, in this order.
#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Search(Vec<String>);

impl Search {
    pub fn all(&self) -> &[String] {
        &self.0
    }
}

impl Servers {
    pub fn all(&self) -> &[Server] {
        &self.0
    }

    /// The helper never makes the system send queries to another machine.
    pub fn on_loopback(&self) -> Result<(), Failure> {
        match self.0.iter().find(|server| !server.address.is_loopback()) {
            None => Ok(()),
            Some(server) => Err(Failure::new(
                Code::NotLoopback,
                format!("{} is no address of loopback", server.address),
                "name an address Sotto listens on: 127.0.0.1 or ::1",
            )),
        }
    }

    pub fn on_port_53(&self) -> Result<(), Failure> {
        match self.0.iter().find(|server| server.port.get() != 53) {
            None => Ok(()),
            Some(server) => Err(Failure::new(
                Code::PortNotPossible,
                format!("port {} can't be told to it, only 53", server.port),
                "let Sotto listen on port 53, or use systemd-resolved, which takes any port",
            )),
        }
    }
}

impl TryFrom<Vec<String>> for Search {
    type Error = &'static str;

    fn try_from(names: Vec<String>) -> Result<Self, Self::Error> {
        if names.len() > MOST_SEARCHED || names.iter().map(String::len).sum::<usize>() > LONGEST_SEARCH {
            return Err("there are at most 32 search domains, of 1024 octets together");
        }
        match names.iter().all(|name| is_domain(name)) {
            true => Ok(Self(names)),
            false => Err("a search domain has labels of letters, digits, hyphens and underscores"),
        }
    }
}

fn is_domain(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && label.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-_".contains(&octet))
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

impl TryFrom<Vec<Server>> for Servers {
    type Error = &'static str;

    fn try_from(servers: Vec<Server>) -> Result<Self, Self::Error> {
        if servers.is_empty() || servers.len() > MOST_SERVERS {
            return Err("there are 1 to 8 servers");
        }
        Ok(Self(servers))
    }
}
