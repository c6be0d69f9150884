//! The command line, read once and checked.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Parser};
use sotto_server::delay::{Delay, duration};
use sotto_server::{
    Limits, ProxyPrefix, ServerAddress, Signal, StubZone, Unproven, Way, proxy_prefix, typed_name,
};
use sotto_wire::name::Name;

use crate::log::Format;
use crate::settings::listening::{self, Listening, addresses};

/// More than there are processors help nobody.
const MOST_THREADS: usize = 1024;

const EXAMPLES: &str = r#"Examples:
  A zone of your own on free ports, with a certificate made on the spot:
    sotto-server --zone example.zone --origin example.org \
        --starttls 127.0.0.1:0 --dot 127.0.0.1:0 \
        --self-signed localhost,127.0.0.1 --certificate-out ca.pem

  Then ask it (PORT is in the line that it prints when it is ready):
    kdig @127.0.0.1 -p PORT +tls-ca=ca.pem +tls-hostname=localhost www.example.org

  TLS and STARTTLS in front of a resolver, with a certificate of your own:
    sotto-server --to 192.0.2.53 --starttls 0.0.0.0 [::] --dot 0.0.0.0 [::] \
        --certificate chain.pem --key key.pem

  Several names, each with a certificate of its own; the first is for clients that name none:
    sotto-server --to 192.0.2.53 --dot 0.0.0.0 [::] --certificate one.pem --key one.key \
        --certificate two.pem --key two.key

  A certificate and its key with openssl:
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
        -keyout key.pem -out chain.pem -subj /CN=dns.example.org \
        -addext subjectAltName=DNS:dns.example.org,IP:192.0.2.1

  A distant server, whose answers come out of order:
    sotto-server --zone example.zone --origin example.org --starttls 127.0.0.1:0 \
        --self-signed localhost --certificate-out ca.pem --delay 20ms-60ms

  In front of two resolvers, over TLS that each of them has to prove:
    sotto-server --to dot://192.0.2.53#dns.example.org dot://192.0.2.54#dns.example.org \
        --starttls 0.0.0.0 --dot 0.0.0.0 --certificate chain.pem --key key.pem

  For a resolver on this machine that is to ask the authorities of example.org over TLS; in its configuration
  (unbound): stub-zone: name: example.org, stub-addr: 127.0.0.1@5300, and do-not-query-localhost: no
    sotto-server --stub-zone example.org=192.0.2.1,192.0.2.2 --starttls 127.0.0.1:5300 --signal decline

  An EncDNS server, to which a parent zone delegates enc.example.org:
    sotto-server encdns-key --zone enc.example.org enc.key
    sotto-server --to 192.0.2.53 --encdns enc.example.org --encdns-key enc.key \
        --encdns-address 192.0.2.1 --starttls 192.0.2.1 --signal decline

  The same settings in a file, checked before they are used:
    printf '%s\n' 'to = "192.0.2.53"' 'dot = ["0.0.0.0", "[::]"]' 'certificate = "chain.pem"' \
        'key = "key.pem"' 'idle = "30s"' >sotto-server.toml
    sotto-server check --config sotto-server.toml
    sotto-server --config sotto-server.toml

"sotto-server check" takes all flags, reads every file that a start would read, and binds nothing. It says all
that is wrong and ends with status 2, or prints what would run, with each certificate's names and when it expires; with
status 3 where a start would complain and serve all the same, or where every account of the machine may read or replace a key. Root
looks with the eyes of the account sotto-server, where there is one, or of the account that --as NAME says.

When ready, it prints one line of JSON: `starttls` and `dot` are the real addresses, `pin` is its key's
(base64 of the SHA-256 of the SubjectPublicKeyInfo, as RFC 7858 has it), `certificate` the file to trust.
On a machine with several addresses name each one: an answer over UDP from 0.0.0.0 or [::] leaves from the
address that the system prefers, which need not be the one that was asked. TCP Fast Open is offered where
the kernel allows it to servers (sysctl net.ipv4.tcp_fastopen=3). SIGUSR1 prints a line of counters. SIGHUP reads
the files of --config, --certificate, --key, --certificates, --zone, --encdns-key and --ticket-secret anew and closes no
connection; if one of them is wrong, or a new certificate is out of its time, it says so and nothing changes. What a running server cannot change, such as its addresses or what is in the file of --ca, is
named and needs a restart. "sotto-server reload --pid PID --report SOCKET" sends SIGHUP, waits for what becomes of it, and says so. SIGTERM and SIGINT answer what is in flight, close every connection
and end with status 0. Status 2: the arguments or a file are wrong; status 1: the system refused something."#;

