//! The command line, read once and checked.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand};
use domain::base::Name;
use domain::base::iana::Rtype;
use sotto_encdns::PublicKey;
use sotto_lab::encdns::Kind as BoxKind;
use sotto_lab::slow::Kind;
use sotto_lab::tls::Kind as TlsKind;
#[cfg(target_os = "linux")]
use sotto_lab::wire::end::EndName;

use crate::number::number;
use crate::replay_arguments::{PlayArguments, ReplayArguments, TraceArguments};

const EXAMPLES: &str = "\
Examples:
  A minute of the load of a busy office, a tenth of it over TCP:
    sotto-lab load --to 127.0.0.1:5300 --rate 500 --seconds 60 --zipf 100000 --tcp 0.1

  Names of your own, and figures for a program:
    sotto-lab load --to 127.0.0.1:5300 --rate 100 --seconds 10 --names names.txt --json

  Ten thousand clients that connect and say nothing; does anybody else get an answer?
    sotto-lab slow-clients --to 127.0.0.1:5300 --count 10000 --seconds 20

  A hundred thousand boxes, each of a client that the server does not know yet:
    sotto-lab encdns --to 127.0.0.1:5355 --zone enc.example --key HEX --kind per-query --queries 100000

  Full handshakes for five seconds, and then ten thousand connections that stay for a minute:
    sotto-lab tls --to 127.0.0.1:8853 --kind full --connections 16 --seconds 5 --name www.example
    sotto-lab tls --to 127.0.0.1:8853 --kind idle --connections 10000 --seconds 60 --name www.example

  A hundred clients a second, each with a connection of its own, fifty of them at a time at most:
    sotto-lab tls --to 127.0.0.1:8853 --kind full --rate 100 --connections 50 --name www.example

  A cable of 40 ms between two machines made of namespaces (more in: sotto-lab wire --help):
    sotto-lab wire --a cable:near --b cable:far --delay 20

  Idle timeouts compared over a day of made-up clients (more in: sotto-lab replay --help):
    sotto-lab trace --clients 10000 --hours 24 | sotto-lab replay -

Exit codes: 0 done, 1 nobody answered or the system refused something, 2 wrong usage or bad input.";

/// Load and misbehaviour for a DNS service, and what it makes of them
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Load(LoadArguments),
    SlowClients(SlowArguments),
    #[command(name = "encdns")]
    EncDns(EncDnsArguments),
    Tls(TlsArguments),
    #[cfg(target_os = "linux")]
    Wire(WireArguments),
    Replay(Box<ReplayArguments>),
    Trace(TraceArguments),
    Play(PlayArguments),
    BusPeer(BusPeerArguments),
}

/// Be a program on a D-Bus, as a test says line by line on standard input
#[derive(Debug, Args)]
pub struct BusPeerArguments {
    /// The bus: a D-Bus address, such as unix:path=/tmp/bus
    #[arg(long, value_name = "ADDRESS")]
    pub address: String,
}

/// Send queries at a fixed rate, and count what happened to them
///
/// A query that waits delays none behind it, and its latency counts from the moment at which it was to be sent: a
/// service that stalls for a second shows as many slow responses as were due in that second. No query is sent twice; a
/// response belongs to a query by id and question section. Ctrl-C ends the sending early; the responses on their way are
/// still waited for.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("asked").required(true).args(["names", "zipf"])))]
pub struct LoadArguments {
    /// The service: an address with a port
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub to: SocketAddr,
    /// Queries a second
    #[arg(long, value_name = "N", default_value = "500", value_parser = rate)]
    pub rate: f64,
    /// How long
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Duration,
    /// Send queries for the names in this file in turn; each line is NAME or NAME TYPE
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// Make up this many names, n0.SUFFIX and on, and ask for the n-th of them 1/n as often as for the first
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub zipf: Option<u32>,
    /// Where made-up names are
    #[arg(long, value_name = "NAME", default_value = "zipf.example", requires = "zipf")]
    pub suffix: String,
    /// The same names in the same order for the same number
    #[arg(long, value_name = "N", default_value = "1", requires = "zipf")]
    pub seed: u64,
    /// The part of the queries that goes over TCP, on one connection: 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share)]
    pub tcp: f64,
    /// A response after this many seconds is late; a query without one is lost
    #[arg(long, value_name = "N", default_value = "5", value_parser = seconds)]
    pub timeout: Duration,
    /// Print lines of JSON: one a second, and the summary
    #[arg(long)]
    pub json: bool,
}

