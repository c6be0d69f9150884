//! The log on standard error: sentences for people, or lines of JSON for programs. No queried name and no client's address is in it.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::ValueEnum;
use serde::Serialize;
use sotto_server::{Snapshot, TlsFailures};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// complaints, each a sentence
    #[default]
    Text,
    /// lines of JSON: complaints, what happens to the server, and once a minute how many connections were refused. What keeps it from
    /// starting is a sentence all the same
    Json,
}

/// Lines wait here for a thread that writes them; where it cannot, because nobody reads them, further ones are lost.
#[derive(Debug)]
pub struct Log {
    format: Format,
    lines: SyncSender<Entry>,
    written: Mutex<Receiver<()>>,
}

#[derive(Debug)]
enum Entry {
    Line(String),
    End,
}

const WAITING: usize = 256;
/// At the end, for a reader that is slow.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Serialize)]
struct Line<'a, Fields: Serialize> {
    /// RFC 3339
    time: String,
    level: &'static str,
    event: &'a str,
    #[serde(flatten)]
    fields: Fields,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
pub struct Nothing {}

impl Log {
    pub fn start(format: Format) -> Self {
        let (lines, to_write) = sync_channel(WAITING);
        let (ended, written) = sync_channel(1);
        std::thread::spawn(move || {
            while let Ok(Entry::Line(line)) = to_write.recv() {
                write_line(&line);
            }
            let _ = ended.send(());
        });
        Log { format, lines, written: Mutex::new(written) }
    }

    /// Waits until everything is written, for a moment at most.
    pub fn finish(&self) {
        if self.lines.try_send(Entry::End).is_ok() {
            let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = written.recv_timeout(PATIENCE);
        }
    }

    pub fn complain(&self, event: &str, text: &str) {
        match self.format {
            Format::Text => self.write(format!("sotto-server: {text}")),
            Format::Json => self.line("warning", event, Text { text }),
        }
    }

    /// Not a complaint: for programs alone.
    pub fn tell(&self, event: &str, fields: impl Serialize) {
        if self.format == Format::Json {
            self.line("info", event, fields);
        }
    }

    /// What was refused since the snapshot before, if there was anything.
    pub fn summarize(&self, before: &Snapshot, now: &Snapshot) {
        if self.format == Format::Text {
            return;
        }
        if let Some(refused) = Refused::between(before, now) {
            self.line("warning", "connections_refused", refused);
        }
        let failures = now.handshake_failures - before.handshake_failures;
        if failures != TlsFailures::default() {
            self.line("warning", "handshakes_failed", failures);
        }
    }

    fn line(&self, level: &'static str, event: &str, fields: impl Serialize) {
        let time = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
        if let Ok(line) = serde_json::to_string(&Line { time, level, event, fields }) {
            self.write(line);
        }
    }

    fn write(&self, line: String) {
        let _ = self.lines.try_send(Entry::Line(line));
    }
}

#[derive(Debug, Default, Serialize, PartialEq, Eq)]
struct Refused {
    no_place: u64,
    /// New ones of networks that had opened too many.
    too_many_new: u64,
    /// Times that the system had no descriptor for one more.
    no_descriptor: u64,
    /// Idle ones, for others.
    sent_away: u64,
    /// Those that held most, where all together held too much.
    memory_wanted: u64,
    wrong_proxy_headers: u64,
    slow_readers: u64,
}

impl Refused {
    fn between(before: &Snapshot, now: &Snapshot) -> Option<Self> {
        let refused = Refused {
            no_place: now.turned_away - before.turned_away,
            too_many_new: now.too_many_new - before.too_many_new,
            no_descriptor: now.not_accepted - before.not_accepted,
            sent_away: now.sent_away - before.sent_away,
            memory_wanted: now.memory_wanted - before.memory_wanted,
            wrong_proxy_headers: now.wrong_proxy_headers - before.wrong_proxy_headers,
            slow_readers: now.slow_readers_cut - before.slow_readers_cut,
        };
        (refused != Refused::default()).then_some(refused)
    }
}

/// If nobody reads it, serving goes on.
fn write_line(line: &str) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
