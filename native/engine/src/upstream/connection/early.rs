//! The query that opens a connection, when it leaves with the hello (RFC 8446 section 2.3): sent before the server has proved
//! anything on this connection, under a key that only a server has which did so before.
//!
//! An attacker can deliver it to the server again. So it is opt-in, and nothing but a query ever leaves early.

use std::sync::{Arc, Mutex, PoisonError};

use crate::upstream::connection::carrier::Ask;
use crate::upstream::outgoing::Outgoing;

/// May be offered by several dials at once; one connection at most takes it.
pub struct Early {
    pub query: Arc<Outgoing>,
    ask: Mutex<Option<Ask>>,
}

impl Early {
    pub fn new(ask: Ask) -> Arc<Self> {
        Arc::new(Self { query: ask.query.clone(), ask: Mutex::new(Some(ask)) })
    }

    /// For the connection on which it was accepted; no other waits for its response.
    pub fn take(&self) -> Option<Ask> {
        self.ask.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
