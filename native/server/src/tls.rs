//! How this server does TLS: versions 1.2 and 1.3, ALPN "dot", and tickets with which a client comes back without a full handshake.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::server::{ClientHello, ResolvesServerCert, ServerSessionMemoryCache};
use rustls::sign::CertifiedKey;
use rustls::{CipherSuite, ServerConfig};

use crate::early;
use crate::handshake_key::ToWhoListens;
use crate::identities::Identities;
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

/// The certificates of handshakes; others may take their place. Tickets are not bound to them: a session is resumed under the name
/// under which it began, and under no other, which rustls compares.
#[derive(Debug)]
pub struct Certificates(ArcSwap<Identities>);

impl Certificates {
    pub fn of(identities: Identities) -> Arc<Self> {
        Arc::new(Self(ArcSwap::from_pointee(identities)))
    }

    pub fn present(&self) -> Identities {
        Identities::clone(&self.0.load())
    }

    pub fn replace(&self, identities: Identities) {
        self.0.store(Arc::new(identities));
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load().choose(hello.server_name()))
    }
}

fn provider() -> CryptoProvider {
    let mut provider = default_provider();
    provider.cipher_suites.sort_by_key(|suite| suite.suite() != PREFERRED);
    provider
}

/// With early data, the sessions are remembered here and tickets are only their names. Each is dropped when it is used, so that a
/// first flight that is delivered twice opens nothing (RFC 8446 section 8.1), and none outlives the process.
pub fn server_config(
    certificates: Arc<Certificates>,
    early_data: bool,
    tickets: Arc<Tickets>,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificates);
    config.alpn_protocols = vec![b"dot".to_vec()];
    config.ignore_client_order = true;
    config.key_log = Arc::new(ToWhoListens);
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
