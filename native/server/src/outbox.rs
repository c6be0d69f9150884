//! Framed responses on their way to the client of one connection. One write carries as many as are ready; inside TLS each is a record
//! of its own.

use std::io::{self, IoSlice};
use std::task::{Context, Poll};

use tokio::time::Instant;

use crate::framing::{frame, set_length};
use crate::pipe::{Pipe, Written};

/// While more octets of responses than this wait for the client, its queries are not read.
pub const HIGH_WATER: usize = 64 * 1024;
/// Room for responses at the beginning, of which most need no more.
const SHORT_RESPONSES: usize = 512;
/// Responses in one write.
const WRITE_AT_MOST: usize = 64;

pub struct Outbox {
    /// Those before `sent` are gone.
    octets: Vec<u8>,
    sent: usize,
    /// Where the response begins that `sent` is in or before.
    frame_at: usize,
    unflushed: bool,
    last_write: Instant,
}

impl Outbox {
    /// The last flight of a handshake may still wait, and leaves with the first responses.
    pub fn unflushed(now: Instant) -> Self {
        Outbox { octets: Vec::new(), sent: 0, frame_at: 0, unflushed: true, last_write: now }
    }

    pub fn last_write(&self) -> Instant {
        self.last_write
    }

    pub fn has_room(&self) -> bool {
        self.octets.len() - self.sent < HIGH_WATER
    }

    pub fn held(&self) -> usize {
        self.octets.capacity()
    }

    pub fn wants_to_write(&self) -> bool {
        self.sent < self.octets.len() || self.unflushed
    }

    /// Lets `write` append a response. What it returns says whether there is one; else nothing changes.
    pub fn compose<Done>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> (bool, Done)) -> Done {
        self.start_clock();
        let frame_at = self.octets.len();
        self.octets.reserve(SHORT_RESPONSES);
        self.octets.extend([0, 0]);
        let (is_written, done) = write(&mut self.octets);
        match is_written {
            true => set_length(&mut self.octets, frame_at),
            false => self.octets.truncate(frame_at),
        }
        done
    }

    pub fn push(&mut self, response: &[u8]) {
        self.start_clock();
        self.octets.extend((response.len() as u16).to_be_bytes());
        self.octets.extend(response);
    }

    /// A client can stall only while something waits for it.
    fn start_clock(&mut self) {
        if !self.wants_to_write() {
            self.last_write = Instant::now();
        }
    }

    /// Writes what there is, one slice for each response, or flushes when all of it is written.
    pub fn poll_write(&self, pipe: &mut Pipe, context: &mut Context<'_>) -> Poll<io::Result<Written>> {
        if self.sent == self.octets.len() {
            return pipe.poll_flush(context);
        }
        let mut slices = [IoSlice::new(&[]); WRITE_AT_MOST];
        let mut count = 0;
        let mut at = self.frame_at;
        while count < WRITE_AT_MOST
            && let Some(response) = frame(&self.octets[at..])
        {
            let end = at + 2 + response.len();
            slices[count] = IoSlice::new(&self.octets[at.max(self.sent)..end]);
            (at, count) = (end, count + 1);
        }
        pipe.poll_send(context, &slices[..count])
    }

    pub fn written(&mut self, Written { octets, is_flushed }: Written) {
        self.last_write = Instant::now();
        self.unflushed = !is_flushed;
        self.sent += octets;
        while let Some(response) = frame(&self.octets[self.frame_at..])
            && self.frame_at + 2 + response.len() <= self.sent
        {
            self.frame_at += 2 + response.len();
        }
        if self.sent == self.octets.len() {
            self.octets.clear();
            (self.sent, self.frame_at) = (0, 0);
        }
        // whoever takes responses only as fast as others follow never takes the last one
        if self.frame_at > HIGH_WATER {
            self.octets.drain(..self.frame_at);
            (self.sent, self.frame_at) = (self.sent - self.frame_at, 0);
        }
    }

    /// Gives back what only a connection needs that is being used. Nothing waits.
    pub fn rest(&mut self) {
        self.octets = Vec::new();
    }
}
