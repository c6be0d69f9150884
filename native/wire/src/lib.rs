//! DNS messages as octets (RFC 1035 section 4), for every program of ours that reads or writes them.
//!
//! Most of a message travels untouched, so nothing here decodes record data: a message is walked, its bounds are checked, and
//! offsets are remembered. Whether the data fits the types, [`validity`] says. The laboratory has a codec of its own, which judges this one.
//!
//! The release profile does not optimise across crates when it links, so functions that every query goes through are marked
//! `#[inline]`: without that, the engine takes 50 % longer to compose a response, and 14 % longer to read a query.
//!
//! ```text
//! header ─ question ─ answer* ─ authority* ─ additional* (OPT and TSIG somewhere among them)
//! ```
#![forbid(unsafe_code)]

use std::fmt;

pub mod addresses;
mod data;
pub mod edns;
pub mod expand;
pub mod header;
mod layout;
pub mod name;
pub mod question;
pub mod record;
pub mod removal;
mod service;
pub mod starttls;
pub mod tsig;
pub mod types;
pub mod validity;

/// The message breaks RFC 1035 (or 6891): a length runs past the end, a pointer does not point back, a label type is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed message: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// Numbers are big-endian (RFC 1035 section 2.3.2).
#[inline]
pub fn u16_at(message: &[u8], at: usize) -> Result<u16, Malformed> {
    match message.get(at..at + 2) {
        Some(octets) => Ok(u16::from_be_bytes([octets[0], octets[1]])),
        None => Err(Malformed("ends inside a number")),
    }
}

#[inline]
pub fn u32_at(message: &[u8], at: usize) -> Result<u32, Malformed> {
    match message.get(at..at + 4) {
        Some(octets) => Ok(u32::from_be_bytes([octets[0], octets[1], octets[2], octets[3]])),
        None => Err(Malformed("ends inside a number")),
    }
}

#[inline]
pub fn put_u16(message: &mut [u8], at: usize, value: u16) {
    message[at..at + 2].copy_from_slice(&value.to_be_bytes());
}
