//! One datagram a system call.

use std::io::Result;
use std::net::SocketAddr;

use tokio::net::UdpSocket;

use super::{BATCH, Datagram, LARGEST_QUERY};

pub struct Receiving(Vec<[u8; LARGEST_QUERY]>);

pub struct Sending;

pub fn tell_times(_socket: &UdpSocket) {}

impl Receiving {
    pub fn new() -> Self {
        Self(vec![[0; LARGEST_QUERY]; BATCH])
    }

    pub fn octets(&self, index: usize, length: usize) -> &[u8] {
        &self.0[index][..length]
    }

    /// Adds length and sender of each datagram that waits.
    pub fn receive(&mut self, socket: &UdpSocket, received: &mut Vec<Datagram>) -> Result<()> {
        for buffer in &mut self.0 {
            match socket.try_recv_from(buffer) {
                Ok((length, from)) => received.push(Datagram { length, from, received: None }),
                Err(error) if received.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(())
    }
}

impl Sending {
    pub fn new() -> Self {
        Self
    }

    /// Returns how many were sent.
    pub fn send(&mut self, socket: &UdpSocket, responses: &[Vec<u8>], to: &[SocketAddr]) -> Result<usize> {
        socket.try_send_to(&responses[0], to[0]).map(|_| 1)
    }
}
