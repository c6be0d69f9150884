//! `sotto-lab` on the command line: arguments, wiring, Ctrl-C.

mod arguments;
mod number;
mod replay_arguments;
mod replay_report;
mod report;

use std::io::{self, BufWriter};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use domain::base::iana::Rtype;
use sotto_lab::bus_peer;
use sotto_lab::descriptors;
use sotto_lab::encdns::BoxedLoad;
use sotto_lab::load::{Load, Second, Summary};
use sotto_lab::names::Names;
use sotto_lab::output;
use sotto_lab::question::Question;
use sotto_lab::replay::plot;
use sotto_lab::slow::{SlowClients, Summary as SlowSummary};
use sotto_lab::tls::{Kind as TlsKind, TlsLoad};
use tokio::sync::watch;

#[cfg(target_os = "linux")]
use arguments::WireArguments;
use arguments::{Arguments, Command, EncDnsArguments, LoadArguments, SlowArguments, TlsArguments};
use replay_arguments::{PlayArguments, ReplayArguments, TraceArguments};

enum Failure {
    Input(String),
    System(String),
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let result = match (runtime, Arguments::parse().command) {
        (Err(error), _) => Err(Failure::System(format!("can't start: {error}"))),
        (Ok(runtime), Command::Load(arguments)) => runtime.block_on(load(arguments)),
        (Ok(runtime), Command::SlowClients(arguments)) => runtime.block_on(slow_clients(arguments)),
        (Ok(_), Command::EncDns(arguments)) => encdns(arguments),
        (Ok(runtime), Command::Tls(arguments)) => runtime.block_on(tls(arguments)),
        #[cfg(target_os = "linux")]
        (Ok(_), Command::Wire(arguments)) => wire(arguments),
        (Ok(_), Command::Replay(arguments)) => replay(&arguments),
        (Ok(runtime), Command::Play(arguments)) => runtime.block_on(play(&arguments)),
        (Ok(_), Command::Trace(arguments)) => trace(&arguments),
        (Ok(runtime), Command::BusPeer(arguments)) => {
            runtime.block_on(bus_peer::run(&arguments.address)).map_err(Failure::System)
        }
    };
    let (text, code) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Input(text)) => (text, 2),
        Err(Failure::System(text)) => (text, 1),
    };
    eprintln!("sotto-lab: {text}");
    ExitCode::from(code)
}

async fn load(arguments: LoadArguments) -> Result<(), Failure> {
    let names = match (&arguments.names, arguments.zipf) {
        (Some(file), _) => Names::from_file(file),
        (None, Some(count)) => Names::zipf(count as usize, &arguments.suffix, arguments.seed),
        (None, None) => unreachable!("clap requires one of the two"),
    };
    let load = Load {
        to: arguments.to,
        rate: arguments.rate,
        duration: arguments.seconds,
        names: names.map_err(Failure::Input)?,
        tcp: arguments.tcp,
        timeout: arguments.timeout,
    };
    let json = arguments.json;
    let stop = Arc::new(AtomicBool::new(false));
    let asked_to_stop = stop.clone();
    let mut running = tokio::task::spawn_blocking(move || {
        let on_second = |at: Duration, second: &Second| match json {
            // the run goes on; its last line tells whether standard output can be written
            true => report::json("second", at, second).unwrap_or_default(),
            false => report::second(at, second),
        };
        load.run(&stop, &on_second)
    });
    let finished = tokio::select! {
        finished = &mut running => finished,
        _ = tokio::signal::ctrl_c() => {
            asked_to_stop.store(true, Ordering::Relaxed);
            running.await
        }
    };
    let summary = finished
        .map_err(|error| Failure::System(format!("a bug: {error}")))?
        .map_err(|error| Failure::System(format!("can't open a socket to {}: {error}", arguments.to)))?;
    match json {
        true => report::json("load", Duration::from_secs_f64(summary.seconds), &summary),
        false => report::load(&summary),
    }
    .map_err(Failure::System)?;
    somebody_answered(&summary)
}

fn somebody_answered(summary: &Summary) -> Result<(), Failure> {
    if summary.counts.sent > 0 && summary.lost == summary.counts.sent {
        return Err(Failure::System(format!(
            "nobody answered at {}: is the service running and does it listen there? (sotto status)",
            summary.to
        )));
    }
    Ok(())
}

async fn slow_clients(arguments: SlowArguments) -> Result<(), Failure> {
    let slow = SlowClients {
        to: arguments.to,
        count: arguments.count as usize,
        kind: arguments.kind,
        duration: arguments.seconds,
        persistent: arguments.persistent,
        question: Question::new(&arguments.name, arguments.rtype)
            .map_err(|error| Failure::Input(format!("--name {error}")))?,
    };
    descriptors::allow(slow.descriptors()).map_err(Failure::System)?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        let _ = tokio::signal::ctrl_c().await;
        let _ = stop.send(true);
    });
    let json = arguments.json;
    let on_second = |at: Duration, summary: &SlowSummary| match json {
        // as above
        true => report::json("second", at, summary).unwrap_or_default(),
        false => report::crowd(at, summary),
    };
    let summary = slow.run(stopped, on_second).await;
    match json {
        true => report::json("slow-clients", arguments.seconds, &summary),
        false => report::slow(&summary),
    }
    .map_err(Failure::System)?;
    if summary.udp.answered + summary.tcp.answered == 0 {
        return Err(Failure::System(format!(
            "the probe got no answer at {}: is the service running and does it listen there? (sotto status)",
            summary.to
        )));
    }
    Ok(())
}

