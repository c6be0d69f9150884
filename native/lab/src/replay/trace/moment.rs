//! Moments in text: seconds since 1970 with a fraction, or RFC 3339.

use crate::replay::query::{END_OF_TIME, Micros, SECOND};

/// `None`: it is neither, before 1970, or after the year 9999. What is finer than a microsecond is cut.
pub fn read(text: &[u8]) -> Option<Micros> {
    let at = seconds(text).or_else(|| rfc3339(text))?;
    (at < END_OF_TIME).then_some(at)
}

fn seconds(text: &[u8]) -> Option<Micros> {
    let point = text.iter().position(|&octet| octet == b'.').unwrap_or(text.len());
    let (whole, fraction) = (&text[..point], text.get(point + 1..).unwrap_or_default());
    if whole.is_empty() || whole.len() > 12 || (point < text.len() && fraction.is_empty()) {
        return None;
    }
    let mut micros = 0;
    for index in 0..6 {
        let digit = fraction.get(index).copied().unwrap_or(b'0');
        micros = micros * 10 + value(digit)?;
    }
    for &digit in fraction.get(6..).unwrap_or_default() {
        value(digit)?;
    }
    let mut seconds = 0;
    for &digit in whole {
        seconds = seconds * 10 + value(digit)?;
    }
    Some(seconds * SECOND + micros)
}

fn value(digit: u8) -> Option<u64> {
    digit.is_ascii_digit().then(|| u64::from(digit - b'0'))
}

fn rfc3339(text: &[u8]) -> Option<Micros> {
    let moment: jiff::Timestamp = std::str::from_utf8(text).ok()?.parse().ok()?;
    moment.as_microsecond().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read() {
        for (text, at) in [
            ("0", 0),
            ("1", SECOND),
            ("0.000001", 1),
            ("1700000000.5", 1_700_000_000_500_000),
            ("1700000000.1234567", 1_700_000_000_123_456),
            ("253402300799.999999", END_OF_TIME - 1),
            ("1970-01-01T00:00:01.5Z", 1_500_000),
            ("1970-01-01T01:00:00+01:00", 0),
        ] {
            assert_eq!(read(text.as_bytes()), Some(at), "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_is_not_guessed() {
        for text in [
            "",
            "-1",
            "+1",
            ".5",
            "1.",
            "1e9",
            "nan",
            "inf",
            "1,5",
            " 1",
            "0x10",
            "1.5.5",
            "1.00000000x",
            "9223372036854775808",
            "18446744073709551616",
            "253402300800",
            "999999999999",
            "1969-12-31T23:59:59Z",
            "1970-01-01",
            "2026-13-01T00:00:00Z",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(read(&[0xff, 0xfe]), None);
    }
}
