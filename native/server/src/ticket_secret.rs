//! The secret of session tickets: it moves on each hour, and nobody can move it back.

use std::fmt::{self, Debug, Display};

use aws_lc_rs::aead::{AES_256_GCM, LessSafeKey, UnboundKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Prk};
use data_encoding::HEXLOWER_PERMISSIVE;
use zeroize::Zeroizing;

/// Seconds for which one secret is used.
pub const HOUR: u64 = 3600;
const LENGTH: usize = 32;

/// What keys are derived from, since an hour.
#[derive(Clone, PartialEq, Eq)]
pub struct TicketSecret {
    /// hours since 1970
    pub hour: u32,
    octets: Zeroizing<[u8; LENGTH]>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TicketSecretError {
    #[error("is no ticket secret, which has the lines hour = NUMBER and secret = 64 hexadecimal digits")]
    Malformed,
    #[error("no randomness for a ticket secret")]
    NoRandomness,
}

impl TicketSecret {
    /// Seconds since 1970.
    pub fn generate(now: u64) -> Result<Self, TicketSecretError> {
        let mut octets = Zeroizing::new([0; LENGTH]);
        aws_lc_rs::rand::fill(&mut *octets).map_err(|_| TicketSecretError::NoRandomness)?;
        Ok(Self { hour: hour(now), octets })
    }

    /// Lines that begin with # say nothing.
    pub fn parse(text: &str) -> Result<Self, TicketSecretError> {
        let (mut hour, mut octets) = (None, None);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, value) = line.split_once('=').ok_or(TicketSecretError::Malformed)?;
            match key.trim() {
                "hour" if hour.is_none() => hour = value.trim().parse().ok(),
                "secret" if octets.is_none() => octets = read_hex(value.trim()),
                _ => return Err(TicketSecretError::Malformed),
            }
        }
        Ok(Self {
            hour: hour.ok_or(TicketSecretError::Malformed)?,
            octets: octets.ok_or(TicketSecretError::Malformed)?,
        })
    }

    /// It covers hours from this one on; seconds since 1970.
    pub fn begins(&self) -> u64 {
        u64::from(self.hour) * HOUR
    }

    /// That of the hour that follows.
    pub fn next(&self) -> Result<Self, Unspecified> {
        let mut octets = Zeroizing::new([0; LENGTH]);
        self.derive(&[b"sotto next ticket secret"], &mut octets)?;
        Ok(Self { hour: self.hour.saturating_add(1), octets })
    }

    /// Whether that one is this one, some hours later.
    pub fn leads_to(&self, later: &Self) -> bool {
        let mut secret = self.clone();
        while secret.hour < later.hour {
            let Ok(next) = secret.next() else { return false };
            secret = next;
        }
        secret == *later
    }

    fn derive(&self, info: &[&[u8]], out: &mut [u8; LENGTH]) -> Result<(), Unspecified> {
        Prk::new_less_safe(HKDF_SHA256, &*self.octets).expand(info, Okm)?.fill(out)
    }

    /// Of the tickets that one maker makes within the hour, so that no two makers need to agree on numbers.
    pub fn key_of(&self, maker: &[u8]) -> Result<LessSafeKey, Unspecified> {
        let mut key = Zeroizing::new([0; LENGTH]);
        self.derive(&[b"sotto tickets of ", maker], &mut key)?;
        UnboundKey::new(&AES_256_GCM, &*key).map(LessSafeKey::new)
    }
}

fn read_hex(text: &str) -> Option<Zeroizing<[u8; LENGTH]>> {
    let octets = Zeroizing::new(HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?);
    octets.as_slice().try_into().ok().map(Zeroizing::new)
}

/// `now`: seconds since 1970.
pub fn hour(now: u64) -> u32 {
    u32::try_from(now / HOUR).unwrap_or(u32::MAX)
}

/// As [`TicketSecret::parse`] reads it.
impl Display for TicketSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secret = Zeroizing::new(HEXLOWER_PERMISSIVE.encode(&*self.octets));
        write!(formatter, "hour = {}\nsecret = {}\n", self.hour, *secret)
    }
}

/// Without the secret.
impl Debug for TicketSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TicketSecret").field("hour", &self.hour).finish_non_exhaustive()
    }
}

struct Okm;

impl KeyType for Okm {
    fn len(&self) -> usize {
        LENGTH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# keep it from others\n\nhour = 100\n\
        secret = 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";

    /// Computed with another implementation of HMAC: HKDF-Expand (RFC 5869 section 2.3) of 32 octets is HMAC(secret, info ‖ 1).
    #[test]
    fn it_moves_on_as_another_implementation_computes_it() {
        let moved =
            (0..3).fold(TicketSecret::parse(TEXT).unwrap(), |secret, _| secret.next().unwrap()).to_string();
        let wanted = "29b48e0e1ab255ee4316d84d9e9d2f6c44233d9110760565aed245507027a322";
        assert_eq!(moved, format!("hour = 103\nsecret = {wanted}\n"));
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        let secret = TicketSecret::generate(7 * HOUR + 1).unwrap();
        assert_eq!((secret.begins(), TicketSecret::parse(&secret.to_string())), (7 * HOUR, Ok(secret)));
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        let line = TEXT.lines().last().unwrap();
        for wrong in [
            "",
            "hour = 100",
            line,
            &TEXT.replace("1f\n", "\n"),
            &TEXT.replace("1f\n", "1g\n"),
            &TEXT.replace("1f\n", "1f20\n"),
            &TEXT.replace("100", "-1"),
            &TEXT.replace("100", "4294967296"),
            &TEXT.replace("hour", "minute"),
            &format!("{TEXT}{line}\n"),
            &format!("{TEXT}more\n"),
        ] {
            assert_eq!(TicketSecret::parse(wrong), Err(TicketSecretError::Malformed), "{wrong:?}");
        }
    }

    #[test]
    fn it_is_not_shown() {
        assert_eq!(format!("{:?}", TicketSecret::parse(TEXT).unwrap()), "TicketSecret { hour: 100, .. }");
    }
}
