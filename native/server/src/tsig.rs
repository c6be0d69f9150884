//! Messages signed with a key (RFC 8945). We share none with anybody, and what we forward is a message of our own: a signed query
//! is answered that its key is not known.

use std::ops::Range;

use crate::query::{Cursor, Query, Record, count};
use crate::reply::refuse;
use crate::transport::Terms;

pub const TYPE: u16 = 250;
const NOTAUTH: u16 = 9;
/// RFC 8945 section 3.
const BADKEY: u16 = 17;
const ANY: u16 = 255;
/// Time signed and fudge.
const MOMENT: usize = 6 + 2;
/// Lengths and numbers behind the moment, without signature and other data.
const NUMBERS: usize = 2 + 2 + 2 + 2;

/// What an answer repeats of it.
#[derive(Debug, Clone, Copy)]
pub struct Tsig<'a> {
    /// As it came: what it points to is the question, which stands at the same place in a reply.
    owner: &'a [u8],
    /// Algorithm, time signed and fudge.
    beginning: &'a [u8],
}

/// `None` where it is malformed.
pub fn read<'a>(message: &'a [u8], record: &Record<'a>, question: Range<usize>) -> Option<Tsig<'a>> {
    let mut cursor = Cursor { message: record.data, at: 0 };
    cursor.uncompressed_name()?;
    let algorithm_ends = cursor.at;
    let beginning = record.data.get(..algorithm_ends + MOMENT)?;
    cursor.at += MOMENT;
    let signature = usize::from(cursor.word()?);
    record.data.get(cursor.at + signature + NUMBERS - 2..)?;
    let mut cursor = Cursor { message, at: record.starts_at };
    cursor.name()?;
    let owner = &message[record.starts_at..cursor.at];
    let points_to = match owner {
        [.., high @ 0xc0..=0xff, low] => Some(usize::from(u16::from_be_bytes([high & 0x3f, *low]))),
        _ => None,
    };
    points_to.is_none_or(|at| question.contains(&at)).then_some(Tsig { owner, beginning })
}

/// The error is not signed: nobody could (RFC 8945 section 5.3.2).
pub fn refuse_key(query: &Query, tsig: Tsig, terms: Terms, out: &mut Vec<u8>) {
    let start = out.len();
    refuse(query, terms, NOTAUTH, &[], out);
    out.extend(tsig.owner);
    for field in [TYPE, ANY, 0, 0, (tsig.beginning.len() + NUMBERS) as u16] {
        out.extend(field.to_be_bytes());
    }
    out.extend(tsig.beginning);
    for field in [0, query.id, BADKEY, 0] {
        out.extend(field.to_be_bytes());
    }
    let additional = count(&out[start..], 10) as u16 + 1;
    out[start + 10..start + 12].copy_from_slice(&additional.to_be_bytes());
}
