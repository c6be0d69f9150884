//! What a request may name and a journal may hold: a link, or one of the mechanisms that set the system's DNS.

use serde::{Deserialize, Serialize};

/// IFNAMSIZ, less the zero
const LONGEST_NAME: usize = 15;

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

#[derive(Debug, PartialEq, Eq, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    Link(Link),
    Mechanism(Mechanism),
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
