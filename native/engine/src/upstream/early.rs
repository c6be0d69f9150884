//! The question that opens a connection, when it leaves with the hello (RFC 8446 section 2.3): sent before the server has
//! proved anything on this connection, under a key that only a server has which did so before.
//!
//! An attacker can deliver it to the server again. So it is opt-in, and nothing but a question ever goes early.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use super::outgoing::Hop;
use super::pending::Ask;

pub struct Early {
    pub id: u16,
    pub framed: Vec<u8>,
    ask: Mutex<Option<Ask>>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyData {
    NotSent,
    /// the server takes it as if it had come after the handshake
    Accepted {
        left: Instant,
    },
    /// the server did not read it: it is to be asked
    Refused,
}

impl Early {
    pub fn new(ask: Ask) -> Arc<Self> {
        let id = rand::random();
        let message = ask.question.message(id, Hop::Tls);
        let mut framed = (message.len() as u16).to_be_bytes().to_vec();
        framed.extend_from_slice(&message);
        Arc::new(Self { id, framed, ask: Mutex::new(Some(ask)) })
    }

    /// For the connection on which it was accepted; no other waits for its answer.
    pub fn take(&self) -> Option<Ask> {
        self.ask.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