/// The other end of the wire: DNS over STARTTLS and TLS in front of any resolver or zone.
#[derive(Debug, Parser)]
#[command(name = "sotto-server", version, after_help = EXAMPLES, allow_negative_numbers = true)]
#[command(group(ArgGroup::new("backend").required(true).multiple(true).args(["zone", "to", "stub_zone"])))]
#[command(group(ArgGroup::new("door").required(true).multiple(true).args(["starttls", "dot"])))]
pub struct Arguments {
    /// Answer from this zone file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["to", "stub_zone"], help_heading = "Answers")]
    pub zone: Option<PathBuf>,
    /// What relative names in the zone file end in, until it says $ORIGIN
    #[arg(long, value_name = "NAME", default_value = ".", value_parser = origin, requires = "zone", help_heading = "Answers")]
    pub origin: String,
    /// Ask these resolvers; of several, the one that has the fewest queries to answer
    ///
    /// A SERVER is an address, which is asked over UDP and, where a response is truncated, over TCP; or with its way before it:
    /// tcp://IP, dot://IP or tdns://IP (TLS by STARTTLS). What a certificate must prove is behind "#": dot://192.0.2.53#dns.example is a
    /// name, dot://192.0.2.53#sha256/PIN a key (base64 of the SHA-256 of the SubjectPublicKeyInfo); without it, that it is for the
    /// address. Connections stay open. A resolver that does not respond rests, which the log tells with the reason, and is asked for a
    /// sign of life before queries go there again. opportunistic://IP is as under --stub-zone.
    #[arg(long, value_name = "SERVER", num_args = 1.., value_parser = resolver, help_heading = "Answers")]
    pub to: Vec<ServerAddress>,
    /// Ask these authorities for the names of a zone, without recursion: for a resolver that has this server as the zone's stub
    ///
    /// A SERVER is as under --to, but an address alone is opportunistic (RFC 9539): over TLS on port 853 or by STARTTLS, without
    /// authentication, where the authority has it, and in cleartext where it has not; that is found out beside the first query, which
    /// leaves in cleartext, and anew once a day. dot://IP#NAME and the like never fall back: better a failure than a name in cleartext.
    /// Names outside of all stub zones go to the resolvers of --to or, without any, are refused. /metrics counts what left how.
    #[arg(long, value_name = "ZONE=SERVER[,SERVER...]", num_args = 1.., value_parser = StubZone::parse, help_heading = "Answers")]
    pub stub_zone: Vec<StubZone>,
    /// Believe these certificate authorities about the names of servers behind, instead of those of the system; PEM, read at the start
    #[arg(long, value_name = "FILE", conflicts_with = "zone", help_heading = "Answers")]
    pub ca: Option<PathBuf>,
    /// Be the EncDNS server of this zone: names below it are boxed queries, which the resolver or zone above answers
    #[arg(long, value_name = "ZONE", value_parser = zone, requires = "encdns_key", help_heading = "Answers")]
    pub encdns: Option<Name>,
    /// The zone's secret key, which "sotto-server encdns-key" makes; given again: an older key that is still accepted
    ///
    /// To change the key, make a new one and put it first. Leave the old one behind it until clients have the address that was printed
    /// for the new one and the counter for_older_keys (SIGUSR1) stays as it is, then remove it. A reply is sealed with the key for
    /// which its query was sealed.
    #[arg(long, value_name = "FILE", requires = "encdns", help_heading = "Answers")]
    pub encdns_key: Vec<PathBuf>,
    /// Addresses of this server, as the zone says them of its name server
    #[arg(long, value_name = "IP", num_args = 1.., requires = "encdns", help_heading = "Answers")]
    pub encdns_address: Vec<IpAddr>,
    /// Wait this long before each response: 20ms, or 5ms-40ms for a new choice each time
    #[arg(long, value_name = "TIME", default_value = "0ms", help_heading = "Answers")]
    pub delay: Delay,

