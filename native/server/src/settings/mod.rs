//! The command line, and the file that it names, as one: what the command line says counts.

pub mod account;
pub mod check;
mod config_file;
pub mod identities;
pub mod inputs;
pub mod listening;
pub mod reload;
mod secrecy;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::arguments::Arguments;
use crate::report::Failure;
use config_file::FromFile;

/// Keys that a running server can take anew, where they are in force before and after.
const CHANGEABLE: [&str; 15] = [
    "zone",
    "origin",
    "encdns-key",
    "ticket-secret",
    "certificate",
    "key",
    "certificates",
    "delay",
    "proxy-from",
    "idle",
    "limit-connections",
    "limit-memory",
    "limit-in-flight",
    "drain",
    "stop-notice",
];
/// Of those, what the server has or has not from its start on. Keys of one line say the same thing in different ways.
const KEPT: [&[&str]; 4] =
    [&["zone"], &["encdns-key"], &["ticket-secret"], &["certificate", "key", "certificates"]];

pub struct Settings {
    pub arguments: Arguments,
    matches: ArgMatches,
}

/// What was said, with what is wrong about it.
pub struct Reading {
    /// `None` where the rest says too little.
    pub settings: Option<Settings>,
    /// Of values, in the file.
    pub faults: Vec<String>,
    /// The file was understood, or there is none: what is missing was not said.
    pub is_whole: bool,
    /// One flag or key is missing, or two exclude each other.
    pub contradiction: Option<clap::Error>,
}

/// Ends the process for `--help` and the like, and where a word of the command line is wrong in itself.
pub fn read_at_start(words: &[OsString]) -> Reading {
    read(words).unwrap_or_else(|error| error.exit())
}

fn read(words: &[OsString]) -> Result<Reading, clap::Error> {
    let command = Arguments::command();
    let on_line = command.clone().ignore_errors(true).try_get_matches_from(words)?;
    let from_file = match on_line.get_one::<PathBuf>("config") {
        Some(file) => config_file::read(file, &command, |arg| {
            on_line.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        }),
        None => FromFile { words: vec![], faults: vec![], is_whole: true },
    };
    let whole = [&words[..1], &from_file.words, &words[1..]].concat();
    let contradiction = match command.clone().try_get_matches_from(&whole) {
        Ok(_) => None,
        Err(error) => match error.kind() {
            ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict => Some(error),
            _ => return Err(error),
        },
    };
    let matches = command.ignore_errors(true).try_get_matches_from(whole)?;
    let arguments = Arguments::from_arg_matches(&matches).ok();
    Ok(Reading {
        settings: arguments.map(|arguments| Settings { arguments, matches }),
        faults: from_file.faults,
        is_whole: from_file.is_whole,
        contradiction,
    })
}

impl Reading {
    /// The contradiction last, and only where no fault may have caused it.
    pub fn complaints(&self) -> Vec<String> {
        match &self.contradiction {
            Some(error) if self.faults.is_empty() => vec![first_sentence(error)],
            _ => self.faults.clone(),
        }
    }

    pub fn sound(self) -> Result<Settings, Failure> {
        match (Failure::of_all(self.complaints()), self.settings) {
            (None, Some(settings)) => Ok(settings),
            (Some(failure), _) => Err(failure),
            (None, None) => unreachable!("without a complaint everything is there"),
        }
    }
}

/// Without the usage that clap writes below it.
fn first_sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Settings {
    /// The same command line once more, with what its file says by now.
    pub fn again(words: &[OsString]) -> Result<Self, Failure> {
        read(words).map_err(|error| Failure::input(first_sentence(&error)))?.sound()
    }

    /// Keys that say something else than at the start, `self`, and that only another start takes.
    pub fn needing_restart(&self, now: &Settings) -> Vec<String> {
        let said = |settings: &Settings, id: &str| -> Option<Vec<OsString>> {
            settings.matches.get_raw(id).map(|values| values.map(OsString::from).collect())
        };
        let command = Arguments::command();
        let has = |settings: &Settings, keys: &[&str]| {
            let ids =
                command.get_arguments().filter(|arg| keys.contains(&arg.get_long().unwrap_or_default()));
            ids.map(|arg| arg.get_id().as_str()).any(|id| said(settings, id).is_some())
        };
        let needs = |arg: &&clap::Arg| {
            let (key, id) = (arg.get_long().unwrap_or_default(), arg.get_id().as_str());
            let comes_or_goes =
                KEPT.iter().any(|keys| keys.contains(&key) && has(self, keys) != has(now, keys));
            said(self, id) != said(now, id) && (comes_or_goes || !CHANGEABLE.contains(&key))
        };
        config_file::keys(&command)
            .filter(needs)
            .filter_map(|arg| arg.get_long())
            .map(str::to_owned)
            .collect()
    }
}
