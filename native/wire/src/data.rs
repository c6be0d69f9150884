//! Whether the data of a record fits its type, to its last octet.

use crate::layout::{self, Field};
use crate::record::Record;
use crate::{Malformed, name, service};

/// Whether the data fits the type.
pub fn check(message: &[u8], record: &Record) -> Result<(), Malformed> {
    let Some(fields) = layout::of(record.kind, record.class) else {
        return Ok(());
    };
    let whole = message.get(..record.data.end).ok_or(UNFIT)?;
    let mut data = Data { whole, at: record.data.start };
    fields.iter().try_for_each(|field| data.pass(*field))?;
    if data.at == whole.len() { Ok(()) } else { Err(UNFIT) }
}

const UNFIT: Malformed = Malformed("a record's data does not fit its type");

struct Data<'a> {
    /// the message up to the end of the data
    whole: &'a [u8],
    at: usize,
}

impl<'a> Data<'a> {
    fn pass(&mut self, field: Field) -> Result<(), Malformed> {
        match field {
            Field::Octets(count) => self.take(count).map(drop),
            Field::Name => self.name(),
            Field::PlainName => self.plain_name(),
            Field::Text => self.text().map(drop),
            Field::Filled => self.filled().map(drop),
            Field::Word => self.word(),
            Field::Texts(most) => self.texts(most),
            Field::Digits => self.digits(),
            Field::Decimal => self.decimal(),
            Field::Long => self.long(),
            Field::Rest(least) => self.rest(least).map(drop),
            Field::Digest(least, lengths) => self.digest(least, lengths),
            Field::Gateway(back) => self.gateway(back),
            Field::Bitmap => self.bitmap(),
            Field::Options => self.options(),
            Field::Parameters => service::check(self.rest(0)?),
            Field::Prefixes => self.prefixes(),
            Field::Hip => self.hip(),
            Field::Location => self.location(),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let taken = self.whole.get(self.at..self.at + count).ok_or(UNFIT)?;
        self.at += count;
        Ok(taken)
    }

    fn number(&mut self, octets: usize) -> Result<usize, Malformed> {
        Ok(self.take(octets)?.iter().fold(0, |number, octet| number << 8 | usize::from(*octet)))
    }

    fn is_at_end(&self) -> bool {
        self.at == self.whole.len()
    }

    fn rest(&mut self, least: usize) -> Result<&'a [u8], Malformed> {
        let left = self.whole.len() - self.at;
        if left < least { Err(UNFIT) } else { self.take(left) }
    }

    fn name(&mut self) -> Result<(), Malformed> {
        name::check(self.whole, self.at)?;
        self.at = name::skip(self.whole, self.at)?;
        Ok(())
    }

    /// Whoever copies such a record elsewhere copies its octets.
    fn plain_name(&mut self) -> Result<(), Malformed> {
        let last = name::last(self.whole, self.at)?;
        self.at = last.end;
        if last.len() == 1 { Ok(()) } else { Err(Malformed("a name is compressed that may not be")) }
    }

    fn text(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.number(1)?;
        self.take(length)
    }

