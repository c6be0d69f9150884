//! All peers of a scenario, in the place of the system's sockets.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sotto_engine::config::{ConfigError, UpstreamConfig};
use sotto_engine::endpoint::Endpoint;
use sotto_engine::engine::Engine;
use sotto_engine::outcome::TransportKind;
use sotto_engine::upstream::clear::lease::Lease;
use sotto_engine::upstream::connection::link::{Dial, How, Link};
use sotto_engine::upstream::dial::fast_open::FastOpen;
use sotto_engine::upstream::dial::protection::{Protection, TlsFacts};
use sotto_engine::upstream::dial::sockets::{Datagrams, Sockets, Stream, System};
use sotto_engine::upstream::dial::tls::EarlyData;
use sotto_engine::upstream::failure::dial_error::DialReason;
use sotto_engine::upstream::running::BoxFuture;
use sotto_engine::upstream::stream::framed::Framed;
use sotto_engine::upstream::transport::surroundings::{Surroundings, Transports};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::peer::{Peer, Way, asks_for_life, note};

const PIPE: usize = 1 << 20;
/// A dial that nobody answers ends after so long.
const SILENCE: Duration = Duration::from_secs(2);

/// All peers of a scenario, by address.
#[derive(Default)]
pub struct Network {
    peers: Mutex<HashMap<SocketAddr, Arc<Peer>>>,
    own_address: Mutex<Option<IpAddr>>,
    in_cleartext: Mutex<Vec<Seen>>,
}

/// A query that anybody on the network could read.
#[derive(Debug, Clone)]
pub struct Seen {
    pub to: SocketAddr,
    pub name: Name,
}

impl Network {
    pub fn add(&self, engine: &Arc<Engine>, address: SocketAddr) -> Arc<Peer> {
        let peer = Arc::new(Peer::new(address, engine));
        self.peers.lock().unwrap().insert(address, peer.clone());
        peer
    }

    pub fn move_to(&self, address: IpAddr) {
        *self.own_address.lock().unwrap() = Some(address);
    }

    /// All so far, in the order in which they left.
    pub fn in_cleartext(&self) -> Vec<Seen> {
        self.in_cleartext.lock().unwrap().clone()
    }

    fn see(&self, to: SocketAddr, message: &[u8]) {
        // it has no name, and no lease counts it
        if asks_for_life(message) {
            return;
        }
        let name = Question::read(message).expect("the engine sends well-formed questions").0.name;
        self.in_cleartext.lock().unwrap().push(Seen { to, name });
    }

    fn peer(&self, address: SocketAddr) -> Option<Arc<Peer>> {
        self.peers.lock().unwrap().get(&address).cloned()
    }

    fn is_without_route(&self, ip: IpAddr) -> bool {
        let peers = self.peers.lock().unwrap();
        peers.values().any(|peer| peer.address.ip() == ip && peer.state().refuses == Some("route"))
    }
}

/// The scripted network as the engine sees it.
#[derive(Clone, Default)]
pub struct Scripted(pub Arc<Network>);

impl Scripted {
    async fn open(&self, address: SocketAddr, is_private: bool) -> Result<Box<dyn Stream>, DialReason> {
        let refused = || DialReason::Connect("connection refused".into());
        if self.0.is_without_route(address.ip()) {
            if let Some(peer) = self.0.peer(address) {
                peer.state().dials += 1;
            }
            return Err(DialReason::NoRoute("network is unreachable".into()));
        }
        let peer = self.0.peer(address).ok_or_else(refused)?;
        let refuses = {
            let mut state = peer.state();
            state.dials += 1;
            state.refuses.or(state.takes_no_streams.then_some("streams"))
        };
        match refuses {
            None => {}
            Some("silence") => {
                sleep(SILENCE).await;
                return Err(DialReason::Silent("TCP"));
            }
            Some("tls") => return Err(DialReason::Tls("handshake failure".into())),
            Some("starttls") => {
                return Err(DialReason::Starttls("the server declined STARTTLS (TXT NO_TLS)".into()));
            }
            Some(_) => return Err(refused()),
        }
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let watched = (!is_private).then(|| self.clone());
        tokio::spawn(serve(peer, theirs, watched));
        Ok(Box::new(ours))
    }
}

/// `watched`: what comes is cleartext, and the network sees it.
async fn serve(peer: Arc<Peer>, stream: tokio::io::DuplexStream, watched: Option<Scripted>) {
    let mut cut = peer.cut.subscribe();
    let (mut reader, mut writer) = tokio::io::split(stream);
    let (replies, mut queue) = mpsc::unbounded_channel::<Vec<u8>>();
    let serving = async {
        loop {
            let idle = peer.state().idle;
            tokio::select! {
                () = sleep(idle.unwrap_or_default()), if idle.is_some() => return,
                length = reader.read_u16() => {
                    let Ok(length) = length else { return };
                    let mut message = vec![0; usize::from(length)];
                    if reader.read_exact(&mut message).await.is_err() { return }
                    if let Some(watching) = &watched { watching.0.see(peer.address, &message) }
                    if peer.state().closes_at(&message) {
                        note(&mut peer.state(), &message, Way::Stream);
                        return;
                    }
                    let (peer, replies) = (peer.clone(), replies.clone());
                    tokio::spawn(async move {
                        for (reply, _) in peer.react(&message, Way::Stream).await {
                            let _ = replies.send(reply);
                        }
                    });
                }
                Some(reply) = queue.recv() => {
                    if writer.write_u16(reply.len() as u16).await.is_err() { return }
                    if writer.write_all(&reply).await.is_err() { return }
                }
            }
        }
    };
    tokio::select! {
        () = serving => {}
        _ = cut.recv() => {}
    }
    let Some(watching) = watched else { return };
    // what it has not read was on the network all the same
    while let Some(message) = at_hand(&mut reader).await {
        watching.0.see(peer.address, &message);
    }
}

