//! A SOCKS5 proxy (RFC 1928). It gets the server's name as it is written, and resolves it; nothing else does.
//!
//! User name and password (RFC 1929) are random for each upstream, network and run of this program. Tor gives each pair circuits
//! of its own, so that servers can't tell that two upstreams have the same client.

use std::net::SocketAddr;
use std::sync::LazyLock;

use aws_lc_rs::hmac;
use data_encoding::HEXLOWER;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_socks::tcp::Socks5Stream;
use tokio_socks::{Error, TargetAddr};

use crate::endpoint::Endpoint;
use crate::upstream::dial::open::{self, CONNECT, plain_words};
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::failure::proxy_error::ProxyError;

/// A path over several machines takes so many times longer than a direct one; Tor has to build it first.
pub const PATIENCE: u32 = 5;

pub struct Socks5 {
    proxy: SocketAddr,
    user: String,
    password: String,
}

impl Socks5 {
    pub fn new(proxy: SocketAddr, upstream: &str, network: &str) -> Self {
        static SECRET: LazyLock<hmac::Key> =
            LazyLock::new(|| hmac::Key::new(hmac::HMAC_SHA256, &rand::random::<[u8; 32]>()));
        let tag = hmac::sign(&SECRET, format!("{upstream}\n{network}").as_bytes());
        let (user, password) = tag.as_ref().split_at(16);
        Self { proxy, user: HEXLOWER.encode(user), password: HEXLOWER.encode(password) }
    }

    pub async fn open(&self, to: Endpoint) -> Result<TcpStream, DialReason> {
        let proxy = self.proxy;
        let away = |words: String| DialReason::Proxy(ProxyError::Away { proxy, words });
        let stream = match open::connect(proxy).await {
            Ok(stream) => stream,
            Err(DialReason::Connect(words)) => return Err(away(words)),
            Err(reason @ DialReason::NoRoute(_)) => return Err(reason),
            Err(reason) => return Err(away(reason.to_string())),
        };
        let target = match to {
            Endpoint::Address(address) => TargetAddr::Ip(address),
            Endpoint::Named(name, port) => TargetAddr::Domain(name.into(), port),
        };
        let connecting =
            Socks5Stream::connect_with_password_and_socket(stream, target, &self.user, &self.password);
        match timeout(CONNECT * PATIENCE, connecting).await {
            Ok(Ok(stream)) => Ok(stream.into_inner()),
            Ok(Err(error)) => Err(DialReason::Proxy(judged(proxy, &error))),
            Err(_) => Err(DialReason::Silent("the proxy's connection")),
        }
    }
}

fn judged(proxy: SocketAddr, error: &Error) -> ProxyError {
    let words = error.to_string().to_lowercase();
    match error {
        Error::GeneralSocksServerFailure
        | Error::NetworkUnreachable
        | Error::HostUnreachable
        | Error::ConnectionRefused
        | Error::TtlExpired => ProxyError::Unreachable { proxy, words },
        Error::ConnectionNotAllowedByRuleset
        | Error::NoAcceptableAuthMethods
        | Error::PasswordAuthFailure(_)
        | Error::AuthorizationRequired
        | Error::CommandNotSupported
        | Error::AddressTypeNotSupported => ProxyError::Refused { proxy, words },
        Error::Io(error) => ProxyError::NotSocks { proxy, words: plain_words(error) },
        _ => ProxyError::NotSocks { proxy, words },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upstreams_and_networks_have_identities_of_their_own() {
        let proxy = "127.0.0.1:9050".parse().unwrap();
        let identity = |upstream, network| {
            let Socks5 { user, password, .. } = Socks5::new(proxy, upstream, network);
            (user, password)
        };
        assert_eq!(identity("one", "home"), identity("one", "home"));
        assert_ne!(identity("one", "home"), identity("two", "home"));
        assert_ne!(identity("one", "home"), identity("one", "cafe"));
    }

    #[test]
    fn each_failure_says_what_to_do() {
        let proxy = "127.0.0.1:9050".parse().unwrap();
        for (error, code, remedy) in [
            (Error::HostUnreachable, "proxy-unreachable", "check its address"),
            (Error::ConnectionNotAllowedByRuleset, "proxy-refused", "allow this machine"),
            (Error::InvalidResponseVersion, "proxy-not-socks", "correct \"proxy\""),
        ] {
            let judged = judged(proxy, &error);
            assert_eq!(judged.code(), code);
            assert!(judged.to_string().contains(remedy), "{judged}");
        }
    }
}
