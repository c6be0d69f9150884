//! One transport to one upstream, with all of its addresses.

use std::sync::{Mutex, MutexGuard};

use crate::endpoint::Endpoint;
use crate::outcome::TransportKind;
use crate::upstream::connection::link::{Dial, Link};
use crate::upstream::failure::dial_error::DialError;

pub struct Path {
    pub kind: TransportKind,
    pub dialer: Box<dyn Dial>,
    pub addresses: Vec<Endpoint>,
    /// the address that was taken last time
    best: Mutex<Option<Endpoint>>,
}

pub struct Arrived {
    pub link: Link,
    pub kind: TransportKind,
    pub address: Endpoint,
    /// why the configured path was not taken, and which impostor was met; `None` where it was only slower
    pub missed: Option<DialError>,
}

impl Arrived {
    pub fn despite(self, failed: Option<DialError>) -> Self {
        let missed = match failed {
            Some(failed) => Some(failed.after(self.missed)),
            None => self.missed,
        };
        Self { missed, ..self }
    }
}

impl Path {
    /// `addresses` are in order of preference.
    pub fn new(kind: TransportKind, dialer: Box<dyn Dial>, addresses: Vec<Endpoint>) -> Self {
        Self { kind, dialer, addresses, best: Mutex::default() }
    }

    pub fn best(&self) -> MutexGuard<'_, Option<Endpoint>> {
        self.best.lock().expect("nothing panics while noting an address")
    }
}
