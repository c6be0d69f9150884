//! EncDNS as an upstream's transport (docs/design/encdns.md): each query is put into a box, and the box into a name below the server's
//! zone, which any resolver carries there. That resolver, the first hop, learns no name, so that a query to it needs no lease.
//!
//! A resolver that changes letters or octets of names is met with base32 labels. Which labels come through a first hop is remembered; until
//! one did, binary ones are tried first, as published servers know no others.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use sotto_encdns::PublicKey;
use sotto_encdns::client::{Client, KeyUse, Sealed, Unsealed};
use sotto_encdns::name::{Labels, most_text};
use sotto_encdns::nonces::Tail;
use tokio::time::{Instant, timeout_at};

use crate::config::{ConfigError, EncDnsConfig, Keys, UpstreamConfig};
use crate::describe::rcode_name;
use crate::outcome::TransportKind;
use crate::response::Response;
use crate::upstream::backoff::Backoff;
use crate::upstream::condition::{Condition, State, Tally};
use crate::upstream::exchange::{Exchange, Exchanged};
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::{DEADLINE, Hop, Outgoing};
use crate::upstream::running::{BoxFuture, Running};
use crate::upstream::transport::surroundings::Surroundings;
use crate::wire::header;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::record::{Record, Records, Section};
use crate::wire::types;

/// While no labels are known to come through, the other ones leave after this silence.
const NEXT_LABELS: Duration = Duration::from_millis(800);

struct EncDns(Arc<Inner>);

struct Inner {
    client: Client,
    first_hop: Box<dyn Exchange>,
    /// for errors, and as what its labels are remembered
    first_hop_place: String,
    /// false: the network has named no resolver
    has_first_hop: bool,
    around: Surroundings,
    in_flight: AtomicUsize,
    /// responses that were not to what was asked
    strays: AtomicU64,
    learned: Mutex<Learned>,
}

#[derive(Default)]
struct Learned {
    /// those that came through on this network
    labels: Option<Labels>,
    backoff: Backoff,
    tally: Tally,
    looking: bool,
    /// the interruption after which the last vain try began
    failed_since: Option<u64>,
}

/// One way to send a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Manner {
    labels: Labels,
    tail: Tail,
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
        client: Client::new(key, zone.0.as_wire().to_vec(), key_use),
        first_hop,
        first_hop_place,
        has_first_hop: !addresses.is_empty(),
        around: around.clone(),
        in_flight: AtomicUsize::new(0),
        strays: AtomicU64::new(0),
        learned: Mutex::new(Learned { labels, ..Learned::default() }),
    }))))
}

impl Inner {
    async fn exchange(
        self: &Arc<Self>,
        query: Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        if let Some(resting) = self.resting() {
            return Err(resting);
        }
        let began = self.around.connections.network_changes.interruption().number;
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let result = self.ask(&query, deadline).await;
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        match &result {
            Ok(exchanged) => {
                let mut learned = self.learned();
                learned.backoff.succeeded();
                learned.tally.answered(exchanged.wait);
                learned.tally.spent.asked(exchanged.cost);
            }
            Err(failure) => self.failed(failure, query.by_program, began),
        }
        let is_cut_off = self.learned().backoff.is_cut_off();
        result.map_err(|failure| match failure {
            Failure::TimedOut if is_cut_off => Failure::Dead,
            failure => failure,
        })
    }

    /// Sends it in one manner after the other, until what the server sealed comes back.
    async fn ask(&self, query: &Arc<Outgoing>, deadline: Instant) -> Result<Exchanged, Failure> {
        if !self.has_first_hop {
            return Err(Failure::NotCarried(
                "this network has named no resolver to carry its queries".into(),
            ));
        }
        let known = self.learned().labels;
        let mut waiting = manners(known);
        let mut running = Running::default();
        let (mut last, mut is_too_long) = (Failure::TimedOut, false);
        while Instant::now() < deadline {
            match waiting.pop_front() {
                Some(manner) => match self.seal(query, manner) {
                    Ok(sealed) => running.start(manner, Box::pin(self.carry(query, sealed, deadline))),
                    Err(failure) => {
                        is_too_long |= failure == Failure::DoesNotFit;
                        continue;
                    }
                },
                None if running.is_empty() => break,
                None => {}
            }
            let patience = (known.is_none() && !waiting.is_empty()).then(|| Instant::now() + NEXT_LABELS);
            let ended = match patience {
                Some(until) => timeout_at(until.min(deadline), running.next()).await.ok(),
                None => Some(running.next().await),
            };
            match ended {
                Some((Manner { labels, .. }, Ok(exchanged))) => {
                    self.came_through(labels);
                    return Ok(exchanged);
                }
                Some((_, Err(failure @ Failure::NotCarried(_)))) => last = failure,
                // another nonce, or other labels, would not help
                Some((_, Err(failure))) if running.is_empty() && known.is_some() => return Err(failure),
                Some((_, Err(failure))) => last = graver(last, failure),
                None => {}
            }
        }
        // with other labels it might have come through: nothing is known against the first hop
        Err(if is_too_long { Failure::DoesNotFit } else { last })
    }

