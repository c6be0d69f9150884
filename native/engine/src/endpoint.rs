//! Where a server is: an address, or a name that a proxy resolves. Nothing in this file resolves a name.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use rustls_pki_types::{IpAddr, ServerName};
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::{intern, zone};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
#[serde(into = "String")]
pub enum Endpoint {
    Address(SocketAddr),
    Named(&'static str, u16),
}

impl Endpoint {
    pub fn address(self) -> Option<SocketAddr> {
        match self {
            Self::Address(address) => Some(address),
            Self::Named(..) => None,
        }
    }

    pub fn port(self) -> u16 {
        match self {
            Self::Address(address) => address.port(),
            Self::Named(_, port) => port,
        }
    }

    /// Another port of the same server.
    pub fn at_port(self, port: u16) -> Self {
        match self {
            Self::Address(mut address) => {
                // the zone stays
                address.set_port(port);
                Self::Address(address)
            }
            Self::Named(name, _) => Self::Named(name, port),
        }
    }

    pub fn is_ipv6(self) -> bool {
        self.address().is_some_and(|address| address.is_ipv6())
    }

    /// The name or address that the certificate must hold, where none is configured.
    pub fn server_name(self) -> Option<ServerName<'static>> {
        match self {
            Self::Address(address) => Some(ServerName::IpAddress(IpAddr::from(address.ip()))),
            Self::Named(name, _) => ServerName::try_from(name).ok(),
        }
    }
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Self {
        Self::Address(address)
    }
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(address) = zone::parse(text) {
            return Ok(Self::Address(address));
        }
        let unusable = || format!("{text:?} is neither an address nor a name, with a port");
        let (name, port) = text.rsplit_once(':').ok_or_else(unusable)?;
        let port = port.parse().map_err(|_| unusable())?;
        match ServerName::try_from(name) {
            Ok(ServerName::DnsName(_)) => Ok(Self::Named(intern::word(name), port)),
            _ => Err(unusable()),
        }
    }
}

impl<'de> Deserialize<'de> for Endpoint {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

impl From<Endpoint> for String {
    fn from(endpoint: Endpoint) -> Self {
        endpoint.to_string()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => f.write_str(&zone::written(address)),
            Self::Named(name, port) => write!(f, "{name}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_name_with_a_port() {
        for (text, named) in
            [("192.0.2.1:853", false), ("[2001:db8::1]:53", false), ("dns.example.net:853", true)]
        {
            let endpoint: Endpoint = text.parse().unwrap();
            assert_eq!((endpoint.to_string().as_str(), endpoint.address().is_none()), (text, named));
        }
        for text in
            ["192.0.2.1", "dns.example.net", "no such name:53", "dns.example.net:0x35", ":53", "1.2.3:53"]
        {
            assert!(text.parse::<Endpoint>().is_err(), "{text}");
        }
    }
}
