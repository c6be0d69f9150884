//! Walks the records of a message (RFC 1035 section 4.1.3) without decoding their data.

use std::ops::Range;

use crate::header::{self, Header};
use crate::types::*;
use crate::{Malformed, name, u16_at, u32_at};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Answer,
    Authority,
    Additional,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub section: Section,
    /// of the owner name
    pub start: usize,
    pub kind: u16,
    pub class: u16,
    pub ttl: u32,
    /// where the four octets of the TTL stand
    pub ttl_at: usize,
    pub data: Range<usize>,
}

impl Record {
    #[inline]
    pub fn end(&self) -> usize {
        self.data.end
    }

    /// Positions of the names in its data that may be compressed (RFC 1035 section 3.3, RFC 3597 section 4).
    pub fn names(&self, message: &[u8]) -> Result<Vec<usize>, Malformed> {
        let Layout { octets, texts, names: count } = layout(self.kind);
        let (mut names, mut at) = (Vec::with_capacity(count), self.data.start + octets);
        for _ in 0..texts {
            let length = message.get(at).ok_or(Malformed("ends inside a text"))?;
            at += 1 + usize::from(*length);
        }
        for _ in 0..count {
            names.push(at);
            at = name::skip(message, at)?;
        }
        Ok(names)
    }
}

/// What stands before the first name: so many octets, then so many texts; and how many names follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub octets: usize,
    pub texts: usize,
    pub names: usize,
}

pub(crate) fn layout(kind: u16) -> Layout {
    let (octets, texts, names) = match kind {
        NS | MD | MF | CNAME | MB | MG | MR | PTR | NSAP_PTR | DNAME | NSEC => (0, 0, 1),
        SOA | MINFO | RP => (0, 0, 2),
        MX | AFSDB | RT | KX => (2, 0, 1),
        PX => (2, 0, 2),
        SRV => (6, 0, 1),
        RRSIG | SIG => (18, 0, 1),
        NAPTR => (4, 3, 1),
        _ => (0, 0, 0),
    };
    Layout { octets, texts, names }
}

/// Iterates over every record behind the questions; ends after the first malformed one.
pub struct Records<'a> {
    message: &'a [u8],
    position: usize,
    left: [u16; 3],
}

impl<'a> Records<'a> {
    #[inline]
    pub fn of(message: &'a [u8]) -> Result<Self, Malformed> {
        let header = Header::read(message)?;
        let mut position = header::LENGTH;
        for _ in 0..header.counts[0] {
            position = name::skip(message, position)? + 4;
        }
        if position > message.len() {
            return Err(Malformed("ends inside the question"));
        }
        let [_, answers, authorities, additionals] = header.counts;
        Ok(Self { message, position, left: [answers, authorities, additionals] })
    }

    /// The offset behind the last record of all.
    pub fn end(mut self) -> Result<usize, Malformed> {
        self.by_ref().try_for_each(|record| record.map(drop))?;
        Ok(self.position)
    }

    /// The offset behind the last record read.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    #[inline]
    fn section(&self) -> Option<Section> {
        let sections = [Section::Answer, Section::Authority, Section::Additional];
        sections.into_iter().zip(self.left).find(|(_, left)| *left > 0).map(|(section, _)| section)
    }

    #[inline]
    fn read(&self, section: Section) -> Result<Record, Malformed> {
        let owner_end = name::skip(self.message, self.position)?;
        let length = u16_at(self.message, owner_end + 8)? as usize;
        let data = owner_end + 10..owner_end + 10 + length;
        if data.end > self.message.len() {
            return Err(Malformed("ends inside a record"));
        }
        Ok(Record {
            section,
            start: self.position,
            kind: u16_at(self.message, owner_end)?,
            class: u16_at(self.message, owner_end + 2)?,
            ttl: u32_at(self.message, owner_end + 4)?,
            ttl_at: owner_end + 4,
            data,
        })
    }
}

/// Where the last record ends that is whole in so many octets, and the counts up to there.
pub fn whole_within(message: &[u8], octets: usize) -> Result<(usize, [u16; 4]), Malformed> {
    let mut records = Records::of(message)?;
    let (mut end, mut counts) = (records.position(), [Header::read(message)?.counts[0], 0, 0, 0]);
    for record in records.by_ref().map_while(Result::ok).take_while(|record| record.end() <= octets) {
        end = record.end();
        counts[1 + record.section as usize] += 1;
    }
    Ok((end, counts))
}

impl Iterator for Records<'_> {
    type Item = Result<Record, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let section = self.section()?;
        let record = self.read(section);
        match &record {
            Ok(record) => {
                self.position = record.end();
                self.left[section as usize] -= 1;
            }
            Err(_) => self.left = [0; 3],
        }
        Some(record)
    }
}
