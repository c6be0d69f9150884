//! What every attempt needs: the sockets, what is known of servers, and the query with its lease.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::time::Instant;

use super::habits::Habits;
use crate::upstream::clear::cookies::Cookies;
use crate::upstream::clear::lease::Lease;
use crate::upstream::dial::open::plain_words;
use crate::upstream::dial::sockets::Sockets;
use crate::upstream::failure::Failure;
use crate::upstream::failure::dial_error::{DialError, DialReason};
use crate::upstream::outgoing::Outgoing;
use crate::upstream::transport::turns::Turns;
use crate::wire::header::Header;

pub struct Plain {
    pub(super) sockets: Arc<dyn Sockets>,
    pub(super) cookies: Arc<Cookies>,
    pub(super) habits: Habits,
    pub(super) turns: Turns,
    strays: AtomicU64,
}

/// One query to one server.
pub(super) struct Errand<'a> {
    pub server: SocketAddr,
    pub query: &'a Outgoing,
    pub lease: &'a Lease,
    pub deadline: Instant,
}

impl Plain {
    pub fn new(sockets: Arc<dyn Sockets>, cookies: Arc<Cookies>) -> Self {
        let (habits, turns, strays) = (Habits::default(), Turns::default(), AtomicU64::new(0));
        Self { sockets, cookies, habits, turns, strays }
    }

    /// Messages that were no response to a query of ours: another id, question, address or cookie.
    pub fn strays(&self) -> u64 {
        self.strays.load(Ordering::Relaxed)
    }

    /// On another network, what was learned of servers says nothing.
    pub fn forget(&self) {
        self.habits.forget();
    }

    pub(super) fn stray(&self) {
        self.strays.fetch_add(1, Ordering::Relaxed);
    }
}

pub(super) fn is_response(message: &[u8], id: u16) -> bool {
    Header::read(message).is_ok_and(|header| header.id == id && header.is_response())
}

pub(super) fn unreachable(address: SocketAddr, error: &std::io::Error) -> Failure {
    DialError::new(address, DialReason::Connect(plain_words(error))).into()
}
