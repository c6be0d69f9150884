//! The condition of an upstream's exchange, as `status()` shows it, and the counts behind it.

use crate::upstream::connection::carried::Octets;
use std::time::Duration;

use serde::Serialize;

use crate::outcome::{Cost, TransportKind};
use crate::upstream::dial::protection::TlsFacts;
use crate::upstream::failure::dial_error::Gravity;
use crate::upstream::failure::{Failure, LastError};
use crate::words::words;

/// The condition of an upstream's exchange at this moment.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    pub state: State,
    /// in use, or used last; null where there was none
    #[cfg_attr(test, ts(type = "UpstreamTransport | null"))]
    pub path: Option<TransportKind>,
    /// in use, or used last
    pub address: Option<String>,
    /// of the connection; while idle or dialing, what was agreed on the last one
    pub tls: Option<TlsFacts>,
    pub last_error: Option<LastError>,
    pub resting_ms: u64,
    pub in_flight: usize,
    pub answered: u64,
    pub failed: u64,
    pub dials: u64,
    pub resumptions: u64,
    /// messages that were no response to a query of ours: another id, question, address or cookie
    pub strays: u64,
    /// EncDNS: the server did not say whether it can hide the lengths of queries, so whoever carries the boxes sees them
    pub lengths_shown: bool,
    /// how its connections are kept warm; null where there are none to keep
    pub warmth: Option<Warmth>,
    /// null where there are no connections
    pub cost: Option<Spending>,
    /// smoothed time from query to response; null before the first
    pub rtt_ms: Option<f64>,
    pub handshake_ms: Option<f64>,
}

words!(
    #[cfg_attr(test, ts(rename = "UpstreamState"))]
    State {
        Idle = "idle",
        Dialing = "dialing",
        Ready = "ready",
        Draining = "draining",
        /// backing off after failures
        Resting = "resting",
    }
);

/// What its queries and connections have cost since the beginning.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Spending {
    /// answered queries that found the connection open
    pub reused: u64,
    /// answered queries that opened one with a ticket
    pub resumed: u64,
    /// answered queries that opened one without
    pub cold: u64,
    /// answered queries that waited for one that was being opened
    pub queued: u64,
    /// connections that were opened, needed or ahead of need
    pub handshakes: u32,
    /// the mean of their times; that of the last one is in `tls`
    pub handshake_mean_ms: Option<f64>,
    pub octets: Octets,
}

#[derive(Debug, Default, Clone)]
pub struct Spent {
    queries: [u64; Cost::COUNT],
    handshakes: u32,
    handshaking: Duration,
}

impl Spent {
    pub fn asked(&mut self, cost: Cost) {
        self.queries[cost as usize] += 1;
    }

    pub fn opened(&mut self, took: Duration) {
        self.handshakes += 1;
        self.handshaking += took;
    }

    pub fn told(&self, octets: Octets) -> Spending {
        let of = |cost: Cost| self.queries[cost as usize];
        let mean = (self.handshakes > 0).then(|| self.handshaking / self.handshakes);
        Spending {
            reused: of(Cost::Reused),
            resumed: of(Cost::Resumed),
            cold: of(Cost::Cold),
            queued: of(Cost::Queued),
            handshakes: self.handshakes,
            handshake_mean_ms: mean.map(|mean| mean.as_secs_f64() * 1e3),
            octets,
        }
    }
}

/// Counts that outlive connections.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub answered: u64,
    pub failed: u64,
    pub dials: u64,
    pub resumptions: u64,
    pub rtt: Option<Duration>,
    pub handshake: Option<Duration>,
    pub spent: Spent,
    pub last_error: Option<LastError>,
}

impl Tally {
    /// Each new sample counts for an eighth, as in RFC 6298.
    pub fn answered(&mut self, wait: Duration) {
        self.answered += 1;
        self.last_error = None;
        self.rtt = Some(self.rtt.map_or(wait, |rtt| (rtt * 7 + wait) / 8));
    }

    pub fn failed(&mut self, failure: &Failure) {
        self.failed += 1;
        let hides = |last: &LastError| match failure {
            // a query that did not wait for the dial learned nothing about the server
            Failure::StillConnecting => last.gravity == Gravity::Impostor,
            // a query of before heard nothing, and a look has found why
            Failure::Dead => last.code == "encdns-not-carried",
            _ => false,
        };
        let is_news = !matches!(failure, Failure::Resting { .. });
        if is_news && !self.last_error.as_ref().is_some_and(hides) {
            self.last_error = Some(LastError::of(failure));
        }
    }

