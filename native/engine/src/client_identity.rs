//! Who this machine is to a server that wants to know its clients, as the control plane hands it over.

use serde::Deserialize;

/// A client certificate and its key. An upstream that names one is never asked without it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineIdentity"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IdentityConfig {
    pub name: String,
    /// PEM text: the private key, then the certificates, its own first; absent: there is none that can be used
    pub pem: Option<String>,
    /// what is wrong with it; empty: nothing, or it is not on this machine
    pub trouble: String,
}

/// Without the key.
impl std::fmt::Debug for IdentityConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, trouble, .. } = self;
        formatter
            .debug_struct("IdentityConfig")
            .field("name", name)
            .field("trouble", trouble)
            .finish_non_exhaustive()
    }
}
