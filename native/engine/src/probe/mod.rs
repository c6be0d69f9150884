//! One question straight to one server, each protocol step told with its time: what is behind `sotto query … --at` and
//! `sotto upstream test`.

pub mod examination;
mod resolver_info;
mod talk;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use self::examination::Examination;
use crate::answer::Answer;
use crate::clear::Lease;
use crate::config::{Alternative, UpstreamConfig};
use crate::cryptography;
use crate::outcome::{ClearClass, TransportKind};
use crate::upstream::alternative;
use crate::upstream::build::{self, Surroundings};
use crate::upstream::certificate::Certificate;
use crate::upstream::connection::Connection;
use crate::upstream::connections::Connections;
use crate::upstream::dial::{Dial, How, Protection, Step as DialStep};
use crate::upstream::failure::{DialError, Failure};
use crate::upstream::fast_open::FastOpen;
use crate::upstream::outgoing::{Hop, Outgoing};
use crate::upstream::outside::System;
use crate::upstream::place::Place;
use crate::upstream::plain::Plain;
use crate::upstream::socks5;
use crate::upstream::starttls_memory::StarttlsMemory;
use crate::upstream::tls::TlsFacts;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::starttls::Signal;
use crate::wire::types;
use crate::wire::{describe, header};

const TIMEOUT: Duration = Duration::from_secs(5);
/// Of a whole test, however many addresses there are.
const WHOLE: Duration = Duration::from_secs(15);
/// Of what follows once it is known to work.
const EXAMINATION: Duration = Duration::from_secs(5);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeRequest {
    pub transport: TransportKind,
    pub address: SocketAddr,
    /// SOCKS5, private transports only
    #[serde(default)]
    pub proxy: Option<SocketAddr>,
    #[serde(default)]
    pub names: Vec<String>,
    #[serde(default)]
    pub pins: Vec<String>,
    #[serde(default)]
    pub ca: Option<String>,
    #[serde(default)]
    pub starttls: Signal,
    /// base64 of a query
    pub question: String,
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProbeReport {
    pub ok: bool,
    pub error: Option<ProbeError>,
    pub transport: TransportKind,
    pub address: String,
    pub ms: f64,
    pub round_trips: u8,
    pub fast_open: FastOpen,
    /// octets that the server's tickets let a client send with its next hello
    pub early_data: Option<usize>,
    pub steps: Vec<Step>,
    pub tls: Option<TlsFacts>,
    /// as presented, the server's own first
    pub chain: Vec<Certificate>,
    /// base64, without its OPT
    pub reply: Option<String>,
    /// with a name in cleartext, that left under no lease of the service's
    pub clear_packets: u64,
    /// how it behaves, where it works and is private
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examination: Option<Examination>,
    /// the same by the other private way, where there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternative: Option<Box<ProbeReport>>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ProbeError {
    pub code: &'static str,
    pub message: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// milliseconds since the beginning
    pub at: f64,
    pub step: &'static str,
    pub text: String,
}

/// Tests an upstream as configured, and beside it whether its other private way works.
pub async fn upstream(
    config: &UpstreamConfig,
    memory: Arc<StarttlsMemory>,
    connections: Arc<Connections>,
    lease: Option<Arc<Lease>>,
) -> ProbeReport {
    let configured = by(config, memory.clone(), connections.clone(), lease);
    let Some(other) = alternative::of(config) else { return configured.await };
    let (configured, other) = tokio::join!(configured, by(&other, memory, connections, None));
    ProbeReport { alternative: Some(Box::new(other)), ..configured }
}

/// Its addresses in order, until one answers; that one is examined.
async fn by(
    config: &UpstreamConfig,
    memory: Arc<StarttlsMemory>,
    connections: Arc<Connections>,
    lease: Option<Arc<Lease>>,
) -> ProbeReport {
    let patience = if config.proxy.is_some() { TIMEOUT * socks5::PATIENCE } else { TIMEOUT };
    let (mut last, end) = (None, Instant::now() + WHOLE);
    for address in &config.addresses {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let question = Arc::new(Outgoing::of(probe_question()));
        let attempt = Attempt { thorough: Some(end), ..Attempt::new(config, *address, &|_: &Step| {}) };
        let timeout = patience.min(left);
        let report =
            attempt.run(&question, memory.clone(), connections.clone(), lease.clone(), timeout).await;
        if report.ok {
            return report;
        }
        last = Some(report);
    }
    last.expect("a configured upstream has an address")
}

/// Runs a request; `on_step` hears of each step as it happens.
pub async fn run(
    request: ProbeRequest,
    on_step: &(dyn Fn(&Step) + Send + Sync),
) -> Result<ProbeReport, ProbeError> {
    let wrong = |message: String| ProbeError { code: "request-invalid", message };
    let octets =
        BASE64.decode(request.question.as_bytes()).map_err(|_| wrong("question is not base64".into()))?;
    let (question, end) = Question::read(&octets).map_err(|error| wrong(error.to_string()))?;
    let outgoing = Arc::new(Outgoing::new(question, &octets[header::LENGTH..end], false, false));
    let config = UpstreamConfig {
        id: "server".into(),
        transport: request.transport,
        addresses: vec![request.address.into()],
        proxy: request.proxy,
        names: request.names,
        pins: request.pins,
        ca: request.ca,
        starttls: request.starttls,
        group: String::new(),
        alternative: Alternative::None,
        clear_port: Some(request.address.port()),
        early_data: false,
    };
    let timeout = request.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
    // whoever asks a server directly in cleartext has told the ledger before, where there is one, and tells it this count
    let lease = Arc::new(Lease::unrecorded(ClearClass::Explicit, None));
    let attempt = Attempt::new(&config, request.address.into(), on_step);
    let report = attempt.run(&outgoing, Arc::default(), Arc::default(), Some(lease.clone()), timeout).await;
    Ok(ProbeReport { clear_packets: lease.count(), ..report })
}

/// The name every probe question asks for: it exists everywhere and tells nothing about anyone.
fn probe_question() -> Question {
    Question { name: Name::ROOT, kind: types::NS, class: types::IN }
}

struct Attempt<'a> {
    config: &'a UpstreamConfig,
    address: Place,
    on_step: &'a (dyn Fn(&Step) + Send + Sync),
    started: Instant,
    /// what works is examined, until then at most
    thorough: Option<Instant>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    steps: Vec<Step>,
    tls: Option<TlsFacts>,
    chain: Vec<Certificate>,
    round_trips: u8,
    fast_open: FastOpen,
    early_data: Option<usize>,
}