    pub fn condition(&self, state: State) -> Condition {
        let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
        Condition {
            state,
            path: None,
            address: None,
            tls: None,
            last_error: self.last_error.clone(),
            resting_ms: 0,
            lengths_shown: false,
            in_flight: 0,
            answered: self.answered,
            failed: self.failed,
            dials: self.dials,
            resumptions: self.resumptions,
            strays: 0,
            warmth: None,
            cost: None,
            rtt_ms: self.rtt.map(ms),
            handshake_ms: self.handshake.map(ms),
        }
    }
}

/// How a connection is kept warm, as `status()` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Warmth {
    /// null: it never said, and never closed
    pub idle_limit_ms: Option<u64>,
    pub idle_limit_by: Option<LimitBy>,
    /// in the last hour, before a query needed them
    pub dials: usize,
    /// how many an hour may have
    pub budget: u32,
    /// why none is opened now
    pub rests: Option<Rest>,
}

words!(
    /// How the idle limit is known: the server told it, or it closed connections that were idle for so long.
    LimitBy { Told = "told", Observed = "observed" }
);

words!(
    /// Why no connection is opened before it is needed.
    Rest {
        /// by the settings
        Off = "off",
        /// the machine runs on its battery
        Battery = "battery",
        /// no query came for a while
        Idle = "idle",
        /// the upstream keeps no idle connections
        Unwanted = "unwanted",
        /// an hour's budget is used up
        Budget = "budget",
    }
);

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::upstream::connection::carried::Carried;
    use crate::upstream::failure::dial_error::{DialError, DialReason};
    use crate::upstream::failure::trust_error::TrustError;

    #[test]
    fn an_impostor_is_not_hidden_by_those_who_did_not_wait() {
        let mut tally = Tally::default();
        let at = SocketAddr::from(([192, 0, 2, 1], 853));
        let dialled = |reason| Failure::from(DialError::new(at, reason));
        let mut code_after = |failure: Failure| {
            tally.failed(&failure);
            tally.last_error.as_ref().unwrap().code
        };
        assert_eq!(code_after(Failure::StillConnecting), "still-connecting");
        assert_eq!(code_after(dialled(TrustError::Issuer("unknown".into()).into())), "certificate-issuer");
        assert_eq!(code_after(Failure::StillConnecting), "certificate-issuer");
        assert_eq!(code_after(Failure::resting(Duration::ZERO, None)), "certificate-issuer");
        // the next dial found that the impostor is gone
        assert_eq!(code_after(dialled(DialReason::Silent("TCP"))), "no-response");
        assert_eq!(code_after(Failure::StillConnecting), "still-connecting");
    }

    #[test]
    fn silence_does_not_hide_why_boxes_do_not_come_through() {
        let mut tally = Tally::default();
        tally.failed(&Failure::NotCarried("somebody drops them".into()));
        tally.failed(&Failure::Dead);
        assert_eq!(tally.last_error.as_ref().unwrap().code, "encdns-not-carried");
        tally.answered(Duration::ZERO);
        tally.failed(&Failure::Dead);
        assert_eq!(tally.last_error.unwrap().code, "dead");
    }

    #[test]
    fn each_cost_is_counted_as_what_it_is() {
        let mut spent = Spent::default();
        assert_eq!(spent.told(Carried::default().octets()).handshake_mean_ms, None);
        for (cost, times) in [(Cost::Reused, 4), (Cost::Resumed, 3), (Cost::Cold, 2), (Cost::Queued, 1)] {
            (0..times).for_each(|_| spent.asked(cost));
        }
        [10, 30].into_iter().for_each(|ms| spent.opened(Duration::from_millis(ms)));
        let Spending { reused, resumed, cold, queued, handshakes, handshake_mean_ms, .. } =
            spent.told(Carried::default().octets());
        assert_eq!((reused, resumed, cold, queued), (4, 3, 2, 1));
        assert_eq!((handshakes, handshake_mean_ms), (2, Some(20.0)));
    }
}
