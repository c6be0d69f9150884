//! What happened and what is, as OpenMetrics 1.0 or in the older text format of Prometheus. No client's address is in it, and no name.

use std::fmt::{Display, Write};

use super::tap::TapSnapshot;
use crate::behind::figures::{BOUNDS, ResolverSnapshot, ServerSnapshot};
use crate::stats::Snapshot;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Counters have "_total" in their samples alone, units are told, and the end is marked.
    OpenMetrics,
    Prometheus,
}

impl Format {
    pub fn content_type(self) -> &'static str {
        match self {
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// Everything that is told.
pub struct Figures {
    pub stats: Snapshot,
    pub open: usize,
    pub places: usize,
    /// Octets of what is not through: held, and allowed.
    pub memory: (usize, usize),
    pub is_draining: bool,
    /// Seconds since the epoch.
    pub started: f64,
    /// When the first of the certificates expires, likewise.
    pub expires: Option<i64>,
    /// Where servers behind answer.
    pub resolver: Option<ResolverSnapshot>,
    /// Where a dnstap reader is to be supplied.
    pub tap: Option<TapSnapshot>,
    pub has_encdns: bool,
}

pub fn write(figures: &Figures, format: Format) -> String {
    let mut page = Page { out: String::with_capacity(8192), format };
    page.process(figures);
    page.connections(figures);
    page.queries(&figures.stats);
    if let Some(resolver) = &figures.resolver {
        page.resolver(resolver);
    }
    if let Some(tap) = &figures.tap {
        page.count("sotto_server_dnstap_exchanges", "Exchanges that the dnstap reader got.", tap.sent);
        page.count("sotto_server_dnstap_lost_exchanges", "Exchanges that no reader got.", tap.lost);
    }
    if figures.has_encdns {
        page.encdns(&figures.stats);
    }
    if format == Format::OpenMetrics {
        page.out += "# EOF\n";
    }
    page.out
}

struct Page {
    out: String,
    format: Format,
}

type Sample<'a> = (&'a str, u64);

impl Page {
    fn process(&mut self, figures: &Figures) {
        const BUILD: &str = "sotto_server_build";
        let version = env!("CARGO_PKG_VERSION");
        self.head(
            BUILD,
            if self.format == Format::OpenMetrics { "info" } else { "gauge" },
            "_info",
            "The program that runs.",
        );
        let _ = writeln!(self.out, "{BUILD}_info{{version=\"{version}\"}} 1");
        self.gauge(
            "sotto_server_start_time_seconds",
            "When it started, in seconds since the epoch.",
            figures.started,
        );
        let draining = u8::from(figures.is_draining);
        self.gauge("sotto_server_draining", "1 while it ends: /health responds with 503.", draining);
        if let Some(expires) = figures.expires {
            let help = "When the first of the certificates expires, in seconds since the epoch.";
            self.gauge("sotto_server_certificate_not_after_timestamp_seconds", help, expires);
        }
    }

    fn connections(&mut self, Figures { stats, open, places, memory, .. }: &Figures) {
        self.gauge("sotto_server_open_connections", "Connections that have a place.", open);
        self.gauge("sotto_server_places", "Connections that may be open.", places);
        let help = "Octets that connections hold for handshakes and messages that are not through.";
        self.gauge("sotto_server_held_bytes", help, memory.0);
        self.gauge("sotto_server_held_bytes_limit", "Octets that they may hold.", memory.1);
        self.count("sotto_server_connections", "Connections that got a place.", stats.connections);
        let refused = [
            ("no_place", stats.turned_away),
            ("too_many_new", stats.too_many_new),
            ("no_descriptor", stats.not_accepted),
            ("wrong_proxy_header", stats.wrong_proxy_headers),
        ];
        self.counts("sotto_server_refused_connections", "Connections that got none.", ("reason", &refused));
        self.count("sotto_server_proxied_connections", "Connections that a balancer named.", stats.proxied);
        let ended = [
            ("place_wanted", stats.sent_away),
            ("memory_wanted", stats.memory_wanted),
            ("slow_reader", stats.slow_readers_cut),
        ];
        self.counts(
            "sotto_server_ended_connections",
            "Connections ended for the sake of others.",
            ("reason", &ended),
        );
        let kinds = [
            ("full", stats.handshakes.full),
            ("resumed", stats.handshakes.resumed),
            ("failed", stats.handshakes.failed),
        ];
        self.counts("sotto_server_handshakes", "TLS handshakes.", ("kind", &kinds));
        let failures = stats.handshake_failures;
        let reasons = [
            ("timed_out", failures.timed_out),
            ("gone", failures.gone),
            ("not_tls", failures.not_tls),
            ("nothing_in_common", failures.nothing_in_common),
            ("refused", failures.refused),
            ("other", failures.other),
        ];
        self.counts("sotto_server_failed_handshakes", "Failed ones among them.", ("reason", &reasons));
        let help = "Resumed handshakes with queries in the first flight.";
        self.count("sotto_server_early_handshakes", help, stats.handshakes.early);
        let outcomes = [
            ("accepted", stats.starttls.accepted),
            ("declined", stats.starttls.declined),
            ("injected", stats.starttls.injected),
        ];
        self.counts("sotto_server_starttls", "Queries for STARTTLS.", ("outcome", &outcomes));
    }

