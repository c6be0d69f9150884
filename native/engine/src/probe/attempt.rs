//! One query to one address, step by step.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use data_encoding::BASE64;
use tokio::time::Instant;

use super::course::Course;
use super::examination::{self, Examination};
use super::report::{ProbeError, ProbeReport, Step, StepKind};
use crate::cryptography;
use crate::decision::place;
use crate::describe;
use crate::endpoint::Endpoint;
use crate::holding::Holding;
use crate::response::Response;
use crate::upstream::assemble::upstream;
use crate::upstream::connection::Connection;
use crate::upstream::connection::fitting;
use crate::upstream::connection::link::{Dial, How};
use crate::upstream::dial::certificate::Certificate;
use crate::upstream::dial::fast_open::FastOpen;
use crate::upstream::dial::hello::Hello;
use crate::upstream::dial::protection::{Protection, TlsFacts};
use crate::upstream::dial::sockets::System;
use crate::upstream::dial::step::Step as DialStep;
use crate::upstream::failure::Failure;
use crate::upstream::failure::dial_error::{DialError, Gravity, Tried};
use crate::upstream::outgoing::{Hop, Outgoing};
use crate::upstream::transport::list::{self, Means};
use crate::upstream::transport::plain::Plain;
use crate::upstream::transport::surroundings::Surroundings;

/// How long the examination may take that follows a success.
const EXAMINATION: Duration = Duration::from_secs(5);

