//! What a trace came to, ready to be printed, drawn or read by a program.

use serde::Serialize;

use crate::replay::latency::{Assumptions, Latency};
use crate::replay::model::{Finished, Model, Sums};
use crate::replay::query::{SECOND, Servers};
use crate::replay::samples::Samples;
use crate::replay::timeouts::Timeouts;
use crate::replay::transport::{Costs, Transport};
use crate::replay::view::Quartiles;

/// Busiest first; further ones are in the quartiles.
const MOST_SERVERS: usize = 20;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// in the window that counts
    pub queries: u64,
    pub seconds: f64,
    /// seconds since 1970
    pub from: f64,
    /// `None`: they were not counted
    pub clients: Option<usize>,
    pub prefixes: Option<usize>,
    pub servers: usize,
    /// client and server, remembered at once
    pub most_pairs: usize,
    pub skipped: u64,
    pub late: u64,
    /// the packet or frame in whose middle the trace ends, such as "packet 4"
    pub ends_within: Option<String>,
    /// what memory, processors and latencies are computed with
    pub costs: Costs,
    pub timeouts: Vec<Outcome>,
    pub busiest: Vec<Server>,
    pub speed: Speed,
}

/// What the program itself took.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Speed {
    /// of the whole trace, with what is ignored at its start
    pub queries: u64,
    pub reading_seconds: f64,
    pub model_seconds: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    pub name: String,
    pub queries: u64,
    /// in the order of the timeouts
    pub hit_fractions: Vec<f64>,
}

/// Under one idle timeout.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    pub timeout: u32,
    /// of all queries
    pub hit_fraction: f64,
    pub by_client: Option<Quartiles>,
    pub by_prefix: Option<Quartiles>,
    pub by_server: Option<Quartiles>,
    /// of the queries that found no connection
    pub resumed_fraction: f64,
    pub connections: Connections,
    pub full_handshakes_per_second: f64,
    pub resumed_handshakes_per_second: f64,
    /// 1 is a whole processor
    pub processors: f64,
    pub transports: Vec<RoundTrips>,
    pub latency: Latencies,
    pub keep_warm: Option<Warm>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Connections {
    pub mean: f64,
    /// of the numbers at the end of each second; `None`: the trace is shorter than a second
    pub quartiles: Option<Quartiles>,
    pub most: u64,
    /// at the most, in octets: of the process and of the kernel
    pub most_octets: u64,
    pub most_kernel_octets: u64,
}

/// From sending a query to its response, set-up included.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundTrips {
    pub transport: Transport,
    pub mean: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Latencies {
    /// with the hit fraction of all queries
    pub queries: Vec<Latency>,
    /// with the median client's, as the report has it; empty: clients were not counted
    pub median_client: Vec<Latency>,
}

/// Clients that open the next connection before the server closes the last one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warm {
    pub hit_fraction: f64,
    /// connections opened ahead of need, for each query
    pub dials_per_query: f64,
    pub connections: Connections,
}

const TRANSPORTS: [Transport; 8] = [
    Transport::Tcp,
    Transport::TcpFastOpen,
    Transport::Tls,
    Transport::Starttls,
    Transport::TlsFastOpen,
    Transport::TlsEarlyData,
    Transport::Quic,
    Transport::QuicEarlyData,
];

/// Everything that a summary is made of.
pub struct Parts<'a> {
    pub model: &'a Model,
    pub finished: &'a Finished,
    pub timeouts: &'a Timeouts,
    pub servers: &'a Servers,
    pub costs: &'a Costs,
    pub assumptions: &'a Assumptions,
}

