//! What failed between us and a proxy, or behind the proxy.

use std::net::SocketAddr;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    #[error("the proxy {proxy} does not answer ({words}); start it, or correct \"proxy\"")]
    Away { proxy: SocketAddr, words: String },
    #[error("what answers at {proxy} is no SOCKS5 proxy ({words}); correct \"proxy\"")]
    NotSocks { proxy: SocketAddr, words: String },
    #[error("the proxy {proxy} refused ({words}); allow this machine and the server in its configuration")]
    Refused { proxy: SocketAddr, words: String },
    #[error(
        "the proxy {proxy} can't reach the server ({words}); check its address, or the proxy's own network"
    )]
    Unreachable { proxy: SocketAddr, words: String },
}

impl ProxyError {
    /// A stable word for logs, health issues and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Away { .. } => "proxy-away",
            Self::NotSocks { .. } => "proxy-not-socks",
            Self::Refused { .. } => "proxy-refused",
            Self::Unreachable { .. } => "proxy-unreachable",
        }
    }
}