/// Open many TCP connections and do nothing useful with them, while a probe keeps asking by UDP and TCP
#[derive(Debug, Args)]
pub struct SlowArguments {
    /// The service: an address with a port
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub to: SocketAddr,
    /// Clients; on a loopback address they come from 127.0.0.2 and further, so that there are ports enough
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
    /// What they do
    #[arg(long, value_enum, default_value = "connect")]
    pub kind: Kind,
    /// How long
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Duration,
    /// A client that is turned away or cut comes back after half a second
    #[arg(long)]
    pub persistent: bool,
    /// What probe and clients ask for; NOERROR and NXDOMAIN count as success
    #[arg(long, value_name = "NAME", default_value = "localhost")]
    pub name: String,
    /// Of which type; a large record set shows the cost of responses that nobody reads
    #[arg(long = "type", value_name = "TYPE", default_value = "A", value_parser = rtype)]
    pub rtype: Rtype,
    /// Print lines of JSON: one a second, and the summary
    #[arg(long)]
    pub json: bool,
}

/// Send boxed queries to an EncDNS server, so many at once, and open the responses
///
/// Everything is sealed before the clock starts. What sealing and opening cost here is measured first, and printed beside.
#[derive(Debug, Args)]
pub struct EncDnsArguments {
    /// The server: an address with a port
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub to: SocketAddr,
    /// Its zone
    #[arg(long, value_name = "NAME", value_parser = wire_name)]
    pub zone: Name<Vec<u8>>,
    /// Its public key: 64 hexadecimal digits
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    pub key: PublicKey,
    /// How they are sent
    #[arg(long, value_enum, default_value = "session")]
    pub kind: BoxKind,
    /// How many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub queries: u32,
    /// So many different ones, which are sent again in turn [default: all are different]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub different: Option<u32>,
    /// On their way at once
    #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub outstanding: u16,
    /// They are for n0.SUFFIX and on
    #[arg(long, value_name = "NAME", default_value = "zipf.example")]
    pub suffix: String,
    /// Print a line of JSON
    #[arg(long)]
    pub json: bool,
}

#[cfg(target_os = "linux")]
const WIRE_EXAMPLES: &str = r#"Two machines and the cable between them, as root:
    for name in client cable server; do ip netns add $name; done
    ip -n cable link add near type veth peer name eth0 netns client
    ip -n cable link add far type veth peer name eth0 netns server
    for end in near far; do ip -n cable link set $end up; done
    ip -n client addr add 192.0.2.1/24 dev eth0; ip -n client link set eth0 up
    ip -n server addr add 192.0.2.2/24 dev eth0; ip -n server link set eth0 up
    sotto-lab wire --a cable:near --b cable:far --plain client:eth0 server:eth0 --delay 20

Orders, while it runs, are lines of JSON on standard input, or on the socket of --control; each is carried out whole and
then answered by a line: {"event":"applied"}, {"event":"stats",…} or {"event":"refused","error":…}. "id" comes back.
    {"set":{"delayMs":20,"jitterMs":2,"lossPercent":1,"reorderPercent":1,"reorderByMs":5,"rateMbit":10,"queuePackets":50}}
    {"set":{"direction":"b-to-a","delayMs":80}}      what is left out stays; rateMbit 0 is unlimited
    {"rules":[{"do":"drop","on":{"protocol":"tcp","port":853}}]}      all rules, in place of those before
    {"cut":{"port":853}}                             reset the established connections that match
    {"seed":1}                                       chance starts anew
    {"stats":true}                                   counts, and how late packets left, in ms

Rules: the first that matches decides. "on" takes protocol (tcp, udp, icmp), direction (a-to-b, b-to-a), and port and
address of either side; what is left out matches everything. "do" is one of
    "pass"                             carry on, whatever later rules say
    "drop"                             a black hole
    {"reset":"both"}                   or "sender", "receiver": TCP resets in the other side's name
    {"reject":"port"}                  or "host", "admin": ICMP unreachable
    {"delay":{"ms":50}}                later than the rest
    "no-tls"                           the STARTTLS question is answered NO_TLS and never reaches the server
    {"syn-data":"drop"}                SYNs that carry data are swallowed; "strip" takes their data away
    "strip-starttls"                   the TO bit in the server's answer to STARTTLS is cleared
    {"strip-tls":"alert"}              or "garbage", "reset": what a ClientHello gets in place of an answer
    {"inject":{"answer":"192.0.2.66"}} a forged answer over UDP before the real one; with "wrongId":true by guessing
    {"kill":{"afterOctets":4000}}      both sides are reset once more data than this has passed
ARP and neighbour discovery are delayed, but never lost or touched by a rule. A forged packet takes half of the path.

Exit codes: 0 ended by SIGINT or SIGTERM (the last line is the stats), 1 the system refused something, 2 wrong usage."#;

/// Be the clients of a DNS-over-TLS server, as many at a time as there are connections
///
/// They believe every certificate and offer X25519 alone, so that their own work is little.
#[derive(Debug, Args)]
pub struct TlsArguments {
    /// The server: an address with a port
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub to: SocketAddr,
    /// Where they come from: addresses of this machine, in turn [default on loopback: 127.0.1.2 and further]
    #[arg(long, value_name = "IP", value_delimiter = ',')]
    pub from: Vec<IpAddr>,
    /// What they do
    #[arg(long, value_enum)]
    pub kind: TlsKind,
    /// Clients at a time, or connections that stay
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub connections: u32,
    /// Queries without a response, on all connections together
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub outstanding: u32,
    /// Queries or handshakes a second, at fixed times [default: another one for each response]
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with = "outstanding")]
    pub rate: Option<f64>,
    /// Handshakes at fixed times: each connection remains afterwards, until the server closes it
    #[arg(long, requires = "rate")]
    pub stay: bool,
    /// How long
    #[arg(long, value_name = "N", default_value = "5", value_parser = seconds)]
    pub seconds: Duration,
    /// What they ask for
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Print lines of JSON
    #[arg(long)]
    pub json: bool,
}

