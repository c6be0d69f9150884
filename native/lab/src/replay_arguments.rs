//! The arguments of `sotto-lab replay` and `sotto-lab trace`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use sotto_lab::replay::generate::Generator;
use sotto_lab::replay::latency::{Assumptions, Recorded, Resolver};
use sotto_lab::replay::model::Settings;
use sotto_lab::replay::play::Play;
use sotto_lab::replay::query::{Micros, SECOND};
use sotto_lab::replay::run::Replay;
use sotto_lab::replay::timeouts::{LONGEST_SECONDS, Timeouts};
use sotto_lab::replay::trace::{Direction, Reading, Trace};
use sotto_lab::replay::transport::Costs;

use crate::number::number;

/// What engines and clients meet on the way to a server, for the margin of keep-warm.
const ROUND_TRIP: Micros = 40_000;
/// Seconds: the timeout that is printed.
const SHOWN: u32 = 60;
const LONGEST: i64 = LONGEST_SECONDS as i64;

const REPLAY_EXAMPLES: &str = "\
Examples:
  How long should a resolver keep connections? A day of 10,000 made-up clients:
    sotto-lab trace --clients 10000 --hours 24 | sotto-lab replay -

  A capture of your own, with a picture beside the T-DNS report's figures:
    tcpdump -i eth0 -w day.pcap udp dst port 53
    sotto-lab replay day.pcap --timeouts 10,20,30,60,120,240,480 --svg reuse.svg

  An authoritative server's dnstap file, compressed:
    zstdcat auth.fstrm.zst | sotto-lab replay - --recorded authority --at 20

  What this computer's own queries would cost with an upstream of 10, 30 or 60 seconds:
    sotto log export > queries.csv
    sotto-lab replay queries.csv --timeouts 10,30,60 --keep-warm

Traces, recognised by their first octets:
  CSV       TIME,CLIENT or TIME,CLIENT,SERVER; with a header that names them, columns in any order and others between.
            TIME is seconds since 1970 with a fraction, or 2026-01-31T15:00:00.5Z. CLIENT is an address. Lines that begin with # are
            comments
  pcap      and pcapng: queries over UDP to --port. Fragments, TCP and responses are skipped and counted
  dnstap    Frame Streams of protobuf:dnstap.Dnstap. Of queries and their responses those count that come first in the file (of
            CLIENT_QUERY and CLIENT_RESPONSE, and so on), since a program that writes both has each query twice. Sotto and sotto-server
            write one message for each query, so of their files both count. A response counts at its query_time, or without one at its
            response_time
  Sotto     what \"sotto log export\" and \"sotto log --json\" write. The client is this machine; what the cache answered is skipped
A compressed trace comes through a pipe: zcat day.pcap.gz | sotto-lab replay -. Where pcap, pcapng or dnstap ends in the middle of a
packet or frame, because its writer was stopped or the disk was full, what is before that counts, and the result says so.
A trace is in order of time. A query up to --disorder seconds earlier than one before it counts as if both came together; one earlier
than that ends the run with an error that names its line. A text file that is newest first is read from its end.

The model: a query finds a connection open if the same client's last query to the same server is no older than the idle timeout.
Connections are counted at the end of each second. A new connection resumes an earlier one if the last query is no older than a
ticket. Latency follows equations 1 to 4 of the T-DNS report (ISI-TR-695): L = (1-P_C)*S_C + Q, where S_C is the set-up of each
transport, and from end to end L_sr + (1-P_N)*N_Q*L_ra.

Memory: about 100 octets for each pair of client and server that asked within the longest timeout or the life of a ticket, whichever
is longer, and a few minutes. Servers are remembered by name. The view by client (--no-clients leaves it out) and that by prefix keep 4 octets for each timeout and
about 50 more for every client or prefix of the whole trace. Nothing grows with the number of queries.

Exit codes: 0 done, 1 the system refused something, 2 wrong usage or a bad trace.";

