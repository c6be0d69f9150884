//! The query that opens a connection, sent with the hello (RFC 8446 section 2.3): before the server has proved anything on this
//! connection, under a key that only a server has which proved itself before.
//!
//! An attacker can deliver it to the server again. So it is opt-in, and only a query ever leaves early.

use std::sync::{Arc, Mutex, PoisonError};

use crate::upstream::connection::carrier::Ask;
use crate::upstream::outgoing::Outgoing;

/// Several dials may offer it at once; at most one connection takes it.
pub struct Early {
    pub query: Arc<Outgoing>,
    ask: Mutex<Option<Ask>>,
}

impl Early {
    pub fn new(ask: Ask) -> Arc<Self> {
        Arc::new(Self { query: ask.query.clone(), ask: Mutex::new(Some(ask)) })
    }

    /// For the connection on which it was accepted. No other one waits for its response.
    pub fn take(&self) -> Option<Ask> {
        self.ask.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