    /// Listen here for cleartext DNS over UDP and TCP, and for STARTTLS on it [port 53; 0 takes a free one]
    ///
    /// "fd:NAME" stands for the sockets that systemd hands over with this name (FileDescriptorName= of systemd.socket(5)). An address of one
    /// link names it: fe80::1%eth0. One that this machine does not have yet is served as soon as it has it, if another one is there.
    #[arg(long, value_name = "IP[:PORT]", num_args = 1.., value_parser = listening::starttls, help_heading = "Listening")]
    pub starttls: Vec<Listening>,
    /// Listen here for DNS over TLS [port 853; 0 takes a free one], or on sockets that are handed over, as above
    #[arg(long, value_name = "IP[:PORT]", num_args = 1.., value_parser = listening::dot, help_heading = "Listening")]
    pub dot: Vec<Listening>,
    /// Addresses of balancers: each of their connections must begin with a header of the PROXY protocol, version 2
    ///
    /// The client's address is then the one in the header, for places, cookies and limits. A connection from there with no such header
    /// is reset; from elsewhere a header is never believed. Datagrams have none: do not let a balancer forward UDP.
    #[arg(long, value_name = "PREFIX", num_args = 1.., value_parser = proxy_prefix, help_heading = "Listening")]
    pub proxy_from: Vec<ProxyPrefix>,
    /// What the response to STARTTLS says
    #[arg(long, value_enum, default_value_t, help_heading = "Listening")]
    pub signal: Signal,
    /// What a client gets over UDP that shows no cookie of ours (RFC 7873)
    ///
    /// A program that knows neither cookies nor TCP (musl before 1.2.4) gets no answer from "truncated", because none is as short as its
    /// query: put a resolver of its own network in between, or give "full" where nobody can forge an address.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Unproven::Truncated, help_heading = "Listening")]
    pub udp_unproven: Unproven,
    /// Answer queries that a returning client sends with its first octets, each such flight once
    ///
    /// Whoever records the flight can deliver it again, to this server or another with the same sessions: it is
    /// not answered twice, but who can watch this server learns that it came. Sessions are kept in memory, not in
    /// tickets: clients make a full handshake after a restart.
    #[arg(long, help_heading = "Listening")]
    pub early_data: bool,

    /// Serve /metrics (OpenMetrics), /health and /ready over HTTP here, to whoever reaches it; 127.0.0.1:PORT for this machine alone
    ///
    /// The figures hold no name and no client's address. /health responds with 200 while connections are accepted, whatever the
    /// resolver behind does, and with 503 once the server ends. /ready does so, too, and responds with 503 while no resolver of --to (or,
    /// without --to, no authority of any stub zone) responds to a query for a sign of life within a second. Pages in browsers get no
    /// figures: ask by an address, localhost, the name of this machine or one of its certificates.
    #[arg(long, value_name = "IP:PORT", value_parser = listening::metrics, help_heading = "Listening")]
    pub metrics: Option<SocketAddr>,

    /// Tell a dnstap reader at this Unix socket of each query and its response
    ///
    /// The reader, such as fstrm_capture of dnstap, gets queried names and clients' addresses, so it has to run as root or as the account
    /// of this server. No query waits for it: what it does not take in time is lost, and counted (/metrics).
    #[arg(long, value_name = "SOCKET", help_heading = "Listening")]
    pub dnstap: Option<PathBuf>,

    /// After each SIGHUP, tell what became of it at this Unix socket, at which "sotto-server reload" waits
    #[arg(long, value_name = "SOCKET", help_heading = "Listening")]
    pub reload_report: Option<PathBuf>,

