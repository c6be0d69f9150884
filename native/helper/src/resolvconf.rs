//! A record of our own with resolvconf(8), Debian's or openresolv's. systemd's resolvectl, which can pretend to be that program, is
//! not called: resolved has a mechanism of its own.

use std::path::{Path, PathBuf};

use crate::entry::Entry;
use crate::failure::{Code, Failure};
use crate::place::Place;
use crate::program::{output, succeed};
use crate::resolv_conf;
use crate::servers::Servers;
use crate::state::State;

/// Debian's order of interfaces begins with those of `lo`.
const RECORD: &str = "lo.sotto";

pub fn require(place: &Place) -> Result<PathBuf, Failure> {
    let found = place.resolvconf_programs().into_iter().find(|program| {
        let real = program.canonicalize();
        real.is_ok_and(|real| real.file_name().is_some_and(|name| name != "resolvectl"))
    });
    found.ok_or_else(|| {
        Failure::new(
            Code::MechanismMissing,
            "there is no resolvconf here",
            "install resolvconf or openresolv, or let Sotto use another mechanism",
        )
    })
}

pub fn state(place: &Place, entry: &Entry) -> State {
    let record =
        place.resolvconf_records(RECORD).into_iter().find_map(|path| std::fs::read_to_string(path).ok());
    match record {
        None => State::Gone,
        Some(text) if entry.may_be_ours(|servers| text == lines(servers)) => {
            // Another program may have marked its own record as the only one.
            if resolv_conf::leads_to_us_alone(place, entry) { State::Ours } else { State::Partly }
        }
        Some(_) => State::Other,
    }
}

pub async fn apply(place: &Place, entry: &Entry) -> Result<(), Failure> {
    let program = require(place)?;
    let before_others: &[&str] = if is_openresolv(&program).await? { &["-m", "0", "-x"] } else { &[] };
    let words = [before_others, &["-a", RECORD]].concat();
    // The last record that is marked so is the only one, and a record that exists keeps its position.
    if state(place, entry) == State::Partly {
        let _ = succeed(&program, &["-d", RECORD], "").await;
    }
    let told = succeed(&program, &words, &lines(&entry.servers)).await;
    unless(state(place, entry) == State::Ours, told)
}

/// resolvconf does not mind if there is no such record.
pub async fn restore(place: &Place, entry: &Entry) -> Result<(), Failure> {
    let told = succeed(&require(place)?, &["-d", RECORD], "").await;
    unless(state(place, entry) == State::Gone, told)
}

/// resolvconf returns the status of the programs that it calls, which may fail for reasons of their own. So what counts is the
/// result.
fn unless(is_so: bool, told: Result<(), Failure>) -> Result<(), Failure> {
    if is_so { Ok(()) } else { told }
}

fn lines(servers: &Servers) -> String {
    servers.all().iter().map(|server| format!("nameserver {}\n", server.address)).collect()
}

async fn is_openresolv(program: &Path) -> Result<bool, Failure> {
    let output = output(program, &["--version"], "").await?;
    Ok(output.stdout.starts_with(b"openresolv"))
}
