//! A client that believes every certificate without looking at it: it measures a server, and its own work is to be little.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use std::{fmt, io};

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{default_provider, kx_group};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub type Stream = TlsStream<TcpStream>;

const SLOWEST: Duration = Duration::from_secs(10);
/// Addresses on loopback from which clients come, so that there are ports enough.
const ADDRESSES: u8 = 64;

static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone)]
pub struct Client {
    to: SocketAddr,
    from: Arc<[IpAddr]>,
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
    /// `from`: addresses from which connections come in turn. If there are none, the system chooses one; on loopback there are several.
    pub fn new(to: SocketAddr, from: &[IpAddr], config: ClientConfig) -> Self {
        let from = match to.ip() {
            IpAddr::V4(address) if address.is_loopback() && from.is_empty() => {
                (2..2 + ADDRESSES).map(|host| Ipv4Addr::new(127, 0, 1, host).into()).collect()
            }
            _ => from.into(),
        };
        Self { to, from, config: Arc::new(config) }
    }

    /// Does once what takes 20 ms the first time, so that no connection waits for it: random numbers, a first key.
    pub fn warm_up(&self) -> Result<(), Error> {
        ClientConnection::new(self.config.clone(), self.name()).map(drop)
    }

    fn name(&self) -> ServerName<'static> {
        ServerName::IpAddress(self.to.ip().into())
    }

    pub async fn connect(&self) -> io::Result<Stream> {
        let socket = if self.to.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        let turn = CONNECTIONS.fetch_add(1, Relaxed) % self.from.len().max(1);
        if let Some(from) = self.from.get(turn) {
            socket.bind(SocketAddr::new(*from, 0))?;
        }
        let opening = async {
            let tcp = socket.connect(self.to).await?;
            tcp.set_nodelay(true)?;
            TlsConnector::from(self.config.clone()).connect(self.name(), tcp).await
        };
        timeout(SLOWEST, opening).await?
    }
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
