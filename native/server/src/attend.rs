//! What happens while the server runs: signals, files that are read anew, the log's summary.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use sotto_server::{Server, ServerBehind, Snapshot, Tickets};
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, interval};

use crate::log::Log;
use crate::reload_report::{self, Outcome};
use crate::report::{self, Failure};
use crate::settings::identities;
use crate::settings::reload::{self, Reload};
use crate::signals::{Signals, Wish};
use crate::start::Start;
use crate::ticket_file;

/// How often it is looked whether tickets need the next hour's keys.
const LOOK: Duration = Duration::from_secs(60);
/// The log says at most once in this time how much was refused.
const SUMMARY: Duration = Duration::from_secs(60);
/// How often it is looked whether there is something to say.
const NEWS: Duration = Duration::from_secs(2);

/// Until somebody wants it to stop. Returns how long it announces that before. Files are read on a thread of their own, so that no
/// query waits for a large zone.
pub async fn attend(server: &Server, signals: &mut Signals, start: &Arc<Start>) -> Duration {
    let log = &start.log;
    let mut reading = JoinSet::new();
    let mut is_wanted_again = false;
    let mut notice = start.settings.arguments.stop_notice;
    let mut told = Told {
        stats: Snapshot::default(),
        at: Instant::now(),
        down: HashSet::new(),
        tap: None,
        silent: HashMap::new(),
    };
    let mut news = interval(NEWS);
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
                let outcome = take(server, read, start, &mut notice);
                start.manager.ready();
                if std::mem::take(&mut is_wanted_again) {
                    read_anew(&mut reading, start);
                } else {
                    reload_report::tell(start.settings.arguments.reload_report.as_deref(), &outcome);
                }
            }
            _ = news.tick() => told.tell(server, log),
        }
    }
    told.summarize(server, log);
    notice
}

/// What the log has said.
struct Told {
    stats: Snapshot,
    /// when the last summary was
    at: Instant,
    /// servers behind that do not respond
    down: HashSet<String>,
    /// why nobody takes dnstap
    tap: Option<String>,
    /// until when a complaint is not repeated
    silent: HashMap<&'static str, (u64, Instant)>,
}

/// What somebody has to mend, by a count that rises.
struct Complaint {
    event: &'static str,
    count: fn(&Snapshot) -> u64,
    text: &'static str,
}

const COMPLAINTS: [Complaint; 2] = [
    Complaint {
        event: "no_descriptor",
        count: |stats| stats.not_accepted,
        text: "the system has no descriptor or memory for another connection: raise LimitNOFILE= of the unit (ulimit -Hn), or give \
               a smaller --limit-connections",
    },
    Complaint {
        event: "wrong_proxy_header",
        count: |stats| stats.wrong_proxy_headers,
        text: "a connection from an address of --proxy-from was reset, because it did not begin with a header of the PROXY protocol, \
               version 2: does the balancer send one (send-proxy-v2 of HAProxy)?",
    },
];

impl Told {
    fn tell(&mut self, server: &Server, log: &Log) {
        for behind in server.behind() {
            self.tell_of(behind, log);
        }
        if let Some(trouble) = server.tap_trouble() {
            self.tell_of_tap(trouble, log);
        }
        self.complain(&server.stats(), log);
        if self.at.elapsed() >= SUMMARY {
            self.summarize(server, log);
        }
    }

    fn tell_of(&mut self, ServerBehind { address, down, .. }: ServerBehind, log: &Log) {
        match down {
            Some(why) if !self.down.contains(&address) => {
                log.complain("server_down", &format!("{address} does not respond, and rests: {why}"));
                self.down.insert(address);
            }
            None if self.down.remove(&address) => {
                log.complain("server_up", &format!("{address} responds again"));
            }
            _ => {}
        }
    }

