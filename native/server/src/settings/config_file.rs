//! `--config`: a TOML file whose keys are the long flags. It becomes words of a command line, so that a flag and its key have the same
//! values and the same complaints.

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use sotto_files::regular;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// From this likeness on, another key is named beside one that does not exist.
const ALIKE: f64 = 0.8;
/// Octets; with thousands of addresses it is shorter.
const LONGEST: u64 = 1 << 20;

pub struct FromFile {
    pub words: Vec<OsString>,
    /// Each with file, line and key, in the order of the lines.
    pub faults: Vec<String>,
    /// Nothing is missing because the file was not understood.
    pub is_whole: bool,
}

/// `is_overruled`: the command line says something else for the flag with this id.
pub fn read(file: &Path, command: &Command, is_overruled: impl Fn(&Arg) -> bool) -> FromFile {
    let text = match regular::read_text(file, LONGEST) {
        Ok(text) => text,
        Err(error) => {
            let fault = format!("cannot read --config {}: {error}", file.display());
            return FromFile { words: vec![], faults: vec![fault], is_whole: false };
        }
    };
    let mut reader = Reader { command, words: vec![], faults: vec![] };
    let (table, errors) = DeTable::parse_recoverable(&text);
    let is_whole = errors.is_empty();
    for error in errors {
        reader.fault(&error.span().unwrap_or_default(), error.message());
    }
    for (key, value) in table.get_ref() {
        match keys(command).find(|arg| arg.get_long() == Some(&**key.get_ref())) {
            Some(arg) => reader.take(arg, value, !is_overruled(arg)),
            None => reader.fault(&key.span(), &unknown(key.get_ref(), command)),
        }
    }
    reader.faults.sort_by_key(|(at, _)| *at);
    let line =
        |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|octet| **octet == b'\n').count() + 1;
    let faults =
        reader.faults.iter().map(|(at, why)| format!("{}, line {}: {why}", file.display(), line(*at)));
    FromFile { faults: faults.collect(), words: reader.words, is_whole }
}

/// The flags that may be keys.
pub fn keys(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !["config", "help", "version"].contains(&arg.get_id().as_str()))
}

fn unknown(key: &str, command: &Command) -> String {
    let likeness = |arg: &&Arg| strsim::jaro_winkler(key, arg.get_long().unwrap_or_default());
    let nearest = keys(command).max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    match nearest.filter(|arg| likeness(arg) >= ALIKE).and_then(Arg::get_long) {
        Some(nearest) => format!("there is no key {key:?}; is {nearest:?} meant?"),
        None => format!("there is no key {key:?}: keys are the long flags of --help, without their dashes"),
    }
}

struct Reader<'a> {
    command: &'a Command,
    words: Vec<OsString>,
    /// By the place in the file.
    faults: Vec<(usize, String)>,
}

impl Reader<'_> {
    fn fault(&mut self, span: &Range<usize>, why: &str) {
        self.faults.push((span.start, why.to_owned()));
    }

    /// What is overruled is checked all the same.
    fn take(&mut self, arg: &Arg, value: &Spanned<DeValue>, counts: bool) {
        let key = arg.get_long().unwrap_or_default();
        let takes_many = matches!(arg.get_action(), ArgAction::Append);
        match (value.get_ref(), arg.get_action()) {
            (DeValue::Boolean(is_set), ArgAction::SetTrue) => {
                self.words.extend((*is_set && counts).then(|| format!("--{key}").into()));
            }
            (_, ArgAction::SetTrue) => self.fault(&value.span(), &format!("{key} is true or false")),
            (DeValue::Array(values), _) if takes_many => {
                values.iter().for_each(|value| self.take_one(key, value, counts));
            }
            (DeValue::Array(_), _) => {
                self.fault(&value.span(), &format!("{key} has one value, and not a list"))
            }
            _ => self.take_one(key, value, counts),
        }
    }

    fn take_one(&mut self, key: &str, value: &Spanned<DeValue>, counts: bool) {
        let Some(text) = text(value.get_ref()) else {
            return self.fault(&value.span(), &format!("{key} is a text or a whole number"));
        };
        let word = OsString::from(format!("--{key}={text}"));
        if let Some(why) = self.complaint(&word) {
            self.fault(&value.span(), &format!("{key} = {text:?}: {why}"));
        } else if counts {
            self.words.push(word);
        }
    }

    /// About this value alone: what it needs beside it is for the whole to say.
    fn complaint(&self, word: &OsString) -> Option<String> {
        let program = OsString::from(self.command.get_name());
        let error = self.command.clone().try_get_matches_from([&program, word]).err()?;
        match error.kind() {
            ErrorKind::ValueValidation => Some(std::error::Error::source(&error)?.to_string()),
            ErrorKind::InvalidValue => Some(match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(valid)) if !valid.is_empty() => {
                    format!("is none of {}", valid.join(", "))
                }
                _ => "has no value".into(),
            }),
            _ => None,
        }
    }
}