impl<'a> Attempt<'a> {
    fn new(config: &'a UpstreamConfig, address: Place, on_step: &'a (dyn Fn(&Step) + Send + Sync)) -> Self {
        Self { config, address, on_step, started: Instant::now(), thorough: None, seen: Mutex::default() }
    }

    async fn run(
        mut self,
        question: &Arc<Outgoing>,
        memory: Arc<StarttlsMemory>,
        connections: Arc<Connections>,
        lease: Option<Arc<Lease>>,
        timeout: Duration,
    ) -> ProbeReport {
        let around = Surroundings {
            network: "probe".into(),
            outside: Arc::new(System),
            memory,
            cookies: Arc::default(),
            connections,
            shelf: Arc::default(),
            lease,
            on_change: Arc::new(|| {}),
        };
        let result = match self.config.transport {
            TransportKind::Udp => {
                self.started = Instant::now();
                self.by_datagram(question, &around, self.started + timeout).await
            }
            // what a process does once and a service has long done is not part of the time
            _ => match build::dialer(self.config, "server", &around) {
                Ok(dialer) => {
                    cryptography::ready();
                    self.started = Instant::now();
                    let result =
                        self.by_stream(question, dialer.as_ref(), &around, self.started + timeout).await;
                    let (thorough, works) = (self.thorough, result.is_ok());
                    let fast_open = around.connections.settings().fast_open;
                    let (address, started) = (self.address, self.started);
                    let mut report = self.report(question, result);
                    if let Some(end) = thorough.filter(|_| works && report.transport.is_private()) {
                        let end = end.min(Instant::now() + EXAMINATION);
                        let examined = examination::examine(
                            dialer.as_ref(),
                            address,
                            fast_open,
                            around.shelf.tickets(),
                            end,
                        )
                        .await;
                        report.note(examined, started);
                    }
                    return report;
                }
                Err(error) => Err(ProbeError { code: error.code, message: error.to_string() }),
            },
        };
        self.report(question, result)
    }

    async fn by_datagram(
        &self,
        question: &Arc<Outgoing>,
        around: &Surroundings,
        deadline: Instant,
    ) -> Result<Answer, ProbeError> {
        let Some(lease) = &around.lease else {
            return Err(ProbeError {
                code: "lease-missing",
                message: "no ledger entry allows a question in clear".into(),
            });
        };
        self.step("question", format!("{} octets by UDP, in clear", question.message(0, Hop::Udp).len()));
        self.seen().round_trips = 1;
        let plain = Plain::new(around.outside.clone(), around.cookies.clone());
        Ok(plain
            .ask(&self.address.address().into_iter().collect::<Vec<_>>(), question, lease, deadline)
            .await?
            .0)
    }

