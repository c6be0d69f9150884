//! TLS to one upstream (RFC 9325): 1.2 and 1.3, tickets, and two hellos – a full one that offers X25519MLKEM768 first, and
//! a resuming one that leads with X25519 so that it fits one SYN together with its ticket.

use std::sync::Arc;

use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ResolvesClientCert, Resumption};
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{default_provider, kx_group};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, HandshakeKind, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName};
use serde::Serialize;
use tokio::io::BufReader;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::dial::Protection;
use super::tickets::Tickets;
use super::trust::Trust;
use super::unauthenticated::Anybody;

/// rustls asks the system for 4 kB at a time; a burst of answers is more.
const READ_AHEAD: usize = 16 * 1024;

pub type Buffered = BufReader<TcpStream>;

pub struct Tls {
    full: TlsConnector,
    resuming: TlsConnector,
    tickets: Arc<Tickets>,
    peer: Peer,
    name: ServerName<'static>,
}

/// Who may be at the other end.
enum Peer {
    Proven(Arc<Trust>),
    Anybody(Anybody),
}

/// What was agreed with the server, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

impl Tls {
    /// `name` goes out as server name indication (unless it is an address).
    pub fn new(name: ServerName<'static>, trust: Trust) -> Self {
        Self::with(name, Peer::Proven(Arc::new(trust)))
    }

    /// To whoever answers; what is asked spends the lease.
    pub fn to_anybody(name: ServerName<'static>, anybody: Anybody) -> Self {
        Self::with(name, Peer::Anybody(anybody))
    }

    fn with(name: ServerName<'static>, peer: Peer) -> Self {
        let tickets = Arc::new(Tickets::default());
        let verifier: Arc<dyn ServerCertVerifier> = match &peer {
            Peer::Proven(trust) => trust.clone(),
            Peer::Anybody(anybody) => Arc::new(anybody.clone()),
        };
        // rustls resumes only under the verifier and the resolver that the session began with
        let nobody = Arc::new(NoClientCertificate);
        let connector = |provider: CryptoProvider| {
            let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
                .with_safe_default_protocol_versions()
                .expect("the provider speaks TLS 1.2 and 1.3")
                .dangerous()
                .with_custom_certificate_verifier(verifier.clone())
                .with_client_cert_resolver(nobody.clone());
            config.resumption = Resumption::store(tickets.clone());
            TlsConnector::from(Arc::new(config))
        };
        let resuming = CryptoProvider {
            kx_groups: vec![kx_group::X25519, kx_group::SECP256R1, kx_group::SECP384R1],
            ..default_provider()
        };
        Self { full: connector(default_provider()), resuming: connector(resuming), tickets, peer, name }
    }

    pub fn protection(&self, facts: TlsFacts) -> Protection {
        match &self.peer {
            Peer::Proven(_) => Protection::Tls(facts),
            Peer::Anybody(anybody) => Protection::Unauthenticated(facts, anybody.lease.clone()),
        }
    }

    fn trust(&self) -> Option<&Trust> {
        match &self.peer {
            Peer::Proven(trust) => Some(trust),
            Peer::Anybody(_) => None,
        }
    }

    pub fn forget(&self) {
        self.tickets.forget();
    }

    /// Of the next handshake: the full hello is as long as the post-quantum share that it leads with.
    pub fn hello_fits_a_syn(&self) -> bool {
        self.tickets.available()
    }

    pub async fn handshake(&self, stream: TcpStream) -> std::io::Result<TlsStream<Buffered>> {
        let connector = if self.hello_fits_a_syn() { &self.resuming } else { &self.full };
        connector.connect(self.name.clone(), BufReader::with_capacity(READ_AHEAD, stream)).await
    }

    pub fn facts(&self, stream: &TlsStream<Buffered>) -> TlsFacts {
        let (_, connection) = stream.get_ref();
        let version = match connection.protocol_version() {
            Some(rustls::ProtocolVersion::TLSv1_2) => "1.2",
            _ => "1.3",
        };
        let suite = connection.negotiated_cipher_suite().map(|suite| suite.suite());
        let group = connection.negotiated_key_exchange_group().map(|group| group.name());
        TlsFacts {
            version,
            cipher: suite.and_then(|suite| suite.as_str()).unwrap_or_default().to_owned(),
            group: group.and_then(|group| group.as_str()).unwrap_or_default().to_owned(),
            resumed: connection.handshake_kind() == Some(HandshakeKind::Resumed),
            name: chain(stream).first().zip(self.trust()).and_then(|(leaf, trust)| trust.matched_name(leaf)),
            pinned: self.trust().is_some_and(Trust::has_pins),
        }
    }
}

#[derive(Debug)]
struct NoClientCertificate;

impl ResolvesClientCert for NoClientCertificate {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

pub fn chain(stream: &TlsStream<Buffered>) -> &[CertificateDer<'static>] {
    stream.get_ref().1.peer_certificates().unwrap_or_default()
}