fn encdns(arguments: EncDnsArguments) -> Result<(), Failure> {
    let queries = arguments.queries as usize;
    let load = BoxedLoad {
        to: arguments.to,
        zone: arguments.zone.into_octets(),
        server: arguments.key,
        kind: arguments.kind,
        queries,
        different: arguments.different.map_or(queries, |different| different as usize),
        outstanding: arguments.outstanding,
        suffix: arguments.suffix,
    };
    let summary = load.run().map_err(Failure::System)?;
    match arguments.json {
        true => report::json("encdns", Duration::from_secs_f64(summary.seconds), &summary),
        false => report::boxes(&summary),
    }
    .map_err(Failure::System)
}

async fn tls(arguments: TlsArguments) -> Result<(), Failure> {
    let load = TlsLoad {
        to: arguments.to,
        from: arguments.from,
        kind: arguments.kind,
        connections: arguments.connections as usize,
        outstanding: arguments.outstanding as usize,
        rate: arguments.rate,
        stay: arguments.stay,
        duration: arguments.seconds,
        question: Question::new(&arguments.name, Rtype::A)
            .map_err(|error| Failure::Input(format!("--name {error}")))?,
    };
    load.check().map_err(Failure::Input)?;
    descriptors::allow(load.descriptors()).map_err(Failure::System)?;
    if load.kind == TlsKind::Idle {
        let open = load.open().await.map_err(Failure::System)?;
        report::opened(open.len(), load.duration, arguments.json).map_err(Failure::System)?;
        tokio::select! {
            () = tokio::time::sleep(load.duration) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        drop(open);
        return Ok(());
    }
    let summary = load.run().await.map_err(Failure::System)?;
    match arguments.json {
        true => report::json("tls", Duration::from_secs_f64(summary.seconds), &summary),
        false => report::tls(&summary),
    }
    .map_err(Failure::System)?;
    match summary.done {
        0 if load.kind != TlsKind::Deaf => Err(Failure::System(format!(
            "nobody answered at {}: does a DNS-over-TLS server listen there?",
            load.to
        ))),
        _ => Ok(()),
    }
}

fn replay(arguments: &ReplayArguments) -> Result<(), Failure> {
    let shown = arguments.shown().map_err(Failure::Input)?;
    let result = arguments.replay().run(&replay_report::progress);
    replay_report::progress_ends();
    let summary = result.map_err(Failure::Input)?;
    if let Some(file) = &arguments.svg {
        std::fs::write(file, plot::svg(&summary)).map_err(|error| {
            Failure::System(format!("--svg {}: {error}; give a file that can be written", file.display()))
        })?;
    }
    match arguments.json {
        true => {
            let at = arguments.timeouts.seconds()[shown];
            report::json("replay", Duration::from_secs(at.into()), &summary)
        }
        false => replay_report::print(&summary, shown),
    }
    .map_err(Failure::System)
}

async fn play(arguments: &PlayArguments) -> Result<(), Failure> {
    let trace = arguments.trace().map_err(Failure::Input)?;
    let played = arguments.play().run(trace).await.map_err(Failure::System)?;
    match arguments.json {
        true => report::json("play", Duration::ZERO, &played),
        false => replay_report::played(&played),
    }
    .map_err(Failure::System)
}

fn trace(arguments: &TraceArguments) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let result = arguments.generator().write(&mut out).map(|_| ());
    output::written(result, "the trace").map_err(Failure::System)
}

#[cfg(target_os = "linux")]
fn wire(arguments: WireArguments) -> Result<(), Failure> {
    use sotto_lab::wire::{control, end::End, line::Shape, relay::Relay};

    let (delay, jitter) = arguments.delay;
    let asked_for = control::Change {
        delay_ms: Some(delay),
        jitter_ms: Some(jitter),
        loss_percent: Some(arguments.loss),
        reorder_percent: Some(arguments.reorder),
        rate_mbit: Some(arguments.rate),
        queue_packets: Some(arguments.queue),
        ..control::Change::default()
    };
    let shape = asked_for.apply(Shape::default()).map_err(Failure::Input)?;
    if arguments.a == arguments.b {
        return Err(Failure::Input(format!("--a and --b are both {}: a cable has two ends", arguments.a)));
    }
    arguments.plain.iter().try_for_each(|station| station.make_plain()).map_err(Failure::System)?;
    let ends = [End::open(&arguments.a), End::open(&arguments.b)];
    let [a, b] = ends.map(|end| end.map_err(Failure::System));
    let controls = control::Controls::open(arguments.control.as_deref()).map_err(Failure::System)?;
    Relay::new([a?, b?], shape, arguments.seed).run(controls).map_err(Failure::System)
}
