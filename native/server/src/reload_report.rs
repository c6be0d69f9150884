//! What became of a reload, told to whoever asked for it: `sotto-server reload` sends SIGHUP and waits for this. A signal alone says
//! nothing, and an operator whose `systemctl reload` ends with 0 believes that everything was taken.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;

use crate::report::Failure;
use crate::settings::account;

const EXAMPLES: &str = "\
Examples:
  sotto-server --config sotto-server.toml --reload-report /run/sotto-server/reload
  sotto-server reload --pid \"$MAINPID\" --report /run/sotto-server/reload

Root waits as the account of the server, which has to reach this socket. Systemd does all of it: systemctl reload sotto-server

It ends with 0 where everything was taken, with 2 where nothing was, and with 4 where the rest was taken and what it names needs a restart.";

/// Have a running server read its files anew, and wait for what becomes of it.
#[derive(Debug, Parser)]
#[command(name = "sotto-server reload", bin_name = "sotto-server reload", version, after_help = EXAMPLES)]
struct Words {
    /// The server's process
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    pid: i32,
    /// Where the server tells it, as its --reload-report says
    #[arg(long, value_name = "SOCKET")]
    report: PathBuf,
    /// How long to wait for it, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Taken,
    /// What needs a restart, each as a sentence; all else was taken.
    Partly(Vec<String>),
    /// Why nothing was.
    Refused(Vec<String>),
}

/// Never blocks; without a place, or anybody who waits there, nothing happens.
pub fn tell(place: Option<&Path>, outcome: &Outcome) {
    let (Some(place), Ok(socket)) = (place, UnixDatagram::unbound()) else { return };
    let _ = socket.set_nonblocking(true);
    let _ = socket.send_to(outcome.octets().as_bytes(), place);
}

pub fn reload(words: &[OsString]) -> Result<(), Failure> {
    let Words { pid, report, timeout } = Words::parse_from(words);
    account::assume_that_of(pid)?;
    let socket = Waiting::at(&report)?;
    // SAFETY: it has no condition
    if unsafe { libc::kill(pid, libc::SIGHUP) } != 0 {
        let error = std::io::Error::last_os_error();
        return Err(Failure::system(format!("cannot send SIGHUP to process {pid}: {error}")));
    }
    match socket.outcome(Duration::from_secs(timeout))? {
        Outcome::Taken => Ok(()),
        Outcome::Partly(texts) => Err(Failure::of_restarts(texts)),
        Outcome::Refused(texts) => {
            Err(Failure::of_all(texts).unwrap_or(Failure::input("nothing was changed")))
        }
    }
}

impl Outcome {
    /// The first line is its word.
    fn octets(&self) -> String {
        let (word, texts): (_, &[String]) = match self {
            Outcome::Taken => ("taken", &[]),
            Outcome::Partly(texts) => ("partly", texts),
            Outcome::Refused(texts) => ("refused", texts),
        };
        let lines = texts.iter().map(|text| text.replace('\n', " "));
        std::iter::once(word.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
    }

    fn read(octets: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(octets).ok()?;
        let mut lines = text.split('\n');
        let word = lines.next()?;
        let texts = lines.map(str::to_owned).collect();
        match word {
            "taken" => Some(Outcome::Taken),
            "partly" => Some(Outcome::Partly(texts)),
            "refused" => Some(Outcome::Refused(texts)),
            _ => None,
        }
    }
}

/// A socket that is there while somebody waits.
struct Waiting<'a> {
    socket: UnixDatagram,
    place: &'a Path,
}

impl<'a> Waiting<'a> {
    fn at(place: &'a Path) -> Result<Self, Failure> {
        remove_left_over(place)?;
        UnixDatagram::bind(place)
            .map(|socket| Waiting { socket, place })
            .map_err(|error| cannot_wait(place, &error))
    }

    fn outcome(&self, patience: Duration) -> Result<Outcome, Failure> {
        let mut octets = vec![0; 1 << 16];
        self.socket.set_read_timeout(Some(patience)).map_err(Failure::system)?;
        let length = self.socket.recv(&mut octets).map_err(|_| {
            Failure::system(format!(
                "the server did not say within {} s what became of it: is it started with --reload-report {}?",
                patience.as_secs(),
                self.place.display()
            ))
        })?;
        Outcome::read(&octets[..length])
            .ok_or_else(|| Failure::system("the server said what this program does not understand"))
    }
}

/// A socket of somebody who was killed, and nothing else: a path may be mistyped.
fn remove_left_over(place: &Path) -> Result<(), Failure> {
    let refused = |why: &str| {
        Failure::input(format!(
            "--report {}: {why}: name the socket that the server has as --reload-report",
            place.display()
        ))
    };
    let removed = match fs::symlink_metadata(place) {
        Ok(found) if !found.file_type().is_socket() => {
            return Err(refused("there is something else than a socket, and it stays"));
        }
        Ok(_) if is_in_use(place)? => {
            return Err(refused("somebody waits there already; try again if that is another reload"));
        }
        Ok(_) => fs::remove_file(place),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot_wait(place, &error)),
        _ => Ok(()),
    }
}

/// Of another kind, too: a stream socket says so.
fn is_in_use(place: &Path) -> Result<bool, Failure> {
    let reached = UnixDatagram::unbound().and_then(|socket| socket.connect(place));
    match reached {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(false),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(cannot_wait(place, &error)),
        _ => Ok(true),
    }
}

fn cannot_wait(place: &Path, error: &std::io::Error) -> Failure {
    Failure::system(format!("cannot wait at --report {}: {error}", place.display()))
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_read_again() {
        let texts = || vec!["to needs a restart".to_owned(), "key x: y".to_owned()];
        for outcome in [Outcome::Taken, Outcome::Partly(texts()), Outcome::Refused(texts())] {
            assert_eq!(Outcome::read(outcome.octets().as_bytes()), Some(outcome));
        }
        assert_eq!(Outcome::read(b"else"), None);
    }
}
