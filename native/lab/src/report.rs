//! What the program reports: a line a second on standard error, or all of it as JSON on standard output.

use std::time::Duration;

use serde::Serialize;
use sotto_lab::encdns::Summary as BoxSummary;
use sotto_lab::latency::Percentiles;
use sotto_lab::load::{Second, Summary as LoadSummary};
use sotto_lab::output;
use sotto_lab::slow::{Fared, Summary as SlowSummary};
use sotto_lab::tls::{Kind as TlsKind, Summary as TlsSummary};

#[derive(Serialize)]
struct Line<'a, T> {
    event: &'static str,
    at: f64,
    #[serde(flatten)]
    value: &'a T,
}

/// `at` is how far the run has come; of a replay, the timeout that was asked for.
pub fn json(event: &'static str, at: Duration, value: &impl Serialize) -> Result<(), String> {
    let at = at.as_millis() as f64 / 1000.0;
    let line =
        serde_json::to_string(&Line { event, at, value }).map_err(|error| format!("a bug: {error}"))?;
    output::print(&(line + "\n"))
}

fn lines(lines: &[String]) -> Result<(), String> {
    output::print(&(lines.join("\n") + "\n"))
}

#[derive(Serialize)]
struct Opened {
    connections: usize,
}

pub fn opened(connections: usize, stay: Duration, as_json: bool) -> Result<(), String> {
    match as_json {
        true => json("open", Duration::ZERO, &Opened { connections }),
        false => lines(&[format!(
            "{connections} connections are open, for {} s or until Ctrl-C",
            stay.as_secs_f64()
        )]),
    }
}

pub fn tls(summary: &TlsSummary) -> Result<(), String> {
    let what = if summary.kind == TlsKind::Queries { "queries" } else { "handshakes" };
    let each_second = summary.done as f64 / summary.seconds;
    let mut text = vec![
        format!("{each_second:.0} {what} a second, {} connections at a time", summary.connections),
        format!("  done     {}{}", summary.done, of_which(summary.resumed, "resumed")),
        format!("  failed   {}", summary.failed),
    ];
    text.extend(summary.failures.iter().map(|(reason, count)| format!("           {count} × {reason}")));
    if summary.held > 0 {
        text.push(format!("  held     {}", summary.held));
    }
    text.extend(summary.latency_ms.map(|latency| format!("  latency  {}", short(&latency))));
    lines(&text)
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

pub fn load(summary: &LoadSummary) -> Result<(), String> {
    let counts = &summary.counts;
    let mut text = vec![
        format!("asked {} questions in {:.1} s at {}", counts.sent, summary.seconds, summary.to),
        format!("  answered    {}{}", counts.answered, rcodes(summary)),
        format!("  late        {}", counts.late),
        format!("  lost        {}{}", summary.lost, of_which(counts.unsent, "could not be sent")),
        format!("  duplicates  {}", counts.duplicates),
        format!("  strays      {}", counts.strays),
        format!("  truncated   {}", counts.truncated),
    ];
    if counts.servfail() > 0 {
        text.push(format!("  SERVFAIL without a reason  {}", counts.unexplained));
    }
    text.extend(summary.latency_ms.map(|latency| {
        format!(
            "  latency     mean {:.3} ms, p50 {:.3}, p90 {:.3}, p99 {:.3}, p99.9 {:.3}, max {:.3}",
            latency.mean, latency.p50, latency.p90, latency.p99, latency.p999, latency.max
        )
    }));
    text.push(format!("  the sender was at most {:.3} ms behind its plan", summary.sender_behind_ms));
    lines(&text)
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

pub fn slow(summary: &SlowSummary) -> Result<(), String> {
    let seats = summary.seats;
    let mut text = vec![
        format!("{} slow clients from {} addresses at {}", summary.clients, summary.sources, summary.to),
        format!(
            "  seats       {} at most, {} at the end; {} opened, {} closed by the service, {} failed to open",
            seats.most, seats.open, seats.opened, seats.closed, seats.failed
        ),
    ];
    for (name, fared) in [("udp", &summary.udp), ("tcp", &summary.tcp)] {
        text.push(format!(
            "  probe {name}   {} of {} answered  {}",
            fared.answered,
            fared.asked,
            fared.latency_ms.map_or(String::new(), |latency| short(&latency))
        ));
        let failures = fared.failures.iter();
        text.extend(failures.map(|(reason, count)| format!("              {count} × {reason}")));
    }
    lines(&text)
}

pub fn boxes(summary: &BoxSummary) -> Result<(), String> {
    let (counts, costs) = (summary.counts, summary.costs);
    lines(&[
        format!("sent {} queries in {:.1} s", counts.sent, summary.seconds),
        format!("  answered    {}", counts.answered),
        format!("  failed      {}", counts.failed),
        format!("  lost        {}", counts.lost),
        format!(
            "  here        key pair {:.1} µs, shared key {:.1}, seal {:.2}, open {:.2}",
            costs.key_pair_us, costs.shared_key_us, costs.seal_us, costs.open_us
        ),
    ])
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
