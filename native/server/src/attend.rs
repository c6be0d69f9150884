//! What happens while the server runs: signals, files that are read anew, the log's summary.

use std::sync::Arc;
use std::time::Duration;

use sotto_server::{Server, Tickets};
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, interval, interval_at};

use crate::log::Log;
use crate::report::{self, Failure};
use crate::settings::reload::{self, Reload};
use crate::signals::{Signals, Wish};
use crate::start::Start;
use crate::ticket_file;

/// How often it is looked whether tickets need the next hour's keys.
const LOOK: Duration = Duration::from_secs(60);
/// The log says at most once in this time how much was refused.
const SUMMARY: Duration = Duration::from_secs(60);

/// Until somebody wants it to stop. Returns how long it announces that before. Files are read on a thread of their own, so that no
/// query waits for a large zone.
pub async fn attend(server: &Server, signals: &mut Signals, start: &Arc<Start>) -> Duration {
    let log = &start.log;
    let mut reading = JoinSet::new();
    let mut is_wanted_again = false;
    let mut notice = start.settings.arguments.stop_notice;
    let mut told = server.stats();
    let mut summary = interval_at(Instant::now() + SUMMARY, SUMMARY);
    loop {
        tokio::select! {
            wish = signals.next() => match wish {
                Wish::Counters => report::stats(server.stats()),
                // what is read last counts, so that only one reads
                Wish::Renewal if !reading.is_empty() => is_wanted_again = true,
                Wish::Renewal => read_anew(&mut reading, start),
                Wish::Stop => break,
            },
            Some(read) = reading.join_next() => {
                match renew(server, read, log) {
                    Ok(stop_notice) => notice = stop_notice,
                    Err(failure) => complain(&failure, log),
                }
                start.manager.ready();
                if std::mem::take(&mut is_wanted_again) {
                    read_anew(&mut reading, start);
                }
            }
            _ = summary.tick() => {
                let now = server.stats();
                log.summarize(&std::mem::replace(&mut told, now), &now);
            }
        }
    }
    log.summarize(&told, &server.stats());
    notice
}

fn read_anew(reading: &mut JoinSet<Result<Reload, Failure>>, start: &Arc<Start>) {
    start.manager.reloading();
    let start = start.clone();
    reading.spawn_blocking(move || reload::read(&start.words, &start.settings));
}

fn complain(failure: &Failure, log: &Log) {
    for text in failure.texts() {
        log.complain("not_renewed", &format!("nothing was changed: {text}"));
    }
}

/// Takes all that was read and says so. Returns how long a stop is announced from now on.
fn renew(
    server: &Server,
    read: Result<Result<Reload, Failure>, JoinError>,
    log: &Log,
) -> Result<Duration, Failure> {
    let Reload { renewal, stop_notice, needing_restart, warnings } = read.map_err(Failure::system)??;
    let identities = renewal.identities.clone();
    server.renew(renewal);
    for key in needing_restart {
        log.complain("needs_restart", &format!("{key} needs a restart: it stays as it was"));
    }
    warnings.iter().for_each(|warning| log.complain(warning.about, &warning.text));
    report::renewed(identities.as_ref(), log);
    Ok(stop_notice)
}

/// Moves the keys of tickets on as time passes, and with them the file of their secret.
pub async fn keep_tickets(tickets: Arc<Tickets>, start: Arc<Start>) {
    let mut look = interval(LOOK);
    loop {
        look.tick().await;
        tickets.turn(ticket_file::now());
        let file = start.settings.arguments.ticket_secret.clone();
        let (Some(secret), Some(file)) = (tickets.to_keep(), file) else { continue };
        let tickets = tickets.clone();
        let written =
            spawn_blocking(move || ticket_file::write(&file, &secret).map(|()| tickets.is_kept(&secret)));
        if let Ok(Err(failure)) = written.await {
            for text in failure.texts() {
                let whole = format!("{text}; what is there opens tickets that are too old");
                start.log.complain("ticket_secret", &whole);
            }
        }
    }
}
