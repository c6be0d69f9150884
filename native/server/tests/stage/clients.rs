//! Clients that show each octet: framed over TCP, framed inside TLS, datagrams.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::messages::{Reply, framed};
use super::{NAME, Stage};

pub type Tls = TlsStream<TcpStream>;

pub async fn datagram(server: SocketAddr, message: &[u8]) -> Reply {
    datagram_from("127.0.0.1", server, message).await
}

pub async fn datagram_from(address: &str, server: SocketAddr, message: &[u8]) -> Reply {
    let socket = UdpSocket::bind((address, 0)).await.unwrap();
    socket.connect(server).await.unwrap();
    socket.send(message).await.unwrap();
    let mut reply = vec![0; 65_535];
    let octets = socket.recv(&mut reply).await.unwrap();
    reply.truncate(octets);
    Reply::new(reply)
}

pub async fn send(stream: &mut (impl AsyncWrite + Unpin), message: &[u8]) {
    stream.write_all(&framed(message)).await.unwrap();
    stream.flush().await.unwrap();
}

pub async fn receive(stream: &mut (impl AsyncRead + Unpin)) -> Reply {
    Reply::new(receive_octets(stream).await)
}

pub async fn receive_octets(stream: &mut (impl AsyncRead + Unpin)) -> Vec<u8> {
    let mut message = vec![0; usize::from(stream.read_u16().await.unwrap())];
    stream.read_exact(&mut message).await.unwrap();
    message
}

pub async fn exchange(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), message: &[u8]) -> Reply {
    send(stream, message).await;
    receive(stream).await
}

/// One configuration is one client: it remembers its tickets.
pub fn tls_client(stage: &Stage, versions: &[&'static SupportedProtocolVersion]) -> TlsConnector {
    TlsConnector::from(Arc::new(client_config(stage, versions)))
}

pub fn client_config(stage: &Stage, versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(stage.authority.as_bytes()).unwrap()).unwrap();
    let mut config =
        ClientConfig::builder_with_provider(rustls::crypto::aws_lc_rs::default_provider().into())
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
    config.alpn_protocols = vec![b"dot".to_vec()];
    config
}

pub async fn secure(stage: &Stage, tcp: TcpStream) -> Tls {
    secure_with(&tls_client(stage, rustls::ALL_VERSIONS), tcp).await
}

pub async fn secure_with(client: &TlsConnector, tcp: TcpStream) -> Tls {
    client.connect(ServerName::try_from(NAME).unwrap(), tcp).await.unwrap()
}

pub async fn dot(stage: &Stage) -> Tls {
    secure(stage, TcpStream::connect(stage.dot()).await.unwrap()).await
}
