//! The listeners, and what they share.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use sotto_encdns::SecretKey;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use crate::backend::Backend;
use crate::connection::{self, Door};
use crate::cookies::{Cookies, NoRandomness, Unproven};
use crate::delay::Delay;
use crate::encdns::{BoxedZone, EncDns};
use crate::identity::Identity;
use crate::limits::Limits;
use crate::listen::{self, ListenError};
use crate::places::{Place, Places};
use crate::responder::{self, Responder};
use crate::starttls::Signal;
use crate::stats::{Snapshot, Stats};
use crate::stop::Stop;
use crate::tls::Certificate;
use crate::zone::Zone;
use crate::{datagram, tls};

#[derive(Debug)]
pub struct Config {
    pub backend: Backend,
    /// A zone whose names are boxed queries.
    pub encdns: Option<EncDns>,
    /// Cleartext DNS over UDP and TCP, and STARTTLS.
    pub starttls: Vec<SocketAddr>,
    pub dot: Vec<SocketAddr>,
    /// Needed for DoT, and for STARTTLS unless it is declined.
    pub identity: Option<Identity>,
    pub signal: Signal,
    /// Queries may come with the first flight of a resumed handshake.
    pub early_data: bool,
    /// What clients get over UDP without a cookie of ours.
    pub unproven: Unproven,
    pub delay: Delay,
    pub limits: Limits,
}

/// What takes the place of what there was, while the server runs; `None`: that stays.
#[derive(Default)]
pub struct Renewal {
    pub identity: Option<Identity>,
    pub zone: Option<Zone>,
    /// of the EncDNS zone, the present one first
    pub keys: Option<Vec<SecretKey>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("TLS needs a certificate: give --certificate and --key, or --self-signed")]
    NoIdentity,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// What every connection and socket shares.
pub(crate) struct Service {
    pub responder: Responder,
    pub tls: Option<Arc<ServerConfig>>,
    pub limits: Limits,
    pub delay: Delay,
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
    service: Arc<Service>,
    certificate: Option<Arc<Certificate>>,
    patience: Duration,
    stop: watch::Sender<bool>,
    /// Ends when the last task is gone.
    alive: mpsc::Receiver<()>,
}

impl Server {
    /// When this returns, everything is bound or nothing is. Runs on the current tokio runtime.
    pub fn start(config: Config) -> Result<Self, StartError> {
        let needs_tls = !config.dot.is_empty() || config.signal != Signal::Decline;
        if needs_tls && config.identity.is_none() {
            return Err(StartError::NoIdentity);
        }
        let certificate = config.identity.as_ref().map(Certificate::of).transpose()?;
        let tls = certificate
            .clone()
            .map(|certificate| tls::server_config(certificate, config.early_data))
            .transpose()?;
        let both: Vec<_> = config.starttls.into_iter().map(listen::tcp_and_udp).collect::<Result<_, _>>()?;
        let dot: Vec<_> = config.dot.into_iter().map(listen::tcp).collect::<Result<_, _>>()?;

        let (stop_sender, stop) = Stop::new();
        let (alive_sender, alive) = mpsc::channel(1);
        let stats = Arc::new(Stats::default());
        let responder = Responder {
            encdns: config
                .encdns
                .map(|encdns| BoxedZone::new(encdns, config.backend.clone(), stats.clone()).map(Arc::new))
                .transpose()?,
            backend: config.backend,
            cookies: Cookies::new(responder::now())?,
            unproven: config.unproven,
            stats: stats.clone(),
        };
        let limits = config.limits;
        let service =
            Arc::new(Service { responder, tls, limits, delay: config.delay, signal: config.signal });
        let gate = Gate {
            places: Places::new(limits.connections, stats.clone()),
            service: service.clone(),
            stop: stop.clone(),
            alive: alive_sender.clone(),
        };
        let mut server = Server {
            starttls: Vec::new(),
            dot: Vec::new(),
            service: service.clone(),
            certificate,
            patience: limits.drain + limits.farewell,
            stop: stop_sender,
            alive,
        };
        for (listener, socket) in both {
            server.starttls.extend(listener.local_addr());
            tokio::spawn(accept(listener, Door::Starttls, gate.clone()));
            let (service, stop, alive) = (service.clone(), stop.clone(), alive_sender.clone());
            tokio::spawn(async move {
                datagram::serve(socket, service, stop).await;
                drop(alive);
            });
        }
        for listener in dot {
            server.dot.extend(listener.local_addr());
            tokio::spawn(accept(listener, Door::Dot, gate.clone()));
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

    pub fn stats(&self) -> Snapshot {
        self.service.responder.stats.snapshot()
    }

    /// All of it or, after an error, nothing. Connections stay, and so do tickets; new handshakes and queries meet what is new. What the
    /// server did not have at the start is not added.
    pub fn renew(&self, renewal: Renewal) -> Result<(), rustls::Error> {
        let Renewal { identity, zone, keys } = renewal;
        let responder = &self.service.responder;
        if let (Some(certificate), Some(identity)) = (&self.certificate, identity) {
            certificate.replace(&identity)?;
        }
        if let (Backend::Zone(served), Some(zone)) = (&responder.backend, zone) {
            served.store(Arc::new(zone));
        }
        if let (Some(encdns), Some(keys)) = (&responder.encdns, keys) {
            encdns.replace_keys(keys);
        }
        Ok(())
    }

    /// Queries in flight are answered and TLS connections get their close_notify, all within the limits.
    pub async fn stop(mut self) -> Snapshot {
        let _ = self.stop.send(true);
        let _ = timeout(self.patience, async { while self.alive.recv().await.is_some() {} }).await;
        self.stats()
    }
}

#[derive(Clone)]
struct Gate {
    places: Arc<Places>,
    service: Arc<Service>,
    stop: Stop,
    alive: mpsc::Sender<()>,
}

async fn accept(listener: TcpListener, door: Door, gate: Gate) {
    let asked = gate.stop.asked();
    tokio::pin!(asked);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut asked => return,
        };
        match accepted {
            Ok((tcp, peer)) => {
                if let Some(place) = gate.places.take(peer.ip(), gate.stop.clone()) {
                    admit(tcp, door, &gate, place);
                }
            }
            Err(error) => pause_if_exhausted(&error).await,
        }
    }
}

fn admit(tcp: tokio::net::TcpStream, door: Door, gate: &Gate, place: Place) {
    gate.service.responder.stats.connection();
    let (service, alive) = (gate.service.clone(), gate.alive.clone());
    tokio::spawn(async move {
        connection::serve(tcp, door, &service, &place).await;
        drop((place, alive));
    });
}

/// Out of descriptors or memory, the next try would fail as well. A connection that died in the queue is no reason to wait.
async fn pause_if_exhausted(error: &io::Error) {
    if error.kind() != io::ErrorKind::ConnectionAborted {
        sleep(Duration::from_millis(50)).await;
    }
}
