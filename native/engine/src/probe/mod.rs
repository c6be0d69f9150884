//! One query straight to one server, with each protocol step and its time. `sotto query … --at`, `sotto upstream test` and every
//! other check whether a server responds use it.

mod addresses;
mod attempt;
mod course;
pub mod examination;
pub mod report;
pub mod resolver_info;
mod talk;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use serde::Deserialize;
use tokio::time::Instant;

use self::course::Course;
use self::report::{ProbeError, ProbeReport, Step};
use crate::config::{Alternative, EncDnsConfig, SignalWord, UpstreamConfig};
use crate::endpoint::Endpoint;
use crate::outcome::{ClearClass, TransportKind};
use crate::post_quantum::PostQuantum;
use crate::upstream::assemble::alternative;
use crate::upstream::clear::lease::Lease;
use crate::upstream::dial::socks5;
use crate::upstream::memory::connections::Connections;
use crate::upstream::memory::starttls_memory::StarttlsMemory;
use crate::upstream::outgoing::Outgoing;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::starttls::Signal;
use crate::wire::{header, types};

const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a whole test may take, however many addresses there are.
const WHOLE: Duration = Duration::from_secs(15);

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeRequest {
    #[cfg_attr(test, ts(type = "UpstreamTransport"))]
    pub transport: TransportKind,
    /// in order of preference
    pub addresses: Vec<Endpoint>,
    /// SOCKS5, private transports only
    #[serde(default)]
    pub proxy: Option<SocketAddr>,
    #[serde(default)]
    pub names: Vec<String>,
    #[serde(default)]
    pub pins: Vec<String>,
    #[serde(default)]
    pub certificate_pins: Vec<String>,
    #[serde(default)]
    pub ca: Option<String>,
    /// transport encdns only, which has no addresses
    #[serde(default)]
    pub encdns: Option<EncDnsConfig>,
    #[serde(default, with = "SignalWord")]
    #[cfg_attr(test, ts(as = "SignalWord"))]
    pub starttls: Signal,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<PostQuantum>"))]
    pub post_quantum: PostQuantum,
    /// base64 of a query
    pub query: String,
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

/// Tests an upstream as configured, and after it whether its other private transport works.
pub async fn upstream(
    config: &UpstreamConfig,
    memory: Arc<StarttlsMemory>,
    connections: Arc<Connections>,
    lease: Option<Arc<Lease>>,
) -> ProbeReport {
    let configured = by(config, memory.clone(), connections.clone(), lease);
    let Some(other) = alternative::of(config) else { return configured.await };
    let (configured, other) = tokio::join!(configured, by(&other, memory, connections, None));
    configured.beside(other)
}

/// The address that responds is examined.
async fn by(
    config: &UpstreamConfig,
    memory: Arc<StarttlsMemory>,
    connections: Arc<Connections>,
    lease: Option<Arc<Lease>>,
) -> ProbeReport {
    let patience = if config.proxy.is_some() { TIMEOUT * socks5::PATIENCE } else { TIMEOUT };
    let course = Course {
        config,
        query: &|| Outgoing::of(probe_question()),
        memory,
        connections,
        lease,
        timeout: patience,
        end: Some(Instant::now() + WHOLE),
        on_step: &|_: &Step| {},
    };
    course.run().await
}

/// Runs a request; `on_step` is called with each step as it happens.
pub async fn run(
    request: ProbeRequest,
    on_step: &(dyn Fn(&Step) + Send + Sync),
) -> Result<ProbeReport, ProbeError> {
    let wrong = |message: String| ProbeError { code: "request-invalid", message };
    let octets = BASE64.decode(request.query.as_bytes()).map_err(|_| wrong("query is not base64".into()))?;
    let (question, end) = Question::read(&octets).map_err(|error| wrong(error.to_string()))?;
    let port = request.addresses.first().map(|address| address.port());
    if port.is_none() && request.encdns.is_none() {
        return Err(wrong("there is no address".into()));
    }
    let outgoing = || Outgoing::new(question, &octets[header::LENGTH..end], false, false);
    let config = UpstreamConfig {
        id: "server".into(),
        transport: request.transport,
        addresses: request.addresses,
        proxy: request.proxy,
        names: request.names,
        pins: request.pins,
        certificate_pins: request.certificate_pins,
        ca: request.ca,
        identity: None,
        starttls: request.starttls,
        group: String::new(),
        alternative: Alternative::None,
        clear_port: port,
        early_data: false,
        post_quantum: request.post_quantum,
        encdns: request.encdns,
    };
    // for a direct query in cleartext the ledger, where there is one, has an entry already; it gets this count
    let lease = Arc::new(Lease::unrecorded(ClearClass::Explicit, None));
    let course = Course {
        config: &config,
        query: &outgoing,
        memory: Arc::default(),
        connections: Arc::default(),
        lease: Some(lease.clone()),
        timeout: request.timeout_ms.map_or(TIMEOUT, Duration::from_millis),
        end: None,
        on_step,
    };
    let report = course.run().await;
    Ok(ProbeReport { clear_packets: lease.count(), ..report })
}

/// The question of every probe query: the name exists everywhere and tells nothing about anyone.
fn probe_question() -> Question {
    Question { name: Name::ROOT, kind: types::NS, class: types::IN }
}
