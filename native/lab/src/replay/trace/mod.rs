//! Reading a trace, query by query: nothing but one record of it is in memory.
//!
//! ```text
//! file or standard input ─▶ packets (pcap, pcapng) ──────────────────┐
//!                         ├▶ dnstap (Frame Streams) ─────────────────┼─▶ order ─▶ Query
//!                         └▶ lines ─▶ rows (CSV, Sotto's query log) ─┘
//! ```

mod dnstap;
mod fields;
mod lines;
mod moment;
mod order;
mod packet;
mod packets;
mod record;
mod rows;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

pub use self::dnstap::Direction;
use self::dnstap::Dnstap;
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
}

#[derive(Debug)]
pub struct Trace {
    source: Source,
    order: Order,
    skipped: u64,
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
        Self::read(BufReader::with_capacity(BUFFER, input), from_file.then_some(path), reading)
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    fn read(
        mut input: BufReader<Box<dyn Read + Send>>,
        file: Option<&Path>,
        reading: &Reading,
    ) -> Result<Self, String> {
        let head = input.fill_buf().map_err(|error| error.to_string())?;
        let source = match head.get(..4).unwrap_or_default() {
            [0xa1, 0xb2, 0xc3, 0xd4]
            | [0xd4, 0xc3, 0xb2, 0xa1]
            | [0xa1, 0xb2, 0x3c, 0x4d]
            | [0x4d, 0x3c, 0xb2, 0xa1]
            | [0x0a, 0x0d, 0x0d, 0x0a] => Source::Packets(Box::new(Packets::new(input, reading.port)?)),
            [0, 0, 0, 0] => Source::Dnstap(Box::new(Dnstap::new(input, reading.dnstap)?)),
            _ => Source::Rows(Box::new(Rows::new(Lines::forwards(input), file)?)),
        };
        Ok(Trace { source, order: Order::new(reading.disorder), skipped: 0, servers: Servers::default() })
    }

    /// Puts the next queries into `batch`, in order of time; none at the end. The error says where in the trace it is.
    pub fn next(&mut self, batch: &mut Vec<Query>) -> Result<(), String> {
        batch.clear();
        while batch.len() < BATCH {
            let record = match &mut self.source {
                Source::Rows(rows) => rows.next(&mut self.servers),
                Source::Packets(packets) => packets.next(&mut self.servers),
                Source::Dnstap(dnstap) => dnstap.next(&mut self.servers),
            };
            match record.map_err(|error| self.at_place(&error))? {
                Record::Query(query) => {
                    let query = self.order.put(query);
                    batch.push(query.map_err(|error| self.at_place(&error))?);
                }
                Record::Other => self.skipped += 1,
                Record::End => break,
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

    fn at_place(&self, error: &str) -> String {
        let place = match &self.source {
            Source::Rows(rows) => rows.place(),
            Source::Packets(packets) => packets.place(),
            Source::Dnstap(dnstap) => dnstap.place(),
        };
        format!("{place}: {error}")
    }
}
