//! The listeners, and what they share.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use sotto_encdns::SecretKey;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::allowances::Allowances;
use crate::backend::Backend;
use crate::behind::ServerBehind;
use crate::connection::Door;
use crate::cookies::{Cookies, NoRandomness, Unproven};
use crate::delay::Delay;
use crate::encdns::{BoxedZone, EncDns};
use crate::gate::Gate;
use crate::handed_over::{HandedOver, HandedOverError};
use crate::identities::Identities;
use crate::limits::Limits;
use crate::listen::{self, Elsewhere, ListenError};
use crate::places::Places;
use crate::proxy::Proxies;
use crate::responder::{self, Responder};
use crate::starttls::Signal;
use crate::stats::{Snapshot, Stats};
use crate::stop::Stop;
use crate::ticket_secret::TicketSecret;
use crate::tickets::Tickets;
use crate::tls::Certificates;
use crate::turns::Turns;
use crate::watchers::monitor::{self, Monitored};
use crate::watchers::tap;
use crate::zone::Zone;
use crate::{datagram, descriptors, tls};

#[derive(Debug)]
pub struct Config {
    pub backend: Backend,
    /// A zone whose names are boxed queries.
    pub encdns: Option<EncDns>,
    /// Cleartext DNS over UDP and TCP, and STARTTLS.
    pub starttls: Vec<SocketAddr>,
    pub dot: Vec<SocketAddr>,
    /// Sockets for both that are bound already.
    pub handed_over: HandedOver,
    /// Balancers, whose connections begin with a header of the PROXY protocol. Datagrams have none.
    pub proxies: Proxies,
    /// Needed for DoT, and for STARTTLS unless it is declined.
    pub identities: Option<Identities>,
    pub signal: Signal,
    /// Queries may come with the first flight of a resumed handshake.
    pub early_data: bool,
    /// Of sessions without early data. Whoever made them turns them.
    pub tickets: Arc<Tickets>,
    /// What clients get over UDP without a cookie of ours.
    pub unproven: Unproven,
    pub delay: Delay,
    pub limits: Limits,
    /// Where programs that watch this one find `/metrics` and `/health`.
    pub metrics: Option<SocketAddr>,
    /// The socket of a dnstap reader.
    pub dnstap: Option<PathBuf>,
}

/// What takes the place of what there was, while the server runs; `None`: that stays.
#[derive(Default)]
pub struct Renewal {
    pub identities: Option<Identities>,
    pub zone: Option<Zone>,
    /// of the EncDNS zone, the present one first
    pub keys: Option<Vec<SecretKey>>,
    pub tickets: Option<TicketSecret>,
    /// for connections from now on
    pub terms: Option<Changeable>,
}

