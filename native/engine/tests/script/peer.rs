//! Scripted upstreams and resolvers: they stand where the system's sockets would.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;

use sotto_engine::clear::Lease;
use sotto_engine::config::{ConfigError, UpstreamConfig};
use sotto_engine::engine::Engine;
use sotto_engine::outcome::{ClientProtocol, TransportKind};
use sotto_engine::upstream::build::Surroundings;
use sotto_engine::upstream::dial::{BoxFuture, Dial, Link, Protection, Stream, Watch};
use sotto_engine::upstream::failure::DialReason;
use sotto_engine::upstream::outside::{Datagrams, Outside};
use sotto_engine::upstream::tls::TlsFacts;
use sotto_engine::wire::edns::{Edns, ExtendedError, OptWriter, option, option_of};
use sotto_engine::wire::header::{self, Header, rcode};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{broadcast, mpsc};
use tokio::time::sleep;

const PIPE: usize = 1 << 20;

/// What it was told to say to one question.
#[derive(Clone, Default)]
pub struct Says {
    pub rcode: u16,
    pub flags: u16,
    pub sections: [Vec<Vec<u8>>; 3],
    pub errors: Vec<ExtendedError>,
    pub keepalive: Option<u16>,
    /// octets that stand behind the last record
    pub trailing: usize,
}

/// One question it was asked.
#[derive(Clone)]
pub struct Asked {
    pub question: Question,
    /// name, type and class as they stood on the wire
    pub octets: Vec<u8>,
    pub header: Header,
    pub edns: Option<Edns>,
    pub cookie: Option<Vec<u8>>,
    pub length: usize,
    pub by: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Datagram,
    Stream,
}

/// Something wrong that it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    Id,
    Question,
    Garbage,
    NoResponse,
    Port,
    Cookie,
    NoCookie,
    Again,
    Cut,
    Case,
}

#[derive(Default)]
pub struct State {
    pub says: HashMap<(Name, u16), Says>,
    /// sent before the right answer
    pub also: Vec<Wrong>,
    /// sent instead of it
    pub only: Option<Wrong>,
    pub silent: bool,
    pub refuses: Option<&'static str>,
    pub takes: Duration,
    pub closes_after_each: bool,
    pub cuts_datagrams: bool,
    pub cookies: Option<Cookies>,
    /// no cookie satisfies it twice
    pub restless: bool,
    pub chokes_on_cookies: bool,
    pub knows_no_edns: bool,
    /// asks the engine instead of knowing
    pub loops: bool,
    pub asked: Vec<Asked>,
    pub dials: usize,
}

pub struct Cookies {
    pub demanded: bool,
    pub secret: u8,
}

pub struct Peer {
    pub address: SocketAddr,
    state: Mutex<State>,
    cut: broadcast::Sender<()>,
    engine: OnceLock<Weak<Engine>>,
}

impl Peer {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, state: Mutex::default(), cut: broadcast::channel(1).0, engine: OnceLock::new() }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Ends every connection.
    pub fn cut(&self) {
        let _ = self.cut.send(());
    }

    /// What it sends to one question, after its time.
    async fn react(&self, message: &[u8], by: Way) -> Vec<(Vec<u8>, SocketAddr)> {
        let (takes, silent, loops) = {
            let mut state = self.state();
            note(&mut state, message, by);
            if state.restless
                && let Some(cookies) = &mut state.cookies
            {
                cookies.secret += 1;
            }
            (state.takes, state.silent, state.loops)
        };
        if silent {
            return vec![];
        }
        sleep(takes).await;
        if loops {
            let engine = self.engine.get().and_then(Weak::upgrade);
            let Some(engine) = engine else { return vec![] };
            let (reply, _) = engine.ask_as(ClientProtocol::Udp, message.to_vec()).await;
            return vec![(reply, self.address)];
        }
        let state = self.state();
        let right = compose(&state, message, by);
        let wrong: Vec<Wrong> = state.only.into_iter().chain(state.also.iter().copied()).collect();
        let mut sent: Vec<_> = wrong.into_iter().map(|wrong| self.spoil(right.clone(), wrong)).collect();
        if state.only.is_none() {
            sent.push((right, self.address));
        }
        sent
    }

    fn spoil(&self, mut reply: Vec<u8>, wrong: Wrong) -> (Vec<u8>, SocketAddr) {
        let mut from = self.address;
        match wrong {
            Wrong::Id => reply[0] ^= 0xff,
            // another first letter
            Wrong::Question => reply[header::LENGTH + 1] = b'~',
            Wrong::Garbage => reply.truncate(header::LENGTH + 3),
            Wrong::NoResponse => reply[2] &= 0x7f,
            Wrong::Port => from.set_port(from.port() ^ 1),
            Wrong::Cookie => spoil_cookie(&mut reply, |data| data[0] ^= 0xff),
            Wrong::NoCookie => spoil_cookie(&mut reply, |data| *data = vec![]),
            Wrong::Again => {}
            Wrong::Cut => reply.truncate(reply.len() - 3),
            Wrong::Case => {
                reply[header::LENGTH..].iter_mut().take(20).for_each(|octet| octet.make_ascii_uppercase())
            }
        }
        (reply, from)
    }
}

