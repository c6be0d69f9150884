//! `sotto-server` on the command line: wiring and signals.

mod arguments;
mod check;
mod config_file;
mod encdns_key;
mod inputs;
mod listening;
mod reload;
mod report;
mod service_manager;
mod settings;
mod signals;
mod ticket_file;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use sotto_server::{Config, HandedOver, Server, fast_open_obstacle};
use tokio::task::{JoinError, JoinSet};

use arguments::Arguments;
use inputs::Inputs;
use listening::addresses;
use reload::Reload;
use report::Failure;
use service_manager::ServiceManager;
use settings::Settings;
use signals::{Signals, Wish};

/// As in the addon; and what connections took is given back once they are closed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut words: Vec<_> = std::env::args_os().collect();
    let done = match words.get(1).and_then(|word| word.to_str()) {
        Some("encdns-key") => encdns_key::make(&words[1..]),
        Some("ticket-secret") => ticket_file::make(&words[1..]),
        Some("check") => {
            words.remove(1);
            check::check(&words)
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
    let served = runtime.block_on(serve(
        Start { words, settings, manager: ServiceManager::from_environment() },
        inputs,
        handed_over,
    ));
    // a file may still be read that never ends
    runtime.shutdown_background();
    served
}

/// What the server was started with.
struct Start {
    words: Vec<OsString>,
    settings: Settings,
    manager: ServiceManager,
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

async fn serve(start: Start, mut inputs: Inputs, handed_over: HandedOver) -> Result<(), Failure> {
    let mut signals =
        Signals::install().map_err(|error| Failure::system(format!("cannot wait for signals: {error}")))?;
    let arguments = &start.settings.arguments;
    let (identity, pin) =
        (inputs.identity.clone(), inputs.identity.as_ref().map(|identity| identity.pin.clone()));
    let authority = identity.as_ref().and_then(|identity| identity.authority.clone());
    let warnings = inputs.warnings(arguments);
    let tickets = inputs.tickets()?;
    let keeping = tokio::spawn(ticket_file::keep(tickets.clone(), arguments.ticket_secret.clone()));
    let server = Server::start(Config {
        backend: inputs.backend(arguments),
        encdns: inputs.encdns(arguments),
        starttls: addresses(&arguments.starttls),
        dot: addresses(&arguments.dot),
        handed_over,
        proxies: arguments.proxy_from.clone().into(),
        identity,
        signal: arguments.signal,
        early_data: arguments.early_data,
        tickets,
        unproven: arguments.udp_unproven,
        delay: arguments.delay,
        limits: arguments.limits(),
        metrics: arguments.metrics,
    })
    .map_err(Failure::system)?;
    if let (Some(file), Some(authority)) = (&arguments.certificate_out, authority) {
        report::write_whole(file, &authority, 0o644).map_err(|error| {
            Failure::input(format!(
                "cannot write --certificate-out {}: {error}; its folder must exist and be writable",
                file.display()
            ))
        })?;
    }
    if let Some(obstacle) = fast_open_obstacle() {
        eprintln!("sotto-server: no TCP Fast Open: {obstacle}");
    }
    warnings.iter().for_each(|warning| eprintln!("sotto-server: {warning}"));
    report::ready(&server, pin, arguments.certificate_out.as_deref().or(arguments.certificate.as_deref()));
    start.manager.ready();
    let (prints_stats, start) = (arguments.stats, Arc::new(start));
    let notice = attend(&server, &mut signals, &start).await;
    start.manager.stopping();
    server.announce_stop();
    tokio::select! {
        () = tokio::time::sleep(notice) => {}
        () = signals.stop() => {}
    }
    let stats = server.stop().await;
    keeping.abort();
    if prints_stats {
        report::stats(stats);
    }
    Ok(())
}

/// Until somebody wants it to stop. Returns how long it announces that before. Files are read on a thread of their own, so that no query waits for a large zone.
async fn attend(server: &Server, signals: &mut Signals, start: &Arc<Start>) -> Duration {
    let mut reading = JoinSet::new();
    let mut notice = start.settings.arguments.stop_notice;
    loop {
        tokio::select! {
            wish = signals.next() => match wish {
                Wish::Counters => report::stats(server.stats()),
                Wish::Renewal => {
                    start.manager.reloading();
                    let start = start.clone();
                    reading.spawn_blocking(move || reload::read(&start.words, &start.settings));
                }
                Wish::Stop => return notice,
            },
            Some(read) = reading.join_next() => {
                match renew(server, read) {
                    Ok(stop_notice) => notice = stop_notice,
                    Err(failure) => {
                        failure.texts().iter().for_each(|text| eprintln!("sotto-server: nothing was changed: {text}"));
                    }
                }
                start.manager.ready();
            }
        }
    }
}

/// Takes all that was read and says so. Returns how long a stop is announced from now on.
fn renew(server: &Server, read: Result<Result<Reload, Failure>, JoinError>) -> Result<Duration, Failure> {
    let Reload { renewal, stop_notice, needing_restart, warnings } = read.map_err(Failure::system)??;
    let pin = renewal.identity.as_ref().map(|identity| identity.pin.clone());
    server.renew(renewal).map_err(Failure::input)?;
    for key in needing_restart {
        eprintln!("sotto-server: {key} needs a restart: it stays as it was");
    }
    warnings.iter().for_each(|warning| eprintln!("sotto-server: {warning}"));
    report::renewed(pin);
    Ok(stop_notice)
}
