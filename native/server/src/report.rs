//! What the program reports: lines of JSON on standard output, failures with a status, and a file for clients.

use std::fmt::Display;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;

use rustix::process::geteuid;
use serde::Serialize;
use sotto_files::Folder;
use sotto_server::{Identities, Identity, Server, Snapshot};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::arguments::Arguments;
use crate::log::Log;
use crate::settings::listening::Listening;

#[derive(Debug)]
pub struct Failure {
    texts: Vec<String>,
    status: u8,
}

impl Failure {
    /// An argument or a file is wrong.
    pub fn input(error: impl Display) -> Self {
        Failure { texts: vec![error.to_string()], status: 2 }
    }

    /// The system refused something.
    pub fn system(error: impl Display) -> Self {
        Failure { texts: vec![error.to_string()], status: 1 }
    }

    /// Arguments and files are wrong, each in its own way. `None`: nothing is.
    pub fn of_all(texts: Vec<String>) -> Option<Self> {
        (!texts.is_empty()).then_some(Failure { texts, status: 2 })
    }

    /// A start would say so and serve all the same. `None`: there is nothing to say.
    pub fn of_warnings(texts: Vec<String>) -> Option<Self> {
        (!texts.is_empty()).then_some(Failure { texts, status: 3 })
    }

    /// The rest was taken.
    pub fn of_restarts(texts: Vec<String>) -> Self {
        Failure { texts, status: 4 }
    }

    pub fn with(mut self, text: String) -> Self {
        self.texts.push(text);
        self
    }

    /// One for each complaint.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status)
    }
}

#[derive(Serialize)]
struct Ready<'a> {
    event: &'static str,
    starttls: &'a [SocketAddr],
    dot: &'a [SocketAddr],
    metrics: Option<SocketAddr>,
    /// Base64 SHA-256 of the leaf's SPKI; null without TLS.
    pin: Option<String>,
    /// The file in which a client finds what to trust.
    certificate: Option<&'a Path>,
    pid: u32,
}

#[derive(Serialize)]
struct Counters {
    event: &'static str,
    #[serde(flatten)]
    stats: Snapshot,
}

#[derive(Serialize)]
struct Renewed<'a> {
    event: &'static str,
    /// As in the first line; null where the certificates stayed.
    pin: Option<&'a str>,
    /// How many were taken.
    certificates: usize,
}

/// What a start would run.
#[derive(Serialize)]
struct Checked<'a> {
    event: &'static str,
    starttls: &'a [Listening],
    dot: &'a [Listening],
    metrics: Option<SocketAddr>,
    zone: Option<&'a Path>,
    /// The zone's name, which --origin may have given.
    apex: Option<String>,
    to: Vec<String>,
    stub_zones: Vec<String>,
    encdns: Option<String>,
    /// The first one, for clients that name none.
    certificate: Option<&'a Path>,
    pin: Option<&'a str>,
    /// When the first of all expires, as RFC 3339 writes it; null for one that the start makes.
    expires: Option<String>,
    certificates: Vec<Certificate<'a>>,
}

#[derive(Serialize)]
struct Certificate<'a> {
    file: &'a Path,
    names: &'a [String],
    pin: &'a str,
    expires: Option<String>,
}

/// `apex`: the zone's.
pub fn checked(
    arguments: &Arguments,
    identities: Option<&Identities>,
    apex: Option<String>,
) -> Result<(), Failure> {
    let text = |moment: OffsetDateTime| moment.format(&Rfc3339).ok();
    let certificate = |identity| {
        let Identity { file, names, pin, validity, .. }: &Identity = identity;
        let expires = validity.and_then(|(_, until)| text(until));
        Some(Certificate { file: file.as_deref()?, names, pin, expires })
    };
    let certificates: Vec<_> =
        identities.map(Identities::all).into_iter().flatten().filter_map(certificate).collect();
    let line = Checked {
        event: "checked",
        starttls: &arguments.starttls,
        dot: &arguments.dot,
        metrics: arguments.metrics,
        zone: arguments.zone.as_deref(),
        apex,
        to: arguments.to.iter().map(ToString::to_string).collect(),
        stub_zones: arguments.stub_zone.iter().map(|zone| zone.name.to_string()).collect(),
        encdns: arguments.encdns.map(|zone| zone.to_string()),
        certificate: certificates.first().map(|first| first.file),
        pin: certificates.first().map(|first| first.pin),
        expires: identities.filter(|_| !certificates.is_empty()).and_then(Identities::expires).and_then(text),
        certificates,
    };
    serde_json::to_string(&line).map_err(Failure::system).and_then(|line| print(&line))
}

/// For whoever waits for this line alone.
pub fn print(line: &str) -> Result<(), Failure> {
    print_line(line).map_err(|error| Failure::system(format!("cannot write to standard output: {error}")))
}

pub fn renewed(identities: Option<&Identities>, log: &Log) {
    let pin = identities.map(|identities| identities.first().pin.as_str());
    log.tell("renewed", Pin { pin });
    let certificates = identities.map_or(0, |identities| identities.all().len());
    say_line(&Renewed { event: "renewed", pin, certificates });
}

#[derive(Serialize)]
struct Pin<'a> {
    pin: Option<&'a str>,
}

pub fn ready(server: &Server, pin: Option<String>, log: &Log, certificate: Option<&Path>) {
    log.tell("started", Pin { pin: pin.as_deref() });
    let (starttls, dot) = (server.starttls(), server.dot());
    say_line(&Ready {
        event: "ready",
        starttls,
        dot,
        metrics: server.metrics(),
        pin,
        certificate,
        pid: std::process::id(),
    });
}

pub fn stats(stats: Snapshot) {
    say_line(&Counters { event: "stats", stats });
}

/// If the reader has gone, serving goes on.
fn say_line(value: &impl Serialize) {
    let _ = serde_json::to_string(value).map(|line| print_line(&line));
}

fn print_line(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// A secret for the account of a server. That account owns the folder, also where root makes the secret.
pub fn write_secret(file: &Path, octets: &[u8]) -> io::Result<()> {
    let folder = Folder::of(file)?;
    let owner = geteuid().is_root().then(|| folder.owner()).transpose()?;
    folder.write(file.file_name().unwrap_or_default(), octets, 0o600, owner)
}

/// Readers see the old file or the new one, never a part of it.
pub fn write_whole(file: &Path, octets: &[u8], mode: u32) -> io::Result<()> {
    Folder::of(file)?.write(file.file_name().unwrap_or_default(), octets, mode, None)
}
