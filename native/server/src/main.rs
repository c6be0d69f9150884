//! `sotto-server` on the command line: wiring and signals.

mod arguments;
mod attend;
mod encdns_key;
mod log;
mod reload_report;
mod report;
mod service_manager;
mod settings;
mod signals;
mod start;
mod ticket_file;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use sotto_server::{
    Config, Elsewhere, HandedOver, Identities, Server, Tickets, allow_descriptors, fast_open_obstacle,
};

use arguments::Arguments;
use log::Log;
use report::Failure;
use settings::check;
use settings::inputs::{Inputs, Warning};
use settings::listening::{self, addresses};
use signals::Signals;
use start::Start;

/// As in the addon; and what connections took is given back once they are closed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    allow_descriptors();
    let mut words: Vec<_> = std::env::args_os().collect();
    let done = match words.get(1).and_then(|word| word.to_str()) {
        Some("encdns-key") => encdns_key::make(&words[1..]),
        Some("ticket-secret") => ticket_file::make(&words[1..]),
        Some("reload") => reload_report::reload(&words[1..]),
        Some("check") => {
            words.remove(1);
            check::check(words)
        }
        _ => run(words),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.texts().iter().for_each(|text| eprintln!("sotto-server: {text}"));
            failure.exit_code()
        }
    }
}

fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let mut reading = settings::read_at_start(&words);
    if let Some(error) = reading.contradiction.take_if(|_| reading.faults.is_empty()) {
        error.exit();
    }
    let settings = reading.sound()?;
    // SAFETY: once, and only standard streams are open besides
    let sockets = unsafe { service_manager::sockets() };
    let Arguments { starttls, dot, .. } = &settings.arguments;
    let handed_over = listening::assign(sockets, starttls, dot).map_err(Failure::input)?;
    let inputs = Inputs::read(&settings.arguments)?;
    let runtime = runtime(settings.arguments.threads)?;
    let log = Log::start(settings.arguments.log);
    let start = Arc::new(Start::new(words, settings, inputs.roots.clone(), log));
    let served = runtime.block_on(serve(start.clone(), inputs, handed_over));
    start.log.finish();
    // a file may still be read that never ends
    runtime.shutdown_background();
    served
}

fn runtime(threads: Option<usize>) -> Result<tokio::runtime::Runtime, Failure> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = match threads.unwrap_or_else(processors) {
        1 => tokio::runtime::Builder::new_current_thread(),
        threads => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(threads);
            builder
        }
    };
    builder
        .enable_all()
        .build()
        .map_err(|error| Failure::system(format!("cannot start its threads: {error}")))
}

async fn serve(start: Arc<Start>, mut inputs: Inputs, handed_over: HandedOver) -> Result<(), Failure> {
    let mut signals =
        Signals::install().map_err(|error| Failure::system(format!("cannot wait for signals: {error}")))?;
    let arguments = &start.settings.arguments;
    let (identities, warnings) = (inputs.identities.clone(), inputs.warnings(arguments));
    let tickets = inputs.tickets()?;
    let server =
        Server::start(config(arguments, inputs, handed_over, tickets.clone())).map_err(Failure::system)?;
    tell(&server, &start, identities.as_ref(), &warnings)?;
    let keeping = tokio::spawn(attend::keep_tickets(tickets, start.clone()));
    let notice = attend::attend(&server, &mut signals, &start).await;
    start.manager.stopping();
    start.log.tell("stopping", log::Nothing {});
    server.announce_stop();
    tokio::select! {
        () = tokio::time::sleep(notice) => {}
        () = signals.stop() => {}
    }
    let stats = server.stop().await;
    keeping.abort();
    start.log.tell("stopped", stats);
    if arguments.stats {
        report::stats(stats);
    }
    Ok(())
}

fn config(
    arguments: &Arguments,
    mut inputs: Inputs,
    handed_over: HandedOver,
    tickets: Arc<Tickets>,
) -> Config {
    Config {
        backend: inputs.backend(),
        encdns: inputs.encdns(arguments),
        starttls: addresses(&arguments.starttls),
        dot: addresses(&arguments.dot),
        handed_over,
        proxies: arguments.proxy_from.clone().into(),
        identities: inputs.identities,
        signal: arguments.signal,
        early_data: arguments.early_data,
        tickets,
        unproven: arguments.udp_unproven,
        delay: arguments.delay,
        limits: arguments.limits(),
        metrics: arguments.metrics,
        dnstap: arguments.dnstap.clone(),
    }
}

/// That it serves, to everybody who waits for it.
fn tell(
    server: &Server,
    start: &Start,
    identities: Option<&Identities>,
    warnings: &[Warning],
) -> Result<(), Failure> {
    let (arguments, log) = (&start.settings.arguments, &start.log);
    let identity = identities.map(Identities::first);
    let authority = identity.and_then(|identity| identity.authority.as_deref());
    if let (Some(file), Some(authority)) = (&arguments.certificate_out, authority) {
        report::write_whole(file, authority.as_bytes(), 0o644).map_err(|error| {
            Failure::input(format!(
                "cannot write --certificate-out {}: {error}; its folder must exist and be writable",
                file.display()
            ))
        })?;
    }
    if let Some(obstacle) = fast_open_obstacle() {
        log.complain("no_fast_open", &format!("no TCP Fast Open: {obstacle}"));
    }
    warnings.iter().for_each(|warning| log.complain(warning.about, &warning.text));
    for Elsewhere { address, is_bound } in server.elsewhere() {
        let then =
            if *is_bound { "it is served as soon as it is one" } else { "it is served after a restart" };
        log.complain(
            "address_elsewhere",
            &format!("{address} is not an address of this machine now; {then}"),
        );
    }
    let certificate =
        arguments.certificate_out.as_deref().or(identity.and_then(|identity| identity.file.as_deref()));
    report::ready(server, identity.map(|identity| identity.pin.clone()), log, certificate);
    start.manager.ready();
    Ok(())
}