/// Say what the queries of a trace would cost over connections, under many idle timeouts at once
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArguments {
    /// The trace: a file, or - for standard input
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Idle timeouts of the server in seconds, 1 to 3600, up to 32 of them
    #[arg(long, value_name = "SECONDS,…", default_value = "10,20,30,60,120,240,480")]
    pub timeouts: Timeouts,
    /// The timeout whose transports and latencies are printed, one of --timeouts; JSON has all, and this one as "at" [default: 60, or
    /// the one nearest to it]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=LONGEST))]
    pub at: Option<u32>,
    /// What comes first only fills the connections, and does not count
    #[arg(long, value_name = "N", default_value = "10", value_parser = minutes)]
    pub ignore_minutes: Micros,
    /// How long after its last query a client can resume a session
    #[arg(long, value_name = "N", default_value = "6", value_parser = hours)]
    pub ticket_hours: Micros,
    /// Clients open the next connection before the server closes the last one, as Sotto does: shown beside the rest
    #[arg(long)]
    pub keep_warm: bool,

    /// Do not count by client: no medians, and less memory
    #[arg(long, help_heading = "Views")]
    pub no_clients: bool,
    /// Count by /24 and /56
    #[arg(long, help_heading = "Views")]
    pub prefixes: bool,

    /// How much earlier than one before it a query may be
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds, help_heading = "Reading")]
    pub disorder: Micros,
    /// To which port queries in packets go
    #[arg(long, value_name = "N", default_value = "53", help_heading = "Reading")]
    pub port: u16,
    /// Which messages of dnstap count
    #[arg(long, value_enum, default_value = "received", help_heading = "Reading")]
    pub dnstap: Direction,

    /// Which leg the trace is of: P_C and P_RE come from it, and those of the other leg from the report
    #[arg(long, value_enum, default_value = "stub", help_heading = "Latency")]
    pub recorded: Recorded,
    /// Round trips between stub and recursive resolver, one for each site
    #[arg(long, value_name = "MS,…", value_delimiter = ',', default_value = "5,10,20,40,80", value_parser = round_trip, help_heading = "Latency")]
    pub stub_rtt: Vec<f64>,
    /// Round trip between recursive resolver and authoritative server
    #[arg(long, value_name = "MS", default_value = "40", value_parser = round_trip, help_heading = "Latency")]
    pub authority_rtt: f64,
    /// P_N: how often the recursive resolver has the answer
    #[arg(long, value_name = "SHARE", default_value = "0.8", value_parser = share, help_heading = "Latency")]
    pub cached: f64,
    /// N_Q: otherwise it sends so many queries
    #[arg(long, value_name = "N", default_value = "7", value_parser = round_trip, help_heading = "Latency")]
    pub resolver_queries: f64,
    /// P_C of the other leg [default: 0.24 to authorities, 0.72 from stubs]
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Latency")]
    pub other_reused: Option<f64>,
    /// P_RE of the other leg [default: 0.8 to authorities, 0.9858 from stubs]
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Latency")]
    pub other_resumed: Option<f64>,

    /// Octets of the server for an idle TLS connection; as measured of sotto-server, resident (docs/measurements/server.md)
    #[arg(long, value_name = "N", default_value = "5600", help_heading = "Costs")]
    pub connection_octets: u32,
    /// And of the kernel; as measured, slabs for one end
    #[arg(long, value_name = "N", default_value = "4100", help_heading = "Costs")]
    pub kernel_octets: u32,
    /// Processor time of a full handshake; as measured of sotto-server, with TLS 1.3 and ECDSA on P-256
    #[arg(long, value_name = "MICROSECONDS", default_value = "91", value_parser = cost, help_heading = "Costs")]
    pub full_us: f64,
    /// Of a resumed one
    #[arg(long, value_name = "MICROSECONDS", default_value = "87", value_parser = cost, help_heading = "Costs")]
    pub resumed_us: f64,
    /// Of a query; as measured on 1,000 connections
    #[arg(long, value_name = "MICROSECONDS", default_value = "8.2", value_parser = cost, help_heading = "Costs")]
    pub query_us: f64,

    /// Write a picture, with the report's published points
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print a line of JSON
    #[arg(long)]
    pub json: bool,
}

