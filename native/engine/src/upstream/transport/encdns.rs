//! EncDNS as an upstream's transport (docs/design/encdns.md): each query is put into a box, and the box into a name below the server's
//! zone, which any resolver carries there. That resolver, the first hop, learns no name, so that a query to it needs no lease.
//!
//! A resolver that changes letters or octets of names is met with base32 labels. Which labels come through a first hop is remembered; until
//! one did, binary ones are tried first, as published servers know no others. Whether the server knows the extended format is asked once a
//! path is there; until then, and of published servers, boxes are of the published one. A server that knew it once, by its key, gets no
//! other boxes any more: whoever carries them could otherwise make us show the lengths of queries by dropping one box.

mod in_flight;
mod learned;
mod questions;
mod way;

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use sotto_encdns::PublicKey;
use sotto_encdns::client::{Client, KeyUse};
use sotto_encdns::formats;
use sotto_encdns::manners::{Manner, manners};
use sotto_encdns::name::Format;
use tokio::time::{Instant, timeout_at};

use crate::config::{ConfigError, EncDnsConfig, Keys, UpstreamConfig};
use crate::outcome::TransportKind;
use crate::upstream::condition::Condition;
use crate::upstream::exchange::{Exchange, Exchanged};
use crate::upstream::failure::Failure;
use crate::upstream::memory::known::Known;
use crate::upstream::outgoing::{DEADLINE, Outgoing};
use crate::upstream::running::{BoxFuture, Running};
use crate::upstream::transport::encdns::in_flight::InFlight;
use crate::upstream::transport::encdns::learned::Learned;
use crate::upstream::transport::encdns::questions::{formats_name, ours};
use crate::upstream::transport::encdns::way::{Way, texts};
use crate::upstream::transport::surroundings::Surroundings;
use crate::wire::header;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

/// While it is not known which labels and formats come through, others leave after this silence.
const NEXT_LABELS: Duration = Duration::from_millis(800);

/// A query that has less time left does not wait for the query that shows whether there is a path.
const TO_LOOK: Duration = Duration::from_secs(2);

struct EncDns(Arc<Inner>);

struct Inner {
    way: Way,
    formats_name: Option<Name>,
    server: Known,
    /// false: the network has named no resolver
    has_first_hop: bool,
    around: Surroundings,
    in_flight: AtomicUsize,
    learned: Mutex<Learned>,
}

pub fn exchange(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
    first_hop: Box<dyn Exchange>,
) -> Result<Box<dyn Exchange>, ConfigError> {
    let wrong = |field: &str, message: &str| {
        ConfigError::new("encdns-unusable", format!("{path}.encdns{field}"), message, "correct it")
    };
    let EncDnsConfig { zone, key, keys, first_hop: hop } =
        config.encdns.as_ref().ok_or_else(|| wrong("", "the server's zone and key are missing"))?;
    let key = PublicKey::parse(key).ok_or_else(|| wrong(".key", "it is not 64 hexadecimal digits"))?;
    let key_use = match keys {
        Keys::Session => KeyUse::Session,
        Keys::Interval => KeyUse::Interval,
        Keys::PerQuery => KeyUse::PerQuery,
    };
    let addresses: Vec<_> = hop.addresses.iter().map(ToString::to_string).collect();
    let first_hop_place = format!("{}://{}", hop.transport.word(), addresses.join(","));
    let labels = around.connections.encdns.labels(&around.network, &first_hop_place);
    Ok(Box::new(EncDns(Arc::new(Inner {
        way: Way::new(Client::new(key, zone.0.as_wire().to_vec(), key_use), first_hop, first_hop_place),
        formats_name: formats_name(&zone.0),
        server: Known::EncDns(key),
        has_first_hop: !addresses.is_empty(),
        around: around.clone(),
        in_flight: AtomicUsize::new(0),
        learned: Mutex::new(Learned::with(labels)),
    }))))
}

impl Inner {
    async fn exchange(
        self: &Arc<Self>,
        query: Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        if let Some(resting) = self.learned().refusal() {
            return Err(resting);
        }
        let began = self.around.connections.network_changes.interruption().number;
        let _counted = InFlight::one_of(&self.in_flight);
        match self.ask(&query, deadline).await {
            Ok(exchanged) => {
                self.learned().answered(&exchanged);
                self.ask_for_formats();
                Ok(exchanged)
            }
            Err(failure) => {
                let was_cut_off = self.learned().backoff.is_cut_off();
                let failure = self.judge(failure, query.by_program, deadline).await;
                self.failed(&failure, query.by_program && !was_cut_off, began);
                Err(failure)
            }
        }
    }

