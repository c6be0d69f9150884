//! A client that believes every certificate without looking at it: it measures a server, and its own work is to be little.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;
use std::{fmt, io};

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{default_provider, kx_group};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub type Stream = TlsStream<TcpStream>;

const SLOWEST: Duration = Duration::from_secs(10);
/// Addresses on loopback from which clients come in turn, so that there are ports enough.
const ADDRESSES: u32 = 64;

static NEXT_ADDRESS: AtomicU32 = AtomicU32::new(0);

#[derive(Clone)]
pub struct Client {
    to: SocketAddr,
    from: Option<IpAddr>,
    config: Arc<ClientConfig>,
}

/// `resumes`: with tickets of the visits before. X25519 alone, which every server has.
pub fn config(resumes: bool) -> ClientConfig {
    let provider = CryptoProvider { kx_groups: vec![kx_group::X25519], ..default_provider() };
    let mut config = ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .expect("the provider has suites for both versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(BelievesAll))
        .with_no_client_auth();
    if !resumes {
        config.resumption = Resumption::disabled();
    }
    config.alpn_protocols = vec![b"dot".to_vec()];
    config
}

impl Client {
    /// `from`: the address of all of them; on loopback, if left out, they have several.
    pub fn new(to: SocketAddr, from: Option<IpAddr>, config: ClientConfig) -> Self {
        Self { to, from, config: Arc::new(config) }
    }

    pub async fn connect(&self) -> io::Result<Stream> {
        let socket = if self.to.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        let on_loopback = || (self.to.is_ipv4() && self.to.ip().is_loopback()).then(next_address);
        if let Some(from) = self.from.or_else(on_loopback) {
            socket.bind(SocketAddr::new(from, 0))?;
        }
        let name = ServerName::IpAddress(self.to.ip().into());
        let opening = async {
            let tcp = socket.connect(self.to).await?;
            tcp.set_nodelay(true)?;
            TlsConnector::from(self.config.clone()).connect(name, tcp).await
        };
        timeout(SLOWEST, opening).await?
    }
}

fn next_address() -> IpAddr {
    let host = 2 + NEXT_ADDRESS.fetch_add(1, Relaxed) % ADDRESSES;
    Ipv4Addr::from(u32::from(Ipv4Addr::new(127, 0, 1, 0)) + host).into()
}

struct BelievesAll;

impl fmt::Debug for BelievesAll {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BelievesAll")
    }
}

impl ServerCertVerifier for BelievesAll {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}
