//! Everything that can be asked: a closed set. app/contract/system/helper-protocol.ts says the same in zod.

use std::net::IpAddr;
use std::num::NonZeroU16;

use serde::{Deserialize, Deserializer, Serialize};

use crate::reply::{Code, Failure};

/// octets of a request, its line end included
pub const LONGEST: usize = 4096;
const MOST_SERVERS: usize = 8;
/// names, and octets of all of them
const MOST_SEARCHED: usize = 32;
const LONGEST_SEARCH: usize = 1024;
/// IFNAMSIZ, less the zero
const LONGEST_NAME: usize = 15;

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    TakeLink {
        link: Link,
        servers: Servers,
        /// absent: those that were there before
        search: Option<Search>,
    },
    TakeNetworkManager {
        servers: Servers,
        search: Option<Search>,
    },
    TakeResolvconf {
        servers: Servers,
    },
    TakeFile {
        servers: Servers,
    },
    GiveBack {
        #[serde(default, deserialize_with = "given")]
        only: Option<Only>,
    },
    Flush {},
    Status {},
    /// Whoever asks looks after what was taken until this connection ends.
    Hold {},
    /// What was given back while nobody was there is in the service's ledger, up to this moment.
    ForgetOrphaned {
        until: u64,
    },
}

#[derive(Debug, PartialEq, Eq, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    Link(Link),
    Mechanism(Mechanism),
}

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    Resolved,
    Networkd,
    NetworkManager,
    Resolvconf,
    File,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(try_from = "AnyLink")]
pub struct Link {
    pub index: i32,
    pub name: String,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub address: IpAddr,
    pub port: NonZeroU16,
}

#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<Server>")]
pub struct Servers(Vec<Server>);

/// Domains that a name without a dot is looked up in, in this order.
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

    /// Nobody can have questions sent to another machine by our hand.
    fn on_loopback(&self) -> Result<(), Failure> {
        match self.0.iter().find(|server| !server.address.is_loopback()) {
            None => Ok(()),
            Some(server) => Err(Failure::new(
                Code::NotLoopback,
                format!("{} is no address of loopback", server.address),
                "name an address Sotto listens on: 127.0.0.1 or ::1",
            )),
        }
    }

    fn on_port_53(&self) -> Result<(), Failure> {
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

/// One line, without its end. Only loopback, and only ports that the mechanism can be told, get through.
pub fn read(line: &[u8]) -> Result<Request, Failure> {
    let request = serde_json::from_slice(line).map_err(|error| {
        Failure::new(
            Code::BadRequest,
            format!("that is no request: {error}"),
            "see decision 0019 for what can be asked",
        )
    })?;
    match &request {
        Request::TakeLink { servers, .. } => servers.on_loopback()?,
        Request::TakeNetworkManager { servers, .. }
        | Request::TakeResolvconf { servers }
        | Request::TakeFile { servers } => {
            servers.on_loopback()?;
            servers.on_port_53()?;
        }
        Request::GiveBack { .. }
        | Request::Flush {}
        | Request::Status {}
        | Request::Hold {}
        | Request::ForgetOrphaned { .. } => {}
    }
    Ok(request)
}

/// `"only": null` is a mistake, not everything.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Only>, D::Error> {
    Only::deserialize(value).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyLink {
    index: i32,
    name: String,
}

impl TryFrom<AnyLink> for Link {
    type Error = &'static str;

    fn try_from(AnyLink { index, name }: AnyLink) -> Result<Self, Self::Error> {
        if index < 1 {
            return Err("a link's index is 1 or more");
        }
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err("a link's name has 1 to 15 octets");
        }
        Ok(Self { index, name })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Lines {
        accepted: Vec<String>,
        refused: Vec<String>,
    }

    #[test]
    fn the_service_and_the_helper_know_the_same_requests() {
        let lines: Lines = serde_json::from_str(include_str!("../tests/requests.json")).unwrap();
        for line in lines.accepted {
            read(line.as_bytes()).unwrap_or_else(|failure| panic!("{line}: {}", failure.message));
        }
        for line in lines.refused {
            assert_eq!(read(line.as_bytes()).unwrap_err().code, Code::BadRequest, "{line}");
        }
    }

    #[test]
    fn no_other_machine_is_named() {
        for address in
            ["192.0.2.1", "0.0.0.0", "::", "2001:db8::1", "::ffff:127.0.0.1", "fe80::1", "169.254.1.1"]
        {
            for verb in [r#""take-file""#, r#""take-resolvconf""#] {
                let line = format!(
                    r#"{{"verb":{verb},"servers":[{{"address":"127.0.0.1","port":53}},{{"address":"{address}","port":53}}]}}"#
                );
                assert_eq!(read(line.as_bytes()).unwrap_err().code, Code::NotLoopback, "{line}");
            }
        }
    }

    #[test]
    fn a_port_is_for_who_can_be_told_one() {
        let servers = r#""servers":[{"address":"127.0.0.1","port":5300}]"#;
        let link = r#""link":{"index":2,"name":"eth0"}"#;
        assert!(read(format!(r#"{{"verb":"take-link",{link},{servers}}}"#).as_bytes()).is_ok());
        for line in [
            format!(r#"{{"verb":"take-network-manager",{servers}}}"#),
            format!(r#"{{"verb":"take-resolvconf",{servers}}}"#),
            format!(r#"{{"verb":"take-file",{servers}}}"#),
        ] {
            assert_eq!(read(line.as_bytes()).unwrap_err().code, Code::PortNotPossible, "{line}");
        }
    }

    #[test]
    fn a_field_said_twice_is_refused() {
        let line = br#"{"verb":"status","verb":"give-back"}"#;
        assert_eq!(read(line).unwrap_err().code, Code::BadRequest);
        let line = br#"{"verb":"take-file","servers":[{"address":"127.0.0.1","port":53,"port":54}]}"#;
        assert_eq!(read(line).unwrap_err().code, Code::BadRequest);
    }
}