    fn queries(&mut self, Snapshot { queries, .. }: &Snapshot) {
        let transports = [("udp", queries.udp), ("tcp", queries.tcp), ("tls", queries.tls)];
        self.counts("sotto_server_queries", "Messages that came as queries.", ("transport", &transports));
        let help = "Queries over UDP whose sender may be forged and whose neighbourhood got as many responses as it may.";
        self.count("sotto_server_unanswered_queries", help, queries.unanswered);
        let help = "Queries over UDP that were dropped, because too many others waited.";
        self.count("sotto_server_dropped_queries", help, queries.dropped);
    }

    fn resolver(&mut self, resolver: &ResolverSnapshot) {
        self.servers_behind(resolver);
        self.unsent(&resolver.servers);
        let help = "Queries that wait for a server behind.";
        self.gauge("sotto_server_resolver_queries_in_flight", help, resolver.in_flight);
        let help = "Queries to which no server behind gave a response that can be used.";
        self.count("sotto_server_resolver_failures", help, resolver.failed);
        const NAME: &str = "sotto_server_resolver_response_seconds";
        self.head(
            NAME,
            "histogram",
            "",
            "Time until the response of a server behind, with all that was sent again.",
        );
        let mut within = 0;
        let bounds = BOUNDS.iter().map(|bound| format!("{bound:?}")).chain(["+Inf".to_owned()]);
        for (bound, count) in bounds.zip(resolver.counts) {
            within += count;
            let _ = writeln!(self.out, "{NAME}_bucket{{le=\"{bound}\"}} {within}");
        }
        let _ = writeln!(self.out, "{NAME}_sum {}\n{NAME}_count {within}", resolver.seconds);
    }

    fn servers_behind(&mut self, ResolverSnapshot { servers, .. }: &ResolverSnapshot) {
        const UP: &str = "sotto_server_behind_up";
        self.head(UP, "gauge", "", "1 where a server behind responds, 0 while it rests because it did not.");
        for server in servers {
            let _ = writeln!(
                self.out,
                "{UP}{{server=\"{}\"}} {}",
                server.address,
                u8::from(server.down.is_none())
            );
        }
        const FAILURES: &str = "sotto_server_behind_failures";
        self.head(
            FAILURES,
            "counter",
            "_total",
            "Tries at which this server was asked and gave no response: a query may take several.",
        );
        for server in servers {
            let _ = writeln!(self.out, "{FAILURES}_total{{server=\"{}\"}} {}", server.address, server.failed);
        }
        const QUERIES: &str = "sotto_server_behind_queries";
        let help = "Messages that left for this server, by what protected them: a query may take several.";
        self.head(QUERIES, "counter", "_total", help);
        for server in servers {
            for (protection, count) in ["clear", "unauthenticated", "authenticated"].iter().zip(server.sent) {
                let labels = format!("server=\"{}\",protection=\"{protection}\"", server.address);
                let _ = writeln!(self.out, "{QUERIES}_total{{{labels}}} {count}");
            }
        }
    }

    /// That a server was not asked is no fault of its own.
    fn unsent(&mut self, servers: &[ServerSnapshot]) {
        const UNSENT: &str = "sotto_server_behind_unsent";
        let help = "Tries at which this server was not asked, for want of descriptors, ports or memory here, or of a turn in time.";
        self.head(UNSENT, "counter", "_total", help);
        for server in servers {
            for (reason, count) in ["no_room", "no_turn"].iter().zip(server.unsent) {
                let labels = format!("server=\"{}\",reason=\"{reason}\"", server.address);
                let _ = writeln!(self.out, "{UNSENT}_total{{{labels}}} {count}");
            }
        }
    }

    fn encdns(&mut self, Snapshot { encdns, .. }: &Snapshot) {
        let outcomes = [
            ("answered", encdns.answered),
            ("copy", encdns.copies),
            ("not_opened", encdns.not_opened),
            ("over_client_limit", encdns.over_client_limit),
            ("over_resolver_limit", encdns.over_resolver_limit),
        ];
        self.counts("sotto_server_boxed_queries", "Boxed queries of EncDNS.", ("outcome", &outcomes));
        let help = "Boxes that an older key opened: while there are some, it is in use.";
        self.count("sotto_server_boxes_for_older_keys", help, encdns.for_older_keys);
        let help = "Shared keys computed for clients that were not known.";
        self.count("sotto_server_shared_keys", help, encdns.shared_keys);
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "gauge", "", help);
        let _ = writeln!(self.out, "{name} {value}");
    }

    fn count(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, "counter", "_total", help);
        let _ = writeln!(self.out, "{name}_total {value}");
    }

    fn counts(&mut self, name: &str, help: &str, (label, samples): (&str, &[Sample])) {
        self.head(name, "counter", "_total", help);
        for (value, count) in samples {
            let _ = writeln!(self.out, "{name}_total{{{label}=\"{value}\"}} {count}");
        }
    }

    fn head(&mut self, name: &str, kind: &str, suffix: &str, help: &str) {
        if self.format == Format::Prometheus {
            let _ = writeln!(self.out, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}");
            return;
        }
        let _ = writeln!(self.out, "# TYPE {name} {kind}");
        if name.ends_with("_seconds") {
            let _ = writeln!(self.out, "# UNIT {name} seconds");
        }
        let _ = writeln!(self.out, "# HELP {name} {help}");
    }
}
