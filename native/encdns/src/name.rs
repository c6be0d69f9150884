//! The name that carries a boxed query. Labels are plain octets, as published, or base32 (RFC 4648, lower case, unpadded) where a resolver
//! on the way changes letters or ends names at certain octets; the encoded magic tells the two apart.

use data_encoding::BASE32_NOPAD;

use crate::{HalfNonce, PublicKey, SharedKey};

const MAGIC: usize = 3;
const BEFORE_BOX: usize = MAGIC + 32 + 12;
/// What is not text: exactly one label.
pub const FIXED: usize = BEFORE_BOX + SharedKey::OVERHEAD;
/// RFC 1035 section 2.3.4
const LONGEST_NAME: usize = 255;
const LONGEST_LABEL: usize = 63;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    Binary,
    Base32,
}

/// What is in a box, and how it is sealed. Both ends have to know it, so that the first octets tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// a whole query, with XSalsa20 and Poly1305
    Published,
    /// see [`crate::extended`], with XChaCha20 and Poly1305
    Extended,
}

impl Format {
    const ALL: [Self; 2] = [Self::Published, Self::Extended];

    fn magic(self) -> &'static [u8; MAGIC] {
        match self {
            Self::Published => b" E^",
            Self::Extended => b" E_",
        }
    }

    fn of(octets: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| octets.starts_with(format.magic()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxedQuery {
    pub format: Format,
    pub client: PublicKey,
    pub nonce: HalfNonce,
    pub boxed: Vec<u8>,
}

/// The name would be longer than DNS allows.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

impl BoxedQuery {
    /// In wire form, below `zone`, which is in wire form with the root label at its end.
    pub fn name(&self, zone: &[u8], labels: Labels) -> Result<Vec<u8>, TooLong> {
        let octets = [self.format.magic(), &self.client.0[..], &self.nonce, &self.boxed].concat();
        let written = match labels {
            Labels::Binary => octets,
            Labels::Base32 => BASE32_NOPAD.encode(&octets).to_ascii_lowercase().into_bytes(),
        };
        let mut name = Vec::with_capacity(LONGEST_NAME);
        for label in written.chunks(LONGEST_LABEL) {
            name.push(label.len() as u8);
            name.extend_from_slice(label);
        }
        name.extend_from_slice(zone);
        if name.len() > LONGEST_NAME { Err(TooLong) } else { Ok(name) }
    }

    /// `labels`: what stands before the zone, in wire form and in the case in which it came. `None`: it is no boxed query.
    pub fn read(labels: &[u8]) -> Option<Self> {
        let written = joined(labels)?;
        Self::of(&written).or_else(|| Self::of(&BASE32_NOPAD.decode(&written.to_ascii_uppercase()).ok()?))
    }

    fn of(octets: &[u8]) -> Option<Self> {
        let format = Format::of(octets)?;
        if octets.len() < FIXED {
            return None;
        }
        let (before, boxed) = octets.split_at(BEFORE_BOX);
        let (key, nonce) = before[MAGIC..].split_at(32);
        Some(Self {
            format,
            client: PublicKey(key.try_into().ok()?),
            nonce: nonce.try_into().ok()?,
            boxed: boxed.to_vec(),
        })
    }
}

/// The most octets that a query may have in a name below a zone whose wire form is so long.
pub fn most_text(zone: usize, labels: Labels) -> Option<usize> {
    (0..LONGEST_NAME).rev().find(|text| {
        let octets = FIXED + text;
        let written = match labels {
            Labels::Binary => octets,
            Labels::Base32 => BASE32_NOPAD.encode_len(octets),
        };
        written + written.div_ceil(LONGEST_LABEL) + zone <= LONGEST_NAME
    })
}

/// The octets of the labels behind each other. `None`: these are no labels.
fn joined(mut labels: &[u8]) -> Option<Vec<u8>> {
    let mut octets = Vec::with_capacity(labels.len());
    while let Some((length, rest)) = labels.split_first() {
        let length = usize::from(*length);
        if length == 0 || length > LONGEST_LABEL || length > rest.len() {
            return None;
        }
        octets.extend_from_slice(&rest[..length]);
        labels = &rest[length..];
    }
    Some(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_what_the_paper_says() {
        for (zone, binary, base32) in [(12, 176, 86), (6, 182, 90), (15, 173, 84)] {
            assert_eq!(most_text(zone, Labels::Binary), Some(binary), "zone of {zone}");
            assert_eq!(most_text(zone, Labels::Base32), Some(base32), "zone of {zone}");
        }
        assert_eq!(most_text(250, Labels::Binary), None);
    }

    #[test]
    fn what_is_no_boxed_query_is_none() {
        for format in Format::ALL {
            let query = BoxedQuery { format, client: PublicKey([7; 32]), nonce: [8; 12], boxed: vec![9; 49] };
            let name = query.name(&[0], Labels::Binary).unwrap();
            let labels = &name[..name.len() - 1];
            assert_eq!(BoxedQuery::read(labels), Some(query));
            for end in 0..FIXED {
                assert_eq!(BoxedQuery::read(&labels[..end]), None, "cut at {end}");
            }
        }
        assert_eq!(BoxedQuery::read(b"\x03www"), None);
        assert_eq!(BoxedQuery::read(b"\x04ebcv"), None, "nothing behind the magic");
        assert_eq!(BoxedQuery::read(b"\xc0\x0c"), None, "a pointer");
    }
}