/// One query to one address.
pub(super) struct Attempt<'a> {
    course: &'a Course<'a>,
    address: Endpoint,
    started: Instant,
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
    pub fn new(course: &'a Course<'a>, address: Endpoint) -> Self {
        Self { course, address, started: Instant::now(), seen: Mutex::default() }
    }

    pub async fn run(mut self, timeout: Duration) -> ProbeReport {
        let Course { config, memory, connections, lease, .. } = self.course;
        let query = &Arc::new((self.course.query)());
        let around = Surroundings {
            network: "probe".into(),
            transports: Arc::new(System),
            memory: memory.clone(),
            cookies: Arc::default(),
            connections: connections.clone(),
            ticket_store: Arc::default(),
            lease: lease.clone(),
            holding: Holding::unheard(),
        };
        let result = match list::of(config.transport).map(|transport| &transport.means) {
            Some(Means::Alone(_)) => {
                self.started = Instant::now();
                self.by_datagram(query, &around, self.started + timeout).await
            }
            Some(Means::Inside(_)) => self.in_a_box(query, &around, self.started + timeout).await,
            // what a process does once, and a service has long done, is not part of the time
            _ => match around.transports.dialer(config, "server", &around) {
                Ok(dialer) => {
                    cryptography::ready();
                    self.started = Instant::now();
                    let result =
                        self.by_stream(query, dialer.as_ref(), &around, self.started + timeout).await;
                    let (end, works) = (self.course.end, result.is_ok());
                    let fast_open = around.connections.settings().fast_open;
                    let (address, started) = (self.address, self.started);
                    let mut report = self.report(query, result);
                    if let Some(end) = end.filter(|_| works && report.transport.is_private()) {
                        let end = end.min(Instant::now() + EXAMINATION);
                        let examined = examination::examine(
                            dialer.as_ref(),
                            address,
                            fast_open,
                            &around.path(),
                            around.ticket_store.tickets(),
                            end,
                        )
                        .await;
                        report.note(examined, started);
                    }
                    return report;
                }
                Err(error) => Err(self.refused(error.code, error.to_string())),
            },
        };
        self.report(query, result)
    }

    async fn by_datagram(
        &self,
        query: &Arc<Outgoing>,
        around: &Surroundings,
        deadline: Instant,
    ) -> Result<Response, Tried> {
        let Some(lease) = &around.lease else {
            return Err(self.refused("lease-missing", "no ledger entry allows a query in cleartext".into()));
        };
        self.step(
            StepKind::Query,
            format!("{} octets by UDP, in cleartext", query.message(0, Hop::Udp).len()),
        );
        self.seen().round_trips = 1;
        let plain = Plain::new(around.transports.clone(), around.cookies.clone());
        let addresses: Vec<_> = self.address.address().into_iter().collect();
        let asked = plain.ask(&addresses, query, lease, deadline).await;
        asked.map(|(response, ..)| response).map_err(|failure| failure.at(self.address))
    }

    /// The first hop's addresses are tried by the first hop itself.
    async fn in_a_box(
        &self,
        query: &Arc<Outgoing>,
        around: &Surroundings,
        deadline: Instant,
    ) -> Result<Response, Tried> {
        let exchange = match upstream::exchange(self.course.config, "server", around) {
            Ok(exchange) => exchange,
            Err(error) => return Err(self.refused(error.code, error.to_string())),
        };
        self.step(
            StepKind::Query,
            format!("{} octets in a box, {}", query.message(0, Hop::Box).len(), place(self.course.config)),
        );
        let exchanged = exchange.exchange(query.clone(), deadline).await;
        let exchanged = exchanged.map_err(|failure| failure.at(self.address))?;
        self.seen().round_trips = exchanged.round_trips;
        Ok(exchanged.response)
    }

    async fn by_stream(
        &self,
        query: &Arc<Outgoing>,
        dialer: &dyn Dial,
        around: &Surroundings,
        deadline: Instant,
    ) -> Result<Response, Tried> {
        let watch = |step: DialStep<'_>| self.dialled(step);
        let how = How {
            watch: &watch,
            fast_open: around.connections.settings().fast_open,
            patience: dialer.patience(),
            hello: Hello::Usual,
            early: None,
        };
        let on = around.path();
        let dialing = fitting::dial(dialer, self.address, &how, &on);
        let dialled = tokio::time::timeout_at(deadline, dialing).await;
        let link = match dialled {
            Ok(Ok(link)) => link,
            Ok(Err(reason)) => return Err(DialError::new(self.address, reason).into()),
            Err(_) => return Err(Failure::TimedOut.at(self.address)),
        };
        let hop = link.protection.hop();
        let kind = match link.protection {
            Protection::Tls(_) | Protection::Unauthenticated(..) => "inside TLS, padded",
            Protection::Clear(_) => "by TCP, in cleartext",
        };
        self.seen().round_trips = link.round_trips + 1;
        self.seen().fast_open = link.fast_open;
        // the query itself is in the SYN: the response will show whether the server took it
        let open = link.meter.clone().filter(|_| link.fast_open == FastOpen::NotUsed && hop == Hop::Tcp);
        let connection = Connection::start(link, Arc::default(), |_| {});
        self.step(StepKind::Query, format!("{} octets {kind}", query.message(0, hop).len()));
        let asked = connection.ask(query.clone(), deadline).await;
        let response = asked.map_err(|failure| failure.at(self.address))?;
        if open.is_some_and(|meter| meter.syn_data_taken()) {
            let mut seen = self.seen();
            (seen.fast_open, seen.round_trips) = (FastOpen::Accepted, seen.round_trips - 1);
        }
        self.seen().early_data = around.ticket_store.early_data();
        connection.drain();
        Ok(response)
    }

    fn dialled(&self, step: DialStep<'_>) {
        match step {
            DialStep::Connected => self.step(StepKind::Connect, format!("TCP to {}", self.address)),
            DialStep::Deferred => self.step(
                StepKind::Connect,
                format!("TCP to {}, with what follows in its first packet", self.address),
            ),
            DialStep::Agreed(text) => self.step(StepKind::Starttls, text.into()),
            DialStep::Smaller => self.step(
                StepKind::Connect,
                "nothing to a hello with X25519MLKEM768, so again with a smaller one".into(),
            ),
            DialStep::Secured(facts, chain) => {
                let resumed = if facts.resumed { ", resumed" } else { "" };
                let name =
                    facts.name.as_deref().map_or(String::new(), |name| format!(", name {name} checked"));
                let pin = if facts.pinned { ", pin checked" } else { "" };
                let TlsFacts { version, cipher, group, .. } = facts;
                self.step(StepKind::Tls, format!("TLS {version}{resumed}, {cipher}, {group}{name}{pin}"));
                let mut seen = self.seen();
                seen.tls = Some(facts.clone());
                seen.chain = chain.iter().filter_map(|der| Certificate::read(der).ok()).collect();
            }
        }
    }

    fn step(&self, step: StepKind, text: String) {
        let step = Step { at: ms(self.started), step, text };
        (self.course.on_step)(&step);
        self.seen().steps.push(step);
    }

    /// Nothing was sent.
    fn refused(&self, code: &'static str, text: String) -> Tried {
        Tried { address: self.address.to_string(), code, text, gravity: Gravity::Refused }
    }

    fn report(self, query: &Outgoing, result: Result<Response, Tried>) -> ProbeReport {
        match &result {
            // the address works, whatever the response says of the root
            Ok(response) => {
                let (said, octets) = (describe::rcode_name(response.rcode()), query.traffic().received);
                self.step(StepKind::Response, format!("{said}, {octets} octets"));
            }
            Err(tried) => self.step(StepKind::Failed, tried.to_string()),
        }
        let Self { course, address, started, seen } = self;
        let seen = seen.into_inner().expect("nothing panics while noting a step");
        let (response, tried) = match result {
            Ok(response) => (Some(response), Vec::new()),
            Err(tried) => (None, vec![tried]),
        };
        ProbeReport {
            ok: response.is_some(),
            error: response.is_none().then(|| ProbeError::of(&tried)),
            transport: course.config.transport,
            address: address.to_string(),
            tried,
            ms: ms(started),
            round_trips: seen.round_trips,
            fast_open: seen.fast_open,
            early_data: seen.early_data,
            steps: seen.steps,
            tls: seen.tls,
            chain: seen.chain,
            response: response.map(|response| BASE64.encode(&response.message)),
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
        self.steps.push(Step { at: ms(started), step: StepKind::Again, text });
        self.examination = examined.ok();
    }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
