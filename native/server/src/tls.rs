//! How this server does TLS: versions 1.2 and 1.3, ALPN "dot", and tickets with which a client comes back without a full handshake.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::server::{ClientHello, ResolvesServerCert, ServerSessionMemoryCache};
use rustls::sign::CertifiedKey;
use rustls::{CipherSuite, ServerConfig};

use crate::early;
use crate::identity::Identity;
use crate::tickets::Tickets;

/// TLS 1.3 tickets are for one use each (RFC 8446 C.4): with two, a client that comes back can open a second connection beside the first.
/// Each one takes about 3 % of a handshake.
const TICKETS: usize = 2;
/// A record can be read only when its last octet is there, and one of 16 kB does not fit into the ten segments that leave together
/// on a fresh path (RFC 6928).
const LONGEST_RECORD: usize = 4096;
/// Sessions remembered at a time with early data, of a few hundred octets each; the oldest are dropped first.
const SESSIONS: usize = 65_536;

/// Whatever else the client likes as well: a handshake hashes often and little, and with SHA-256, for which processors have instructions,
/// it takes a sixth less time than with SHA-384.
const PREFERRED: CipherSuite = CipherSuite::TLS13_AES_128_GCM_SHA256;

/// The certificate that every handshake gets; another one may take its place. Tickets are not bound to it.
#[derive(Debug)]
pub struct Certificate(ArcSwap<CertifiedKey>);

impl Certificate {
    pub fn of(identity: &Identity) -> Result<Arc<Self>, rustls::Error> {
        Ok(Arc::new(Self(ArcSwap::from(certified(identity)?))))
    }

    pub fn replace(&self, identity: &Identity) -> Result<(), rustls::Error> {
        self.0.store(certified(identity)?);
        Ok(())
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

fn certified(identity: &Identity) -> Result<Arc<CertifiedKey>, rustls::Error> {
    let key = identity.key.clone_key();
    CertifiedKey::from_der(identity.chain.clone(), key, &default_provider()).map(Arc::new)
}

fn provider() -> CryptoProvider {
    let mut provider = default_provider();
    provider.cipher_suites.sort_by_key(|suite| suite.suite() != PREFERRED);
    provider
}

/// With early data, the sessions are remembered here and tickets are only their names. Each is dropped when it is used, so that a
/// first flight that is delivered twice opens nothing (RFC 8446 section 8.1), and none outlives the process.
pub fn server_config(
    certificate: Arc<Certificate>,
    early_data: bool,
    tickets: Arc<Tickets>,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"dot".to_vec()];
    config.ignore_client_order = true;
    config.send_tls13_tickets = TICKETS;
    config.max_fragment_size = Some(LONGEST_RECORD);
    if early_data {
        config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        config.max_early_data_size = early::LIMIT;
        config.send_half_rtt_data = true;
    } else {
        config.ticketer = tickets;
    }
    Ok(Arc::new(config))
}
