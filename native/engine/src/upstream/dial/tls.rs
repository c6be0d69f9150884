//! TLS to one upstream (RFC 9325): versions 1.2 and 1.3, tickets, and the [hellos](crate::upstream::dial::hello). One that resumes
//! a session carries a query as early data where that is wanted and the ticket allows it.

use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::{ClientConfig, ClientConnection, HandshakeKind, ProtocolVersion};
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::client::TlsStream;

use crate::post_quantum::PostQuantum;
use crate::upstream::dial::hello::{Hello, Sessions, Share};
use crate::upstream::dial::identity::{Identity, Introduction};
use crate::upstream::dial::protection::{Protection, TlsFacts};
use crate::upstream::dial::tickets::Tickets;
use crate::upstream::dial::trust::Trust;
use crate::upstream::dial::unauthenticated::Anybody;

/// rustls asks the system for 4 kB at a time; a burst of responses is larger.
const READ_AHEAD: usize = 16 * 1024;

/// A record can be read only when its last octet is there. One of 16 kB, which is allowed, does not fit into the ten segments that
/// leave together on a fresh path (RFC 6928), and a burst of queries would wait for one more round trip. No hello is as long.
const LONGEST_RECORD: usize = 4096;

pub type Buffered = BufReader<TcpStream>;

pub struct Tls {
    post_quantum: PostQuantum,
    usual: Sessions,
    smaller: Option<Sessions>,
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
        post_quantum: PostQuantum,
        tickets: impl Fn() -> Tickets,
    ) -> Self {
        let tickets = || Some(Arc::new(tickets()));
        Self::with(name, Peer::Proven(Arc::new(trust)), identity, post_quantum, tickets)
    }

    /// To a server that is not authenticated; each query spends the lease. It is not told who we are.
    pub fn to_anybody(name: ServerName<'static>, anybody: Anybody, post_quantum: PostQuantum) -> Self {
        Self::with(name, Peer::Anybody(anybody), None, post_quantum, || None)
    }

    fn with(
        name: ServerName<'static>,
        peer: Peer,
        identity: Option<Identity>,
        post_quantum: PostQuantum,
        tickets: impl Fn() -> Option<Arc<Tickets>>,
    ) -> Self {
        let verifier: Arc<dyn ServerCertVerifier> = match &peer {
            Peer::Proven(trust) => trust.clone(),
            Peer::Anybody(anybody) => Arc::new(anybody.clone()),
        };
        // rustls resumes only with the verifier and the resolver with which the session began
        let introduction = Arc::new(Introduction::new(identity));
        let sessions = |share: Share| {
            Sessions::new(share, tickets(), |provider, tickets| {
                let provider = Arc::new(provider);
                let builder = match tickets {
                    Some(tickets) => ClientConfig::builder_with_details(provider, tickets.clone()),
                    None => ClientConfig::builder_with_provider(provider),
                };
                let mut config = builder
                    .with_protocol_versions(share.versions())
                    .expect("the provider speaks TLS 1.2 and 1.3")
                    .dangerous()
                    .with_custom_certificate_verifier(verifier.clone())
                    .with_client_cert_resolver(introduction.clone());
                config.max_fragment_size = Some(LONGEST_RECORD);
                config.resumption = match tickets {
                    Some(tickets) => Resumption::store(tickets.clone()),
                    None => Resumption::disabled(),
                };
                config
            })
        };
        let (usual, smaller) = Share::of(post_quantum);
        let (usual, smaller) = (sessions(usual), smaller.map(sessions));
        Self { post_quantum, usual, smaller, peer, introduction, name }
    }

    fn all(&self) -> impl Iterator<Item = &Sessions> {
        std::iter::once(&self.usual).chain(&self.smaller)
    }

    fn sessions(&self, hello: Hello) -> &Sessions {
        match (hello, &self.smaller) {
            (Hello::Smaller, Some(smaller)) => smaller,
            _ => &self.usual,
        }
    }

    /// Whether the next handshake could begin with a hello that is smaller than the usual one.
    pub fn has_smaller_hello(&self) -> bool {
        self.smaller.is_some() && !self.usual.fits_a_syn()
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
        self.all().filter_map(|sessions| sessions.tickets.as_ref()).map(|tickets| tickets.count()).sum()
    }

    /// Whether a server has to prove the same to it, and is shown the same.
    pub fn proves(
        &self,
        name: &ServerName<'_>,
        trust: &Trust,
        identity: Option<&Identity>,
        post_quantum: PostQuantum,
    ) -> bool {
        self.name == *name
            && self.trust().is_some_and(|own| own == trust)
            && self.introduction.identity() == identity
            && self.post_quantum == post_quantum
    }

    /// What servers that ask are told, and whether this one asks.
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Whether the next hello fits: a usual full one is as long as the post-quantum share with which it begins.
    pub fn hello_fits_a_syn(&self, hello: Hello) -> bool {
        self.sessions(hello).fits_a_syn()
    }

    pub fn early_data(&self) -> usize {
        let tickets = self.all().filter_map(|sessions| sessions.tickets.as_ref());
        tickets.map(|tickets| tickets.early_data()).max().unwrap_or(0)
    }

    /// Returns how many tickets there were.
    pub fn forget(&self) -> usize {
        self.all().filter_map(|sessions| sessions.tickets.as_ref()).map(|tickets| tickets.forget()).sum()
    }

    /// The framed `query` leaves with the hello where a ticket allows it. Everything that is ready leaves in one write.
    pub async fn handshake(
        &self,
        stream: TcpStream,
        hello: Hello,
        query: Option<&[u8]>,
    ) -> std::io::Result<Handshaken> {
        let sessions = self.sessions(hello);
        let resuming = sessions.tickets.as_deref().and_then(Tickets::resume);
        let room = resuming.as_ref().map_or(0, |resuming| resuming.early_data);
        let query = query.filter(|query| query.len() <= room);
        let connector = sessions.connector(resuming.as_ref(), query.is_some());
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
            // whoever broke the handshake off need not have read it
            (Some(resuming), Err(_)) => resuming.broken_off(),
            (None, Ok(_)) => sessions.tickets.iter().for_each(|tickets| tickets.renewed()),
            (None, Err(_)) => sessions.tickets.iter().for_each(|tickets| tickets.failed_without()),
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
