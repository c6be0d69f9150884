//! A trace as rows: CSV with a time, a client and perhaps a server; or what `sotto log export` and `sotto log --json` write.
//!
//! Sotto's log knows one client, this machine, and counts what went to an upstream: what the cache answered needs no connection.

use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

use serde::Deserialize;

use crate::replay::query::{END_OF_TIME, Micros, Query, Servers};
use crate::replay::trace::fields::{Fields, fields};
use crate::replay::trace::lines::{Backwards, Lines};
use crate::replay::trace::moment;
use crate::replay::trace::record::Record;

const LATEST_MS: f64 = (END_OF_TIME / 1_000) as f64;
const LAYOUT: &str = "write TIME,CLIENT or TIME,CLIENT,SERVER, such as 1700000000.25,192.0.2.1";

#[derive(Debug)]
pub struct Rows {
    lines: Lines,
    form: Form,
    /// empty: there is none
    header: Vec<u8>,
    line: Vec<u8>,
    /// the first row was read already, to learn the form
    ahead: bool,
    number: u64,
    from_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Trace { time: usize, client: usize, server: Option<usize> },
    Export { time: usize, upstream: usize, transport: usize },
    Json,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a line of `sotto log --json` says of a connection.
#[derive(Deserialize)]
struct Event {
    /// milliseconds
    at: f64,
    upstream: String,
    transport: String,
}

impl Rows {
    /// With a file, lines may be read from its end.
    pub fn new(lines: Lines, file: Option<&Path>) -> Result<Self, String> {
        let mut rows = Rows {
            lines,
            form: Form::Trace { time: 0, client: 1, server: Some(2) },
            header: Vec::new(),
            line: Vec::new(),
            ahead: true,
            number: 0,
            from_end: false,
        };
        if !rows.read_line()? {
            return Err(format!("it is empty; {LAYOUT}"));
        }
        if rows.line.starts_with(b"{") {
            rows.form = Form::Json;
        } else if let Some(form) =
            form_of(&rows.line).map_err(|error| format!("{}: {error}", rows.place()))?
        {
            rows.form = form;
            rows.header = rows.line.clone();
            if !rows.read_line()? {
                return Err("it has a header and no rows".into());
            }
        }
        if let Some(file) = file.filter(|file| file.is_file()) {
            rows.turn_if_newest_first(file).map_err(|error| error.to_string())?;
        }
        Ok(rows)
    }

    /// Whether there is a header, or the first row has a time where one should be.
    pub fn begins_well(&self) -> bool {
        !self.header.is_empty() || self.form.moment(&self.line).is_ok()
    }

    pub fn next(&mut self, servers: &mut Servers) -> Result<Record, String> {
        if !std::mem::take(&mut self.ahead) && !self.read_line()? {
            return Ok(Record::End);
        }
        self.form.read(&self.line, servers)
    }

    pub fn place(&self) -> String {
        format!("line {}{}", self.number, if self.from_end { " from the end" } else { "" })
    }

    /// Skips empty lines, comments, and the header wherever it is.
    fn read_line(&mut self) -> Result<bool, String> {
        loop {
            let found = self
                .lines
                .next(&mut self.line)
                .map_err(|error| format!("line {}: {error}", self.number + 1))?;
            if !found {
                return Ok(false);
            }
            self.number += 1;
            if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
            if !matches!(self.line.first(), None | Some(b'#'))
                && (self.header.is_empty() || self.line != self.header)
            {
                return Ok(true);
            }
        }
    }