    /// What one name meets says nothing about the path: its own server may be slow or silent, and whoever runs that must not be able to
    /// cut the upstream off. A query of ours shows whether there is a path.
    async fn judge(self: &Arc<Self>, failure: Failure, by_program: bool, deadline: Instant) -> Failure {
        let is_cut_off = self.learned().backoff.is_cut_off();
        match failure {
            Failure::TimedOut if by_program && is_cut_off => Failure::Dead,
            failure if !by_program || is_cut_off || !self.has_first_hop => failure,
            Failure::NotCarried(_) if Instant::now() + TO_LOOK < deadline => {
                match Box::pin(self.exchange(Arc::new(ours()), deadline)).await {
                    Ok(_) => Failure::TimedOut,
                    Err(of_path) => of_path,
                }
            }
            Failure::NotCarried(_) | Failure::TimedOut => {
                self.look();
                Failure::TimedOut
            }
            failure => failure,
        }
    }

    async fn ask(&self, query: &Arc<Outgoing>, deadline: Instant) -> Result<Exchanged, Failure> {
        if !self.has_first_hop {
            return Err(Failure::NotCarried("the network's own resolvers are not known".into()));
        }
        let (known, formats) = match self.knew_the_extended_format() {
            true => (Some(Format::Extended), [Format::Extended; 3]),
            false => {
                let learned = self.learned();
                (learned.format(), learned.formats())
            }
        };
        match self.ask_in(formats, query, deadline).await {
            Err(Failure::DoesNotFit) if known.is_none() => match self.learn_format(deadline).await? {
                Format::Published => Err(Failure::DoesNotFit),
                Format::Extended => self.ask_in([Format::Extended; 3], query, deadline).await,
            },
            asked => asked,
        }
    }

    /// Sends it in one manner after the other, until what the server sealed comes back.
    async fn ask_in(
        &self,
        formats: [Format; 3],
        query: &Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        let known = self.learned().labels;
        let is_known = known.is_some() && formats[0] == formats[2];
        let mut waiting = manners(known, formats).into_iter();
        let mut running = Running::default();
        let (mut last, mut is_too_long) = (Failure::TimedOut, false);
        while Instant::now() < deadline {
            match waiting.next() {
                Some(manner) => running.start(manner, Box::pin(self.way.carry(query, manner, deadline))),
                None if running.is_empty() => break,
                None => {}
            }
            let patience = (!is_known && waiting.len() > 0).then(|| Instant::now() + NEXT_LABELS);
            let ended = match patience {
                Some(until) => timeout_at(until.min(deadline), running.next()).await.ok(),
                None => Some(running.next().await),
            };
            match ended {
                Some((manner, Ok(exchanged))) => {
                    self.came_through(manner);
                    return Ok(exchanged);
                }
                Some((_, Err(Failure::DoesNotFit))) => is_too_long = true,
                Some((_, Err(failure @ Failure::NotCarried(_)))) => last = failure,
                // another nonce, or other labels, would not help
                Some((_, Err(failure))) if running.is_empty() && is_known => return Err(failure),
                Some((_, Err(failure))) => last = graver(last, failure),
                None => {}
            }
        }
        // with other labels it might have come through: nothing is known against the first hop
        Err(if is_too_long { Failure::DoesNotFit } else { last })
    }

    /// Nobody waits for it, unless a name fits into no box of the published format.
    fn ask_for_formats(self: &Arc<Self>) {
        if !self.learned().wants_format() {
            return;
        }
        let own = self.clone();
        tokio::spawn(async move {
            if own.learn_format(Instant::now() + DEADLINE).await.is_err() {
                own.learned().lengths_shown = true;
                own.around.holding.path_changed();
            }
        });
    }

    fn knew_the_extended_format(&self) -> bool {
        self.around.memory.downgrade_evidence.is_known(self.server)
    }

    /// From the server itself, in a box. Errors of its resolver say nothing. The box of the published format has a length that tells what
    /// it asks, so after a silence it is an extended one, which looks like any other.
    async fn learn_format(&self, deadline: Instant) -> Result<Format, Failure> {
        let Some(name) = self.formats_name else { return Ok(Format::Published) };
        let question = Question { name, kind: types::TXT, class: types::IN };
        let formats = match self.knew_the_extended_format() {
            true => [Format::Extended; 3],
            false => [Format::Published, Format::Extended, Format::Extended],
        };
        let asked = self.ask_in(formats, &Arc::new(Outgoing::of(question)), deadline).await?;
        let said = asked.response;
        if !matches!(said.rcode(), header::rcode::NOERROR | header::rcode::NXDOMAIN) {
            return Ok(Format::Published);
        }
        let best = texts(&said.message).map(|text| formats::best(&said.message[text]));
        let format = best.max().unwrap_or(Format::Published);
        self.learned().learn_format(format);
        if format == Format::Extended {
            self.around.memory.downgrade_evidence.authenticated(self.server);
        }
        self.around.holding.path_changed();
        Ok(format)
    }

