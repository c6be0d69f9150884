//! The summary of a replay as tables for people, and how far it has come.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use sotto_lab::output;
use sotto_lab::replay::latency::{Latency, PATHS};
use sotto_lab::replay::play::Played;
use sotto_lab::replay::plot::grouped;
use sotto_lab::replay::run::Progress;
use sotto_lab::replay::summary::{Connections, Outcome, Summary};
use sotto_lab::replay::view::Quartiles;

/// Nobody wants a progress line in a file.
pub fn progress(progress: Progress) {
    if io::stderr().is_terminal() {
        let (queries, pairs) = (grouped(progress.queries), grouped(progress.pairs as u64));
        eprint!(
            "\r{queries} queries, {:.1} h of the trace, {pairs} clients and servers remembered ",
            progress.hours
        );
    }
}

/// A line that `progress` wrote is overwritten.
pub fn progress_ends() {
    if io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}

/// `at` is the timeout whose transports and latencies are shown.
pub fn print(summary: &Summary, at: usize) -> Result<(), String> {
    output::print(&text(summary, at))
}

fn text(summary: &Summary, at: usize) -> String {
    let mut text = String::new();
    head(&mut text, summary);
    reuse(&mut text, summary);
    cost(&mut text, summary);
    if summary.timeouts.iter().any(|outcome| outcome.keep_warm.is_some()) {
        warm(&mut text, summary);
    }
    if let Some(outcome) = summary.timeouts.get(at) {
        transports(&mut text, outcome);
        latency(&mut text, outcome);
    }
    if summary.busiest.len() > 1 {
        servers(&mut text, summary, at);
    }
    speed(&mut text, summary);
    text
}

pub fn played(played: &Played) -> Result<(), String> {
    let percent = |share: f64| share * 100.0;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} queries, {} lost, {} connections opened",
        played.queries, played.lost, played.opened
    );
    ends_within(&mut text, played.ends_within.as_deref());
    let _ = writeln!(
        text,
        "  found a connection  {:.2} %, the model says {:.2} %",
        percent(played.hit_fraction),
        percent(played.model_hit_fraction)
    );
    let _ = writeln!(
        text,
        "  mean latency        {:.3} ms, the model says {:.3} ms (round trip {:.3} ms)",
        played.latency_ms.map_or(0.0, |latency| latency.mean),
        played.model_latency_ms,
        played.round_trip_ms
    );
    output::print(&text)
}

fn ends_within(text: &mut String, record: Option<&str>) {
    if let Some(record) = record {
        let _ = writeln!(text, "  the trace ends in the middle of {record}: what is before it counts");
    }
}

fn head(text: &mut String, summary: &Summary) {
    let clients =
        summary.clients.map_or(String::new(), |count| format!(" of {} clients", grouped(count as u64)));
    let prefixes =
        summary.prefixes.map_or(String::new(), |count| format!(" in {} prefixes", grouped(count as u64)));
    let _ = writeln!(
        text,
        "{} queries{clients}{prefixes} to {} in {:.2} h",
        grouped(summary.queries),
        count(summary.servers, "server"),
        summary.seconds / 3_600.0
    );
    if summary.skipped > 0 {
        let _ = writeln!(text, "  {} other records skipped", grouped(summary.skipped));
    }
    if summary.late > 0 {
        let _ = writeln!(
            text,
            "  {} queries came a little late, and count as if in order",
            grouped(summary.late)
        );
    }
    ends_within(text, summary.ends_within.as_deref());
}

