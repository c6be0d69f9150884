//! `sotto-server` on the command line: arguments, wiring, signals.

mod arguments;
mod encdns_key;
mod report;
mod signals;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use sotto_server::{
    Backend, Config, EncDns, EncDnsLimits, Forwarder, Identity, Limits, Renewal, Server, fast_open_obstacle,
    load_zone,
};

use tokio::task::{JoinError, JoinSet};

use arguments::Arguments;
use report::Failure;
use signals::{Signals, Wish};

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let done = match words.get(1) {
        Some(first) if first == "encdns-key" => encdns_key::make(&words[1..]),
        _ => run(Arguments::parse_from(words)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("sotto-server: {failure}");
            failure.exit_code()
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    let backend = backend(&arguments)?;
    let encdns = encdns(&arguments)?;
    let identity = identity(&arguments)?;
    let runtime = runtime(&arguments)?;
    let served = runtime.block_on(serve(arguments, backend, encdns, identity));
    // a file may still be read that never ends
    runtime.shutdown_background();
    served
}

fn encdns(arguments: &Arguments) -> Result<Option<EncDns>, Failure> {
    let Some(zone) = arguments.encdns else { return Ok(None) };
    let mut secrets = encdns_key::read_different(&arguments.encdns_key)?.into_iter();
    let present = secrets.next().expect("clap requires a key with the zone");
    let limits =
        EncDnsLimits { per_client: arguments.encdns_per_client, per_resolver: arguments.encdns_per_resolver };
    let encdns = EncDns::new(zone, present, &arguments.encdns_address);
    Ok(Some(encdns.with_older_keys(secrets).with_limits(limits)))
}

fn backend(arguments: &Arguments) -> Result<Backend, Failure> {
    if let Some(own) = arguments.loop_to_itself() {
        return Err(Failure::input(format!(
            "--to leads back to --starttls {own}: give the address of another resolver"
        )));
    }
    match (&arguments.zone, arguments.to) {
        (Some(file), _) => Ok(load_zone(file, &arguments.origin).map_err(Failure::input)?.into()),
        (None, Some(to)) => Ok(Backend::Forward(Arc::new(Forwarder::new(to)))),
        (None, None) => unreachable!("clap requires one of the two"),
    }
}

fn identity(arguments: &Arguments) -> Result<Option<Identity>, Failure> {
    match (&arguments.certificate, &arguments.key) {
        (Some(certificate), Some(key)) => {
            Identity::from_files(certificate, key).map(Some).map_err(Failure::input)
        }
        _ if !arguments.self_signed.is_empty() => {
            Identity::self_signed(&arguments.self_signed).map(Some).map_err(Failure::input)
        }
        _ if arguments.needs_identity() => Err(Failure::input(
            "TLS needs a certificate: give --certificate FILE and --key FILE, or --self-signed NAME \
             (--help shows how to make one with openssl)",
        )),
        _ => Ok(None),
    }
}

fn runtime(arguments: &Arguments) -> Result<tokio::runtime::Runtime, Failure> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = match arguments.threads.unwrap_or_else(processors) {
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

async fn serve(
    arguments: Arguments,
    backend: Backend,
    encdns: Option<EncDns>,
    identity: Option<Identity>,
) -> Result<(), Failure> {
    let mut signals =
        Signals::install().map_err(|error| Failure::system(format!("cannot wait for signals: {error}")))?;
    let pin = identity.as_ref().map(|identity| identity.pin.clone());
    let authority = identity.as_ref().and_then(|identity| identity.authority.clone());
    let server = Server::start(Config {
        backend,
        encdns,
        starttls: arguments.starttls.clone(),
        dot: arguments.dot.clone(),
        proxies: arguments.proxy_from.clone().into(),
        identity,
        signal: arguments.signal,
        early_data: arguments.early_data,
        unproven: arguments.udp_unproven,
        delay: arguments.delay,
        limits: Limits {
            connections: arguments.limit_connections,
            in_flight: arguments.limit_in_flight,
            idle: arguments.idle,
            ..Limits::default()
        },
    })
    .map_err(Failure::system)?;
    if let (Some(file), Some(authority)) = (&arguments.certificate_out, authority) {
        report::write_whole(file, &authority)?;
    }
    if let Some(obstacle) = fast_open_obstacle() {
        eprintln!("sotto-server: no TCP Fast Open: {obstacle}");
    }
    report::ready(&server, pin, arguments.certificate_out.as_deref().or(arguments.certificate.as_deref()));
    let arguments = Arc::new(arguments);
    attend(&server, &mut signals, &arguments).await;
    let stats = server.stop().await;
    if arguments.stats {
        report::stats(stats);
    }
    Ok(())
}

/// Until somebody wants it to stop. Files are read on a thread of their own, so that no query waits for a large zone.
async fn attend(server: &Server, signals: &mut Signals, arguments: &Arc<Arguments>) {
    let mut reading = JoinSet::new();
    loop {
        tokio::select! {
            wish = signals.next() => match wish {
                Wish::Counters => report::stats(server.stats()),
                Wish::Renewal => {
                    let arguments = arguments.clone();
                    reading.spawn_blocking(move || renewal(&arguments));
                }
                Wish::Stop => return,
            },
            Some(read) = reading.join_next() => match renew(server, read) {
                Ok(pin) => report::renewed(pin),
                Err(failure) => eprintln!("sotto-server: nothing was changed: {failure}"),
            },
        }
    }
}

/// Takes all that was read. Returns the pin of the certificate.
fn renew(
    server: &Server,
    read: Result<Result<Renewal, Failure>, JoinError>,
) -> Result<Option<String>, Failure> {
    let renewal = read.map_err(Failure::system)??;
    let pin = renewal.identity.as_ref().map(|identity| identity.pin.clone());
    server.renew(renewal).map_err(Failure::input)?;
    Ok(pin)
}

/// Reads the files anew. A certificate that was made on the spot stays: clients trust it.
fn renewal(arguments: &Arguments) -> Result<Renewal, Failure> {
    let zone = arguments.zone.as_ref().map(|file| load_zone(file, &arguments.origin));
    Ok(Renewal {
        identity: if arguments.self_signed.is_empty() { identity(arguments)? } else { None },
        zone: zone.transpose().map_err(Failure::input)?,
        keys: Some(encdns_key::read_different(&arguments.encdns_key)?).filter(|keys| !keys.is_empty()),
        terms: None,
    })
}