    /// With an OPT where there is room for one; without, unless the client wants DNSSEC data.
    fn seal(&self, query: &Outgoing, Manner { labels, tail }: Manner) -> Result<Sealed, Failure> {
        let most = most_text(self.client.zone_length(), labels).unwrap_or(0);
        let id = rand::random();
        let mut text = query.message(id, Hop::Box);
        if text.len() > most && !query.wants_dnssec() {
            text = query.bare(id);
        }
        let sealed = self.client.seal(&text, labels, tail, std::time::Instant::now());
        sealed.map_err(|unsealed| match unsealed {
            Unsealed::TooLong => Failure::DoesNotFit,
            Unsealed::NoRandomness => Failure::NotCarried("the system gave no random octets".into()),
        })
    }

    async fn carry(
        &self,
        query: &Arc<Outgoing>,
        sealed: Sealed,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        let (name, _) = Name::read(&sealed.name, 0).map_err(|_| Failure::DoesNotFit)?;
        let question = Question { name, kind: types::TXT, class: types::IN };
        let rest = [types::TXT.to_be_bytes(), types::IN.to_be_bytes()].concat();
        let mut boxed = Outgoing::new(question, &[&sealed.name[..], &rest].concat(), false, false);
        boxed.by_program = query.by_program;
        let boxed = Arc::new(boxed);
        let carried = self.first_hop.exchange(boxed.clone(), deadline).await;
        let traffic = boxed.traffic();
        query.leaves(traffic.sent as usize);
        query.is_answered(traffic.received as usize);
        let carried = carried?;
        let text = self.open(&sealed, &carried.response)?;
        let (response, _) = Response::read(text, &query.question)?;
        Ok(Exchanged { response, transport: TransportKind::EncDns, ..carried })
    }

    fn open(&self, sealed: &Sealed, carried: &Response) -> Result<Vec<u8>, Failure> {
        let texts = Records::of(&carried.message).into_iter().flatten().filter_map(Result::ok);
        let texts: Vec<Record> =
            texts.filter(|record| (record.section, record.kind) == (Section::Answer, types::TXT)).collect();
        if texts.is_empty() {
            return Err(self.not_carried(carried));
        }
        for record in texts {
            match sealed.open(&carried.message[record.data]) {
                Ok(text) => return Ok(text),
                Err(_) => self.strays.fetch_add(1, Ordering::Relaxed),
            };
        }
        Err(Failure::NotCarried(format!(
            "{} responded with what the server did not seal",
            self.first_hop_place
        )))
    }

    fn not_carried(&self, response: &Response) -> Failure {
        let said = match response.rcode() {
            header::rcode::NOERROR if response.truncated() => "with a truncated message".to_owned(),
            header::rcode::NOERROR => "that there is no such record".to_owned(),
            code => rcode_name(code).to_string(),
        };
        Failure::NotCarried(format!("{} responded {said} instead of a boxed response", self.first_hop_place))
    }

    fn came_through(&self, labels: Labels) {
        let mut learned = self.learned();
        if learned.labels != Some(labels) {
            learned.labels = Some(labels);
            let memory = &self.around.connections.encdns;
            memory.came_through(&self.around.network, &self.first_hop_place, labels);
        }
    }

    /// A query that ran out of time may have met a slow server behind the EncDNS server: a query of ours then shows whether there is a
    /// path.
    fn failed(self: &Arc<Self>, failure: &Failure, by_program: bool, began: u64) {
        let mut learned = self.learned();
        learned.tally.failed(failure);
        match failure {
            Failure::DoesNotFit | Failure::BadResponse(_) => {}
            Failure::TimedOut if by_program && !learned.backoff.is_cut_off() => {
                drop(learned);
                self.look();
            }
            _ => {
                learned.backoff.failed(false);
                learned.failed_since = Some(began);
                drop(learned);
                (self.around.on_change)();
            }
        }
    }