impl ReplayArguments {
    /// Which of the timeouts is printed.
    pub fn shown(&self) -> Result<usize, String> {
        let Some(at) = self.at else { return Ok(self.timeouts.nearest(SHOWN)) };
        self.timeouts.find(at).map_err(|neighbours| {
            let nearest = neighbours.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ");
            format!("--at {at} is none of the timeouts that are modelled, nearest: {nearest}; give one of those, or add {at} to --timeouts")
        })
    }

    pub fn replay(&self) -> Replay {
        Replay {
            trace: self.trace.clone(),
            reading: Reading {
                disorder: self.disorder,
                port: self.port,
                dnstap: self.dnstap,
                command: "replay",
            },
            settings: Settings {
                timeouts: self.timeouts.clone(),
                ignored: self.ignore_minutes,
                ticket: self.ticket_hours,
                by_client: !self.no_clients,
                by_prefix: self.prefixes,
                keep_warm: self.keep_warm.then_some(ROUND_TRIP),
            },
            costs: Costs {
                full_us: self.full_us,
                resumed_us: self.resumed_us,
                query_us: self.query_us,
                connection_octets: self.connection_octets.into(),
                kernel_octets: self.kernel_octets.into(),
            },
            assumptions: Assumptions {
                recorded: self.recorded,
                stub_round_trips_ms: self.stub_rtt.clone(),
                authority_round_trip_ms: self.authority_rtt,
                resolver: Resolver { cached: self.cached, queries: self.resolver_queries },
                other_reused: self.other_reused,
                other_resumed: self.other_resumed,
            },
        }
    }
}

const PLAY_EXAMPLES: &str = "\
Example:
  An hour of 300 clients in six minutes, to a server that keeps connections for what is a minute of the trace:
    sotto-server --to 9.9.9.9 --starttls 127.0.0.1:5300 --self-signed localhost --idle 6s
    sotto-lab trace --clients 300 --hours 1 | sotto-lab play - --to 127.0.0.1:5300 --timeout 60 --faster 10

Each client has a connection of its own, so there must be as many descriptors as clients (ulimit -n). A query counts as one that
found a connection if it was open and the server did not close it before it answered.

Exit codes: 0 done, 1 the server did not answer or the system refused something, 2 wrong usage or a bad trace.";

/// Send the queries of a trace over TCP, and compare what happens with the model of `replay`
#[derive(Debug, Args)]
#[command(after_help = PLAY_EXAMPLES)]
pub struct PlayArguments {
    /// The trace: a file, or - for standard input
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The server: an address with a port
    #[arg(long, value_name = "IP:PORT")]
    pub to: SocketAddr,
    /// So many seconds of the trace take one
    #[arg(long, value_name = "N", default_value = "1", value_parser = factor)]
    pub faster: f64,
    /// Idle timeout of the server, in seconds of the trace: so many times its own
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub timeout: Timeouts,
    /// What comes first does not count, in time of the trace
    #[arg(long, value_name = "N", default_value = "10", value_parser = minutes)]
    pub ignore_minutes: Micros,
    /// What is asked for
    #[arg(long, value_name = "NAME", default_value = "localhost")]
    pub name: String,
    /// Print a line of JSON
    #[arg(long)]
    pub json: bool,
}

impl PlayArguments {
    pub fn trace(&self) -> Result<Trace, String> {
        if self.timeout.count() > 1 {
            return Err("--timeout takes one value: a server has one".into());
        }
        let reading = Reading { disorder: SECOND, port: 53, dnstap: Direction::Received, command: "play" };
        Trace::open(&self.trace, &reading)
    }

