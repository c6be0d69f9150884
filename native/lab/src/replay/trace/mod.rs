//! Reading a trace, query by query: nothing but one record of it is in memory.
//!
//! ```text
//! file or standard input ─▶ packets (pcap, pcapng) ──────────────────┐
//!                         ├▶ dnstap (Frame Streams) ─────────────────┼─▶ order ─▶ Query
//!                         └▶ lines ─▶ rows (CSV, Sotto's query log) ─┘
//! ```

mod counted;
mod cut;
mod dnstap;
mod fields;
mod form;
mod lines;
mod moment;
mod order;
mod packet;
mod packets;
mod record;
mod rows;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

pub use self::counted::Direction;
use self::dnstap::Dnstap;
use self::form::{Compressed, Form};
use self::lines::Lines;
use self::order::Order;
use self::packets::Packets;
use self::record::Record;
use self::rows::Rows;
use crate::replay::query::{Micros, Query, Servers};

const BUFFER: usize = 1 << 18;
const BATCH: usize = 4_096;

#[derive(Debug, Clone)]
pub struct Reading {
    /// how much earlier than one before it a query may be
    pub disorder: Micros,
    /// of servers, in packets
    pub port: u16,
    pub dnstap: Direction,
    /// of sotto-lab, for advice
    pub command: &'static str,
}

#[derive(Debug)]
pub struct Trace {
    source: Source,
    order: Order,
    skipped: u64,
    ends_within: Option<String>,
    pub servers: Servers,
}

#[derive(Debug)]
enum Source {
    Rows(Box<Rows>),
    Packets(Box<Packets>),
    Dnstap(Box<Dnstap>),
}

impl Trace {
    /// `-` is standard input.
    pub fn open(path: &Path, reading: &Reading) -> Result<Self, String> {
        let from_file = path != Path::new("-");
        let input: Box<dyn Read + Send> = if from_file {
            let file = File::open(path).map_err(|error| {
                format!("{}: {error}; give a trace, or - to read one from standard input", path.display())
            })?;
            Box::new(file)
        } else {
            Box::new(io::stdin())
        };
        Self::read(input, from_file.then_some(path), reading)
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    fn read(mut input: Box<dyn Read + Send>, file: Option<&Path>, reading: &Reading) -> Result<Self, String> {
        let mut head = Vec::new();
        input.by_ref().take(form::HEAD).read_to_end(&mut head).map_err(|error| error.to_string())?;
        let all: Box<dyn Read + Send> = Box::new(Cursor::new(head.clone()).chain(input));
        let input = BufReader::with_capacity(BUFFER, all);
        let source = match Form::of(&head) {
            Form::Packets => Source::Packets(Box::new(Packets::new(input, reading.port)?)),
            Form::Dnstap => Source::Dnstap(Box::new(Dnstap::new(input, reading.dnstap)?)),
            Form::Compressed(compressed) => return Err(remedy(compressed, file, reading.command)),
            Form::Rows => {
                let rows = Rows::new(Lines::forwards(input), file);
                if !rows.as_ref().is_ok_and(Rows::begins_well) && !form::is_text(&head) {
                    return Err(form::NEITHER.into());
                }
                Source::Rows(Box::new(rows?))
            }
        };
        Ok(Trace {
            source,
            order: Order::new(reading.disorder),
            skipped: 0,
            ends_within: None,
            servers: Servers::default(),
        })
    }

    /// Puts the next queries into `batch`, in order of time; none at the end. The error says where in the trace it is.
    pub fn next(&mut self, batch: &mut Vec<Query>) -> Result<(), String> {
        batch.clear();
        while batch.len() < BATCH && self.ends_within.is_none() {
            let record = match &mut self.source {
                Source::Rows(rows) => rows.next(&mut self.servers),
                Source::Packets(packets) => packets.next(&mut self.servers),
                Source::Dnstap(dnstap) => dnstap.next(&mut self.servers),
            };
            match record.map_err(|error| format!("{}: {error}", self.place(1)))? {
                Record::Query(query) => batch.push(self.in_order(query, query.at)?),
                Record::Answered(query, sent) => batch.push(self.in_order(query, sent)?),
                Record::Other => self.skipped += 1,
                Record::End => break,
                Record::Cut => self.ends_within = Some(self.place(1)),
            }
        }
        Ok(())
    }

    /// Records that are no queries to a server: responses, other packets, what a cache answered.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Queries that came a little late, and count as if they had come in order.
    pub fn late(&self) -> u64 {
        self.order.late
    }

    /// The packet or frame in whose middle the trace ended, such as "packet 4". What was before it was read.
    pub fn ends_within(&self) -> Option<&str> {
        self.ends_within.as_deref()
    }

    fn in_order(&mut self, query: Query, written: Micros) -> Result<Query, String> {
        self.order.put(query, written).map_err(|error| format!("{}: {error}", self.place(0)))
    }

    /// Of the packet or frame that was read last, or of the one after it, which cannot be read. Of rows, the last line is either.
    fn place(&self, after: u64) -> String {
        match &self.source {
            Source::Rows(rows) => rows.place(),
            Source::Packets(packets) => packets.place(after),
            Source::Dnstap(dnstap) => dnstap.place(after),
        }
    }
}

fn remedy(Compressed { with, reader }: Compressed, file: Option<&Path>, command: &str) -> String {
    let from = file.map_or_else(|| format!("… | {reader}"), |file| format!("{reader} {}", file.display()));
    format!("it is compressed with {with}; give it through a pipe: {from} | sotto-lab {command} -")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a pipe gives them whose writer is slow.
    struct OneByOne(Cursor<Vec<u8>>);

    impl Read for OneByOne {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let most = to.len().min(1);
            self.0.read(&mut to[..most])
        }
    }

    #[test]
    fn a_trace_that_trickles_in_is_recognised() {
        let reading = Reading { disorder: 0, port: 53, dnstap: Direction::Received, command: "replay" };
        for (octets, what) in [
            (&b"\x1f\x8b\x08\0"[..], "gzip"),
            (b"\0\0\0\0\0\0\0\x04\0\0\0\x03", "START"),
            (b"\xd4\xc3\xb2\xa1\x02\0", "cut"),
            (b"\x01\x02\x03\x04", "neither"),
            (b"time,client\n", "no rows"),
        ] {
            let input = Box::new(OneByOne(Cursor::new(octets.to_vec())));
            let error = Trace::read(input, None, &reading).unwrap_err();
            assert!(error.contains(what), "{octets:x?}: {error}");
        }
    }
}