    fn tell_of_tap(&mut self, trouble: Option<String>, log: &Log) {
        match (&trouble, &self.tap) {
            (Some(why), None) => log.complain(
                "dnstap_down",
                &format!("nobody takes dnstap at {why}; until somebody does, what would be told is lost"),
            ),
            (None, Some(_)) => log.complain("dnstap_up", "somebody takes dnstap again"),
            _ => {}
        }
        self.tap = trouble;
    }

    /// Once a minute at most for each.
    fn complain(&mut self, now: &Snapshot, log: &Log) {
        for Complaint { event, count, text } in &COMPLAINTS {
            let (told, until) = self.silent.get(event).copied().unwrap_or((0, Instant::now()));
            if count(now) > told && until <= Instant::now() {
                log.complain(event, text);
                self.silent.insert(event, (count(now), Instant::now() + SUMMARY));
            }
        }
    }

    fn summarize(&mut self, server: &Server, log: &Log) {
        let now = server.stats();
        log.summarize(&std::mem::replace(&mut self.stats, now), &now);
        self.at = Instant::now();
    }
}

fn read_anew(reading: &mut JoinSet<Result<Reload, Failure>>, start: &Arc<Start>) {
    start.manager.reloading();
    let start = start.clone();
    reading.spawn_blocking(move || reload::read(&start.words, &start.settings, &start.roots));
}

fn complain(failure: &Failure, log: &Log) {
    for text in failure.texts() {
        log.complain("not_renewed", &format!("nothing was changed: {text}"));
    }
}

/// All that was read, or nothing. `notice`: how long a stop is announced, which may change.
fn take(
    server: &Server,
    read: Result<Result<Reload, Failure>, JoinError>,
    start: &Start,
    notice: &mut Duration,
) -> Outcome {
    match renew(server, read, start) {
        Ok(Renewed { stop_notice, needing_restart }) => {
            *notice = stop_notice;
            if needing_restart.is_empty() { Outcome::Taken } else { Outcome::Partly(needing_restart) }
        }
        Err(failure) => {
            complain(&failure, &start.log);
            Outcome::Refused(failure.texts().to_vec())
        }
    }
}

struct Renewed {
    /// How long a stop is announced from now on.
    stop_notice: Duration,
    /// A sentence for each key that stayed as it was.
    needing_restart: Vec<String>,
}

/// Takes all that was read and says so.
fn renew(
    server: &Server,
    read: Result<Result<Reload, Failure>, JoinError>,
    start: &Start,
) -> Result<Renewed, Failure> {
    let Reload { renewal, stop_notice, ticket_secret, needing_restart, warnings } =
        read.map_err(Failure::system)??;
    let log = &start.log;
    if let (Some(present), Some(wanted)) = (server.identities(), &renewal.identities) {
        identities::worse(&present, wanted).map_or(Ok(()), Err)?;
    }
    start.keep_tickets_in(ticket_secret);
    let identities = renewal.identities.clone();
    server.renew(renewal);
    start.renewed.notify_one();
    let needing_restart: Vec<_> =
        needing_restart.iter().map(|key| format!("{key} needs a restart: it stays as it was")).collect();
    needing_restart.iter().for_each(|text| log.complain("needs_restart", text));
    warnings.iter().for_each(|warning| log.complain(warning.about, &warning.text));
    report::renewed(identities.as_ref(), log);
    Ok(Renewed { stop_notice, needing_restart })
}

/// Moves the keys of tickets on as time passes, and with them the file of their secret.
pub async fn keep_tickets(tickets: Arc<Tickets>, start: Arc<Start>) {
    let mut look = interval(LOOK);
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = start.renewed.notified() => {}
        }
        tickets.turn(ticket_file::now());
        let (Some(secret), Some(file)) = (tickets.to_keep(), start.ticket_secret()) else { continue };
        let tickets = tickets.clone();
        let written =
            spawn_blocking(move || ticket_file::move_on(&file, &secret).map(|()| tickets.is_kept(&secret)));
        if let Ok(Err(failure)) = written.await {
            for text in failure.texts() {
                start.log.complain("ticket_secret", text);
            }
        }
    }
}
