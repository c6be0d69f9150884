//! What the program reports: a line a second on standard error, or all of it as JSON on standard output.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use sotto_lab::encdns::Summary as BoxSummary;
use sotto_lab::latency::Percentiles;
use sotto_lab::load::{Second, Summary as LoadSummary};
use sotto_lab::slow::{Fared, Summary as SlowSummary};
use sotto_lab::tls::{Kind as TlsKind, Summary as TlsSummary};

#[derive(Serialize)]
struct Line<'a, T> {
    event: &'static str,
    at: f64,
    #[serde(flatten)]
    value: &'a T,
}

/// If the reader has gone, the run goes on.
pub fn json(event: &'static str, at: Duration, value: &impl Serialize) {
    let at = at.as_millis() as f64 / 1000.0;
    let Ok(mut line) = serde_json::to_string(&Line { event, at, value }) else {
        return;
    };
    line.push('\n');
    let mut out = io::stdout().lock();
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

#[derive(Serialize)]
struct Opened {
    connections: usize,
}

pub fn opened(connections: usize, stay: Duration, as_json: bool) {
    match as_json {
        true => json("open", Duration::ZERO, &Opened { connections }),
        false => println!("{connections} connections are open, for {} s or until Ctrl-C", stay.as_secs_f64()),
    }
}

pub fn tls(summary: &TlsSummary) {
    let what = if summary.kind == TlsKind::Queries { "queries" } else { "handshakes" };
    let each_second = summary.done as f64 / summary.seconds;
    println!("{each_second:.0} {what} a second, {} connections at a time", summary.connections);
    println!("  done     {}{}", summary.done, of_which(summary.resumed, "resumed"));
    println!("  failed   {}", summary.failed);
    if summary.held > 0 {
        println!("  held     {}", summary.held);
    }
    if let Some(latency) = summary.latency_ms {
        println!("  latency  {}", short(&latency));
    }
}

pub fn second(at: Duration, second: &Second) {
    eprintln!(
        "{:>5} s  sent {:>6}  answered {:>6}  servfail {:>5}  unanswered {:>6}  {}",
        at.as_secs(),
        second.sent,
        second.answered,
        second.servfail,
        second.unanswered,
        second.latency_ms.map_or(String::new(), |latency| short(&latency)),
    );
}

pub fn load(summary: &LoadSummary) {
    let counts = &summary.counts;
    println!("asked {} questions in {:.1} s at {}", counts.sent, summary.seconds, summary.to);
    println!("  answered    {}{}", counts.answered, rcodes(summary));
    println!("  late        {}", counts.late);
    println!("  lost        {}{}", summary.lost, of_which(counts.unsent, "could not be sent"));
    println!("  duplicates  {}", counts.duplicates);
    println!("  strays      {}", counts.strays);
    println!("  truncated   {}", counts.truncated);
    if counts.servfail() > 0 {
        println!("  SERVFAIL without a reason  {}", counts.unexplained);
    }
    if let Some(latency) = summary.latency_ms {
        println!(
            "  latency     mean {:.3} ms, p50 {:.3}, p90 {:.3}, p99 {:.3}, p99.9 {:.3}, max {:.3}",
            latency.mean, latency.p50, latency.p90, latency.p99, latency.p999, latency.max
        );
    }
    println!("  the sender was at most {:.3} ms behind its plan", summary.sender_behind_ms);
}

pub fn crowd(at: Duration, summary: &SlowSummary) {
    let seats = summary.seats;
    eprintln!(
        "{:>5} s  slow clients: {} open, {} opened, {} closed by the service, {} failed  udp {}  tcp {}",
        at.as_secs(),
        seats.open,
        seats.opened,
        seats.closed,
        seats.failed,
        in_short(&summary.udp),
        in_short(&summary.tcp),
    );
}

pub fn slow(summary: &SlowSummary) {
    let seats = summary.seats;
    println!("{} slow clients from {} addresses at {}", summary.clients, summary.sources, summary.to);
    println!(
        "  seats       {} at most, {} at the end; {} opened, {} closed by the service, {} failed to open",
        seats.most, seats.open, seats.opened, seats.closed, seats.failed
    );
    for (name, fared) in [("udp", &summary.udp), ("tcp", &summary.tcp)] {
        println!(
            "  probe {name}   {} of {} answered  {}",
            fared.answered,
            fared.asked,
            fared.latency_ms.map_or(String::new(), |latency| short(&latency))
        );
        for (reason, count) in &fared.failures {
            println!("              {count} × {reason}");
        }
    }
}

pub fn boxes(summary: &BoxSummary) {
    let (counts, costs) = (summary.counts, summary.costs);
    println!("sent {} queries in {:.1} s", counts.sent, summary.seconds);
    println!("  answered    {}", counts.answered);
    println!("  failed      {}", counts.failed);
    println!("  lost        {}", counts.lost);
    println!(
        "  here        key pair {:.1} µs, shared key {:.1}, seal {:.2}, open {:.2}",
        costs.key_pair_us, costs.shared_key_us, costs.seal_us, costs.open_us
    );
}

fn in_short(fared: &Fared) -> String {
    format!("{}/{}", fared.answered, fared.asked)
}

fn short(latency: &Percentiles) -> String {
    format!("p50 {:.2} ms  p99 {:.2} ms  max {:.2} ms", latency.p50, latency.p99, latency.max)
}

fn rcodes(summary: &LoadSummary) -> String {
    let each: Vec<_> =
        summary.counts.rcodes.iter().map(|(rcode, count)| format!("{rcode} {count}")).collect();
    if each.is_empty() { String::new() } else { format!("  ({})", each.join(", ")) }
}

fn of_which(count: u64, what: &str) -> String {
    if count == 0 { String::new() } else { format!("  ({count} {what})") }
}
