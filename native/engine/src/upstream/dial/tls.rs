//! TLS to one upstream (RFC 9325): versions 1.2 and 1.3, tickets, and two hellos. A full one offers X25519MLKEM768 first. A
//! resuming one begins with X25519, so that it fits into one SYN together with its ticket; it carries a query as early data where
//! that is wanted and the ticket allows it.

use crate::upstream::dial::protection::TlsFacts;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{default_provider, kx_group};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, ProtocolVersion};
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::upstream::dial::identity::{Identity, Introduction};
use crate::upstream::dial::protection::Protection;
use crate::upstream::dial::tickets::{Incoming, Tickets};
use crate::upstream::dial::trust::Trust;
use crate::upstream::dial::unauthenticated::Anybody;

/// rustls asks the system for 4 kB at a time; a burst of responses is larger.
const READ_AHEAD: usize = 16 * 1024;

/// A record can be read only when its last octet is there. One of 16 kB, which is allowed, does not fit into the ten segments that
/// leave together on a fresh path (RFC 6928), and a burst of queries would wait for one more round trip. No hello is as long.
const LONGEST_RECORD: usize = 4096;

pub type Buffered = BufReader<TcpStream>;

pub struct Tls {
    full: TlsConnector,
    resuming: TlsConnector,
    /// like `resuming`, and asks to be allowed early data
    early: TlsConnector,
    /// none are kept of a server that proved nothing
    tickets: Option<Arc<Tickets>>,
    peer: Peer,
    introduction: Arc<Introduction>,
    name: ServerName<'static>,
}

/// A handshake that was finished.
pub struct Handshaken {
    pub stream: TlsStream<Buffered>,
    pub early: EarlyData,
}

/// What happened to a query that was to leave with the hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyData {
    NotSent,
    /// the server takes it as if it had come after the handshake
    Accepted {
        left: Instant,
    },
    /// the server did not read it: it has to be sent again
    Refused,
}

/// Which servers are accepted.
enum Peer {
    Proven(Arc<Trust>),
    Anybody(Anybody),
}

impl Tls {
    /// `name` goes out as server name indication, unless it is an address. `identity`: who we are to the server.
    pub fn new(
        name: ServerName<'static>,
        trust: Trust,
        identity: Option<Identity>,
        tickets: Tickets,
    ) -> Self {
        Self::with(name, Peer::Proven(Arc::new(trust)), identity, Some(Arc::new(tickets)))
    }

    /// To a server that is not authenticated; each query spends the lease. It is not told who we are.
    pub fn to_anybody(name: ServerName<'static>, anybody: Anybody) -> Self {
        Self::with(name, Peer::Anybody(anybody), None, None)
    }

