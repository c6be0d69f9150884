//! How a transport opens a connection, and what it hands over when the connection is open.

use std::time::Duration;

use crate::endpoint::Endpoint;
use crate::upstream::connection::carrier::Carrier;
use crate::upstream::connection::early::Early;
use crate::upstream::dial::fast_open::FastOpen;
use crate::upstream::dial::hello::Hello;
use crate::upstream::dial::meter::Meter;
use crate::upstream::dial::protection::Protection;
use crate::upstream::dial::step::Watch;
use crate::upstream::dial::tls::EarlyData;
use crate::upstream::failure::dial_error::{DialReason, TLS_HELLO};
use crate::upstream::running::BoxFuture;

/// Opens connections to the servers of one upstream. One file for each transport.
pub trait Dial: Send + Sync {
    fn dial<'a>(&'a self, to: Endpoint, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>>;

    /// Whether its first octets may leave with the SYN, where others see them and they may be delivered twice.
    fn fast_opens(&self) -> bool {
        false
    }

    /// How many times longer than on a direct path everything may take.
    fn patience(&self) -> u32 {
        1
    }

    /// For people: what the server is expected to send first.
    fn first_response(&self) -> &'static str {
        TLS_HELLO
    }

    /// Whether the next dial could say less in its TLS hello than it usually does.
    fn has_smaller_hello(&self) -> bool {
        false
    }
}

/// What belongs to one dial, not to the dialer.
pub struct How<'a> {
    pub watch: &'a Watch<'a>,
    /// TCP Fast Open may be used, by a dialer that [can](Dial::fast_opens)
    pub fast_open: bool,
    pub hello: Hello,
    /// may leave with the hello
    pub early: Option<&'a Early>,
    /// of the [dialer](Dial::patience)
    pub patience: u32,
}

/// An open connection. Without authenticated TLS it holds the lease that each query on it spends.
pub struct Link {
    pub carrier: Box<dyn Carrier>,
    pub protection: Protection,
    pub early: EarlyData,
    /// spent on opening it
    pub round_trips: u8,
    pub fast_open: FastOpen,
    pub took: Duration,
    /// of the connection's socket, if it has one of its own
    pub meter: Option<Meter>,
}

impl Link {
    /// `fast_open` says how it began. `fits`: everything that the server needed before it could respond was in the SYN.
    pub fn opened_with(mut self, fast_open: FastOpen, fits: bool) -> Self {
        self.fast_open = fast_open.settled(self.meter.as_ref());
        self.round_trips -= u8::from(fits && self.fast_open == FastOpen::Accepted);
        self
    }

    /// The round trip of the path, as far as it is known by now.
    pub fn round_trip(&self) -> Duration {
        let measured = self.meter.as_ref().and_then(Meter::read).map(|reading| reading.round_trip);
        let seen = self.took / u32::from(self.round_trips.max(1));
        measured.filter(|round_trip| !round_trip.is_zero()).unwrap_or(seen)
    }
}