    fn came_through(&self, Manner { labels, format, .. }: Manner) {
        let mut learned = self.learned();
        learned.came_through(format);
        if learned.labels != Some(labels) {
            learned.labels = Some(labels);
            let memory = &self.around.connections.encdns;
            memory.came_through(&self.around.network, &self.way.first_hop_place, labels);
        }
    }

    /// `may_be_the_name_s`: nothing is said against the path.
    fn failed(&self, failure: &Failure, may_be_the_name_s: bool, began: u64) {
        let mut learned = self.learned();
        learned.tally.failed(failure);
        let cuts_off = match failure {
            Failure::NotCarried(_) | Failure::TimedOut => !may_be_the_name_s || !self.has_first_hop,
            Failure::Dial(_) | Failure::Dead => true,
            _ => false,
        };
        if cuts_off {
            learned.cut_off(began);
            drop(learned);
            self.around.holding.path_changed();
        }
    }

    fn look(self: &Arc<Self>) {
        if std::mem::replace(&mut self.learned().looking, true) {
            return;
        }
        let own = self.clone();
        tokio::spawn(async move {
            if own.exchange(Arc::new(ours()), Instant::now() + DEADLINE).await.is_err() {
                own.look_for_less().await;
            }
            own.learned().looking = false;
            own.around.holding.path_changed();
        });
    }

    /// Where a server answers none of the boxes that it knew: whether it answers published ones. They hold no name of anybody.
    async fn look_for_less(&self) {
        if !self.knew_the_extended_format() {
            return;
        }
        let deadline = Instant::now() + DEADLINE;
        if self.ask_in([Format::Published; 3], &Arc::new(ours()), deadline).await.is_ok() {
            let less = "boxes come through, and none of the format that hides lengths, which the server knew before: somebody on the way \
                        drops them, or it has older software; \"sotto upstream forget\" accepts that";
            self.learned().tally.failed(&Failure::NotCarried(less.into()));
        }
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().expect("nothing panics while holding what was learned")
    }
}

/// Silence about one box does not hide what was said of another.
fn graver(last: Failure, next: Failure) -> Failure {
    if matches!(last, Failure::NotCarried(_)) { last } else { next }
}

impl Exchange for EncDns {
    fn exchange(&self, query: Arc<Outgoing>, deadline: Instant) -> BoxFuture<'_, Result<Exchanged, Failure>> {
        Box::pin(self.0.exchange(query, deadline))
    }

    fn is_failing(&self) -> bool {
        self.0.learned().backoff.is_failing()
    }

    fn lost_route(&self) -> Option<Instant> {
        self.0.way.first_hop.lost_route()
    }

    fn failed_since(&self, interruption: u64) -> bool {
        self.0.learned().failed_since(interruption)
    }

    fn round_trip(&self) -> Option<Duration> {
        self.0.way.first_hop.round_trip()
    }

    fn is_connected(&self) -> bool {
        self.0.way.first_hop.is_connected()
    }

    fn nudge(&self) {
        let learned = self.0.learned();
        let (is_reached, is_resting) = (learned.is_reached(), learned.resting().is_some());
        drop(learned);
        match is_reached {
            true => self.0.way.first_hop.nudge(),
            false if is_resting => {}
            false => self.0.look(),
        }
    }

    fn retire(&self) {
        self.0.way.forget_pair();
        self.0.way.first_hop.retire();
    }

    /// Nobody at the server is to connect queries of one network with those of another.
    fn abandon(&self, network_change: u64) {
        self.0.way.forget_pair();
        self.0.learned().forget();
        self.0.way.first_hop.abandon(network_change);
    }

    fn lose(&self, address: IpAddr, network_change: u64) {
        self.0.way.forget_pair();
        self.0.way.first_hop.lose(address, network_change);
    }

    fn try_again(&self) {
        self.0.way.first_hop.try_again();
        let mut learned = self.0.learned();
        if learned.backoff.is_cut_off() {
            learned.backoff.died();
            drop(learned);
            self.0.look();
        }
    }

    fn condition(&self) -> Condition {
        let of_hop = self.0.way.first_hop.condition();
        let learned = self.0.learned();
        let state = learned.state(of_hop.state);
        let own = learned.tally.condition(state);
        Condition {
            path: learned.is_reached().then_some(TransportKind::EncDns),
            tls: None,
            last_error: own.last_error.clone(),
            lengths_shown: learned.lengths_shown,
            resting_ms: learned.resting().map_or(0, |left| left.as_millis() as u64),
            in_flight: self.0.in_flight.load(Ordering::Relaxed),
            strays: of_hop.strays + self.0.way.strays(),
            answered: own.answered,
            failed: own.failed,
            rtt_ms: own.rtt_ms,
            state,
            ..of_hop
        }
    }
}

impl Drop for EncDns {
    fn drop(&mut self) {
        self.0.way.first_hop.retire();
    }
}
