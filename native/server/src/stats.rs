//! What happened since the start, counted.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustls::HandshakeKind;
use serde::Serialize;

use crate::tls_failure::TlsFailure;
use crate::transport::Transport;

#[derive(Debug, Default)]
pub struct Stats {
    connections: AtomicU64,
    turned_away: AtomicU64,
    too_many_new: AtomicU64,
    not_accepted: AtomicU64,
    datagrams_dropped: AtomicU64,
    strangers_unanswered: AtomicU64,
    sent_away: AtomicU64,
    memory_wanted: AtomicU64,
    proxied: AtomicU64,
    wrong_proxy_headers: AtomicU64,
    slow_readers_cut: AtomicU64,
    handshakes_full: AtomicU64,
    handshakes_resumed: AtomicU64,
    handshakes_early: AtomicU64,
    handshakes_failed: AtomicU64,
    tls_timed_out: AtomicU64,
    tls_gone: AtomicU64,
    tls_not_tls: AtomicU64,
    tls_nothing_in_common: AtomicU64,
    tls_refused: AtomicU64,
    tls_other: AtomicU64,
    queries_udp: AtomicU64,
    queries_tcp: AtomicU64,
    queries_tls: AtomicU64,
    starttls_accepted: AtomicU64,
    starttls_declined: AtomicU64,
    starttls_injected: AtomicU64,
    boxed_answered: AtomicU64,
    boxed_copies: AtomicU64,
    boxed_not_opened: AtomicU64,
    boxed_over_client_limit: AtomicU64,
    boxed_over_resolver_limit: AtomicU64,
    boxed_for_older_keys: AtomicU64,
    boxed_shared_keys: AtomicU64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    pub connections: u64,
    /// For want of a place.
    pub turned_away: u64,
    /// New ones of a network that had opened too many.
    pub too_many_new: u64,
    /// Times that the system had no descriptor, or no memory, for one more.
    pub not_accepted: u64,
    /// Idle ones, because others wanted their places.
    pub sent_away: u64,
    /// Those that held most, because all together held too much.
    pub memory_wanted: u64,
    /// Balancers said whose they are.
    pub proxied: u64,
    /// Reset, because a balancer's connection began with something else.
    pub wrong_proxy_headers: u64,
    pub slow_readers_cut: u64,
    pub handshakes: Handshakes,
    pub handshake_failures: TlsFailures,
    pub queries: Queries,
    pub starttls: Starttls,
    pub encdns: Boxed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Handshakes {
    pub full: u64,
    pub resumed: u64,
    /// Among the resumed ones: those with queries in the first flight.
    pub early: u64,
    pub failed: u64,
}

/// Failed handshakes by their reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TlsFailures {
    pub timed_out: u64,
    /// The client went away.
    pub gone: u64,
    pub not_tls: u64,
    /// No version, suite, group or protocol that both know.
    pub nothing_in_common: u64,
    /// The client sent an alert: mostly, it does not trust the certificate.
    pub refused: u64,
    pub other: u64,
}

impl Sub for TlsFailures {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        TlsFailures {
            timed_out: self.timed_out - before.timed_out,
            gone: self.gone - before.gone,
            not_tls: self.not_tls - before.not_tls,
            nothing_in_common: self.nothing_in_common - before.nothing_in_common,
            refused: self.refused - before.refused,
            other: self.other - before.other,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Queries {
    pub udp: u64,
    /// Of those: whose sender may be forged, and whose neighbourhood had got as many responses as it may.
    pub unanswered: u64,
    /// Of those: dropped, because too many others waited.
    pub dropped: u64,
    pub tcp: u64,
    pub tls: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Starttls {
    pub accepted: u64,
    pub declined: u64,
    /// Connections closed because octets were pipelined behind the STARTTLS query.
    pub injected: u64,
}

/// Boxed queries by what became of them: each is in one of the first five, unless it was answered with TC at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Boxed {
    pub answered: u64,
    /// They got a reply that was kept.
    pub copies: u64,
    pub not_opened: u64,
    pub over_client_limit: u64,
    pub over_resolver_limit: u64,
    /// Boxes that an older key opened: while there are some, it is not to be removed.
    pub for_older_keys: u64,
    /// Computed for a client that was not known, or no longer.
    pub shared_keys: u64,
}

impl Stats {
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            connections: self.connections.load(Relaxed),
            turned_away: self.turned_away.load(Relaxed),
            too_many_new: self.too_many_new.load(Relaxed),
            not_accepted: self.not_accepted.load(Relaxed),
            sent_away: self.sent_away.load(Relaxed),
            memory_wanted: self.memory_wanted.load(Relaxed),
            proxied: self.proxied.load(Relaxed),
            wrong_proxy_headers: self.wrong_proxy_headers.load(Relaxed),
            slow_readers_cut: self.slow_readers_cut.load(Relaxed),
            handshakes: Handshakes {
                full: self.handshakes_full.load(Relaxed),
                resumed: self.handshakes_resumed.load(Relaxed),
                early: self.handshakes_early.load(Relaxed),
                failed: self.handshakes_failed.load(Relaxed),
            },
            handshake_failures: TlsFailures {
                timed_out: self.tls_timed_out.load(Relaxed),
                gone: self.tls_gone.load(Relaxed),
                not_tls: self.tls_not_tls.load(Relaxed),
                nothing_in_common: self.tls_nothing_in_common.load(Relaxed),
                refused: self.tls_refused.load(Relaxed),
                other: self.tls_other.load(Relaxed),
            },
            queries: Queries {
                udp: self.queries_udp.load(Relaxed),
                unanswered: self.strangers_unanswered.load(Relaxed),
                dropped: self.datagrams_dropped.load(Relaxed),
                tcp: self.queries_tcp.load(Relaxed),
                tls: self.queries_tls.load(Relaxed),
            },
            starttls: Starttls {
                accepted: self.starttls_accepted.load(Relaxed),
                declined: self.starttls_declined.load(Relaxed),
                injected: self.starttls_injected.load(Relaxed),
            },
            encdns: Boxed {
                answered: self.boxed_answered.load(Relaxed),
                copies: self.boxed_copies.load(Relaxed),
                not_opened: self.boxed_not_opened.load(Relaxed),
                over_client_limit: self.boxed_over_client_limit.load(Relaxed),
                over_resolver_limit: self.boxed_over_resolver_limit.load(Relaxed),
                for_older_keys: self.boxed_for_older_keys.load(Relaxed),
                shared_keys: self.boxed_shared_keys.load(Relaxed),
            },
        }
    }