/// What a running server can change without a file.
#[derive(Debug, Clone)]
pub struct Changeable {
    pub proxies: Proxies,
    pub delay: Delay,
    pub limits: Limits,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("TLS needs a certificate: give --certificate and --key, --certificates, or --self-signed")]
    NoIdentity,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    HandedOver(#[from] HandedOverError),
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// What every connection and socket shares.
#[derive(Clone)]
pub(crate) struct Service {
    pub responder: Arc<Responder>,
    pub tls: Option<Arc<ServerConfig>>,
    pub limits: Limits,
    pub delay: Delay,
    pub proxies: Proxies,
    pub turns: Arc<Turns>,
    signal: Signal,
}

impl Service {
    pub fn signal(&self) -> Signal {
        if self.tls.is_some() { self.signal } else { Signal::Decline }
    }
}

/// A running server; dropping it closes everything without waiting.
pub struct Server {
    starttls: Vec<SocketAddr>,
    dot: Vec<SocketAddr>,
    elsewhere: Vec<Elsewhere>,
    service: Arc<ArcSwap<Service>>,
    places: Arc<Places>,
    monitored: Arc<Monitored>,
    metrics: Option<SocketAddr>,
    /// Ends when this is dropped, and not before.
    _monitor: JoinSet<()>,
    /// Supplies the dnstap reader.
    supply: JoinSet<()>,
    certificates: Option<Arc<Certificates>>,
    tickets: Arc<Tickets>,
    stop: watch::Sender<bool>,
    /// Ends when the last task is gone.
    alive: mpsc::Receiver<()>,
}

impl Server {
    /// When this returns, everything is bound or nothing is. Runs on the current tokio runtime.
    pub fn start(config: Config) -> Result<Self, StartError> {
        let needs_tls = !config.dot.is_empty() || config.signal != Signal::Decline;
        if needs_tls && config.identities.is_none() {
            return Err(StartError::NoIdentity);
        }
        let certificates = config.identities.clone().map(Certificates::of);
        let tls = certificates
            .clone()
            .map(|certificates| tls::server_config(certificates, config.early_data, config.tickets.clone()))
            .transpose()?;
        let mut elsewhere = Vec::new();
        let both = listen::all(&config.starttls, listen::tcp_and_udp, &mut elsewhere)?;
        let (mut starttls, mut datagrams): (Vec<_>, Vec<_>) = both.into_iter().unzip();
        let mut dot = listen::all(&config.dot, listen::tcp, &mut elsewhere)?;
        let handed_over = config.handed_over.starttls.len() + config.handed_over.dot.len();
        listen::one_is_here(config.starttls.len() + config.dot.len() + handed_over, &elsewhere)?;
        config.handed_over.join(&mut starttls, &mut datagrams, &mut dot)?;
        let watched = listen::all(config.metrics.as_slice(), listen::tcp, &mut elsewhere)?.pop();

        let (stop_sender, stop) = Stop::new();
        let (alive_sender, alive) = mpsc::channel(1);
        let stats = Arc::new(Stats::default());
        let (tap, supply) = config.dnstap.map(tap::start).unzip();
        let responder = Responder {
            encdns: config
                .encdns
                .map(|encdns| BoxedZone::new(encdns, config.backend.clone(), stats.clone()).map(Arc::new))
                .transpose()?,
            backend: config.backend,
            cookies: Cookies::new(responder::now())?,
            unproven: config.unproven,
            strangers: Allowances::per_second(config.limits.unproven_responses),
            stats: stats.clone(),
            tap,
        };
        let limits = config.limits.within_descriptors();
        let service = Arc::new(ArcSwap::from_pointee(Service {
            responder: Arc::new(responder),
            tls,
            limits,
            delay: config.delay,
            proxies: config.proxies,
            turns: Arc::new(Turns::new()),
            signal: config.signal,
        }));
        let places = Places::new(limits.connections, limits.memory, stats.clone());
        let monitored = Arc::new(Monitored::new(service.clone(), places.clone()));
        if let Some(identities) = &config.identities {
            monitored.serves_as(identities);
        }
        let gate = Gate {
            places: places.clone(),
            service: service.clone(),
            unnamed: Arc::new(Semaphore::new(limits.connections)),
            newcomers: Arc::new(Allowances::per_second(limits.new_connections)),
            stop: stop.clone(),
            alive: alive_sender.clone(),
        };
        let mut server = Server {
            starttls: Vec::new(),
            dot: Vec::new(),
            elsewhere,
            service: service.clone(),
            places,
            metrics: watched.as_ref().and_then(|listener| listener.local_addr().ok()),
            _monitor: watched
                .map(|listener| monitor::serve(listener, monitored.clone()))
                .into_iter()
                .collect(),
            supply: supply.unwrap_or_default(),
            monitored,
            certificates,
            tickets: config.tickets,
            stop: stop_sender,
            alive,
        };
        descriptors::make_room(limits.connections);
        for listener in starttls {
            server.starttls.extend(listener.local_addr());
            tokio::spawn(gate.clone().accept(listener, Door::Starttls));
        }
        for socket in datagrams {
            let (service, stop, alive) = (service.clone(), stop.clone(), alive_sender.clone());
            tokio::spawn(async move {
                datagram::serve(socket, service, stop).await;
                drop(alive);
            });
        }
        for listener in dot {
            server.dot.extend(listener.local_addr());
            tokio::spawn(gate.clone().accept(listener, Door::Dot));
        }
        Ok(server)
    }

    /// The real addresses in the order of the configuration, with the ports that the system chose.
    pub fn starttls(&self) -> &[SocketAddr] {
        &self.starttls
    }

    pub fn dot(&self) -> &[SocketAddr] {
        &self.dot
    }

    /// Those of the configuration at which nobody could ask when it started.
    pub fn elsewhere(&self) -> &[Elsewhere] {
        &self.elsewhere
    }

    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// How the servers behind do, where there are some.
    pub fn behind(&self) -> Vec<ServerBehind> {
        match &self.service.load().responder.backend {
            Backend::Forward(forwarder) => forwarder.figures().servers,
            Backend::Zone(_) => vec![],
        }
    }

    /// Who takes dnstap, and why he does not; where there is a socket for it.
    pub fn tap_trouble(&self) -> Option<Option<String>> {
        self.service.load().responder.tap.as_ref().map(|tap| tap.trouble())
    }

    /// Those with which clients are met.
    pub fn identities(&self) -> Option<Identities> {
        self.certificates.as_ref().map(|certificates| certificates.present())
    }

    pub fn stats(&self) -> Snapshot {
        self.service.load().responder.stats.snapshot()
    }

    /// Connections stay, and so do tickets; new handshakes and queries meet what is new. What the
    /// server did not have at the start is not added.
    pub fn renew(&self, renewal: Renewal) {
        let Renewal { identities, zone, keys, tickets, terms } = renewal;
        let service = self.service.load();
        let responder = &service.responder;
        if let (Some(certificates), Some(identities)) = (&self.certificates, identities) {
            self.monitored.serves_as(&identities);
            certificates.replace(identities);
        }
        if let (Backend::Zone(served), Some(zone)) = (&responder.backend, zone) {
            served.store(Arc::new(zone));
        }
        if let (Some(encdns), Some(keys)) = (&responder.encdns, keys) {
            encdns.replace_keys(keys);
        }
        if let Some(secret) = tickets {
            self.tickets.replace(secret, responder::now().into());
        }
        if let Some(Changeable { proxies, delay, limits }) = terms {
            let limits = limits.within_descriptors();
            // on a thread that no query waits for
            tokio::task::spawn_blocking(move || descriptors::make_room(limits.connections));
            self.places.limit(limits.connections);
            self.places.memory.limit(limits.memory);
            let renewed = Service { proxies, delay, limits, ..Service::clone(&service) };
            self.service.store(Arc::new(renewed));
        }
    }

    /// Whoever asks for its health is told to send no more clients; all are still served.
    pub fn announce_stop(&self) {
        self.monitored.drains();
    }

    /// Queries in flight are answered and TLS connections get their close_notify, all within the limits.
    pub async fn stop(mut self) -> Snapshot {
        self.announce_stop();
        self.close();
        let Limits { drain, farewell, .. } = self.service.load().limits;
        let _ = timeout(drain + farewell, async { while self.alive.recv().await.is_some() {} }).await;
        if let Some(tap) = &self.service.load().responder.tap {
            tap.end();
        }
        let _ = timeout(tap::FAREWELL, async { while self.supply.join_next().await.is_some() {} }).await;
        self.stats()
    }

    fn close(&self) {
        let _ = self.stop.send(true);
        self.places.close();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}