    /// Certificate chain, PEM, leaf first; given again, with a --key each: further ones, chosen by the name that a client wants
    ///
    /// The DNS names of a certificate count, an exact one before a wildcard, and of two with the same name the earlier. Clients that
    /// name none, or one that is in no certificate, get the first.
    #[arg(
        long,
        value_name = "FILE",
        requires = "key",
        conflicts_with = "self_signed",
        help_heading = "Identity"
    )]
    pub certificate: Vec<PathBuf>,
    /// Key of the certificate, PEM, not encrypted; given again: in the order of the certificates
    #[arg(long, value_name = "FILE", requires = "certificate", help_heading = "Identity")]
    pub key: Vec<PathBuf>,
    /// All certificates of this folder, NAME.pem with its key in NAME.key, by name and after those of --certificate
    #[arg(long, value_name = "FOLDER", conflicts_with = "self_signed", help_heading = "Identity")]
    pub certificates: Option<PathBuf>,
    /// Make a certificate for these names and addresses, a new one at each start
    #[arg(long, value_name = "NAME|IP", num_args = 1.., value_delimiter = ',', value_parser = named, help_heading = "Identity")]
    pub self_signed: Vec<String>,
    /// Write here what clients must trust to believe the certificate that was made
    #[arg(
        long,
        value_name = "FILE",
        requires = "self_signed",
        conflicts_with_all = ["certificate", "certificates"],
        help_heading = "Identity"
    )]
    pub certificate_out: Option<PathBuf>,
    /// Share session tickets with every machine that has a copy of this secret, which "sotto-server ticket-secret" makes
    ///
    /// The file moves on with time and must be writable. Without it, tickets are good until the server stops.
    #[arg(long, value_name = "FILE", conflicts_with = "early_data", help_heading = "Identity")]
    pub ticket_secret: Option<PathBuf>,

    /// Close a connection on which nothing happened this long; clients that ask are told
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = positive_duration, help_heading = "Limits")]
    pub idle: Duration,
    /// Open connections; one more gets the place of another one, or is closed at once
    ///
    /// An idle one of the address that has most goes first (over IPv6: of the /56), and of those the one that never asked anything, then
    /// the one that has been idle for longest. A connection that waits for a response stays, unless its address has more than a sixteenth
    /// of all places, or all wait for one and the newcomer's address has fewer.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive, help_heading = "Limits")]
    pub limit_connections: usize,
    /// Megabytes that all connections may hold together for handshakes and messages that are not through
    ///
    /// These are handshakes (8 kB each, with a long message up to 24), octets that are no whole query yet, queries without a response, and
    /// responses that the client has not taken. Beyond it the connection that holds most is ended, of the address (over IPv6: of the /56)
    /// whose connections hold most. An idle connection takes about 8 kB besides.
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = megabytes, help_heading = "Limits")]
    pub limit_memory: usize,
    /// New connections per second from one address (over IPv6: from one /56); for a moment as many as in five seconds; 0: no limit
    ///
    /// Beyond it they are reset at once, before their handshake costs anything.
    #[arg(long, value_name = "N", default_value_t = 1_000, help_heading = "Limits")]
    pub limit_new_connections: u32,
    /// Responses over UDP per second to the addresses of one /24 (over IPv6: /56) that show no cookie; 0: no limit
    ///
    /// None is longer than its query, with --udp-unproven truncated, but for a query without a question, whose response brings the cookie
    /// that it asks for (RFC 7873 section 5.4), at most 16 octets more. Beyond this number there is none. Who shows a cookie or comes
    /// over TCP is not meant. With --udp-unproven full there is no limit.
    #[arg(long, value_name = "N", default_value_t = 5_000, help_heading = "Limits")]
    pub limit_unproven: u32,
    /// Unanswered queries per connection; further ones wait in TCP
    #[arg(long, value_name = "N", default_value_t = 4_096, value_parser = positive, help_heading = "Limits")]
    pub limit_in_flight: usize,
    /// Boxed queries per second of one client, by its key; for a moment as many as in five seconds; 0: no limit
    ///
    /// Beyond it the client gets REFUSED in its box. Copies of a query, which resolvers send, do not count.
    #[arg(long, value_name = "N", default_value_t = 50, requires = "encdns", help_heading = "Limits")]
    pub encdns_per_client: u32,
    /// Boxed queries per second from one address (over IPv6: from one /56), which may be a resolver of many people; 0: no limit
    ///
    /// Beyond it boxes are not opened: it gets SERVFAIL, or a puzzle for the client, where that is one of the extended format. As many
    /// again are answered if their clients solved one. Boxes that nobody can open count, too.
    #[arg(long, value_name = "N", default_value_t = 2_000, requires = "encdns", help_heading = "Limits")]
    pub encdns_per_resolver: u32,
    /// When it is told to stop: how long queries in flight may take
    ///
    /// Nothing more is accepted then, and connections end with a close_notify once their queries are answered; one that came less than a
    /// second before may still ask. Whatever is left after this time and two seconds is cut off.
    #[arg(long, value_name = "TIME", default_value = "6s", value_parser = duration, help_heading = "Limits")]
    pub drain: Duration,
    /// When it is told to stop: for how long before that everything is still served, while /health says 503
    ///
    /// So that whoever distributes clients sends no more of them before the doors are closed. A second signal ends it.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration, help_heading = "Limits")]
    pub stop_notice: Duration,
    /// Worker threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = threads, help_heading = "Limits")]
    pub threads: Option<usize>,

    /// Read settings from this file, too: TOML, in which each key is a long flag without its dashes
    ///
    /// What the command line says counts. A flag that may be given more than once is a list, one without a value is true or false.
    /// Paths are those of the working directory, as on the command line.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What standard error gets; no name and no address of a client in either case
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub log: Format,
    /// Print the counters as a line of JSON at the end, too
    #[arg(long)]
    pub stats: bool,
}