    /// Asks for the name servers of the root, which says nothing about anyone.
    fn look(self: &Arc<Self>) {
        if std::mem::replace(&mut self.learned().looking, true) {
            return;
        }
        let own = self.clone();
        tokio::spawn(async move {
            let query = Outgoing::of(Question { name: Name::ROOT, kind: types::NS, class: types::IN });
            let _ = own.exchange(Arc::new(query), Instant::now() + DEADLINE).await;
            own.learned().looking = false;
            (own.around.on_change)();
        });
    }

    /// Cut off, and not yet time to try again.
    fn resting(&self) -> Option<Failure> {
        let learned = self.learned();
        let left = learned.backoff.resting().filter(|_| learned.backoff.is_cut_off())?;
        Some(Failure::resting(left, learned.tally.last_error.as_ref()))
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().expect("nothing panics while holding what was learned")
    }
}

/// Silence about one box does not hide what was said of another.
fn graver(last: Failure, next: Failure) -> Failure {
    if matches!(last, Failure::NotCarried(_)) { last } else { next }
}

/// What is tried, in this order. A fresh box also meets a resolver that remembers that it found nothing.
fn manners(known: Option<Labels>) -> VecDeque<Manner> {
    let of = |labels| Manner { labels, tail: Tail::Random };
    match known {
        None => {
            [Manner { labels: Labels::Binary, tail: Tail::Telling }, of(Labels::Base32), of(Labels::Base32)]
        }
        Some(Labels::Binary) => [of(Labels::Binary), of(Labels::Binary), of(Labels::Base32)],
        Some(Labels::Base32) => [of(Labels::Base32), of(Labels::Base32), of(Labels::Binary)],
    }
    .into()
}

impl Exchange for EncDns {
    fn exchange(&self, query: Arc<Outgoing>, deadline: Instant) -> BoxFuture<'_, Result<Exchanged, Failure>> {
        Box::pin(self.0.exchange(query, deadline))
    }

    fn is_failing(&self) -> bool {
        self.0.learned().backoff.is_failing()
    }

    fn lost_route(&self) -> Option<Instant> {
        self.0.first_hop.lost_route()
    }

    fn failed_since(&self, interruption: u64) -> bool {
        let learned = self.0.learned();
        learned.backoff.is_cut_off() && learned.failed_since.is_some_and(|since| since >= interruption)
    }

    fn round_trip(&self) -> Option<Duration> {
        self.0.first_hop.round_trip()
    }

    fn is_connected(&self) -> bool {
        self.0.first_hop.is_connected()
    }

    fn nudge(&self) {
        let learned = self.0.learned();
        let is_open = learned.labels.is_some() && !learned.backoff.is_failing();
        let is_resting = learned.backoff.resting().is_some();
        drop(learned);
        match is_open {
            true => self.0.first_hop.nudge(),
            false if is_resting => {}
            false => self.0.look(),
        }
    }

    fn retire(&self) {
        self.0.client.forget_pair();
        self.0.first_hop.retire();
    }

    /// Nobody at the server is to connect queries of one network with those of another.
    fn abandon(&self, network_change: u64) {
        self.0.client.forget_pair();
        let mut learned = self.0.learned();
        (learned.labels, learned.failed_since) = (None, None);
        learned.backoff.succeeded();
        learned.tally.last_error = None;
        drop(learned);
        self.0.first_hop.abandon(network_change);
    }

    fn lose(&self, address: IpAddr, network_change: u64) {
        self.0.client.forget_pair();
        self.0.first_hop.lose(address, network_change);
    }

    fn try_again(&self) {
        self.0.first_hop.try_again();
        let mut learned = self.0.learned();
        if learned.backoff.is_cut_off() {
            learned.backoff.died();
            drop(learned);
            self.0.look();
        }
    }

    fn condition(&self) -> Condition {
        let of_hop = self.0.first_hop.condition();
        let learned = self.0.learned();
        let resting = learned.backoff.resting().filter(|_| learned.backoff.is_cut_off());
        let is_reached = learned.labels.is_some() && !learned.backoff.is_failing();
        let state = match (resting, is_reached) {
            (Some(_), _) => State::Resting,
            (None, true) => of_hop.state,
            (None, false) if learned.looking => State::Dialing,
            (None, false) => State::Idle,
        };
        let own = learned.tally.condition(state);
        Condition {
            path: is_reached.then_some(TransportKind::EncDns),
            tls: None,
            last_error: own.last_error.clone(),
            resting_ms: resting.map_or(0, |left| left.as_millis() as u64),
            in_flight: self.0.in_flight.load(Ordering::Relaxed),
            strays: of_hop.strays + self.0.strays.load(Ordering::Relaxed),
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
        self.0.first_hop.retire();
    }
}