/// Join two network interfaces with a cable that delays, loses, and tampers with what it carries
///
/// Every Ethernet frame that reaches one interface leaves by the other: the stations behind them see each other as if
/// directly connected. With the same seed, the n-th datagram in a direction meets the same fate in every run.
#[cfg(target_os = "linux")]
#[derive(Debug, Args)]
#[command(after_help = WIRE_EXAMPLES)]
pub struct WireArguments {
    /// One end: an interface here, or in a network namespace
    #[arg(long, value_name = "[NETNS:]IFACE")]
    pub a: EndName,
    /// The other end
    #[arg(long, value_name = "[NETNS:]IFACE")]
    pub b: EndName,
    /// Switch segmentation and checksum offload off here too: the interfaces of the stations, so that what they send has
    /// the size and the checksums that it has on a real link
    #[arg(long, value_name = "[NETNS:]IFACE", num_args = 1..)]
    pub plain: Vec<EndName>,
    /// How long a packet takes, one way; a round trip takes twice that. 20±5 (or 20+-5) varies it, in order
    #[arg(long, value_name = "MS[±JITTER]", default_value = "0", value_parser = delay)]
    pub delay: (f64, f64),
    /// How many packets are lost
    #[arg(long, value_name = "PERCENT", default_value = "0")]
    pub loss: f64,
    /// How many packets are held back for 5 ms, so that later ones overtake them
    #[arg(long, value_name = "PERCENT", default_value = "0")]
    pub reorder: f64,
    /// How much passes a second; 0 is unlimited
    #[arg(long, value_name = "MBIT", default_value = "0")]
    pub rate: f64,
    /// How many packets wait where a rate is set; further ones are dropped
    #[arg(long, value_name = "PACKETS", default_value = "1000")]
    pub queue: usize,
    /// The same fate for the same number
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Take orders on this Unix socket too
    #[arg(long, value_name = "FILE")]
    pub control: Option<PathBuf>,
}

#[cfg(target_os = "linux")]
fn delay(text: &str) -> Result<(f64, f64), String> {
    let (delay, jitter) = text.split_once('±').or_else(|| text.split_once("+-")).unwrap_or((text, "0"));
    let delay = number(delay.trim(), 0.0, 60_000.0, "milliseconds")?;
    Ok((delay, number(jitter.trim(), 0.0, delay, "the jitter in milliseconds")?))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| "not an address with a port: write 127.0.0.1:5300 or [::1]:5300".to_owned())?;
    if address.port() == 0 {
        return Err("nobody listens on port 0: give the port that the service listens on".into());
    }
    Ok(address)
}

fn rtype(text: &str) -> Result<Rtype, String> {
    text.parse().map_err(|_| "not a type: write A, AAAA, TXT, … or TYPE65280".to_owned())
}

fn wire_name(text: &str) -> Result<Name<Vec<u8>>, String> {
    text.parse().map_err(|error| format!("not a name: {error}"))
}

fn public_key(text: &str) -> Result<PublicKey, String> {
    PublicKey::parse(text).ok_or_else(|| {
        "not a key: sotto-server encdns-key prints it, 64 hexadecimal digits behind key=".into()
    })
}

fn rate(text: &str) -> Result<f64, String> {
    number(text, 0.001, 1_000_000.0, "times a second")
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1.0, "the part over TCP, such as 0.1 for a tenth,")
}

fn seconds(text: &str) -> Result<Duration, String> {
    number(text, 0.001, 604_800.0, "seconds").map(Duration::from_secs_f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn wrong_values_are_refused_with_the_remedy() {
        assert!(address("localhost:53").unwrap_err().contains("[::1]:5300"));
        assert!(address("127.0.0.1:0").unwrap_err().contains("port 0"));
        assert!(rtype("ADRESS").unwrap_err().contains("AAAA"));
        assert!(rate("0").unwrap_err().contains("times a second"));
        assert!(rate("NaN").is_err());
        assert!(share("10").unwrap_err().contains("0.1"));
        assert!(seconds("-1").is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_delay_may_vary_but_not_below_zero() {
        assert_eq!(delay("20"), Ok((20.0, 0.0)));
        assert_eq!((delay("20±1.5"), delay("20 +- 1.5")), (Ok((20.0, 1.5)), Ok((20.0, 1.5))));
        assert!(delay("20±30").unwrap_err().contains("jitter") && delay("x").unwrap_err().contains("60000"));
    }
}