impl Arguments {
    /// A server behind that is this one, as it was given, and the listening address to which it leads.
    pub fn loop_to_itself(&self) -> Option<(String, SocketAddr)> {
        let own = [addresses(&self.starttls), addresses(&self.dot)].concat();
        let authorities = self.stub_zone.iter().flat_map(|zone| &zone.authorities);
        let resolvers = self.to.iter().map(|server| ("--to", server));
        let mut behind = resolvers.chain(authorities.map(|server| ("--stub-zone", server)));
        behind.find_map(|(flag, server)| {
            let leads = |own: &&SocketAddr| server.places().any(|place| reaches(place, **own));
            own.iter().find(leads).map(|own| (format!("{flag} {server}"), *own))
        })
    }

    pub fn limits(&self) -> Limits {
        Limits {
            connections: self.limit_connections,
            memory: self.limit_memory << 20,
            new_connections: self.limit_new_connections,
            unproven_responses: self.limit_unproven,
            in_flight: self.limit_in_flight,
            idle: self.idle,
            drain: self.drain,
            ..Limits::default()
        }
    }

    pub fn needs_identity(&self) -> bool {
        !self.dot.is_empty() || self.signal != Signal::Decline
    }
}

fn reaches(place: SocketAddr, own: SocketAddr) -> bool {
    own.port() == place.port()
        && (own.ip() == place.ip() || own.ip().is_unspecified() && place.ip().is_loopback())
}

fn resolver(text: &str) -> Result<ServerAddress, String> {
    ServerAddress::parse(text, Way::Udp)
}

pub fn zone(text: &str) -> Result<Name, String> {
    match typed_name(text)? {
        name if name.is_root() => Err("name a zone of your own, such as enc.example.org".into()),
        name => Ok(name),
    }
}

fn origin(text: &str) -> Result<String, String> {
    typed_name(text).map(|_| text.to_owned())
}

/// For a certificate, in which a name may begin with "*.".
fn named(text: &str) -> Result<String, String> {
    if text.parse::<IpAddr>().is_err() {
        zone(text.strip_prefix("*.").unwrap_or(text))?;
    }
    Ok(text.trim_end_matches('.').to_owned())
}

fn positive_duration(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("must be more than nothing".into()),
        duration => Ok(duration),
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("must be a whole number, 1 or more".into()),
        Ok(number) if number > tokio::sync::Semaphore::MAX_PERMITS => Err("is too large".into()),
        Ok(number) => Ok(number),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match positive(text)? {
        number if number > MOST_THREADS => Err(format!("must be at most {MOST_THREADS}")),
        number => Ok(number),
    }
}

fn megabytes(text: &str) -> Result<usize, String> {
    match positive(text)? {
        number if number > usize::MAX >> 20 => Err("is too large".into()),
        number => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn the_manual_says_what_help_says() {
        sotto_manual::hold(<Arguments as clap::CommandFactory>::command());
    }
}
