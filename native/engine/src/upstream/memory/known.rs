//! As what a server is noted that proved itself once, and of which less is evidence of an attack from then on.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de};
use sotto_encdns::PublicKey;

use crate::endpoint::Endpoint;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
#[serde(into = "String")]
pub enum Known {
    /// it spoke TLS and authenticated itself there
    At(Endpoint),
    /// the EncDNS server with this key spoke the format that hides lengths
    EncDns(PublicKey),
}

/// Before the key, where an address has its host.
const ENCDNS: &str = "encdns:";

impl Known {
    /// Whatever its port is.
    pub fn is_same_server(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::At(one), Self::At(other)) => one.at_port(0) == other.at_port(0),
            (one, other) => one == other,
        }
    }
}

impl From<Endpoint> for Known {
    fn from(place: Endpoint) -> Self {
        Self::At(place)
    }
}

impl FromStr for Known {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix(ENCDNS).and_then(PublicKey::parse) {
            Some(key) => Ok(Self::EncDns(key)),
            None => text.parse().map(Self::At),
        }
    }
}

impl<'de> Deserialize<'de> for Known {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

impl From<Known> for String {
    fn from(known: Known) -> Self {
        known.to_string()
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(place) => place.fmt(f),
            Self::EncDns(key) => write!(f, "{ENCDNS}{key}"),
        }
    }
}
