//! So many queries are on their way at once: with each response the next one leaves.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::prepared::Prepared;
use crate::load::connected;
use crate::question::id_of;

/// After so long without any response, those that are missing are lost.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub sent: u64,
    /// with what was asked for, out of the box
    pub answered: u64,
    /// other responses
    pub failed: u64,
    pub lost: u64,
}

pub struct Window<'a> {
    socket: UdpSocket,
    queries: &'a [Prepared],
    /// by id, the number of the query
    on_their_way: Vec<Option<usize>>,
    outstanding: u64,
    most: u64,
    counts: Counts,
}

impl<'a> Window<'a> {
    pub fn open(to: SocketAddr, queries: &'a [Prepared], most: u16) -> io::Result<Self> {
        let socket = connected(to)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let on_their_way = vec![None; 1 << 16];
        let (most, counts) = (most.into(), Counts::default());
        Ok(Self { socket, queries, on_their_way, outstanding: 0, most, counts })
    }

    /// Sends so many, in turn. Returns the time to the last response.
    pub fn send(&mut self, total: usize) -> io::Result<Duration> {
        let start = Instant::now();
        let mut last = start;
        for number in 0..total {
            self.ask(number)?;
            while self.outstanding == self.most || self.outstanding > 0 && number + 1 == total {
                match self.receive()? {
                    true => last = Instant::now(),
                    false => self.give_up(),
                }
            }
        }
        Ok(last - start)
    }

    fn ask(&mut self, number: usize) -> io::Result<()> {
        let id = number as u16;
        let query = number % self.queries.len();
        self.socket.send(&self.queries[query].question.with_id(id))?;
        self.on_their_way[usize::from(id)] = Some(query);
        self.outstanding += 1;
        self.counts.sent += 1;
        Ok(())
    }

    /// False after a silence.
    fn receive(&mut self) -> io::Result<bool> {
        let mut message = [0; 4096];
        let octets = match self.socket.recv(&mut message) {
            Ok(octets) => octets,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(false);
            }
            // a signal to this process, perhaps that a child has ended
            Err(error) if error.kind() == ErrorKind::Interrupted => return self.receive(),
            Err(error) => return Err(error),
        };
        let response = &message[..octets];
        let Some(id) = id_of(response).map(usize::from) else { return Ok(true) };
        let Some(query) = self.on_their_way[id].map(|query| &self.queries[query]) else { return Ok(true) };
        if query.question.is_asked_in(response) {
            self.on_their_way[id] = None;
            self.outstanding -= 1;
            match query.is_answered_by(response) {
                true => self.counts.answered += 1,
                false => self.counts.failed += 1,
            }
        }
        Ok(true)
    }

    fn give_up(&mut self) {
        self.counts.lost += self.outstanding;
        self.outstanding = 0;
        self.on_their_way.fill(None);
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }
}