fn note(state: &mut State, message: &[u8], by: Way) {
    let (question, end) = Question::read(message).expect("the engine sends well-formed questions");
    state.asked.push(Asked {
        question,
        octets: message[header::LENGTH..end].to_vec(),
        header: Header::read(message).unwrap(),
        edns: Edns::find(message).unwrap().map(|(edns, _)| edns),
        cookie: option_of(message, option::COOKIE).map(<[u8]>::to_vec),
        length: message.len(),
        by,
    });
}

fn compose(state: &State, message: &[u8], by: Way) -> Vec<u8> {
    let (question, end) = Question::read(message).unwrap();
    let asked = Header::read(message).unwrap();
    let edns = Edns::find(message).unwrap().map(|(edns, _)| edns);
    let cookie = option_of(message, option::COOKIE);
    let said = state.says.get(&(question.name, question.kind)).cloned();
    let mut says = said.unwrap_or(Says { rcode: rcode::REFUSED, ..Says::default() });
    let mut extended = 0;
    let good_cookie = state.cookies.as_ref().zip(cookie).map(|(cookies, cookie)| {
        let mut good = cookie[..8].to_vec();
        good.extend([cookies.secret; 16]);
        good
    });
    let demanded = state.cookies.as_ref().is_some_and(|cookies| cookies.demanded);
    if (state.knows_no_edns && edns.is_some()) || (state.chokes_on_cookies && cookie.is_some()) {
        says = Says { rcode: rcode::FORMERR, ..Says::default() };
    } else if by == Way::Datagram && demanded && cookie != good_cookie.as_deref() {
        says = Says { rcode: 7, ..Says::default() };
        extended = 1;
    } else if by == Way::Datagram && state.cuts_datagrams {
        says = Says { flags: header::TC, rcode: says.rcode, ..Says::default() };
    }
    let counts =
        [1, says.sections[0].len() as u16, says.sections[1].len() as u16, says.sections[2].len() as u16];
    let mut reply = vec![0; header::LENGTH];
    let flags = header::QR | header::RA | (asked.flags & (header::RD | header::CD)) | says.flags | says.rcode;
    Header { id: asked.id, flags, counts }.write(&mut reply);
    reply.extend_from_slice(&message[header::LENGTH..end]);
    says.sections.iter().flatten().for_each(|record| reply.extend_from_slice(record));
    if let Some(edns) = edns.filter(|_| !state.knows_no_edns) {
        let mut opt = OptWriter::start(&mut reply, edns.dnssec_ok, extended);
        says.errors.iter().for_each(|error| opt.extended_error(error));
        if let Some(tenths) = says.keepalive {
            opt.option(option::KEEPALIVE, &tenths.to_be_bytes());
        }
        if let Some(cookie) = good_cookie {
            opt.option(option::COOKIE, &cookie);
        }
        opt.finish();
    }
    reply.resize(reply.len() + says.trailing, 0x5a);
    reply
}

/// Rewrites the cookie; an empty one is left out.
fn spoil_cookie(reply: &mut Vec<u8>, change: impl FnOnce(&mut Vec<u8>)) {
    let Some((edns, opt)) = Edns::find(reply).unwrap() else { return };
    let mut cookie = option_of(reply, option::COOKIE).map(<[u8]>::to_vec).unwrap_or_else(|| vec![1; 24]);
    change(&mut cookie);
    sotto_engine::wire::edns::remove(reply, &opt).unwrap();
    let mut opt = OptWriter::start(reply, edns.dnssec_ok, edns.extended_rcode);
    if !cookie.is_empty() {
        opt.option(option::COOKIE, &cookie);
    }
    opt.finish();
}

/// All peers of a scenario, by address.
#[derive(Default)]
pub struct World {
    peers: Mutex<HashMap<SocketAddr, Arc<Peer>>>,
    own_address: Mutex<Option<IpAddr>>,
}

