//! Reads a zone from a file, or says which line is wrong.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use domain::base::iana::Class;
use domain::base::name::Name;
use domain::base::rdata::ComposeRecordData;
use domain::base::{Rtype, ToName};
use domain::dep::octseq::OctetsInto;
use domain::rdata::ZoneRecordData;
use domain::zonefile::inplace::{Entry, ScannedRecord, Zonefile};
use sotto_files::regular;
use sotto_wire::name::suffixes;
use sotto_wire::types;

use crate::entry_lines::entry_lines;
use crate::zone::{Node, RecordSet, Zone, is_at_or_below};

#[derive(Debug, thiserror::Error)]
pub enum ZoneError {
    #[error("cannot read zone file {}: {error}", .file.display())]
    Unreadable { file: PathBuf, error: std::io::Error },
    #[error("zone file {}, line {line}: {reason}", .file.display())]
    Line { file: PathBuf, line: usize, reason: String },
    #[error("zone file {}: {reason}", .file.display())]
    Whole { file: PathBuf, reason: String },
}

/// Relative names end in `origin` until the file says `$ORIGIN`.
pub fn load(file: &Path, origin: &str) -> Result<Zone, ZoneError> {
    let text = regular::read(file).map_err(|error| ZoneError::Unreadable { file: file.to_owned(), error })?;
    read(&text, file, origin)
}

/// Errors call the text `file`.
pub fn read(text: &[u8], file: &Path, origin: &str) -> Result<Zone, ZoneError> {
    let whole = |reason: String| ZoneError::Whole { file: file.to_owned(), reason };
    let origin: Name<Vec<u8>> = origin
        .parse()
        .map_err(|error| whole(format!("--origin {origin:?} is not a domain name: {error}")))?;
    let mut scanner = Zonefile::from(text);
    scanner.set_origin(origin.octets_into());
    scanner.set_default_class(Class::IN);
    let mut builder = Builder::default();
    let mut lines = entry_lines(text).into_iter();
    let at_line = |line, reason| ZoneError::Line { file: file.to_owned(), line, reason };
    while let Some(entry) = scanner.next_entry().map_err(|error| {
        let (line, reason) = position(&error.to_string());
        at_line(line, reason + remedy(text, line))
    })? {
        let line = lines.next().unwrap_or_default();
        match entry {
            Entry::Record(record) => builder.add(&record, line).map_err(|reason| at_line(line, reason))?,
            Entry::Include { .. } => {
                let reason = "$INCLUDE is not supported: put the records into this file";
                return Err(at_line(line, reason.into()));
            }
        }
    }
    builder.build().map_err(whole)
}

/// The parser says `line:column: reason` and offers the parts in no other way. Column 1 means the end of the line before: the
/// parser has read the line to its end when it finds the last word wrong.
fn position(message: &str) -> (usize, String) {
    let mut parts = message.splitn(3, ':');
    let mut number = || parts.next().and_then(|number| number.parse::<usize>().ok()).unwrap_or_default();
    let (line, column) = (number(), number());
    let line = if column == 1 { line.saturating_sub(1).max(1) } else { line };
    (line, parts.next().unwrap_or(message).trim().to_owned())
}

/// For what other servers understand and this one does not.
fn remedy(text: &[u8], line: usize) -> &'static str {
    let line = text.split(|octet| *octet == b'\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let mut words = line.split(u8::is_ascii_whitespace);
    let is_time = |word: &[u8]| {
        word.first().is_some_and(u8::is_ascii_digit)
            && word.last().is_some_and(|unit| b"smhdw".contains(&unit.to_ascii_lowercase()))
            && word[..word.len() - 1].iter().all(u8::is_ascii_digit)
    };
    if line.starts_with(b"$") && !line.starts_with(b"$TTL") {
        ": there are $ORIGIN and $TTL"
    } else if words.any(is_time) {
        ": write times in seconds, such as 3600 for 1h"
    } else {
        ""
    }
}

#[derive(Default)]
struct Builder {
    names: HashMap<Box<[u8]>, Node>,
    apex: Option<Box<[u8]>>,
    negative_ttl: u32,
    /// Owner and line, to name the first record outside the zone.
    lines: HashMap<Box<[u8]>, usize>,
}