    pub fn play(&self) -> Play {
        Play {
            to: self.to,
            faster: self.faster,
            settings: Settings {
                timeouts: self.timeout.clone(),
                ignored: self.ignore_minutes,
                ticket: 0,
                by_client: false,
                by_prefix: false,
                keep_warm: None,
            },
            question: self.name.clone(),
        }
    }
}

const TRACE_EXAMPLES: &str = "\
Examples:
  A day of an office, to replay at once:
    sotto-lab trace --clients 300 --hours 24 | sotto-lab replay -

  A week of a city, kept:
    sotto-lab trace --clients 200000 --hours 168 --seed 7 > week.csv

Three of four clients are people. They visit pages and ask for each page's names within seconds: 62 % of pages have four names or
more, 32 % ten or more. They ask most at 20 o'clock UTC and least at 8. The others are devices, which ask for one name now and then.
How much each asks is log-normal, and --rate on average. The same seed makes the same trace.
Memory: about 32 octets a client. Nothing else grows.

Exit codes: 0 done, 1 it could not be written, 2 wrong usage.";

/// Make up a trace: CSV on standard output, in order of time
#[derive(Debug, Args)]
#[command(after_help = TRACE_EXAMPLES)]
pub struct TraceArguments {
    /// How many ask
    #[arg(long, value_name = "N", default_value = "10000", value_parser = clap::value_parser!(u32).range(1..=16_000_000))]
    pub clients: u32,
    /// How many are asked; each client keeps to one
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub servers: u32,
    /// How long
    #[arg(long, value_name = "N", default_value = "24", value_parser = trace_hours)]
    pub hours: f64,
    /// Queries of a client a second, on average
    #[arg(long, value_name = "N", default_value = "0.05", value_parser = client_rate)]
    pub rate: f64,
    /// Add a column of names, drawn from so many: for the n-th is asked 1/n as often as for the first
    #[arg(long, value_name = "COUNT", default_value = "0", value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    pub names: u32,
    /// When it begins, in seconds since 1970 [default: midnight, 1 January 2026]
    #[arg(long, value_name = "SECONDS", default_value = "1767225600", hide_default_value = true, value_parser = clap::value_parser!(u64).range(0..=100_000_000_000))]
    pub start: u64,
    /// The same trace for the same number
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

impl TraceArguments {
    pub fn generator(&self) -> Generator {
        Generator {
            clients: self.clients,
            servers: self.servers,
            hours: self.hours,
            queries_per_second: self.rate,
            names: self.names,
            start: self.start,
            seed: self.seed,
        }
    }
}

fn minutes(text: &str) -> Result<Micros, String> {
    Ok(micros(number(text, 0.0, 525_600.0, "minutes")? * 60.0))
}

fn hours(text: &str) -> Result<Micros, String> {
    Ok(micros(number(text, 0.0, 168.0, "the hours of a ticket, a week at most,")? * 3_600.0))
}

fn factor(text: &str) -> Result<f64, String> {
    number(text, 0.001, 10_000.0, "how much faster")
}

fn seconds(text: &str) -> Result<Micros, String> {
    Ok(micros(number(text, 0.0, 3_600.0, "seconds")?))
}

fn micros(seconds: f64) -> Micros {
    (seconds * SECOND as f64) as Micros
}

fn round_trip(text: &str) -> Result<f64, String> {
    number(text, 0.0, 10_000.0, "this")
}

fn cost(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1e9, "microseconds")
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1.0, "a share, such as 0.8 for eight of ten,")
}

fn trace_hours(text: &str) -> Result<f64, String> {
    number(text, 0.001, 87_600.0, "hours")
}

fn client_rate(text: &str) -> Result<f64, String> {
    number(text, 1e-6, 1_000.0, "queries of a client a second")
}