impl Parts<'_> {
    /// Without skipped and late queries, how the trace ended, and speed, of which the models know nothing.
    pub fn summary(&self) -> Summary {
        let window = self.finished.window;
        let settings = self.model.settings();
        Summary {
            queries: self.model.sums.all(),
            seconds: window.seconds(),
            from: window.from as f64 / SECOND as f64,
            clients: settings.by_client.then(|| self.model.clients.active()),
            prefixes: settings.by_prefix.then(|| self.model.prefixes.active()),
            servers: self.model.servers.active(),
            most_pairs: self.model.most_pairs,
            skipped: 0,
            late: 0,
            ends_within: None,
            costs: *self.costs,
            timeouts: (0..self.timeouts.count()).map(|index| self.outcome(index)).collect(),
            busiest: self.busiest(),
            speed: Speed::default(),
        }
    }

    fn outcome(&self, index: usize) -> Outcome {
        let sums = &self.model.sums;
        let (all, hits) = (sums.all() as f64, sums.hits(index) as f64);
        let (misses, resumed) = (all - hits, sums.resumed(index) as f64);
        let seconds = self.finished.window.seconds();
        let per_second = |count: f64| count / seconds;
        let (hit_fraction, resumed_fraction) =
            (hits / all, if misses > 0.0 { resumed / misses } else { 1.0 });
        let (full, resumed) = (per_second(misses - resumed), per_second(resumed));
        let costs = self.costs;
        let processor_us =
            full * costs.full_us + resumed * costs.resumed_us + per_second(all) * costs.query_us;
        let by_client = self.model.clients.quartiles(index);
        let latencies = |reused| self.assumptions.latencies(reused, resumed_fraction, costs);
        Outcome {
            timeout: self.timeouts.seconds()[index],
            hit_fraction,
            by_client,
            by_prefix: self.model.prefixes.quartiles(index),
            by_server: self.model.servers.quartiles(index),
            resumed_fraction,
            connections: self.connections(self.open(sums, index), &self.finished.concurrent.samples()[index]),
            full_handshakes_per_second: full,
            resumed_handshakes_per_second: resumed,
            processors: processor_us / 1e6,
            transports: TRANSPORTS
                .map(|transport| {
                    let (full, again) = transport.round_trips();
                    let setup = resumed_fraction * again + (1.0 - resumed_fraction) * full;
                    RoundTrips { transport, mean: 1.0 + (1.0 - hit_fraction) * setup }
                })
                .into(),
            latency: Latencies {
                queries: latencies(hit_fraction),
                median_client: by_client.map_or_else(Vec::new, |by_client| latencies(by_client.median)),
            },
            keep_warm: self.warm(index),
        }
    }

    fn warm(&self, index: usize) -> Option<Warm> {
        let warmed = &self.finished.warm.as_ref()?[index];
        let all = self.model.sums.all() as f64;
        Some(Warm {
            hit_fraction: warmed.hits as f64 / all,
            dials_per_query: warmed.dials as f64 / all,
            connections: self.connections(warmed.open_micros, &warmed.samples),
        })
    }

    fn open(&self, sums: &Sums, index: usize) -> u128 {
        sums.open(index, self.timeouts.micros(index))
    }

    fn connections(&self, open_micros: u128, samples: &Samples) -> Connections {
        let most = samples.most();
        Connections {
            mean: open_micros as f64 / SECOND as f64 / self.finished.window.seconds(),
            quartiles: samples.quartiles(),
            most,
            most_octets: most * self.costs.connection_octets,
            most_kernel_octets: most * self.costs.kernel_octets,
        }
    }

    fn busiest(&self) -> Vec<Server> {
        let mut servers: Vec<Server> = (0..self.servers.names().len())
            .filter_map(|number| {
                let of = |index| self.model.servers.of(&(number as u32), index);
                Some(Server {
                    name: self.servers.names()[number].clone(),
                    queries: of(0)?.0,
                    hit_fractions: (0..self.timeouts.count())
                        .filter_map(|index| Some(of(index)?.1))
                        .collect(),
                })
            })
            .collect();
        servers.sort_by_key(|server| std::cmp::Reverse(server.queries));
        servers.truncate(MOST_SERVERS);
        servers
    }
}
