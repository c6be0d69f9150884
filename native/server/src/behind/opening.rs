//! How a connection to a server behind is opened. TLS, STARTTLS, authentication and tickets are those of the engine, which opens
//! connections for a living; what is sent over them is passed on whole, which the engine, as a stub, would not do.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use sotto_engine::config::{ConfigError, UpstreamConfig};
use sotto_engine::endpoint::Endpoint;
use sotto_engine::holding::Holding;
use sotto_engine::outcome::{ClearClass, TransportKind};
use sotto_engine::upstream::clear::lease::Lease;
use sotto_engine::upstream::connection::fitting::{self, Place};
use sotto_engine::upstream::connection::link::{Dial, How};
use sotto_engine::upstream::dial::hello::Hello;
use sotto_engine::upstream::dial::meter::Meter;
use sotto_engine::upstream::dial::open::{connect, leave_nothing_behind};
use sotto_engine::upstream::dial::sockets::{Stream, System};
use sotto_engine::upstream::dial::step::Step;
use sotto_engine::upstream::memory::black_holes::BlackHoles;
use sotto_engine::upstream::transport::surroundings::{Surroundings, Transports};

use super::address::{Identified, ServerAddress};
use super::failure::Failure;

/// TLS to this server can never be had with these settings.
#[derive(Debug, thiserror::Error)]
#[error("{server}: {message}; {remedy}")]
pub struct Unusable {
    server: String,
    message: String,
    remedy: String,
}

/// What the kernel knows of a connection, while that is open.
pub type Opened = (Box<dyn Stream>, Option<Meter>);

/// A way to open connections to one server.
pub enum Opening {
    Tcp(SocketAddr),
    /// and what the path to it does to large hellos
    Tls(SocketAddr, Box<dyn Dial>, BlackHoles),
}

impl Opening {
    /// TLS with a server that proves who it is. `roots`: PEM; without them those of the system.
    pub fn authenticated(
        server: &ServerAddress,
        transport: TransportKind,
        roots: Option<&str>,
    ) -> Result<Self, Unusable> {
        let mut config = upstream(server.address, transport);
        match &server.identified {
            Identified::ByAddress => {}
            Identified::ByName(name) => config.names.push(name.clone()),
            Identified::ByPin(pin) => config.pins.push(pin.clone()),
        }
        config.ca = roots.map(str::to_owned);
        let dialer = System.dialer(&config, "", &surroundings());
        Ok(Opening::Tls(server.address, dialer.map_err(|error| unusable(server, error))?, Default::default()))
    }

    /// TLS with whoever is there.
    pub fn unauthenticated(
        server: &ServerAddress,
        address: SocketAddr,
        transport: TransportKind,
    ) -> Result<Self, Unusable> {
        let lease = Arc::new(Lease::unrecorded(ClearClass::Explicit, None));
        let dialer = System.unauthenticated(&upstream(address, transport), "", &surroundings(), lease);
        Ok(Opening::Tls(address, dialer.map_err(|error| unusable(server, error))?, Default::default()))
    }

    pub async fn open(&self) -> Result<Opened, Failure> {
        match self {
            Opening::Tcp(address) => connect(*address).await.map(|stream| {
                leave_nothing_behind(&stream);
                let meter = Meter::of(&stream);
                (Box::new(stream) as Box<dyn Stream>, meter)
            }),
            Opening::Tls(address, dialer, large_hellos) => {
                let (watch, hello, patience) = (&|_: Step<'_>| {}, Hello::Usual, dialer.patience());
                let how = How { watch, fast_open: false, hello, early: None, patience };
                let (to, network) = (Endpoint::Address(*address), "".into());
                let place = Place { network: &network, large_hellos };
                let link = fitting::dial(dialer.as_ref(), to, &how, &place).await;
                let framed = "both kinds of TLS carry framed messages";
                link.map(|link| (link.carrier.into_stream().expect(framed), link.meter))
            }
        }
        .map_err(Failure::from)
    }
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Opening::Tcp(address) => write!(f, "TCP to {address}"),
            Opening::Tls(address, ..) => write!(f, "TLS to {address}"),
        }
    }
}

fn unusable(server: &ServerAddress, ConfigError { message, remedy, .. }: ConfigError) -> Unusable {
    Unusable { server: server.to_string(), message, remedy }
}

fn upstream(address: SocketAddr, transport: TransportKind) -> UpstreamConfig {
    UpstreamConfig {
        id: address.to_string(),
        transport,
        addresses: vec![Endpoint::Address(address)],
        proxy: None,
        names: vec![],
        pins: vec![],
        certificate_pins: vec![],
        ca: None,
        identity: None,
        starttls: Default::default(),
        group: String::new(),
        alternative: Default::default(),
        clear_port: None,
        early_data: false,
        post_quantum: Default::default(),
        encdns: None,
    }
}

/// Each server has tickets of its own, and shares nothing with others.
fn surroundings() -> Surroundings {
    Surroundings {
        network: "behind".into(),
        transports: Arc::new(System),
        memory: Arc::default(),
        cookies: Arc::default(),
        connections: Arc::default(),
        ticket_store: Arc::default(),
        lease: None,
        holding: Holding::unheard(),
    }
}