impl Builder {
    fn add(&mut self, record: &ScannedRecord, line: usize) -> Result<(), String> {
        let owner = lower_wire(&record.owner());
        if record.class() != Class::IN {
            return Err(format!("class {} is not served: only IN is", record.class()));
        }
        if let ZoneRecordData::Soa(soa) = record.data() {
            if self.apex.replace(owner.clone()).is_some() {
                return Err("a second SOA record: a zone has one".into());
            }
            self.negative_ttl = soa.minimum().as_secs().min(record.ttl().as_secs());
        }
        let node = self.names.entry(owner.clone()).or_default();
        match record.data() {
            ZoneRecordData::Rrsig(signature) => {
                node.set_mut(signature.type_covered().to_int()).signatures.push(compose(record));
            }
            _ => node.set_mut(record.rtype().to_int()).add(compose(record)),
        }
        self.lines.entry(owner).or_insert(line);
        Ok(())
    }

    fn build(mut self) -> Result<Zone, String> {
        let apex = self.apex.ok_or("no SOA record, so the zone has no apex: add one, such as `@ SOA ns.invalid. hostmaster.invalid. 1 3600 600 86400 60`")?;
        if let Some((_, line)) =
            self.lines.iter().filter(|(name, _)| !is_at_or_below(name, &apex)).min_by_key(|(_, line)| **line)
        {
            return Err(format!(
                "line {line}: the owner is not below the zone's apex, where the SOA record is"
            ));
        }
        for (name, node) in &mut self.names {
            node.sets.retain(|set| !set.records.is_empty());
            node.check().map_err(|reason| format!("line {}: {reason}", self.lines[name]))?;
        }
        let denial = self.names[&apex].denial(self.negative_ttl);
        let names: Vec<_> = self.names.keys().cloned().collect();
        for name in names {
            for parent in suffixes(&name).take_while(|parent| parent.len() >= apex.len()) {
                self.names.entry(parent.into()).or_default();
            }
        }
        Ok(Zone::new(apex, self.names, denial))
    }
}

impl Node {
    fn set_mut(&mut self, rtype: u16) -> &mut RecordSet {
        let index = self.sets.iter().position(|set| set.rtype == rtype).unwrap_or_else(|| {
            self.sets.push(RecordSet { rtype, ..RecordSet::default() });
            self.sets.len() - 1
        });
        &mut self.sets[index]
    }

    fn check(&self) -> Result<(), String> {
        /// Header, longest question and OPT leave this much of a message.
        const ROOM: usize = 65_535 - 12 - 259 - 64;
        let has = |rtype: Rtype| self.sets.iter().find(|set| set.rtype == rtype.to_int());
        let beside_alias =
            |set: &RecordSet| ![Rtype::CNAME, Rtype::NSEC].map(Rtype::to_int).contains(&set.rtype);
        if let Some(alias) = has(Rtype::CNAME)
            && (alias.records.len() > 1 || self.sets.iter().any(beside_alias))
        {
            return Err("a CNAME has company: a name with a CNAME has no other records".into());
        }
        for set in &self.sets {
            let octets: usize =
                set.records.iter().chain(&set.signatures).map(|record| 2 + record.len()).sum();
            if octets > ROOM {
                let rtype = Rtype::from_int(set.rtype);
                return Err(format!(
                    "the {rtype} records of this name take {octets} octets; a message has room for {ROOM}"
                ));
            }
        }
        Ok(())
    }

    fn denial(&self, ttl: u32) -> RecordSet {
        let with_ttl = |records: &[Box<[u8]>]| {
            let mut records = records.to_vec();
            records.iter_mut().for_each(|record| record[4..8].copy_from_slice(&ttl.to_be_bytes()));
            records
        };
        let soa = self.sets.iter().find(|set| set.rtype == types::SOA);
        RecordSet {
            rtype: types::SOA,
            records: soa.map(|set| with_ttl(&set.records)).unwrap_or_default(),
            signatures: soa.map(|set| with_ttl(&set.signatures)).unwrap_or_default(),
        }
    }
}

impl RecordSet {
    /// A record written twice is one record (RFC 2181 section 5).
    fn add(&mut self, record: Box<[u8]>) {
        if !self.records.iter().any(|known| known[8..] == record[8..]) {
            self.records.push(record);
        }
    }
}

fn lower_wire(name: &impl ToName) -> Box<[u8]> {
    let mut octets = Vec::with_capacity(32);
    name.compose_canonical(&mut octets).expect("a Vec grows");
    octets.into()
}

fn compose(record: &ScannedRecord) -> Box<[u8]> {
    let rtype = match record.data() {
        ZoneRecordData::Rrsig(_) => types::RRSIG,
        _ => record.rtype().to_int(),
    };
    let mut octets = Vec::with_capacity(32);
    octets.extend(rtype.to_be_bytes());
    octets.extend(record.class().to_int().to_be_bytes());
    octets.extend(record.ttl().as_secs().to_be_bytes());
    record.data().compose_len_rdata(&mut octets).expect("a Vec grows");
    octets.into()
}
