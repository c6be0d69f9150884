//! Datagrams from one socket.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;
use std::time::Instant;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::lane::{GLANCE, Lane};

/// Room for what arrives while the receiving thread has no processor.
const RECEIVE_BUFFER: usize = 4 << 20;

pub struct UdpLane {
    lane: Arc<Lane>,
    socket: Arc<UdpSocket>,
}

impl UdpLane {
    pub fn open(lane: Lane) -> io::Result<Self> {
        let socket = connected(lane.to)?;
        socket.set_read_timeout(Some(GLANCE))?;
        Ok(UdpLane { lane: Arc::new(lane), socket: Arc::new(socket) })
    }

    pub fn ask(&self, number: usize, intended: Instant) {
        let (question, id) = self.lane.ask(number, intended);
        let octets = question.with_id(id);
        // a refusal belongs to an earlier datagram, and this one has not been sent yet
        let mut sent = self.socket.send(&octets);
        if matches!(&sent, Err(error) if error.kind() == ErrorKind::ConnectionRefused) {
            sent = self.socket.send(&octets);
        }
        if sent.is_err() {
            self.lane.tally.unsent();
        }
    }

    pub fn receive<'scope>(&self, scope: &'scope Scope<'scope, '_>, over: Arc<AtomicBool>) {
        let (lane, socket) = (self.lane.clone(), self.socket.clone());
        scope.spawn(move || {
            let mut message = [0; 1 << 16];
            while !over.load(Ordering::Relaxed) {
                // an error means silence, or a port without a listener
                if let Ok(octets) = socket.recv(&mut message) {
                    lane.receive(&message[..octets]);
                }
            }
        });
    }
}

pub fn connected(to: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(to), Type::DGRAM, Some(Protocol::UDP))?;
    let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER);
    let any: SocketAddr = match to {
        SocketAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
        SocketAddr::V6(_) => ([0u16; 8], 0).into(),
    };
    socket.bind(&SockAddr::from(any))?;
    socket.connect(&to.into())?;
    Ok(socket.into())
}
