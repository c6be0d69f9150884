//! Accepts connections and gives each a place: of its own address or, where a balancer is in front, of the address that this names.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};

use crate::Service;
use crate::allowances::Allowances;
use crate::connection::{self, Door};
use crate::ending::NEWCOMER;
use crate::network::network;
use crate::places::Places;
use crate::proxy;
use crate::stop::Stop;

/// Connections that are accepted before everybody whose query has come is served (decision 0089).
const AT_ONCE: usize = 4;
/// For a connection that gives up its place.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub struct Gate {
    pub places: Arc<Places>,
    /// A connection keeps the one that it meets; another one may take its place.
    pub service: Arc<ArcSwap<Service>>,
    /// Connections whose balancer may still have to say whose they are.
    pub unnamed: Arc<Semaphore>,
    /// New connections of each network.
    pub newcomers: Arc<Allowances<IpAddr>>,
    pub stop: Stop,
    pub alive: mpsc::Sender<()>,
}

impl Gate {
    pub async fn accept(self, listener: TcpListener, door: Door) {
        let asked = self.stop.asked();
        tokio::pin!(asked);
        loop {
            for _ in 0..AT_ONCE {
                let accepted = tokio::select! {
                    biased;
                    () = &mut asked => return,
                    accepted = listener.accept() => accepted,
                };
                match accepted {
                    Ok((tcp, peer)) => self.receive(tcp, peer, door),
                    Err(error) => self.pause_if_exhausted(&error).await,
                }
            }
            yield_now().await;
        }
    }

    /// Out of descriptors or memory, the next try would fail as well, until somebody has gone. A connection that died in the queue is
    /// no reason to wait.
    async fn pause_if_exhausted(&self, error: &io::Error) {
        if error.kind() != io::ErrorKind::ConnectionAborted {
            self.service.load().responder.stats.not_accepted();
            self.places.give_way();
            sleep(PAUSE).await;
        }
    }

    fn receive(&self, tcp: TcpStream, peer: SocketAddr, door: Door) {
        let service = self.service.load();
        let (is_proxy, peer) = (service.proxies.have(peer), peer.ip());
        if !is_proxy {
            return self.admit(tcp, peer, door);
        }
        let Ok(unnamed) = self.unnamed.clone().try_acquire_owned() else {
            return service.responder.stats.place_wanted(false);
        };
        let gate = self.clone();
        tokio::spawn(async move {
            let named = gate.ask_proxy(tcp, peer).await;
            drop(unnamed);
            if let Some((tcp, client)) = named {
                gate.admit(tcp, client, door);
            }
        });
    }

    async fn ask_proxy(&self, mut tcp: TcpStream, peer: IpAddr) -> Option<(TcpStream, IpAddr)> {
        let service = self.service.load_full();
        let named = tokio::select! {
            named = timeout(service.limits.handshake, proxy::client(&mut tcp, peer)) => named,
            () = async { self.stop.asked().await; sleep(NEWCOMER).await } => return None,
        };
        let stats = &service.responder.stats;
        match named {
            Ok(Ok(client)) => {
                stats.proxied();
                Some((tcp, client))
            }
            Ok(Err(_)) | Err(_) => {
                stats.wrong_proxy_header();
                connection::reset(&tcp);
                None
            }
        }
    }

    fn admit(&self, tcp: TcpStream, client: IpAddr, door: Door) {
        let (service, alive) = (self.service.load_full(), self.alive.clone());
        if !self.newcomers.take(&network(client)) {
            service.responder.stats.too_many_new();
            return connection::reset(&tcp);
        }
        let Some(place) = self.places.take(client) else { return };
        service.responder.stats.connection();
        tokio::spawn(async move {
            connection::serve(tcp, client, door, &service, &place).await;
            drop((place, alive));
        });
    }
}
