//! Messages as octets (RFC 1035 section 4).
//!
//! Everything but id, flags, TTLs and OPT travels untouched, so nothing here decodes record data: a message is walked,
//! bounds are checked, offsets are remembered.
//!
//! ```text
//! header ─ question ─ answer* ─ authority* ─ additional* (OPT somewhere among them)
//! ```

pub mod describe;
pub mod edns;
pub mod expand;
pub mod header;
pub mod name;
pub mod question;
pub mod record;
pub mod starttls;
pub mod tsig;
pub mod types;

/// The message breaks RFC 1035 (or 6891): a length runs past the end, a pointer does not point back, a label type is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed message: {0}")]
pub struct Malformed(pub &'static str);

pub(crate) fn u16_at(message: &[u8], at: usize) -> Result<u16, Malformed> {
    match message.get(at..at + 2) {
        Some(octets) => Ok(u16::from_be_bytes([octets[0], octets[1]])),
        None => Err(Malformed("ends inside a number")),
    }
}

pub(crate) fn u32_at(message: &[u8], at: usize) -> Result<u32, Malformed> {
    match message.get(at..at + 4) {
        Some(octets) => Ok(u32::from_be_bytes([octets[0], octets[1], octets[2], octets[3]])),
        None => Err(Malformed("ends inside a number")),
    }
}

pub(crate) fn put_u16(message: &mut [u8], at: usize, value: u16) {
    message[at..at + 2].copy_from_slice(&value.to_be_bytes());
}