    fn filled(&mut self) -> Result<&'a [u8], Malformed> {
        let text = self.text()?;
        if text.is_empty() { Err(UNFIT) } else { Ok(text) }
    }

    fn word(&mut self) -> Result<(), Malformed> {
        if self.filled()?.iter().all(u8::is_ascii_alphanumeric) { Ok(()) } else { Err(UNFIT) }
    }

    /// More of them are octets behind the data.
    fn texts(&mut self, most: usize) -> Result<(), Malformed> {
        self.text()?;
        for _ in 1..most {
            if self.is_at_end() {
                break;
            }
            self.text()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let text = self.text()?;
        if text.len() >= 4 && text.iter().all(u8::is_ascii_digit) { Ok(()) } else { Err(UNFIT) }
    }

    fn decimal(&mut self) -> Result<(), Malformed> {
        let text = str::from_utf8(self.text()?).map_err(|_| UNFIT)?;
        let is_plain = text.bytes().all(|octet| matches!(octet, b'0'..=b'9' | b'.' | b'+' | b'-'));
        if is_plain && text.parse::<f64>().is_ok() { Ok(()) } else { Err(UNFIT) }
    }

    fn long(&mut self) -> Result<(), Malformed> {
        let length = self.number(2)?;
        self.take(length).map(drop)
    }

    fn digest(&mut self, least: usize, lengths: &[(u8, usize)]) -> Result<(), Malformed> {
        let kind = self.whole[self.at - 1];
        let found = self.rest(least)?.len();
        match lengths.iter().find(|(known, _)| *known == kind) {
            Some((_, length)) if found != *length => Err(UNFIT),
            _ => Ok(()),
        }
    }

    /// The first bit beside the kind of a relay says something else.
    fn gateway(&mut self, back: usize) -> Result<(), Malformed> {
        match self.whole[self.at - back] & 0x7f {
            0 => Ok(()),
            1 => self.take(4).map(drop),
            2 => self.take(16).map(drop),
            3 => self.plain_name(),
            _ => self.rest(0).map(drop),
        }
    }

    fn bitmap(&mut self) -> Result<(), Malformed> {
        let mut next = 0;
        while !self.is_at_end() {
            let window = self.number(1)?;
            let types = self.text()?;
            // there is one form of each: a last octet without a type is left away, and so is a window without one
            if window < next || types.len() > 32 || types.last().is_none_or(|last| *last == 0) {
                return Err(UNFIT);
            }
            next = window + 1;
        }
        Ok(())
    }

    fn options(&mut self) -> Result<(), Malformed> {
        while !self.is_at_end() {
            self.take(2)?;
            self.long()?;
        }
        Ok(())
    }

    /// Zeros at their end are left away. Of families other than IPv4 and IPv6 nothing is known.
    fn prefixes(&mut self) -> Result<(), Malformed> {
        while !self.is_at_end() {
            let (family, bits, octets) = (self.number(2)?, self.number(1)?, self.number(1)? & 0x7f);
            let prefix = self.take(octets)?;
            let longest = match family {
                1 => 4,
                2 => 16,
                _ => continue,
            };
            if octets > longest || bits > 8 * longest || prefix.last() == Some(&0) {
                return Err(UNFIT);
            }
        }
        Ok(())
    }

    /// Of other versions nothing is known. Size and precisions are a digit and its power of ten, and angles are thousandths of a second
    /// from the middle of their range.
    fn location(&mut self) -> Result<(), Malformed> {
        const QUARTER: usize = 90 * 3_600_000;
        if self.number(1)? != 0 {
            return self.rest(0).map(drop);
        }
        let are_digits = self.take(3)?.iter().all(|octet| octet >> 4 <= 9 && octet & 15 <= 9);
        let (latitude, longitude) = (self.number(4)?, self.number(4)?);
        self.take(4)?;
        let is_within = |angle: usize, most| angle.abs_diff(1 << 31) <= most;
        let fits = are_digits && is_within(latitude, QUARTER) && is_within(longitude, 2 * QUARTER);
        if fits { Ok(()) } else { Err(UNFIT) }
    }

    fn hip(&mut self) -> Result<(), Malformed> {
        let (tag, _, key) = (self.number(1)?, self.take(1)?, self.number(2)?);
        if tag == 0 || key == 0 {
            return Err(UNFIT);
        }
        self.take(tag + key)?;
        while !self.is_at_end() {
            self.plain_name()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Section;
    use crate::types::*;

    /// Whether a record of this type may hold these octets, which stand in a message behind `example.` at offset 12.
    fn fits(kind: u16, octets: &[u8]) -> bool {
        fits_in(IN, kind, octets)
    }

    fn fits_in(class: u16, kind: u16, octets: &[u8]) -> bool {
        let message = [&[0; 12], &b"\x07example\0"[..], octets, b"\x01x\0"].concat();
        let data = 21..21 + octets.len();
        let record = Record { section: Section::Answer, start: 12, kind, class, ttl: 0, ttl_at: 0, data };
        check(&message, &record).is_ok()
    }

    /// One good example of each layout. None of them may be longer or shorter by an octet, except those that end with anything.
    #[test]
    fn data_fits_with_its_last_octet_and_not_without() {
        for (kind, octets) in [
            (A, &b"\x7f\0\0\x01"[..]),
            (AAAA, &[1; 16]),
            (CNAME, b"\x03www\xc0\x0c"),
            (SOA, b"\xc0\x0c\x01a\xc0\x0c\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x05"),
            (MX, b"\0\x0a\x02mx\xc0\x0c"),
            (SRV, b"\0\0\0\0\x01\xbb\x01a\xc0\x0c"),
            (PX, b"\0\0\xc0\x0c\xc0\x0c"),
            (HINFO, b"\x01a\x02bc"),
            (TXT, b"\x01a\0\x02bc"),
            (NAPTR, b"\0\x01\0\x01\x01U\x03abc\0\x01a\xc0\x0c"),
            (LOC, b"\0\x12\x16\x13\x8b\x0d\x2c\x8c\x7f\xf8\xfc\xa5\0\x98\x96\x80"),
            (DS, &[&b"\0\x01\x08\x02"[..], &[7; 32]].concat()),
            (SSHFP, &[&b"\x01\x01"[..], &[7; 20]].concat()),
            (ZONEMD, &[&b"\0\0\0\x01\x01\x01"[..], &[7; 48]].concat()),
            (NSEC, b"\x01a\xc0\x0c\0\x02\x40\x01"),
            (NSEC3, b"\x01\0\0\0\0\x02hh\0\x01\x40\x01\x02\0\x01"),
            (NSEC3PARAM, b"\x01\0\0\0\x02ab"),
            (CSYNC, b"\0\0\0\x01\0\x03\0\x01\x40"),
            (L64, &[0; 10]),
            (LP, b"\0\x01\x01a\0"),
            (APL, b"\0\x01\x10\x82\xc0\x02"),
            (X25, b"\x043110"),
            (GPOS, b"\x04-1.5\x0290\x011"),
            (DSYNC, b"\0\x3b\x01\x14\xe9\x01a\0"),
            (AMTRELAY, b"\x0a\x81\xc0\0\x02\x01"),
            (AMTRELAY, b"\x0a\x03\x01a\0"),
            (HIP, b"\x02\x02\0\x01ttp\x01k\0"),
            (HTTPS, b"\0\x01\0\0\x01\0\x03\x02h2"),
            (TSIG, b"\x01a\0\0\0\0\0\0\0\0\0\0\x01m\0\0\0\0\0\x01o"),
            (TKEY, b"\x01a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01k\0\x01o"),
            (OPT, b"\0\x0a\0\x02ab\0\x0c\0\x01\0"),
        ] {
            assert!(fits(kind, octets), "type {kind}");
            assert!(!fits(kind, &octets[..octets.len() - 1]), "type {kind}, shorter");
            assert!(!fits(kind, &[octets, &[63]].concat()), "type {kind}, longer");
        }
    }

    #[test]
    fn data_that_ends_with_anything_needs_what_stands_before_it() {
        for (kind, octets, least) in [
            (RRSIG, &[&[0; 18][..], b"\xc0\x0c", b"signature"].concat()[..], 21),
            (DNSKEY, b"\x01\x01\x03\x0dkey", 4),
            (DS, b"\0\x01\x08\x09digest", 5),
            (CDS, b"\0\0\0\0\0", 5),
            (TLSA, b"\x03\x01\x01digest", 4),
            (CAA, b"\0\x05issueca.example", 7),
            (URI, b"\0\x0a\0\x01https:", 5),
            (CERT, b"\0\x01\0\x01\x08cert", 5),
            (IPSECKEY, b"\x0a\x01\x02\xc0\0\x02\x01key", 7),
            (IPSECKEY, b"\x0a\x00\x02key", 3),
        ] {
            for length in 0..=octets.len() {
                assert_eq!(fits(kind, &octets[..length]), length >= least, "type {kind}, {length}");
            }
        }
    }

    #[test]
    fn what_is_wrong_inside_is_found() {
        for (kind, octets) in [
            (CNAME, &b"\xc0\x15"[..]),
            (CNAME, b"\x40a\0"),
            (TXT, b""),
            (DS, b"\0\x01\x08\x02digest"),
            (CAA, b"\0\0ca.example"),
            (CAA, b"\0\x05is-ueca.example"),
            (LOC, b"\0\xa2\x16\x13\x8b\x0d\x2c\x8c\x7f\xf8\xfc\xa5\0\x98\x96\x80"),
            (LOC, b"\0\x12\x16\x13\xff\x0d\x2c\x8c\x7f\xf8\xfc\xa5\0\x98\x96\x80"),
            (ISDN, b""),
            (ISDN, b"\x0215\x010\x011"),
            (X25, b"\x0331\x31"),
            (X25, b"\x04311a"),
            (GPOS, b"\x011\x012\0"),
            (GPOS, b"\x011\x03nan\x013"),
            (GPOS, b"\x011\x012\x031-1"),
            (DS, b"\0\x01\x08\x03abc"),
            (DS, b"\0\x01\x08\x05abc"),
            (ZONEMD, b"\0\0\0\x01\x01\xf0elevenoctet"),
            (HIP, b"\0\x02\0\0"),
            (HIP, b"\x01\x02\0\0t"),
            (HIP, b"\0\x02\0\x01k"),
            (APL, b"\0\x01\x18\x06abcdef"),
            (APL, b"\0\x01\x21\x01a"),
            (APL, b"\0\x01\x18\x02a\0"),
            (APL, b"\0\x02\x81\x01a"),
            (NSAP, b""),
            (NSEC, b"\x01a\0\0\x02\x40\0"),
            (CSYNC, b"\0\0\0\x01\0\x03\0\x02\x40\0"),
            (DSYNC, b"\0\x3b\x01\x14\xe9\x01a\xc0\x0c"),
            (NSEC3, b"\x01\0\0\0\0\0\0\x01\x40"),
            (NSEC, b"\x01a\0\x01\x01\x40\x01\x01\x40"),
            (NSEC, b"\x01a\0\0\0"),
            (SVCB, b"\0\x01\x01a\xc0\x0c"),
            (LP, b"\0\x01\x01a\xc0\x0c"),
            (HTTPS, b"\0\x01\0\0\x03\0\x01\0"),
        ] {
            assert!(!fits(kind, octets), "type {kind} {octets:02x?}");
        }
    }

    /// The texts leave them to later ones.
    #[test]
    fn kinds_and_versions_that_are_not_known_may_hold_anything() {
        for (kind, octets) in [
            (APL, &b"\0\x09\xff\x06abcde\0"[..]),
            (APL, b"\0\x01\0\0\0\x02\0\x80"),
            (DS, b"\0\x01\x08\xc8abc"),
            (SSHFP, b"\x01\xc8abc"),
            (ZONEMD, b"\0\0\0\x01\x01\xf0twelve_octet"),
            (TLSA, b"\x03\x01\xc8a"),
            (LOC, b"\x01abc"),
            (IPSECKEY, b"\x0a\xc8\x02key"),
            (AMTRELAY, b"\x0a\x7fabc"),
            (HTTPS, b"\0\x01\0\xff\0\0\x01x"),
            (ISDN, b"\x04+49a"),
            (ISDN, b"\x0215\x010"),
        ] {
            assert!(fits(kind, octets), "type {kind} {octets:02x?}");
        }
    }

    #[test]
    fn what_is_not_known_may_hold_anything() {
        for octets in [&b""[..], b"x", b"\xc0"] {
            assert!(fits(65_280, octets) && fits(10, octets), "types without a layout");
            assert!(fits_in(3, A, octets) && fits_in(255, MX, octets), "another class");
        }
        assert!(
            !fits_in(3, TXT, b"\x05abc") && !fits_in(195, RP, b"\x05abc"),
            "a text is one in every class"
        );
    }
}