    async fn by_stream(
        &self,
        question: &Arc<Outgoing>,
        dialer: &dyn Dial,
        around: &Surroundings,
        deadline: Instant,
    ) -> Result<Answer, ProbeError> {
        let watch = |step: DialStep<'_>| self.dialled(step);
        let how = How {
            watch: &watch,
            fast_open: around.connections.settings().fast_open,
            patience: dialer.patience(),
            early: None,
        };
        let dialled = tokio::time::timeout_at(deadline, dialer.dial(self.address, &how)).await;
        let link = match dialled {
            Ok(Ok(link)) => link,
            Ok(Err(reason)) => return Err(Failure::from(DialError::new(self.address, reason)).into()),
            Err(_) => return Err(Failure::TimedOut.into()),
        };
        let hop = link.protection.hop();
        let kind = match link.protection {
            Protection::Tls(_) | Protection::Unauthenticated(..) => "inside TLS, padded",
            Protection::Clear(_) => "by TCP, in clear",
        };
        self.seen().round_trips = link.round_trips + 1;
        self.seen().fast_open = link.fast_open;
        // the question itself is in the SYN: what became of it is known with the answer
        let open = link.meter.clone().filter(|_| link.fast_open == FastOpen::NotUsed && hop == Hop::Tcp);
        let connection = Connection::start(link, Arc::default(), |_| {});
        self.step("question", format!("{} octets {kind}", question.message(0, hop).len()));
        let answer = connection.ask(question.clone(), deadline).await?;
        if open.is_some_and(|meter| meter.syn_data_taken()) {
            let mut seen = self.seen();
            (seen.fast_open, seen.round_trips) = (FastOpen::Accepted, seen.round_trips - 1);
        }
        self.seen().early_data = around.shelf.early_data();
        connection.drain();
        Ok(answer)
    }

    fn dialled(&self, step: DialStep<'_>) {
        match step {
            DialStep::Connected => self.step("connect", format!("TCP to {}", self.address)),
            DialStep::Deferred => self
                .step("connect", format!("TCP to {}, with what follows in its first packet", self.address)),
            DialStep::StarttlsAccepted => self.step("starttls", "the server accepted STARTTLS".into()),
            DialStep::Secured(facts, chain) => {
                let resumed = if facts.resumed { ", resumed" } else { "" };
                let name =
                    facts.name.as_deref().map_or(String::new(), |name| format!(", name {name} checked"));
                let pin = if facts.pinned { ", pin checked" } else { "" };
                let TlsFacts { version, cipher, group, .. } = facts;
                self.step("tls", format!("TLS {version}{resumed}, {cipher}, {group}{name}{pin}"));
                let mut seen = self.seen();
                seen.tls = Some(facts.clone());
                seen.chain = chain.iter().filter_map(|der| Certificate::read(der).ok()).collect();
            }
        }
    }

    fn step(&self, step: &'static str, text: String) {
        let step = Step { at: ms(self.started), step, text };
        (self.on_step)(&step);
        self.seen().steps.push(step);
    }

    fn report(self, question: &Outgoing, result: Result<Answer, ProbeError>) -> ProbeReport {
        match &result {
            // whatever it says of the root, it answers
            Ok(answer) => {
                let (said, octets) = (describe::rcode_name(answer.rcode()), question.traffic().received);
                self.step("answer", format!("{said}, {octets} octets"));
            }
            Err(error) => self.step("failed", error.message.clone()),
        }
        let Self { config, address, started, seen, .. } = self;
        let seen = seen.into_inner().expect("nothing panics while noting a step");
        let (answer, error) = match result {
            Ok(answer) => (Some(answer), None),
            Err(error) => (None, Some(error)),
        };
        ProbeReport {
            ok: error.is_none(),
            error,
            transport: config.transport,
            address: address.to_string(),
            ms: ms(started),
            round_trips: seen.round_trips,
            fast_open: seen.fast_open,
            early_data: seen.early_data,
            steps: seen.steps,
            tls: seen.tls,
            chain: seen.chain,
            reply: answer.map(|answer| BASE64.encode(&answer.message)),
            clear_packets: 0,
            examination: None,
            alternative: None,
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().expect("nothing panics while noting a step")
    }
}

impl ProbeReport {
    fn note(&mut self, examined: Result<Examination, Failure>, started: Instant) {
        let text = match &examined {
            Ok(Examination { resumed, round_trips, .. }) => {
                let how = if *resumed { "resumed" } else { "a full handshake again" };
                format!("{how}, open after {round_trips} round trips")
            }
            Err(failure) => format!("a second connection could not be had: {failure}"),
        };
        self.steps.push(Step { at: ms(started), step: "again", text });
        self.examination = examined.ok();
    }
}

impl From<Failure> for ProbeError {
    fn from(failure: Failure) -> Self {
        Self { code: failure.code(), message: failure.to_string() }
    }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