fn text(value: &DeValue) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::CommandFactory;

    use super::*;
    use crate::arguments::Arguments;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let name = format!("sotto-server-{}-{:?}.toml", std::process::id(), std::thread::current().id());
        let file = std::env::temp_dir().join(name);
        fs::write(&file, text).unwrap();
        let FromFile { words, faults, .. } =
            super::read(&file, &Arguments::command(), |arg| arg.get_id() == "threads");
        fs::remove_file(&file).unwrap();
        let without_file =
            |fault: String| fault.strip_prefix(&format!("{}, ", file.display())).unwrap().to_owned();
        (
            words.into_iter().map(|word| word.into_string().unwrap()).collect(),
            faults.into_iter().map(without_file).collect(),
        )
    }

    #[test]
    fn keys_become_the_flags_of_their_names() {
        let (words, faults) = read(
            "# what a comment says\nzone = 'a.zone'\ndot = ['127.0.0.1', '[::1]:853']\nstarttls = '127.0.0.1'\nthreads = 4\n\
             limit-connections = 0x10\nstats = true\nearly-data = false\nself-signed = ['a', 'b']\norigin = '-a'\n",
        );
        assert_eq!(faults, Vec::<String>::new());
        let expected = [
            "--dot=127.0.0.1",
            "--dot=[::1]:853",
            "--limit-connections=16",
            "--origin=-a",
            "--self-signed=a",
            "--self-signed=b",
            "--starttls=127.0.0.1",
            "--stats",
            "--zone=a.zone",
        ];
        assert_eq!(words, expected, "and not threads, which the command line overrules");
    }

    #[test]
    fn every_fault_is_told_with_its_line_and_key() {
        let (_, faults) = read(
            "zone = ['a', 'b']\nidle = '0s'\nlimit_connections = 5\nsignal = 'maybe'\nstats = 'yes'\nthreads = 0\nnonsense = 1\n\
             config = 'other.toml'\ndot = [\n  '127.0.0.1',\n  'localhost',\n]\n[limits]\nidle = 5\n",
        );
        let expected = [
            (1, "zone has one value"),
            (2, "idle = \"0s\": must be more than nothing"),
            (3, "is \"limit-connections\" meant?"),
            (4, "signal = \"maybe\": is none of both, to, txt, decline"),
            (5, "stats is true or false"),
            (6, "threads = \"0\": must be a whole number"),
            (7, "there is no key \"nonsense\": keys are"),
            (8, "there is no key \"config\""),
            (11, "dot = \"localhost\": not an address"),
            (13, "there is no key \"limits\""),
        ];
        assert_eq!(faults.len(), expected.len(), "{faults:#?}");
        for ((line, words), fault) in expected.iter().zip(&faults) {
            assert!(fault.starts_with(&format!("line {line}: ")) && fault.contains(words), "{fault}");
        }
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_line_beside_other_faults() {
        let (_, faults) = read("stats = true\nidle = 60s\nthreads = 0\nstats = true\n");
        let lines: Vec<_> = faults.iter().map(|fault| fault.split(':').next().unwrap()).collect();
        assert!(["line 2", "line 3", "line 4"].iter().all(|line| lines.contains(line)), "{faults:#?}");
    }
}