    pub fn query(&self, transport: Transport) {
        let counter = match transport {
            Transport::Udp => &self.queries_udp,
            Transport::Tcp { .. } => &self.queries_tcp,
            Transport::Tls { .. } => &self.queries_tls,
        };
        counter.fetch_add(1, Relaxed);
    }

    pub fn handshake(&self, kind: Option<HandshakeKind>) {
        let counter = match kind {
            Some(HandshakeKind::Resumed) => &self.handshakes_resumed,
            Some(_) => &self.handshakes_full,
            None => &self.handshakes_failed,
        };
        counter.fetch_add(1, Relaxed);
    }

    pub fn handshake_failed(&self, why: TlsFailure) {
        self.handshake(None);
        let counter = match why {
            TlsFailure::TimedOut => &self.tls_timed_out,
            TlsFailure::Gone => &self.tls_gone,
            TlsFailure::NotTls => &self.tls_not_tls,
            TlsFailure::NothingInCommon => &self.tls_nothing_in_common,
            TlsFailure::Refused => &self.tls_refused,
            TlsFailure::Other => &self.tls_other,
        };
        counter.fetch_add(1, Relaxed);
    }

    pub fn early(&self) {
        self.handshakes_early.fetch_add(1, Relaxed);
    }

    pub fn connection(&self) {
        self.connections.fetch_add(1, Relaxed);
    }

    /// One more connection came than there are places, and somebody made room for it, or nobody did.
    pub fn place_wanted(&self, was_made: bool) {
        let counter = if was_made { &self.sent_away } else { &self.turned_away };
        counter.fetch_add(1, Relaxed);
    }

    pub fn memory_wanted(&self) {
        self.memory_wanted.fetch_add(1, Relaxed);
    }

    pub fn too_many_new(&self) {
        self.too_many_new.fetch_add(1, Relaxed);
    }

    pub fn not_accepted(&self) {
        self.not_accepted.fetch_add(1, Relaxed);
    }

    pub fn datagram_dropped(&self) {
        self.datagrams_dropped.fetch_add(1, Relaxed);
    }

    pub fn stranger_unanswered(&self) {
        self.strangers_unanswered.fetch_add(1, Relaxed);
    }

    pub fn proxied(&self) {
        self.proxied.fetch_add(1, Relaxed);
    }

    pub fn wrong_proxy_header(&self) {
        self.wrong_proxy_headers.fetch_add(1, Relaxed);
    }

    pub fn slow_reader_cut(&self) {
        self.slow_readers_cut.fetch_add(1, Relaxed);
    }

    pub fn accepted(&self) {
        self.starttls_accepted.fetch_add(1, Relaxed);
    }

    pub fn declined(&self) {
        self.starttls_declined.fetch_add(1, Relaxed);
    }

    pub fn injected(&self) {
        self.starttls_injected.fetch_add(1, Relaxed);
    }

    pub fn boxed_answered(&self) {
        self.boxed_answered.fetch_add(1, Relaxed);
    }

    pub fn boxed_copy(&self) {
        self.boxed_copies.fetch_add(1, Relaxed);
    }

    pub fn boxed_not_opened(&self) {
        self.boxed_not_opened.fetch_add(1, Relaxed);
    }

    pub fn boxed_over_client_limit(&self) {
        self.boxed_over_client_limit.fetch_add(1, Relaxed);
    }

    pub fn boxed_over_resolver_limit(&self) {
        self.boxed_over_resolver_limit.fetch_add(1, Relaxed);
    }

    pub fn boxed_for_older_key(&self) {
        self.boxed_for_older_keys.fetch_add(1, Relaxed);
    }

    pub fn shared_key_computed(&self) {
        self.boxed_shared_keys.fetch_add(1, Relaxed);
    }
}
