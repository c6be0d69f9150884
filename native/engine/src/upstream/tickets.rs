//! TLS sessions to resume: in memory, each ticket used once (RFC 8446 appendix C.4), one store per upstream and network.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls_pki_types::ServerName;

/// More than a server sends at once; the oldest go first.
const STOCK: usize = 8;

#[derive(Debug, Default)]
pub struct Tickets {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    tls13: VecDeque<Tls13ClientSessionValue>,
    tls12: Option<Tls12ClientSessionValue>,
}

impl Tickets {
    pub fn available(&self) -> bool {
        let held = self.held();
        !held.tls13.is_empty() || held.tls12.is_some()
    }

    pub fn forget(&self) {
        *self.held() = Held::default();
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("nothing panics while holding tickets")
    }
}

/// A store serves one upstream, so the server's name is no key.
impl ClientSessionStore for Tickets {
    /// No hint: a resuming hello leads with X25519 and stays small, a full one leads with X25519MLKEM768.
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.held().tls12 = Some(value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.held().tls12.clone()
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.held().tls12 = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let mut held = self.held();
        if held.tls13.len() == STOCK {
            held.tls13.pop_front();
        }
        held.tls13.push_back(value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.held().tls13.pop_back()
    }
}
