//! Queries over UDP on the STARTTLS port, answered in cleartext.

use std::net::SocketAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::net::UdpSocket;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, timeout};

use crate::Service;
use crate::backend::Responded;
use crate::delay::Delayed;
use crate::network::network;
use crate::slots::{Slot, Slots};
use crate::stop::Stop;
use crate::transport::Transport;

/// Datagrams answered before other tasks get their turn.
const BATCH: usize = 64;
const LARGEST_QUERY: usize = 65_535;

struct Outgoing {
    client: SocketAddr,
    response: Vec<u8>,
    /// free once the response is out
    _slot: Slot,
}

pub async fn serve(socket: UdpSocket, services: Arc<ArcSwap<Service>>, stop: Stop) {
    let service = services.load_full();
    let slots = Slots::new(service.limits.datagrams_in_flight);
    let (pending, delayed) = (JoinSet::new(), Delayed::new());
    let mut desk = Desk { socket: &socket, service, slots, pending, delayed };
    let mut buffers = Buffers { query: vec![0; LARGEST_QUERY], response: Vec::with_capacity(2048) };
    let asked = stop.asked();
    tokio::pin!(asked);
    loop {
        tokio::select! {
            biased;
            () = &mut asked => break,
            () = desk.send_next() => {}
            readable = socket.readable() => if readable.is_ok() {
                desk.service = services.load_full();
                desk.slots.limit(desk.service.limits.datagrams_in_flight);
                if desk.take_batch(&mut buffers) {
                    yield_now().await;
                }
            },
        }
    }
    let drained = async {
        while desk.in_flight() > 0 {
            desk.send_next().await;
        }
    };
    let _ = timeout(services.load().limits.drain, drained).await;
}

struct Buffers {
    query: Vec<u8>,
    response: Vec<u8>,
}

struct Desk<'a> {
    socket: &'a UdpSocket,
    service: Arc<Service>,
    /// A network whose responses take long keeps out itself alone.
    slots: Arc<Slots>,
    pending: JoinSet<Outgoing>,
    delayed: Delayed<Outgoing>,
}

impl Desk<'_> {
    fn in_flight(&self) -> usize {
        self.pending.len() + self.delayed.len()
    }

    /// Whether there may be more.
    fn take_batch(&mut self, buffers: &mut Buffers) -> bool {
        for _ in 0..BATCH {
            // an error is either "nothing there" or an ICMP message about an earlier response
            let Ok((octets, client)) = self.socket.try_recv_from(&mut buffers.query) else {
                return false;
            };
            buffers.response.clear();
            self.take(client, &buffers.query[..octets], &mut buffers.response);
        }
        true
    }

    fn take(&mut self, client: SocketAddr, query: &[u8], response: &mut Vec<u8>) {
        let delay = self.service.delay;
        match self.service.responder.respond(query, Transport::Udp, client.ip(), response) {
            Responded::Silence => {}
            Responded::Written | Responded::Fault if delay.is_none() => self.send(client, response),
            Responded::Written | Responded::Fault => {
                if let Some(slot) = self.slot(client) {
                    let outgoing = Outgoing { client, response: response.clone(), _slot: slot };
                    self.delayed.push(Instant::now() + delay.choose(), outgoing);
                }
            }
            Responded::Later(later) => {
                if let Some(slot) = self.slot(client) {
                    self.pending.spawn(async move {
                        let response = later.await;
                        if !delay.is_none() {
                            tokio::time::sleep(delay.choose()).await;
                        }
                        Outgoing { client, response, _slot: slot }
                    });
                }
            }
        }
    }

    /// `None`: the query is dropped, and nobody is asked behind.
    fn slot(&self, client: SocketAddr) -> Option<Slot> {
        let slot = self.slots.take_now(network(client.ip()));
        if slot.is_none() {
            self.service.responder.stats.datagram_dropped();
        }
        slot
    }

    /// Waits for the next response that becomes known or due. Cancel-safe.
    async fn send_next(&mut self) {
        tokio::select! {
            Some(response) = self.pending.join_next(), if !self.pending.is_empty() => {
                if let Ok(Outgoing { client, response, _slot }) = response {
                    self.send(client, &response);
                }
            }
            () = self.delayed.due() => {
                let now = Instant::now();
                while let Some(Outgoing { client, response, _slot }) = self.delayed.pop_due(now) {
                    self.send(client, &response);
                }
            }
        }
    }

    /// If the send buffer is full the response is lost, as it might be in the network.
    fn send(&self, client: SocketAddr, response: &[u8]) {
        let _ = self.socket.try_send_to(response, client);
    }
}
