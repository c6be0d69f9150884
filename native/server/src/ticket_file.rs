//! `sotto-server ticket-secret` makes the secret of session tickets. Its file moves on as the secret does.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use rustix::fs::{Access, access};
use sotto_files::regular;
use sotto_server::TicketSecret;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::arguments::Arguments;
use crate::report::{Failure, print, write_secret};

const HOUR: u64 = 3600;
/// Octets; room for a person's own words.
const LONGEST: u64 = 65_536;

const ABOUT: &str = "\
# Ticket secret of sotto-server. Whoever has it can open session tickets from its hour on, and none from before.
";

const EXAMPLES: &str = "\
Examples:
  sotto-server ticket-secret /var/lib/sotto-server/tickets
  runuser -u sotto-server -- cat /var/lib/sotto-server/tickets |
    ssh other-machine 'umask 077; runuser -u sotto-server -- sh -c \"cat >/var/lib/sotto-server/tickets\"'

Then give each machine --ticket-secret with its own copy. A client that began at one resumes at every other.

Each hour a server derives the next secret from this one and, as the tickets of an hour become too old (after 12 hours), writes the file
anew without it. Nobody can compute an earlier secret from a later one: whoever finds the file opens no ticket from before its hour.
A machine that comes later takes the file as it is on another machine then. Blocks that the disk freed are not overwritten: where that
matters, keep the file in memory (/run) or on an encrypted disk.";

/// Make the secret that machines share to resume each other's sessions.
#[derive(Debug, Parser)]
#[command(name = "sotto-server ticket-secret", bin_name = "sotto-server ticket-secret", version, after_help = EXAMPLES)]
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
    print(&format!("{} covers tickets from {} on", file.display(), moment(&secret)))
}

pub fn read(file: &Path) -> Result<TicketSecret, Failure> {
    let wrong =
        |why: &dyn std::fmt::Display| Failure::input(format!("--ticket-secret {}: {why}", file.display()));
    let text = regular::read_text(file, LONGEST).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::NotFound => "\"sotto-server ticket-secret\" makes one",
            _ => "the account of the server must own it (chown)",
        };
        wrong(&format!("{error}; {remedy}"))
    })?;
    TicketSecret::parse(&text).map_err(|error| wrong(&error))
}

/// Writes a later secret in the place of the one from which it comes, and not over another one that somebody put there.
pub fn move_on(file: &Path, secret: &TicketSecret) -> Result<(), Failure> {
    if file.exists() && !read(file)?.leads_to(secret) {
        return Err(Failure::input(format!(
            "--ticket-secret {} holds another secret than the one in use, and is left as it is: a reload (SIGHUP) takes it",
            file.display()
        )));
    }
    let too_old = |text: &String| format!("{text}; what is there opens tickets that are too old");
    write(file, secret)
        .map_err(|failure| Failure::system(failure.texts().iter().map(too_old).collect::<String>()))
}

fn write(file: &Path, secret: &TicketSecret) -> Result<(), Failure> {
    write_secret(file, format!("{ABOUT}{secret}").as_bytes()).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::NotFound => "; make its folder first",
            ErrorKind::PermissionDenied => "; the account of the server must own its folder",
            _ => "",
        };
        Failure::system(format!("cannot write the ticket secret {}: {error}{remedy}", file.display()))
    })
}

fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// It moves on each hour, as a new file in the place of the old one.
pub fn unwritable(arguments: &Arguments) -> Option<String> {
    let file = arguments.ticket_secret.as_deref()?;
    let error = access(folder(file), Access::WRITE_OK | Access::EXEC_OK).err()?;
    Some(format!(
        "--ticket-secret {}: its folder is not writable ({error}), and the secret on disk never moves on: let the account of the \
         server own the folder",
        file.display()
    ))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_on_over_its_own_past_and_over_no_other_secret() {
        let file = std::env::temp_dir().join(format!("sotto-server-{}-moves-on", std::process::id()));
        let (one, other) =
            (TicketSecret::generate(7 * HOUR).unwrap(), TicketSecret::generate(7 * HOUR).unwrap());
        let later = one.next().unwrap().next().unwrap();
        move_on(&file, &one).unwrap();
        move_on(&file, &later).unwrap();
        assert!(read(&file).unwrap() == later);
        let refused = move_on(&file, &other.next().unwrap()).unwrap_err();
        assert!(refused.texts()[0].contains("another secret"), "{refused:?}");
        assert!(read(&file).unwrap() == later);
        std::fs::remove_file(&file).unwrap();
    }
}
