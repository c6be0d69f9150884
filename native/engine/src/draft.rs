//! The event of a query while the query is being answered; it is closed into the final event.

use std::time::Duration;

use tokio::time::Instant;

use crate::attribution::Asker;
use crate::events::courier::Events;
use crate::events::event::{Event, Noted};
use crate::listen::presence::Presence;
use crate::listen::slots::Slot;
use crate::outcome::{ClearClass, ClientProtocol, Cost, Outcome, Stages, TransportKind};
use crate::query::{Client, Query};
use crate::resolution::Answered;
use crate::upstream::outgoing::Traffic;
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, Header};

pub struct Draft {
    pub client: Client,
    /// `None`: nobody has looked it up yet
    pub asker: Option<Asker>,
    pub cost: Cost,
    pub transport: TransportKind,
    pub clear: ClearClass,
    pub stages: Stages,
    pub round_trips: u8,
    /// what the connection that carried it took to open; zero where it was open
    pub handshake: Duration,
    /// its messages to upstreams; empty where it shared another query's
    pub traffic: Traffic,
    /// id of the upstream, or address of the plain resolver
    pub upstream: &'static str,
    /// what decided: a bypass suffix or a special-use name
    pub rule: &'static str,
    /// its place among the queries that wait for the network; what it sends holds the same
    pub slot: Option<Slot>,
    /// absent where nobody sees the client go
    pub presence: Option<Presence>,
    length: usize,
    /// whether the times will be read by anyone
    watched: bool,
    mark: Instant,
}

impl Draft {
    pub fn open(client: Client, query: &Query, events: &Events) -> Self {
        Self {
            // a client of the control socket gets them whether or not there is a query log
            watched: client.protocol == ClientProtocol::Control || events.have_room(),
            client,
            asker: None,
            cost: Cost::None,
            transport: TransportKind::None,
            clear: ClearClass::None,
            stages: Stages::default(),
            round_trips: 0,
            handshake: Duration::ZERO,
            traffic: Traffic::default(),
            upstream: "",
            rule: "",
            slot: None,
            presence: None,
            length: query.length,
            mark: client.arrived,
        }
    }

    pub fn is_watched(&self) -> bool {
        self.watched
    }

    pub fn policy_done(&mut self) {
        self.stages.policy = self.lap();
    }

    pub fn cache_done(&mut self) {
        self.stages.cache = self.lap();
    }

    /// Takes over what the upstream's response took; a follower keeps its own cost, `queued`.
    pub fn spent(&mut self, answered: &Answered) {
        self.upstream = answered.source.upstream;
        self.transport = answered.source.transport;
        if self.cost == Cost::None {
            self.cost = answered.cost;
        }
        self.connected(answered.connect);
        self.round_trips = answered.round_trips;
        self.handshake = answered.handshake;
    }

    pub fn close(
        mut self,
        events: &Events,
        query: &Query,
        outcome: Outcome,
        rcode: u16,
        error: Option<&ExtendedError>,
        octets: &[u8],
    ) -> Noted {
        self.stages.response = self.lap();
        if !self.watched {
            return Noted { outcome, event: None };
        }
        let event = Event {
            id: 0,
            at: self.client.arrived_at,
            question: query.question,
            outcome,
            cost: self.cost,
            transport: self.transport,
            clear: self.clear,
            rcode,
            extended_error: error.map(|error| error.code),
            total: self.mark - self.client.arrived,
            stages: self.stages,
            query_octets: self.length as u16,
            response_octets: octets.len() as u16,
            answers: Header::read(octets).map_or(0, |header| header.counts[1]),
            round_trips: self.round_trips,
            handshake: self.handshake,
            traffic: self.traffic,
            authentic: octets.get(3).is_some_and(|flags| flags & header::AD as u8 != 0),
            upstream: self.upstream,
            rule: self.rule,
            reason: error.map(|error| error.text.as_str().into()),
            client: self.client,
            asker: self.asker,
        };
        Noted { outcome, event: Some(events.boxed(event)) }
    }

    /// The network was waited for until now.
    pub fn waited(&mut self) {
        let waited = self.lap();
        self.stages.wait += waited;
    }

    /// This part of the waiting was for a connection. A query that came later waited for the rest of it.
    pub fn connected(&mut self, connect: Duration) {
        let connect = connect.min(self.stages.wait);
        self.stages.connect += connect;
        self.stages.wait -= connect;
    }

    /// When the time was last read.
    pub fn mark(&self) -> Instant {
        self.mark
    }

    fn lap(&mut self) -> Duration {
        if !self.watched {
            return Duration::ZERO;
        }
        let now = Instant::now();
        now - std::mem::replace(&mut self.mark, now)
    }
}
