//! What protects an open connection: authenticated TLS, or the lease that everything else needs.

use std::sync::Arc;

use serde::Serialize;

use crate::upstream::clear::lease::Lease;
use crate::upstream::outgoing::Hop;

pub enum Protection {
    Tls(TlsFacts),
    /// TLS without authentication: it hides names from listeners, and is no protection
    Unauthenticated(TlsFacts, Arc<Lease>),
    Clear(Arc<Lease>),
}

impl Protection {
    pub fn hop(&self) -> Hop {
        match self {
            Self::Tls(_) | Self::Unauthenticated(..) => Hop::Tls,
            Self::Clear(_) => Hop::Tcp,
        }
    }

    pub fn tls(&self) -> Option<&TlsFacts> {
        match self {
            Self::Tls(facts) | Self::Unauthenticated(facts, _) => Some(facts),
            Self::Clear(_) => None,
        }
    }

    /// The lease that each query on it spends.
    pub fn lease(&self) -> Option<&Lease> {
        match self {
            Self::Tls(_) => None,
            Self::Unauthenticated(_, lease) | Self::Clear(lease) => Some(lease),
        }
    }
}

/// What was agreed with the server, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TlsFacts {
    /// `1.2` or `1.3`
    pub version: &'static str,
    pub cipher: String,
    /// key exchange group; empty where a resumed TLS 1.2 session had none
    pub group: String,
    pub resumed: bool,
    /// the authentication domain name that was found in the certificate
    pub name: Option<String>,
    pub pinned: bool,
}