impl World {
    pub fn add(&self, engine: &Arc<Engine>, address: SocketAddr) -> Arc<Peer> {
        let peer = Arc::new(Peer::new(address));
        let _ = peer.engine.set(Arc::downgrade(engine));
        self.peers.lock().unwrap().insert(address, peer.clone());
        peer
    }

    pub fn move_to(&self, address: IpAddr) {
        *self.own_address.lock().unwrap() = Some(address);
    }

    fn peer(&self, address: SocketAddr) -> Option<Arc<Peer>> {
        self.peers.lock().unwrap().get(&address).cloned()
    }
}

/// The world as the engine sees it.
#[derive(Clone, Default)]
pub struct Scripted(pub Arc<World>);

impl Scripted {
    async fn open(&self, address: SocketAddr) -> Result<Box<dyn Stream>, DialReason> {
        let refused = || DialReason::Connect("connection refused".into());
        let peer = self.0.peer(address).ok_or_else(refused)?;
        let refuses = {
            let mut state = peer.state();
            state.dials += 1;
            state.refuses
        };
        match refuses {
            None => {}
            Some("silence") => {
                sleep(Duration::from_secs(2)).await;
                return Err(DialReason::Silent("TCP"));
            }
            Some("tls") => return Err(DialReason::Tls("handshake failure".into())),
            Some("starttls") => {
                return Err(DialReason::Starttls("the server declined STARTTLS (TXT NO_TLS)".into()));
            }
            Some(_) => return Err(refused()),
        }
        let (ours, theirs) = tokio::io::duplex(PIPE);
        tokio::spawn(serve(peer, theirs));
        Ok(Box::new(ours))
    }
}

async fn serve(peer: Arc<Peer>, stream: tokio::io::DuplexStream) {
    let mut cut = peer.cut.subscribe();
    let (mut reader, mut writer) = tokio::io::split(stream);
    let (replies, mut queue) = mpsc::unbounded_channel::<Vec<u8>>();
    let serving = async {
        loop {
            tokio::select! {
                length = reader.read_u16() => {
                    let Ok(length) = length else { return };
                    let mut message = vec![0; usize::from(length)];
                    if reader.read_exact(&mut message).await.is_err() { return }
                    if peer.state().closes_after_each {
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
}

impl Outside for Scripted {
    fn dialer(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
    ) -> Result<Box<dyn Dial>, ConfigError> {
        // whatever is wrong with the settings is found as always
        sotto_engine::upstream::build::dialer(
            &UpstreamConfig { pins: pin(), names: vec![], ..config.clone() },
            path,
            around,
        )?;
        let lease = around.lease.clone().filter(|_| config.transport == TransportKind::Tcp);
        Ok(Box::new(ScriptedDial { world: self.clone(), lease }))
    }

    fn datagrams(&self, server: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Datagrams>>> {
        let (to_us, inbox) = mpsc::unbounded_channel();
        let local = self.0.own_address.lock().unwrap().unwrap_or([10, 0, 0, 1].into());
        let peer = self.0.peer(server);
        let socket = ScriptedSocket { peer, local, to_us, inbox: tokio::sync::Mutex::new(inbox) };
        Box::pin(async move { Ok(Box::new(socket) as Box<dyn Datagrams>) })
    }

    fn stream(&self, server: SocketAddr) -> BoxFuture<'_, Result<Box<dyn Stream>, DialReason>> {
        Box::pin(self.open(server))
    }
}

/// A pin spares looking for the roots of the machine the tests run on.
fn pin() -> Vec<String> {
    vec!["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".into()]
}

struct ScriptedDial {
    world: Scripted,
    lease: Option<Arc<Lease>>,
}

impl Dial for ScriptedDial {
    fn dial<'a>(
        &'a self,
        address: SocketAddr,
        _watch: &'a Watch<'a>,
    ) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let stream = self.world.open(address).await?;
            let facts = TlsFacts {
                version: "1.3",
                cipher: "scripted".into(),
                group: "scripted".into(),
                resumed: false,
                name: None,
                pinned: false,
            };
            let protection = self.lease.clone().map_or(Protection::Tls(facts), Protection::Clear);
            Ok(Link { stream, protection, round_trips: 2, took: Duration::ZERO })
        })
    }
}

type Datagram = io::Result<(Vec<u8>, SocketAddr)>;

struct ScriptedSocket {
    peer: Option<Arc<Peer>>,
    local: IpAddr,
    to_us: mpsc::UnboundedSender<Datagram>,
    inbox: tokio::sync::Mutex<mpsc::UnboundedReceiver<Datagram>>,
}

impl Datagrams for ScriptedSocket {
    fn send<'a>(&'a self, message: &'a [u8], _to: SocketAddr) -> BoxFuture<'a, io::Result<()>> {
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