/// The next message, if it has arrived already.
async fn at_hand(reader: &mut (impl AsyncReadExt + Unpin)) -> Option<Vec<u8>> {
    let reading = async {
        let mut message = vec![0; usize::from(reader.read_u16().await?)];
        reader.read_exact(&mut message).await.map(|_| message)
    };
    tokio::select! {
        biased;
        message = reading => message.ok(),
        () = std::future::ready(()) => None,
    }
}

impl Transports for Scripted {
    fn dialer(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
    ) -> Result<Box<dyn Dial>, ConfigError> {
        // wrong settings are found as always
        System.dialer(&UpstreamConfig { pins: pin(), names: vec![], ..config.clone() }, path, around)?;
        let lease = around.lease.clone().filter(|_| config.transport == TransportKind::Tcp);
        Ok(Box::new(ScriptedDial { network: self.clone(), lease }))
    }

    fn unauthenticated(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
        lease: Arc<Lease>,
    ) -> Result<Box<dyn Dial>, ConfigError> {
        System.unauthenticated(config, path, around, lease)
    }

    fn chance(&self) -> fn() -> u8 {
        || 0
    }
}

impl Sockets for Scripted {
    fn datagrams(&self, server: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Datagrams>>> {
        let (to_us, inbox) = mpsc::unbounded_channel();
        let local = self.0.own_address.lock().unwrap().unwrap_or([10, 0, 0, 1].into());
        let peer = self.0.peer(server);
        let network = self.clone();
        let socket = ScriptedSocket { network, peer, local, to_us, inbox: tokio::sync::Mutex::new(inbox) };
        Box::pin(async move { Ok(Box::new(socket) as Box<dyn Datagrams>) })
    }

    fn stream(&self, server: SocketAddr) -> BoxFuture<'_, Result<Box<dyn Stream>, DialReason>> {
        Box::pin(self.open(server, false))
    }
}

/// With a pin, the roots of the machine that runs the tests need not be read.
fn pin() -> Vec<String> {
    vec!["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".into()]
}

struct ScriptedDial {
    network: Scripted,
    lease: Option<Arc<Lease>>,
}

impl Dial for ScriptedDial {
    fn dial<'a>(&'a self, to: Endpoint, _how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let stream =
                self.network.open(to.address().expect("no proxy stands here"), self.lease.is_none()).await?;
            let facts = TlsFacts {
                version: "1.3",
                cipher: "scripted".into(),
                group: "scripted".into(),
                resumed: false,
                name: None,
                pinned: false,
            };
            let protection = self.lease.clone().map_or(Protection::Tls(facts), Protection::Clear);
            let (early, fast_open, took) = (EarlyData::NotSent, FastOpen::Off, Duration::ZERO);
            let carrier = Box::new(Framed::new(stream));
            Ok(Link { carrier, protection, early, round_trips: 2, fast_open, took, meter: None })
        })
    }
}

type Datagram = io::Result<(Vec<u8>, SocketAddr)>;

struct ScriptedSocket {
    network: Scripted,
    peer: Option<Arc<Peer>>,
    local: IpAddr,
    to_us: mpsc::UnboundedSender<Datagram>,
    inbox: tokio::sync::Mutex<mpsc::UnboundedReceiver<Datagram>>,
}

impl Datagrams for ScriptedSocket {
    fn send<'a>(&'a self, message: &'a [u8], to: SocketAddr) -> BoxFuture<'a, io::Result<()>> {
        self.network.0.see(to, message);
        let (to_us, message) = (self.to_us.clone(), message.to_vec());
        let refused = self.peer.as_ref().is_none_or(|peer| peer.state().refuses.is_some());
        match self.peer.clone().filter(|_| !refused) {
            None => drop(to_us.send(Err(io::ErrorKind::ConnectionRefused.into()))),
            Some(peer) => drop(tokio::spawn(async move {
                for datagram in peer.react(&message, Way::Datagram).await {
                    let _ = to_us.send(Ok(datagram));
                }
            })),
        }
        Box::pin(async { Ok(()) })
    }

    fn receive<'a>(&'a self, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<(usize, SocketAddr)>> {
        Box::pin(async move {
            let (message, from) = self.inbox.lock().await.recv().await.expect("we hold a sender")?;
            buffer[..message.len()].copy_from_slice(&message);
            Ok((message.len(), from))
        })
    }

    fn local(&self) -> IpAddr {
        self.local
    }
}