fn reuse(text: &mut String, summary: &Summary) {
    let _ = writeln!(text, "\nQueries that find a connection open, %");
    let mut views = vec!["by client: quartiles"];
    let has_prefixes = summary.prefixes.is_some();
    if has_prefixes {
        views.push("by prefix: quartiles");
    }
    let _ = writeln!(text, "  timeout    all   {}", views.join("   "));
    for outcome in &summary.timeouts {
        let by_prefix = if has_prefixes { percents(outcome.by_prefix) } else { String::new() };
        let line = format!(
            "  {:>5} s  {:>5.1}   {:<20}   {by_prefix}",
            outcome.timeout,
            outcome.hit_fraction * 100.0,
            percents(outcome.by_client),
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn cost(text: &mut String, summary: &Summary) {
    let _ = writeln!(text, "\nConnections at the server, and what they cost");
    let _ = writeln!(
        text,
        "  timeout       mean     median       most   MB  of kernel   handshakes/s full  resumed   processors"
    );
    for outcome in &summary.timeouts {
        let open = &outcome.connections;
        let _ = writeln!(
            text,
            "  {:>5} s {} {:>8} {:>10}   {:>17.2} {:>8.2}   {:>10.4}",
            outcome.timeout,
            connections(open),
            megabytes(open.most_octets),
            megabytes(open.most_kernel_octets),
            outcome.full_handshakes_per_second,
            outcome.resumed_handshakes_per_second,
            outcome.processors,
        );
    }
}

fn connections(open: &Connections) -> String {
    let median = open.quartiles.map_or_else(|| "–".into(), |quartiles| grouped(quartiles.median as u64));
    format!("{:>11.1} {median:>10} {:>10}", open.mean, grouped(open.most))
}

fn warm(text: &mut String, summary: &Summary) {
    let _ = writeln!(text, "\nIf clients keep their connections warm, as Sotto does");
    let _ = writeln!(text, "  timeout  hits, %  opened ahead, a query       mean     median       most");
    for outcome in &summary.timeouts {
        let Some(warm) = &outcome.keep_warm else { continue };
        let _ = writeln!(
            text,
            "  {:>5} s  {:>7.1}  {:>21.3} {}",
            outcome.timeout,
            warm.hit_fraction * 100.0,
            warm.dials_per_query,
            connections(&warm.connections),
        );
    }
}

fn transports(text: &mut String, outcome: &Outcome) {
    let _ = writeln!(
        text,
        "\nRound trips of a query at {} s, set-up included ({:.1} % of new connections resume)",
        outcome.timeout,
        outcome.resumed_fraction * 100.0
    );
    for each in &outcome.transports {
        let _ = writeln!(text, "  {:<18} {:.3}", each.transport.name(), each.mean);
    }
}

/// A row for each path, a column for each site.
fn latency(text: &mut String, outcome: &Outcome) {
    let (queries, median) = (&outcome.latency.queries, &outcome.latency.median_client);
    let sites = queries.len() / PATHS.len();
    let of_median = if median.is_empty() { "" } else { ", and in brackets with the median client's" };
    let _ = writeln!(
        text,
        "\nMean latency from end to end at {} s, ms, and % more than over UDP: with the P_C of all queries{of_median}",
        outcome.timeout
    );
    let _ = write!(text, "  {:<18}  {:<18}", "to the resolver", "to authorities");
    for site in queries.chunks(PATHS.len()) {
        let _ = write!(text, "  {:>20}", format!("stub RTT {} ms", site[0].stub_round_trip_ms));
    }
    for (path, (stub, authority)) in PATHS.into_iter().enumerate() {
        let _ = write!(text, "\n  {:<18}  {:<18}", stub.name(), authority.name());
        for site in 0..sites {
            let index = site * PATHS.len() + path;
            let brackets = median.get(index).map_or(String::new(), |median| format!(" ({})", more(median)));
            let cell = format!("{:.1} {:>5}{brackets:>8}", queries[index].mean_ms, more(&queries[index]));
            let _ = write!(text, "  {cell:>20}");
        }
    }
    text.push('\n');
}

fn more(latency: &Latency) -> String {
    format!("+{:.1}", latency.more_than_udp.max(0.0) * 100.0)
}

fn servers(text: &mut String, summary: &Summary, at: usize) {
    let _ = writeln!(text, "\nBusiest servers");
    for server in &summary.busiest {
        let hits = server.hit_fractions.get(at).map_or(0.0, |hits| hits * 100.0);
        // a name comes from the trace: nothing in it may steer the terminal
        let name: String = server.name.escape_debug().take(60).collect();
        let _ = writeln!(text, "  {:>14} queries  {hits:>5.1} %  {name}", grouped(server.queries));
    }
}

fn speed(text: &mut String, summary: &Summary) {
    let speed = summary.speed;
    let a_second = |seconds: f64| grouped((speed.queries as f64 / seconds.max(1e-9)) as u64);
    let _ = writeln!(
        text,
        "\n{} queries read in {:.2} s ({} a second) and modelled in {:.2} s ({} a second); at most {} clients and servers remembered",
        grouped(speed.queries),
        speed.reading_seconds,
        a_second(speed.reading_seconds),
        speed.model_seconds,
        a_second(speed.model_seconds),
        grouped(summary.most_pairs as u64),
    );
}

fn percents(quartiles: Option<Quartiles>) -> String {
    quartiles.map_or_else(String::new, |quartiles| {
        format!(
            "{:>4.1} · {:>4.1} · {:>4.1}",
            quartiles.lower * 100.0,
            quartiles.median * 100.0,
            quartiles.upper * 100.0
        )
    })
}

fn megabytes(octets: u64) -> String {
    format!("{:.1}", octets as f64 / 1e6)
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number as u64))
}