    fn with(
        name: ServerName<'static>,
        peer: Peer,
        identity: Option<Identity>,
        tickets: Option<Arc<Tickets>>,
    ) -> Self {
        let verifier: Arc<dyn ServerCertVerifier> = match &peer {
            Peer::Proven(trust) => trust.clone(),
            Peer::Anybody(anybody) => Arc::new(anybody.clone()),
        };
        // rustls resumes only with the verifier and the resolver with which the session began
        let introduction = Arc::new(Introduction::new(identity));
        let config = |provider: CryptoProvider| {
            let provider = Arc::new(provider);
            let builder = match &tickets {
                Some(tickets) => ClientConfig::builder_with_details(provider, tickets.clone()),
                None => ClientConfig::builder_with_provider(provider),
            };
            let mut config = builder
                .with_safe_default_protocol_versions()
                .expect("the provider speaks TLS 1.2 and 1.3")
                .dangerous()
                .with_custom_certificate_verifier(verifier.clone())
                .with_client_cert_resolver(introduction.clone());
            config.max_fragment_size = Some(LONGEST_RECORD);
            config.resumption = match &tickets {
                Some(tickets) => Resumption::store(tickets.clone()),
                None => Resumption::disabled(),
            };
            config
        };
        let resuming = config(CryptoProvider {
            kx_groups: vec![kx_group::X25519, kx_group::SECP256R1, kx_group::SECP384R1],
            ..default_provider()
        });
        let mut early = resuming.clone();
        early.enable_early_data = true;
        let connector = |config| TlsConnector::from(Arc::new(config));
        let mut full = config(default_provider());
        if let Some(tickets) = &tickets {
            full.resumption = Resumption::store(Arc::new(Incoming(tickets.clone())));
        }
        let (full, resuming, early) = (connector(full), connector(resuming), connector(early));
        Self { full, resuming, early, tickets, peer, introduction, name }
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

    /// How many tickets there are for the next handshakes.
    pub fn tickets(&self) -> usize {
        self.tickets.as_ref().map_or(0, |tickets| tickets.count())
    }

    /// Whether a server has to prove the same to it, and is shown the same.
    pub fn proves(&self, name: &ServerName<'_>, trust: &Trust, identity: Option<&Identity>) -> bool {
        self.name == *name
            && self.trust().is_some_and(|own| own == trust)
            && self.introduction.identity() == identity
    }

    /// What servers that ask are told, and whether this one asks.
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Whether the next hello fits: a full one is as long as the post-quantum share with which it begins.
    pub fn hello_fits_a_syn(&self) -> bool {
        self.tickets.as_ref().is_some_and(|tickets| tickets.has_one())
    }

    pub fn early_data(&self) -> usize {
        self.tickets.as_ref().map_or(0, |tickets| tickets.early_data())
    }

    /// Returns how many tickets there were.
    pub fn forget(&self) -> usize {
        self.tickets.as_ref().map_or(0, |tickets| tickets.forget())
    }

    /// The framed `query` leaves with the hello where a ticket allows it. Everything that is ready leaves in one write.
    pub async fn handshake(&self, stream: TcpStream, query: Option<&[u8]>) -> std::io::Result<Handshaken> {
        let resuming = self.tickets.as_deref().and_then(Tickets::resume);
        let room = resuming.as_ref().map_or(0, |resuming| resuming.early_data);
        let query = query.filter(|query| query.len() <= room);
        let connector = match (&resuming, query) {
            (None, _) => &self.full,
            (Some(_), None) => &self.resuming,
            (Some(_), Some(_)) => &self.early,
        };
        let mut left = None;
        let stream = BufReader::with_capacity(READ_AHEAD, stream);
        let connecting = connector.connect_with(self.name.clone(), stream, |session| {
            if let (Some(query), Some(mut early)) = (query, session.early_data())
                && early.write_all(query).is_ok()
            {
                left = Some(Instant::now());
            }
        });
        let done = connecting.await;
        match (resuming, &done) {
            (Some(resuming), Ok(stream)) if is_resumed(stream.get_ref().1) => resuming.succeeded(),
            (Some(resuming), Ok(_)) => resuming.refused(),
            (Some(resuming), Err(error)) if error.kind() == ErrorKind::InvalidData => resuming.refused(),
            // the server that broke the handshake off need not have read it
            (Some(_), Err(_)) => {}
            (None, Ok(_)) => self.tickets.iter().for_each(|tickets| tickets.renewed()),
            (None, Err(_)) => {}
        }
        let stream = done?;
        let early = match left {
            None => EarlyData::NotSent,
            Some(left) if stream.get_ref().1.is_early_data_accepted() => EarlyData::Accepted { left },
            Some(_) => EarlyData::Refused,
        };
        Ok(Handshaken { stream, early })
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
            resumed: is_resumed(connection),
            name: chain(stream).first().zip(self.trust()).and_then(|(leaf, trust)| trust.matched_name(leaf)),
            pinned: self.trust().is_some_and(Trust::has_pins),
        }
    }
}

/// In TLS 1.3 a handshake is finished before the server has judged the client's certificate: what it sends next tells, a ticket or
/// an alert. A server that sends neither in time is taken to have accepted it.
pub async fn admitted(stream: &mut TlsStream<Buffered>, patience: Duration) -> std::io::Result<()> {
    let (octets, session) = stream.get_mut();
    if session.protocol_version() != Some(ProtocolVersion::TLSv1_3) || is_resumed(session) {
        return Ok(());
    }
    let Ok(first) = timeout(patience, octets.fill_buf()).await else { return Ok(()) };
    let count = {
        let mut first = first?;
        session.read_tls(&mut first)?
    };
    octets.consume(count);
    if count == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    match session.process_new_packets() {
        Ok(_) => Ok(()),
        Err(error) => Err(std::io::Error::new(ErrorKind::InvalidData, error)),
    }
}

fn is_resumed(connection: &ClientConnection) -> bool {
    connection.handshake_kind() == Some(HandshakeKind::Resumed)
}

pub fn chain(stream: &TlsStream<Buffered>) -> &[CertificateDer<'static>] {
    stream.get_ref().1.peer_certificates().unwrap_or_default()
}