    /// An export is newest first: if the last row is earlier than the first, the file is read from its end.
    fn turn_if_newest_first(&mut self, file: &Path) -> io::Result<()> {
        let mut last = Vec::new();
        let found = Lines::Backwards(Backwards::open(file)?).next(&mut last);
        let moments = (self.form.moment(&self.line), self.form.moment(&last));
        if let (Ok(true), (Ok(first), Ok(last))) = (found, moments)
            && last < first
        {
            self.lines = Lines::Backwards(Backwards::open(file)?);
            (self.ahead, self.number, self.from_end) = (false, 0, true);
        }
        Ok(())
    }
}

impl Form {
    fn read(self, line: &[u8], servers: &mut Servers) -> Result<Record, String> {
        match self {
            Form::Trace { time, client, server } => {
                let [at, client, server] = fields(line, [Some(time), Some(client), server])?;
                let client: IpAddr = text(client.unwrap_or_default())
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| wrong(client, "no address of a client"))?;
                let server =
                    text(server.unwrap_or_default()).ok_or_else(|| wrong(server, "no name of a server"))?;
                Ok(Record::Query(Query {
                    at: moment_of(at)?,
                    client: client.into(),
                    server: servers.number(server),
                }))
            }
            Form::Export { time, upstream, transport } => {
                let [at, upstream, transport] = fields(line, [Some(time), Some(upstream), Some(transport)])?;
                let name =
                    text(upstream.unwrap_or_default()).ok_or_else(|| wrong(upstream, "no upstream"))?;
                let transport =
                    text(transport.unwrap_or_default()).ok_or_else(|| wrong(transport, "no transport"))?;
                Ok(from_here(moment_of(at)?, name, transport, servers))
            }
            Form::Json => {
                let event = Event::of(line)?;
                Ok(from_here(event.moment()?, &event.upstream, &event.transport, servers))
            }
        }
    }

    /// When a row was, whatever else is in it.
    fn moment(self, line: &[u8]) -> Result<Micros, String> {
        match self {
            Form::Trace { time, .. } | Form::Export { time, .. } => {
                let [at] = fields(line, [Some(time)])?;
                moment_of(at)
            }
            Form::Json => Event::of(line)?.moment(),
        }
    }
}

impl Event {
    fn of(line: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(line)
            .map_err(|error| format!("{error}; this is no line of \"sotto log --json\""))
    }

    fn moment(&self) -> Result<Micros, String> {
        match (0.0..LATEST_MS).contains(&self.at) {
            true => Ok((self.at * 1_000.0) as Micros),
            false => Err(format!("\"at\" is {}: no moment in milliseconds since 1970", self.at)),
        }
    }
}

fn from_here(at: Micros, upstream: &str, transport: &str, servers: &mut Servers) -> Record {
    if transport == "none" {
        return Record::Other;
    }
    let client = IpAddr::from(Ipv6Addr::UNSPECIFIED).into();
    Record::Query(Query { at, client, server: servers.number(upstream) })
}

/// `None`: the first row is no header.
fn form_of(line: &[u8]) -> Result<Option<Form>, String> {
    let names = Fields::of(line).collect::<Result<Vec<_>, _>>()?;
    let column = |name: &str| names.iter().position(|column| column.eq_ignore_ascii_case(name.as_bytes()));
    match (column("time"), column("client"), column("upstream"), column("transport")) {
        (Some(time), Some(client), ..) => Ok(Some(Form::Trace { time, client, server: column("server") })),
        (Some(time), None, Some(upstream), Some(transport)) => {
            Ok(Some(Form::Export { time, upstream, transport }))
        }
        (None, ..) if names.iter().any(|name| is_value(name)) => Ok(None),
        (time, client, upstream, transport) => {
            let no_client = client.is_none() && (upstream.is_none() || transport.is_none());
            Err(without(time.is_none(), no_client))
        }
    }
}

/// A time or an address, which no header has: it is a row, and perhaps a damaged one.
fn is_value(field: &[u8]) -> bool {
    moment::read(field).is_some() || text(field).is_some_and(|text| text.parse::<IpAddr>().is_ok())
}

fn without(no_time: bool, no_client: bool) -> String {
    let missing = match (no_time, no_client) {
        (true, true) => "no column \"time\" and no column \"client\"",
        (true, false) => "no column \"time\"",
        _ => "no column \"client\"",
    };
    format!("the header has {missing}; {LAYOUT}, or name the columns time, client and server")
}

fn moment_of(field: Option<&[u8]>) -> Result<Micros, String> {
    field
        .and_then(moment::read)
        .ok_or_else(|| wrong(field, "no time: seconds since 1970 with a fraction, or 2026-01-31T15:00:00Z"))
}

fn text(field: &[u8]) -> Option<&str> {
    std::str::from_utf8(field).ok()
}

fn wrong(field: Option<&[u8]>, what: &str) -> String {
    match field {
        Some(field) => format!("{:?} is {what}", shown(field)),
        None => format!("the row is too short; {LAYOUT}"),
    }
}

fn shown(field: &[u8]) -> String {
    String::from_utf8_lossy(&field[..field.len().min(60)]).into_owned()
}
