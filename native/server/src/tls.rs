//! How this server does TLS: 1.2 and 1.3, "dot", and tickets that let a client come back without a full handshake.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use tokio_rustls::TlsAcceptor;

use crate::identity::Identity;

/// TLS 1.3 tickets are for one use each; a client that keeps a few can open that many connections (RFC 8446 C.4).
const TICKETS: usize = 4;

pub fn acceptor(identity: &Identity) -> Result<TlsAcceptor, rustls::Error> {
    server_config(identity).map(|config| TlsAcceptor::from(Arc::new(config)))
}

pub fn server_config(identity: &Identity) -> Result<ServerConfig, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(identity.chain.clone(), identity.key.clone_key())?;
    config.alpn_protocols = vec![b"dot".to_vec()];
    config.ticketer = aws_lc_rs::Ticketer::new()?;
    config.send_tls13_tickets = TICKETS;
    Ok(config)
}
