//! Which program a query came from, as far as the kernel still knows when it is asked (docs/decisions/0044-which-program-asked.md).

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sotto_attribution::{Holder, Kernel, Peer, Protocol};

use crate::outcome::ClientProtocol;
use crate::pace::Pace;
use crate::query::Client;
use crate::words::words;

words!(
    /// Whether it is known which program sent a query. Unknown: its socket was gone already.
    Attribution { NotLookedUp = "not-looked-up", Unknown = "unknown", Known = "known" }
);

/// Who held the socket that a query came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Asker {
    #[default]
    NotLookedUp,
    Unknown,
    Known(Holder),
}

/// A household's busiest second is far below it. One look-up costs some five microseconds.
const PER_SECOND: f64 = 2_000.0;

/// A query that lay longer in the socket's queue stays unknown: the port may be another program's by now. At the most look-ups a second,
/// and with each socket open for no longer than it takes to send, one of a hundred thousand ports changes hands in 50 microseconds.
const LONGEST_UNREAD: Duration = Duration::from_millis(5);

pub struct Attributor {
    wanted: AtomicBool,
    /// opened with the first query
    asking: Mutex<Option<Asking>>,
}

struct Asking {
    kernel: Kernel,
    pace: Pace,
}

impl Asker {
    pub fn attribution(self) -> Attribution {
        match self {
            Self::NotLookedUp => Attribution::NotLookedUp,
            Self::Unknown => Attribution::Unknown,
            Self::Known(_) => Attribution::Known,
        }
    }
}

impl Default for Attributor {
    fn default() -> Self {
        Self { wanted: AtomicBool::new(true), asking: Mutex::default() }
    }
}

impl Attributor {
    /// Otherwise nobody is looked up.
    pub fn set_wanted(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// To be called once for each query, and soon: its socket may be closed at any time, and then its port is free for others.
    pub fn asker(&self, client: &Client) -> Asker {
        let protocol = match client.protocol {
            ClientProtocol::Udp => Protocol::Udp,
            ClientProtocol::Tcp => Protocol::Tcp,
            ClientProtocol::Control => return Asker::NotLookedUp,
        };
        if !self.wanted.load(Ordering::Relaxed) {
            return Asker::NotLookedUp;
        }
        let Ok(mut asking) = self.asking.lock() else { return Asker::NotLookedUp };
        if asking.is_none() {
            let pace = Pace::new(PER_SECOND, PER_SECOND, Instant::now());
            *asking = Kernel::open().ok().map(|kernel| Asking { kernel, pace });
        }
        let Some(Asking { kernel, pace }) = asking.as_mut() else { return Asker::NotLookedUp };
        if pace.grant(1, Instant::now()) == 0 {
            return Asker::NotLookedUp;
        }
        if client.unread > LONGEST_UNREAD {
            return Asker::Unknown;
        }
        match kernel.holder(&Peer { protocol, address: client.address, to: facing(client) }) {
            Ok(Some(holder)) => Asker::Known(holder),
            Ok(None) => Asker::Unknown,
            Err(_) => Asker::NotLookedUp,
        }
    }
}

/// Our end of the client's socket. A program of this machine reaches a socket that listens on all addresses at the address that the
/// program has itself, as a rule.
fn facing(client: &Client) -> SocketAddr {
    match client.to.ip().is_unspecified() {
        true => SocketAddr::new(client.address.ip(), client.to.port()),
        false => client.to,
    }
}
