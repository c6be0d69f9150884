//! `sotto-server ticket-secret` makes the secret of session tickets. Its file moves on as the secret does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use sotto_server::TicketSecret;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::arguments::Arguments;
use crate::report::{Failure, write_whole};

const HOUR: u64 = 3600;
const PRIVATE: u32 = 0o600;

const ABOUT: &str = "\
# Ticket secret of sotto-server. Whoever has it can open session tickets from its hour on, and none from before.
";

const EXAMPLES: &str = "\
Examples:
  sotto-server ticket-secret /var/lib/sotto-server/tickets
  scp -p /var/lib/sotto-server/tickets other-machine:/var/lib/sotto-server/

Then give each machine --ticket-secret with its own copy. A client that began at one resumes at every other.

Each hour a server derives the next secret from this one and, as the tickets of an hour become too old (after 12 hours), writes the file
anew without it. Nobody can compute an earlier secret from a later one: whoever finds the file opens no ticket from before its hour.
A machine that comes later takes the file as it is on another machine then. Blocks that the disk freed are not overwritten: where that
matters, keep the file in memory (/run) or on an encrypted disk.";

/// Make the secret that machines share to resume each other's sessions.
#[derive(Debug, Parser)]
#[command(name = "sotto-server ticket-secret", version, after_help = EXAMPLES)]
struct Words {
    /// The file; written where there is none
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub fn make(words: &[OsString]) -> Result<(), Failure> {
    let Words { file } = Words::parse_from(words);
    let secret = match file.exists() {
        true => read(&file)?,
        false => {
            let secret = TicketSecret::generate(now()).map_err(Failure::system)?;
            write(&file, &secret)?;
            secret
        }
    };
    println!("{} covers tickets from {} on", file.display(), moment(&secret));
    Ok(())
}

pub fn read(file: &Path) -> Result<TicketSecret, Failure> {
    let wrong =
        |why: &dyn std::fmt::Display| Failure::input(format!("--ticket-secret {}: {why}", file.display()));
    let text = fs::read_to_string(file)
        .map_err(|error| wrong(&format!("{error}; \"sotto-server ticket-secret\" makes one")))?;
    TicketSecret::parse(&text).map_err(|error| wrong(&error))
}

pub fn write(file: &Path, secret: &TicketSecret) -> Result<(), Failure> {
    write_whole(file, &format!("{ABOUT}{secret}"), PRIVATE).map_err(|error| {
        Failure::system(format!("cannot write the ticket secret {}: {error}", file.display()))
    })
}

/// No reason to refuse it: this machine's clock may be what is wrong.
pub fn untimely(secret: &TicketSecret, arguments: &Arguments) -> Option<String> {
    let file = arguments.ticket_secret.as_deref()?.display();
    let is_ahead = secret.begins() > now() + HOUR;
    is_ahead.then(|| {
        format!(
            "--ticket-secret {file} begins at {}, and until then other machines open no tickets from here: is the clock right?",
            moment(secret)
        )
    })
}

pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn moment(secret: &TicketSecret) -> String {
    let begins = OffsetDateTime::from_unix_timestamp(secret.begins() as i64);
    begins
        .ok()
        .and_then(|moment| moment.format(&Rfc3339).ok())
        .unwrap_or_else(|| "a year beyond all calendars".into())
}
